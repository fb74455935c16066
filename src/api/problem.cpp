#include "shapes/record_views.hpp"

#include <fairlead/api/errors.hpp>
#include <fairlead/api/problem.hpp>
#include <fairlead/auth/errors.hpp>

#include <fmt/format.h>

namespace fairlead::api {
namespace {

constexpr std::size_t kMostErrors = 100;

int statusOfKind(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::invalid:
      return 400;
    case ErrorKind::notFound:
      return 404;
    case ErrorKind::denied:
      return 403;
    case ErrorKind::conflict:
      return 409;
    case ErrorKind::precondition:
      return 412;
    case ErrorKind::tooLarge:
      return 413;
    case ErrorKind::unavailable:
      return 503;
    case ErrorKind::timeout:
      return 504;
    case ErrorKind::unsupported:
      return 422;
    case ErrorKind::internal:
      return 500;
  }
  return 500;
}

net::Response responseOf(const ProblemView& view) {
  net::Response response;
  response.status = view.status;
  response.contentType = "application/problem+json";
  response.body = shapeOf<ProblemView>().text(view);
  if (view.status == 401) response.headers.emplace_back("WWW-Authenticate", "Bearer realm=\"fairlead\"");
  if (view.status == 503) response.headers.emplace_back("Retry-After", "1");
  return response;
}

std::string detailOf(const Errors& errors) {
  const auto& first = errors.front();
  const std::string where = first.field.empty() ? std::string() : first.field + ": ";
  if (errors.size() == 1) return where + first.message;
  return fmt::format("{}{} (and {} more)", where, first.message, errors.size() - 1);
}

}  // namespace

int statusOf(const ErrorCode& code) {
  if (code.token == kNotAuthenticated.token || code.token == auth::kTokenRefused.token ||
      code.token == auth::kUnknownUser.token)
    return 401;
  if (code.token == kWrongMethod.token) return 405;
  if (code.token == kContentType.token) return 415;
  return statusOfKind(code.kind);
}

net::Response problem(const Errors& errors, std::string_view requestId, std::string_view rule) {
  FL_ASSERT(!errors.empty(), "a problem has an error");
  const auto& first = errors.front();
  ProblemView view;
  view.type = fmt::format("urn:fairlead:problem:{}", first.token());
  view.title = first.code->title;
  view.status = statusOf(*first.code);
  view.detail = detailOf(errors);
  view.remedy = first.remedy;
  view.requestId = requestId;
  view.rule = rule;
  for (std::size_t i = 0; i < errors.size() && i < kMostErrors; ++i) view.errors.push_back({errors[i]});
  return responseOf(view);
}

net::Response problem(const Error& error, std::string_view requestId, std::string_view rule) {
  return problem(Errors{error}, requestId, rule);
}

net::Response renderServerError(int status, std::string_view detail) {
  ProblemView view;
  view.type = "about:blank";
  view.title = net::statusPhrase(status);
  view.status = status;
  view.detail = detail;
  return responseOf(view);
}

}  // namespace fairlead::api
