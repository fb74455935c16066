// The API described, from the same declarations that route and validate.
#pragma once

#include <string>

namespace fairlead::api {

/// OpenAPI 3.1 as JSON, indented, the same for the same declarations.
[[nodiscard]] std::string openApiDocument();

}  // namespace fairlead::api
