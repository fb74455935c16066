#include "job_ids.hpp"

#include "text.hpp"

namespace fairlead::codec::slurm {

std::optional<JobIdText> parseJobId(std::string_view text) {
  JobIdText out;
  std::size_t length = 0;
  while (length < text.size() && isDigit(text[length])) ++length;
  const auto id = parseId(text.substr(0, length));
  if (!id || *id == 0) return {};
  out.id = *id;
  text.remove_prefix(length);
  if (text.starts_with("_[")) {
    const auto close = text.find(']');
    if (close == std::string_view::npos) return {};
    out.tasks = text.substr(2, close - 2);
    text.remove_prefix(close + 1);
  } else if (text.starts_with('_') || text.starts_with('+')) {
    const bool task = text.front() == '_';
    length = 1;
    while (length < text.size() && isDigit(text[length])) ++length;
    const auto number = parseId(text.substr(1, length - 1));
    if (!number) return {};
    (task ? out.task : out.component) = *number;
    text.remove_prefix(length);
  }
  if (text.empty()) return out;
  if (text.front() != '.' || text.size() == 1) return {};
  out.step = text.substr(1);
  return out;
}

void readStateText(std::string_view text, JobState& state, JobFlags& flags, Words& unknown, std::string* cancelledBy) {
  state = JobState::unknown;
  flags = {};
  unknown.clear();
  if (cancelledBy != nullptr) cancelledBy->clear();
  auto rest = text;
  const auto word = takeUntil(rest, ' ');
  if (cancelledBy != nullptr && rest.starts_with("by ")) *cancelledBy = rest.substr(3);
  if (word.empty()) return;
  const auto* row = findJobState(word.ends_with('+') ? word.substr(0, word.size() - 1) : word);
  if (row == nullptr)
    unknown.emplace_back(word);
  else if (row->flag >= 0)
    flags.add(static_cast<JobFlag>(row->flag));
  else
    state = row->state;
}

}  // namespace fairlead::codec::slurm
