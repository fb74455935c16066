#include <fairlead/model/spec.hpp>

namespace fairlead::model {

std::int32_t memberCount(const Spec& spec) {
  std::int32_t members = 0;
  for (const auto& role : spec.roles) members += role.count;
  return members;
}

std::int32_t memberMinimum(const Spec& spec) {
  std::int32_t members = 0;
  for (const auto& role : spec.roles) members += role.minimum;
  return members;
}

std::int32_t elementCount(const Spec& spec) {
  if (!spec.array) return 1;
  std::int32_t elements = 0;
  for (const auto& range : spec.array->ranges) elements += (range.last - range.first) / range.step + 1;
  return elements;
}

}  // namespace fairlead::model
