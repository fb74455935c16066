#include <fairlead/base/secret.hpp>

#include <cstring>

namespace fairlead {

bool Secret::matches(std::string_view candidate) const {
  if (candidate.size() != text_.size()) return false;
  unsigned difference = 0;
  for (std::size_t i = 0; i < candidate.size(); ++i)
    difference |=
        static_cast<unsigned>(static_cast<unsigned char>(candidate[i]) ^ static_cast<unsigned char>(text_[i]));
  return difference == 0;
}

void Secret::wipe() {
  text_.resize(text_.capacity());  // an earlier, longer value may lie behind the end
  explicit_bzero(text_.data(), text_.size());
  text_.clear();
}

}  // namespace fairlead
