#include <fairlead/codec/slurm/states.hpp>

#include <algorithm>

namespace fairlead::codec::slurm {

const ReasonRow* findReason(std::string_view text) {
  std::size_t length = 0;  // a reason is one word of letters; `RaisedSignal:15(Terminated)`, `ReqNodeNotAvail, ...`
  while (length < text.size() && ((text[length] | 0x20) >= 'a' && (text[length] | 0x20) <= 'z')) ++length;
  const auto word = text.substr(0, length);
  const auto table = reasonTable();
  const auto row = std::lower_bound(table.begin(), table.end(), word,
                                    [](const ReasonRow& r, std::string_view wanted) { return r.word < wanted; });
  return row != table.end() && row->word == word ? &*row : nullptr;
}

}  // namespace fairlead::codec::slurm
