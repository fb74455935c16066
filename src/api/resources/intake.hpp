// What submission and batch share: from documents to a command, from its answer to the client.
#pragma once

#include "../lookup.hpp"

#include <fairlead/control/commands.hpp>

#include <optional>
#include <string>
#include <vector>

namespace fairlead::api {

/// Writes in what the documents leave out (project, newest model version), asks auth for every project, and makes the
/// command. `prefixItems`: fields of errors begin with the item's index.
[[nodiscard]] Checked<control::SubmitCommand> makeCommand(Service& service, const Call& call,
                                                          const std::vector<ReadyPtr>& documents, bool prefixItems);
/// SHA-256 of who and key, of method, path and body; nothing without the header.
[[nodiscard]] std::optional<control::IdempotencyKey> idempotencyOf(const Call& call);
[[nodiscard]] Param idempotencyParam();

}  // namespace fairlead::api
