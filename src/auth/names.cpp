#include "names.hpp"

#include <fairlead/base/text.hpp>

#include <algorithm>

namespace fairlead::auth {
namespace {

bool isLetter(char c) { return c >= 'a' && c <= 'z'; }
bool isDigit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

bool isPlainName(std::string_view name) {
  const auto solid = [](char c) { return isLetter(c) || isDigit(c); };
  return !name.empty() && name.size() <= 63 && solid(name.front()) && solid(name.back()) &&
         std::all_of(name.begin(), name.end(), [&](char c) { return solid(c) || c == '-' || c == '.' || c == '_'; });
}

bool isPrincipalName(std::string_view name) {
  return !name.empty() && name.size() <= 256 && name.front() != '-' && isUtf8(name) &&
         std::none_of(name.begin(), name.end(), [](char c) {
           const auto byte = static_cast<unsigned char>(c);
           return byte <= 0x20 || byte == 0x7F;
         });
}

bool isUnixName(std::string_view name) {
  if (name.empty() || name.size() > 32) return false;
  if (!isLetter(name.front()) && name.front() != '_') return false;
  return std::all_of(name.begin(), name.end(), [](char c) {
    return isLetter(c) || isDigit(c) || (c >= 'A' && c <= 'Z') || c == '_' || c == '-' || c == '.';
  });
}

}  // namespace fairlead::auth
