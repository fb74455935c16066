// The tables, step by step: every database is brought to the newest step when it is opened, never back.
#pragma once

#include "sqlite/database.hpp"

#include <fairlead/base/result.hpp>

namespace fairlead::store::sqlite {

/// The newest schema this build knows.
[[nodiscard]] int newestSchema();
/// Looks only: the schema the database has (0: empty). Refuses a newer one (store/newer-schema) and a database of
/// another program (store/not-a-database).
[[nodiscard]] Result<int> readSchema(Connection& connection);
/// Takes the steps after `from`, each in a transaction of its own. `nowMs` is written beside each step.
[[nodiscard]] Result<void> migrate(Connection& connection, int from, std::int64_t nowMs);

}  // namespace fairlead::store::sqlite
