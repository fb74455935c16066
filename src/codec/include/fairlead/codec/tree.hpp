// One document tree for YAML and JSON: what was written, with the place of every value, and nothing guessed.
//
// Scalars: only canonical forms have a type (`true`, `false`, `null`, `-12`, `0.5`). Everything else is text exactly as
// written: `yes`, `True`, `010`, `0x1F`, `1e3` (in YAML), `2026-01-01`. A field that wants a number then refuses them
// with the remedy, and a command word or variable keeps them byte for byte. Refused: duplicate keys, invalid UTF-8,
// control characters, tags other than !!str, more than the limits. One leading byte order mark is skipped. An alias
// counts as all the values it stands for, and is shared, never copied.
#pragma once

#include <fairlead/base/result.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace fairlead::codec {

/// 1-based; columns count bytes.
struct Place {
  std::int32_t line = 0;
  std::int32_t column = 0;
};

struct Limits {
  std::size_t textBytes = 8 * 1024 * 1024;
  std::size_t values = 100'000;  ///< maps, lists, scalars and keys, aliases expanded
  int depth = 64;
  int documents = 1'000;
};

enum class NodeKind : std::uint8_t { null, boolean, integer, decimal, text, list, map };
/// `a list`, `text`: for messages.
[[nodiscard]] std::string_view describe(NodeKind kind);

struct Entry;

/// A value. Cheap to copy; its text, items and entries live as long as its Tree.
struct Node {
  NodeKind kind = NodeKind::null;
  bool boolean = false;
  Place place;
  std::int64_t integer = 0;        ///< for integer
  std::string_view text;           ///< of every scalar as written; text is unescaped
  std::span<const Node> items;     ///< of a list
  std::span<const Entry> entries;  ///< of a map, in the order written; keys are unique

  /// The value of `key`, nullptr when absent or when this is no map.
  [[nodiscard]] const Node* find(std::string_view key) const;
};

struct Entry {
  std::string_view key;
  Place place;
  Node value;
};

class TreeStorage;

/// An immutable document. Copies share it; any thread may read.
class Tree {
 public:
  Tree(std::shared_ptr<const TreeStorage> storage, const Node* root) : storage_(std::move(storage)), root_(root) {}
  [[nodiscard]] const Node& root() const { return *root_; }

 private:
  std::shared_ptr<const TreeStorage> storage_;
  const Node* root_;
};

/// RFC 8259, strict.
[[nodiscard]] Checked<Tree> parseJson(std::string_view text, const Limits& limits = {});
/// Exactly one document of YAML 1.2.
[[nodiscard]] Checked<Tree> parseYaml(std::string_view text, const Limits& limits = {});
/// Documents between `---`; empty ones are left out.
[[nodiscard]] Checked<std::vector<Tree>> parseYamlDocuments(std::string_view text, const Limits& limits = {});

}  // namespace fairlead::codec
