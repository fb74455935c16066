// YAML through yaml-cpp's events, which keep what its node tree loses: duplicate keys, the spelling of scalars, and
// aliases as references. Nothing is expanded: an alias shares the nodes of its anchor and only counts as all of them.
#include "tree_storage.hpp"

#include <fairlead/base/text.hpp>

#include <fmt/format.h>
#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <sstream>
#include <unordered_map>

namespace fairlead::codec {
namespace {

Place toPlace(const YAML::Mark& mark) { return {mark.line + 1, mark.column + 1}; }

class TreeBuilder final : public YAML::EventHandler {
 public:
  TreeBuilder(TreeStorage& storage, const Limits& limits, Errors& errors)
      : storage_(storage), limits_(limits), errors_(errors) {}

  /// The document just parsed, nothing when it was empty.
  [[nodiscard]] const Node* takeRoot() {
    const auto* root = root_;
    root_ = nullptr;
    return root;
  }

  /// Where the scalar read last begins, its anchor and tag in front of it.
  [[nodiscard]] const YAML::Mark& lastScalar() const { return lastScalar_; }

  void OnDocumentStart(const YAML::Mark& /*mark*/) override {
    anchors_.clear();
    frames_.clear();
    root_ = nullptr;
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    Node node;
    node.place = toPlace(mark);
    count(1, node.place);
    const bool emptyDocument = frames_.empty();
    add(node, anchor, 1, 0);
    if (emptyDocument) root_ = nullptr;
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    const auto place = toPlace(mark);
    count(1, place);
    lastScalar_ = mark;
    const auto text = storage_.keep(value);
    Node node;
    if (tag == "?" || tag.empty()) {
      node = plainScalar(text, place);
    } else if (tag == "!" || tag == "tag:yaml.org,2002:str") {
      node.kind = NodeKind::text;
      node.place = place;
      node.text = text;
    } else {
      refuseTag(tag, place);
    }
    add(node, anchor, 1, 0);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end())
      throw ParseFailure{errorAt(toPlace(mark), kSyntax, "an alias inside the value it names", "write the value out")};
    const auto& named = found->second;
    count(named.weight, toPlace(mark));
    auto node = named.node;
    node.place = toPlace(mark);
    add(node, 0, named.weight, named.height);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    begin(mark, tag, "tag:yaml.org,2002:seq", anchor, false);
  }
  void OnSequenceEnd() override { end(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    begin(mark, tag, "tag:yaml.org,2002:map", anchor, true);
  }
  void OnMapEnd() override { end(); }

 private:
  struct Frame {
    bool isMap = false;
    bool hasKey = false;
    Place place;
    YAML::anchor_t anchor = 0;
    std::size_t first = 0;  ///< of its items or entries on their stack
    std::size_t countBefore = 0;
    int height = 0;  ///< levels below
    Entry pending;   ///< of a map: the entry whose value is awaited
  };
  struct Anchored {
    Node node;
    std::size_t weight = 0;
    int height = 0;
  };

  void count(std::size_t more, Place place) {
    values_ += more;
    if (values_ > limits_.values) throw ParseFailure{tooManyValues(place, limits_)};
  }

  [[noreturn]] static void refuseTag(const std::string& tag, Place place) {
    throw ParseFailure{errorAt(place, kSyntax, fmt::format("tag `{}` is not taken", printable(tag, 80)),
                               "drop the tag; quote text instead")};
  }

  void begin(const YAML::Mark& mark, const std::string& tag, std::string_view allowed, YAML::anchor_t anchor,
             bool isMap) {
    Frame frame;
    frame.isMap = isMap;
    frame.place = toPlace(mark);
    frame.anchor = anchor;
    frame.first = isMap ? entries_.size() : nodes_.size();
    frame.countBefore = values_;
    if (!tag.empty() && tag != "?" && tag != "!" && tag != allowed) refuseTag(tag, frame.place);
    count(1, frame.place);
    frames_.push_back(frame);
    if (static_cast<int>(frames_.size()) > limits_.depth) throw ParseFailure{tooDeep(frame.place, limits_)};
  }

  void end() {
    const auto frame = frames_.back();
    frames_.pop_back();
    Node node;
    node.place = frame.place;
    node.kind = frame.isMap ? NodeKind::map : NodeKind::list;
    if (frame.isMap) {
      node.entries = storage_.keepTail(entries_, frame.first);
      checkKeys(node.entries, errors_);
    } else {
      node.items = storage_.keepTail(nodes_, frame.first);
    }
    add(node, frame.anchor, values_ - frame.countBefore, frame.height + 1);
  }

  void add(const Node& node, YAML::anchor_t anchor, std::size_t weight, int height) {
    if (anchor != 0) anchors_[anchor] = {node, weight, height};
    if (static_cast<int>(frames_.size()) + height > limits_.depth) throw ParseFailure{tooDeep(node.place, limits_)};
    if (frames_.empty()) {
      root_ = storage_.keep(node);
      return;
    }
    auto& frame = frames_.back();
    frame.height = std::max(frame.height, height);
    if (!frame.isMap) {
      nodes_.push_back(node);
    } else if (!frame.hasKey) {
      if (node.kind == NodeKind::map || node.kind == NodeKind::list || node.kind == NodeKind::null)
        throw ParseFailure{
            errorAt(node.place, kSyntax, fmt::format("{} as a key", describe(node.kind)), "keys are text")};
      frame.pending = {node.text, node.place, {}};
      frame.hasKey = true;
    } else {
      frame.pending.value = node;
      entries_.push_back(frame.pending);
      frame.hasKey = false;
    }
  }

  TreeStorage& storage_;
  const Limits& limits_;
  Errors& errors_;
  std::vector<Frame> frames_;
  std::vector<Node> nodes_;
  std::vector<Entry> entries_;
  std::unordered_map<YAML::anchor_t, Anchored> anchors_;
  std::size_t values_ = 0;
  YAML::Mark lastScalar_ = YAML::Mark::null_mark();
  const Node* root_ = nullptr;
};

/// yaml-cpp takes the end of the text for a closing quote, so that half a file would pass. Only the last scalar can be
/// open.
void checkClosed(std::string_view text, const YAML::Mark& scalar) {
  if (scalar.pos < 0) return;
  auto rest = text.substr(std::min(static_cast<std::size_t>(scalar.pos), text.size()));
  while (rest.starts_with('&') || rest.starts_with('!')) {
    rest.remove_prefix(std::min(rest.find_first_of(" \t\n"), rest.size()));
    rest.remove_prefix(std::min(rest.find_first_not_of(" \t\n"), rest.size()));
  }
  if (!rest.starts_with('"') && !rest.starts_with('\'')) return;
  const char quote = rest.front();
  for (std::size_t i = 1; i < rest.size(); ++i) {
    const bool doubled = quote == '\'' && rest.substr(i, 2) == "''";
    if (rest[i] == quote && !doubled) return;
    if (doubled || (quote == '"' && rest[i] == '\\')) ++i;
  }
  throw ParseFailure{errorAt(toPlace(scalar), kSyntax, "a quote that is not closed", "close it")};
}

std::vector<Tree> parseAll(std::string_view text, const Limits& limits, Errors& errors) {
  auto storage = std::make_shared<TreeStorage>(std::string_view{});
  std::vector<Tree> trees;
  std::istringstream stream{std::string(text)};
  YAML::Parser parser(stream);
  TreeBuilder builder(*storage, limits, errors);
  for (int documents = 0; parser.HandleNextDocument(builder); ++documents) {
    if (documents >= limits.documents)
      throw ParseFailure{
          errorAt({}, kTooManyValues, fmt::format("more than {} documents", limits.documents), "split the file")};
    if (const auto* root = builder.takeRoot()) trees.emplace_back(storage, root);
  }
  checkClosed(text, builder.lastScalar());
  return trees;
}

}  // namespace

Checked<std::vector<Tree>> parseYamlDocuments(std::string_view text, const Limits& limits) {
  if (auto error = checkText(text, limits)) return tl::unexpected(Errors{std::move(*error)});
  Errors errors;
  try {
    auto trees = parseAll(withoutByteOrderMark(text), limits, errors);
    if (errors.empty()) return trees;
  } catch (ParseFailure& failure) {
    errors.push_back(std::move(failure.error));
  } catch (const YAML::DeepRecursion& failure) {
    errors.push_back(tooDeep(toPlace(failure.mark), limits));
  } catch (const YAML::Exception& failure) {
    errors.push_back(errorAt(toPlace(failure.mark), kSyntax, failure.msg));
  }
  return tl::unexpected(std::move(errors));
}

Checked<Tree> parseYaml(std::string_view text, const Limits& limits) {
  auto trees = parseYamlDocuments(text, limits);
  if (!trees) return tl::unexpected(std::move(trees.error()));
  if (trees->size() == 1) return std::move(trees->front());
  if (trees->empty()) return tl::unexpected(Errors{errorAt({}, kSyntax, "the document is empty")});
  return tl::unexpected(
      Errors{errorAt((*trees)[1].root().place, kSyntax,
                     fmt::format("{} documents where one is expected", trees->size()), "hand them in one by one")});
}

}  // namespace fairlead::codec
