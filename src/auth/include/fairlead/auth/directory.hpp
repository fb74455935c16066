// Everything the API asks auth, in one immutable value that a reload replaces whole.
#pragma once

#include <fairlead/auth/authorize.hpp>
#include <fairlead/auth/principals.hpp>
#include <fairlead/auth/projects.hpp>
#include <fairlead/auth/tokens.hpp>

#include <memory>
#include <string_view>

namespace fairlead::auth {

/// Any thread. The program holds the newest in a std::shared_ptr<Directory const> and puts another in its place on
/// reload.
class Directory {
 public:
  /// `peers` may be shared by old and new directories, so that a reload does not ask for all users again.
  Directory(ProjectTable projects, TokenTable tokens, std::shared_ptr<PeerResolver> peers)
      : projects_(std::move(projects)), tokens_(std::move(tokens)), peers_(std::move(peers)) {}

  [[nodiscard]] const ProjectTable& projects() const { return projects_; }
  [[nodiscard]] Result<Principal> fromPeer(std::uint32_t uid) const { return peers_->principalOf(uid); }
  [[nodiscard]] Result<Principal> fromToken(std::string_view token, TimePoint now) const {
    return tokens_.principalOf(token, now);
  }
  [[nodiscard]] Decision authorize(const Principal& who, Action action, std::string_view project,
                                   std::string_view owner = {}) const {
    return auth::authorize(projects_, who, action, project, owner);
  }
  [[nodiscard]] bool may(const Principal& who, Action action, std::string_view project,
                         std::string_view owner = {}) const {
    return auth::may(projects_, who, action, project, owner);
  }

 private:
  ProjectTable projects_;
  TokenTable tokens_;
  std::shared_ptr<PeerResolver> peers_;
};

}  // namespace fairlead::auth
