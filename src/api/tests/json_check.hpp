// Checks a JSON value against the shape that the API declares for it.
#pragma once

#include <fairlead/api/schema.hpp>

#include <boost/json.hpp>

#include <string>

namespace fairlead::api::testing {

/// What does not fit, with its path; empty: all fits.
[[nodiscard]] std::string misfit(const boost::json::value& value, const ShapeInfo& shape,
                                 const std::string& path = "$");
[[nodiscard]] std::string misfit(const boost::json::value& value, const Type& type, const std::string& path);

}  // namespace fairlead::api::testing
