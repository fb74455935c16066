// Every row that live state needs, streamed from one connection.
#pragma once

#include "sqlite/database.hpp"
#include "sqlite/fields.hpp"

#include <fairlead/control/ports/store_port.hpp>

#include <span>

namespace fairlead::store::sqlite {

/// In the order that LoadSink states, in one snapshot.
[[nodiscard]] Result<void> loadRows(Connection& connection, const control::LoadSink& sink);

/// Gives each row of a bound statement to `visit(Row&&)` until it answers false; resets the statement in any case.
template <class Row, class Visit>
Result<void> visitRows(Statement& statement, std::span<const model::SpecPtr> specs, Visit visit) {
  for (;;) {
    auto more = statement.step();
    if (!more) return tl::unexpected(std::move(more.error()));
    if (!*more) return {};
    auto row = readRow<Row>(statement, specs);
    const bool goOn = row && visit(std::move(*row));
    if (goOn) continue;
    statement.reset();
    if (!row) return tl::unexpected(std::move(row.error()));
    return {};
  }
}

}  // namespace fairlead::store::sqlite
