#include <fairlead/base/result.hpp>

namespace fairlead {

std::string toText(const Error& error) {
  std::string text;
  if (!error.field.empty()) text += error.field + ": ";
  text += error.message;
  if (!error.remedy.empty()) text += " (" + error.remedy + ")";
  return text;
}

}  // namespace fairlead
