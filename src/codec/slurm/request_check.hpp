// Checks of what is sent: one line, one name.
#pragma once

#include <fairlead/base/result.hpp>

namespace fairlead::codec::slurm {

[[nodiscard]] Error requestError(const ErrorCode& code, std::string field, std::string_view value,
                                 std::string_view what, std::string remedy);
/// No control characters, at most 4096 bytes.
void checkLine(std::string_view text, std::string field, Errors& errors);
/// A line without white space, quotes and `=`, which does not look like an option.
void checkWord(std::string_view text, std::string field, Errors& errors);

}  // namespace fairlead::codec::slurm
