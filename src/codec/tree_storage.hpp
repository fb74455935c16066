// What a Tree lives in, and the checks that both parsers share.
#pragma once

#include <fairlead/codec/errors.hpp>
#include <fairlead/codec/tree.hpp>

#include <array>
#include <memory>
#include <memory_resource>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fairlead::codec {

class TreeStorage {
 public:
  explicit TreeStorage(std::string_view source) : source_(source) {}
  TreeStorage(const TreeStorage&) = delete;
  TreeStorage& operator=(const TreeStorage&) = delete;

  /// The text that was parsed; nodes may point into it.
  [[nodiscard]] std::string_view source() const { return source_; }
  [[nodiscard]] std::string_view keep(std::string_view text);
  [[nodiscard]] char* keepBytes(std::size_t size) { return static_cast<char*>(arena_.allocate(size, 1)); }
  /// Copies the elements from `first` on and takes them off `stack`.
  template <class T>
  [[nodiscard]] std::span<const T> keepTail(std::vector<T>& stack, std::size_t first) {
    const auto count = stack.size() - first;
    if (count == 0) return {};
    auto* copy = static_cast<T*>(arena_.allocate(count * sizeof(T), alignof(T)));
    std::uninitialized_copy(stack.begin() + static_cast<std::ptrdiff_t>(first), stack.end(), copy);
    stack.resize(first);
    return {copy, count};
  }
  [[nodiscard]] const Node* keep(const Node& node);

 private:
  std::string source_;
  std::array<std::byte, 4096> first_;  // a small document needs no second allocation
  std::pmr::monotonic_buffer_resource arena_{first_.data(), first_.size()};
};

static_assert(std::is_trivially_destructible_v<Node> && std::is_trivially_destructible_v<Entry>);

/// Ends a parse from within.
struct ParseFailure {
  Error error;
};

[[nodiscard]] Error errorAt(Place place, const ErrorCode& code, std::string message, std::string remedy = {});
/// The byte from which on the text is not UTF-8. Nothing when it is.
[[nodiscard]] std::optional<Error> checkUtf8(std::string_view text);
[[nodiscard]] Place placeAt(std::string_view text, std::size_t offset);
/// Size, UTF-8, control characters that no text may hold. Nothing when fine.
[[nodiscard]] std::optional<Error> checkText(std::string_view text, const Limits& limits);
[[nodiscard]] std::string_view withoutByteOrderMark(std::string_view text);
/// Adds an error for every key that stands twice.
void checkKeys(std::span<const Entry> entries, Errors& errors);
/// Gives a plain scalar its type. `text` must outlive the node.
[[nodiscard]] Node plainScalar(std::string_view text, Place place);
/// Type of a number in JSON's grammar: an integer when it fits, else a decimal.
[[nodiscard]] Node numberNode(std::string_view text, Place place);

[[nodiscard]] Error tooManyValues(Place place, const Limits& limits);
[[nodiscard]] Error tooDeep(Place place, const Limits& limits);

}  // namespace fairlead::codec
