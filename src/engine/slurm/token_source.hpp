// JSON web tokens for slurmrestd: where they come from, and when a new one is needed.
#pragma once

#include <fairlead/base/result.hpp>
#include <fairlead/base/secret.hpp>
#include <fairlead/base/units.hpp>

#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace fairlead::engine::slurm {

/// In all texts `%u` becomes the user's name, `%s` the seconds of the life span. With neither command nor file no token
/// is sent: slurmrestd must then know us by the socket (rest_auth/local).
struct TokenOptions {
  std::vector<std::string> command;  ///< argv that prints `SLURM_JWT=...` or the bare token: scontrol token username=%u
                                     ///< lifespan=%s
  std::vector<std::string> environment;  ///< of the command: `NAME=value`
  std::string file;                      ///< holds the token; must be readable by its owner only
  Milliseconds lifespan{1'800'000};      ///< asked of the command; a token is renewed after two thirds of it
  Milliseconds timeout{20'000};          ///< of the command
};

/// A name that may stand in argv, a header and a path: letters, digits and `_.-@`, at most 64, not beginning with `-`
/// or `.`.
[[nodiscard]] bool isPlainUser(const std::string& user);

/// Any thread. A command runs outside the lock; two threads may then both run it, which does no harm.
class TokenSource {
 public:
  explicit TokenSource(TokenOptions options) : options_(std::move(options)) {}

  [[nodiscard]] bool sendsTokens() const { return !options_.command.empty() || !options_.file.empty(); }
  /// The token of a user. Error: kSlurmCredentials. Never holds the token in an error.
  [[nodiscard]] Result<Secret> token(const std::string& user);
  /// Slurm did not take `refused`: the next call gets a new one. False when there can be no other one (a file that has
  /// not changed).
  [[nodiscard]] bool renew(const std::string& user, const Secret& refused);

 private:
  struct Held {
    Secret token;
    Milliseconds renewAt;  ///< monotonic
  };
  [[nodiscard]] Result<Secret> fromCommand(const std::string& user) const;
  [[nodiscard]] Result<Secret> fromFile(const std::string& user) const;

  TokenOptions options_;
  std::mutex mutex_;
  std::map<std::string, Held> held_;
};

}  // namespace fairlead::engine::slurm
