// Options as getopt_long reads them: long ones by any unambiguous beginning, `--name=value` and `--name value`, short
// ones with the value attached or next, several short ones in one word.
#include "sbatch_table.hpp"
#include "tree_storage.hpp"

#include <fairlead/base/text.hpp>
#include <fairlead/codec/errors.hpp>

#include <fmt/format.h>

namespace fairlead::codec {
namespace {

class OptionReader {
 public:
  OptionReader(SbatchWork& work, const std::vector<std::string>& words, const std::vector<Place>& places)
      : work_(work), words_(words), places_(places) {}

  void read() {
    while (at_ < words_.size()) {
      const auto word = std::string_view(words_[at_]);
      if (word.starts_with("--") && word.size() > 2)
        longOption(word.substr(2));
      else if (word.starts_with('-') && word.size() > 1 && word != "--")
        shortOptions(word.substr(1));
      else
        refuse(kSyntax, word, "is not an option", "options begin with `-`; quote values that hold blanks");
      ++at_;
    }
  }

 private:
  void refuse(const ErrorCode& code, std::string_view option, std::string message, std::string remedy) {
    auto error = errorAt(places_[at_], code, std::move(message), std::move(remedy));
    error.field = printable(option, 80);
    work_.errors.push_back(std::move(error));
  }

  [[nodiscard]] const SbatchDirective* find(std::string_view name) {
    const SbatchDirective* found = nullptr;
    int matches = 0;
    for (const auto& directive : sbatchDirectives()) {
      if (directive.name == name) return &directive;
      if (!name.empty() && directive.name.starts_with(name)) {
        if (++matches == 1) found = &directive;
      }
    }
    if (matches == 1) return found;
    const auto option = fmt::format("--{}", name);
    if (matches > 1) {
      refuse(kUnknownDirective, option, "could mean several options",
             fmt::format("write it in full, such as --{}", found->name));
      return nullptr;
    }
    std::vector<std::string_view> names;
    for (const auto& directive : sbatchDirectives()) names.push_back(directive.name);
    const auto near = nearest(name, names);
    refuse(kUnknownDirective, option, "is not an option of sbatch",
           near ? fmt::format("did you mean --{}?", *near) : "see man sbatch");
    return nullptr;
  }

  void longOption(std::string_view text) {
    const auto equals = text.find('=');
    const auto* directive = find(text.substr(0, equals));
    if (directive == nullptr) return skipValue();
    SbatchGiven given{fmt::format("--{}", directive->name), {}, false, places_[at_]};
    if (equals != std::string_view::npos) {
      given.value = std::string(text.substr(equals + 1));
      given.hasValue = true;
      if (directive->argument == SbatchArgument::none)
        return refuse(kBadValue, given.option, "takes no value", fmt::format("write {} alone", given.option));
    } else if (directive->argument == SbatchArgument::required && !nextWord(given)) {
      return;
    }
    take(*directive, given);
  }

  void shortOptions(std::string_view letters) {
    while (!letters.empty()) {
      const SbatchDirective* directive = nullptr;
      for (const auto& candidate : sbatchDirectives())
        if (candidate.letter == letters.front()) directive = &candidate;
      if (directive == nullptr) {
        refuse(kUnknownDirective, fmt::format("-{}", letters.substr(0, 1)), "is not an option of sbatch",
               "see man sbatch");
        return skipValue();
      }
      letters.remove_prefix(1);
      SbatchGiven given{fmt::format("--{}", directive->name), {}, false, places_[at_]};
      if (directive->argument != SbatchArgument::none) {
        if (!letters.empty()) {
          given.value = std::string(letters);
          given.hasValue = true;
        } else if (directive->argument == SbatchArgument::required && !nextWord(given)) {
          return;
        }
        letters = {};
      }
      take(*directive, given);
    }
  }

  /// Behind an unknown option, a word that is no option is most likely its value: one error is enough.
  void skipValue() {
    if (at_ + 1 < words_.size() && !words_[at_ + 1].starts_with('-')) ++at_;
  }

  [[nodiscard]] bool nextWord(SbatchGiven& given) {
    if (at_ + 1 >= words_.size()) {
      refuse(kMissingField, given.option, "needs a value", fmt::format("write {}=VALUE", given.option));
      return false;
    }
    given.value = words_[++at_];
    given.hasValue = true;
    return true;
  }

  void take(const SbatchDirective& directive, const SbatchGiven& given) {
    if (directive.argument == SbatchArgument::required && given.value.empty())
      return refuse(kMissingField, given.option, "needs a value", fmt::format("write {}=VALUE", given.option));
    if (directive.take != nullptr)
      directive.take(work_, given);
    else
      work_.notMap(given, std::string(directive.why));
  }

  SbatchWork& work_;
  const std::vector<std::string>& words_;
  const std::vector<Place>& places_;
  std::size_t at_ = 0;
};

}  // namespace

void SbatchWork::fault(const SbatchGiven& given, const ErrorCode& code, std::string message, std::string remedy) {
  auto error = errorAt(given.place, code, std::move(message), std::move(remedy));
  error.field = given.option;
  error.value = printable(given.value);
  errors.push_back(std::move(error));
}

void readSbatchOptions(SbatchWork& work, const std::vector<std::string>& words, const std::vector<Place>& places) {
  OptionReader(work, words, places).read();
}

}  // namespace fairlead::codec
