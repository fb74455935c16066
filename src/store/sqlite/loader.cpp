#include "sqlite/loader.hpp"

#include "sqlite/sql.hpp"

#include <fairlead/codec/spec_codec.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace fairlead::store::sqlite {
namespace {

using Specs = std::vector<model::SpecPtr>;

Result<model::SpecPtr> readSpec(const Statement& statement) {
  model::SpecDocument document;
  const auto digest = statement.blob(1);
  const auto number = statement.number(0);
  if (digest.size() != document.digest.size()) return tl::unexpected(unreadable("specs", number, "no digest"));
  std::ranges::copy(digest, document.digest.begin());
  document.json = statement.text(2);
  auto spec = codec::decodeSpecJson(document.json);
  if (!spec) return tl::unexpected(unreadable("specs", number, toText(spec.error().front())));
  document.spec = std::move(*spec);
  return std::make_shared<const model::SpecDocument>(std::move(document));
}

Result<void> loadSpecs(Connection& connection, const control::LoadSink& sink, Specs& specs) {
  auto statement = connection.prepare(sql::kSpecs);
  if (!statement) return tl::unexpected(std::move(statement.error()));
  for (;;) {
    auto more = statement->step();
    if (!more) return tl::unexpected(std::move(more.error()));
    if (!*more) return {};
    auto spec = readSpec(*statement);
    if (!spec) return tl::unexpected(std::move(spec.error()));
    if (statement->number(0) != static_cast<std::int64_t>(specs.size()) + 1)
      return tl::unexpected(unreadable("specs", statement->number(0), "a number before it is missing"));
    specs.push_back(*spec);
    sink.spec(std::move(*spec));
  }
}

template <class Row>
Result<void> loadTable(Connection& connection, std::string_view rest, const Specs& specs,
                       const std::function<void(Row)>& sink) {
  auto statement = connection.prepare(sql::select<Row>(rest));
  if (!statement) return tl::unexpected(std::move(statement.error()));
  return visitRows<Row>(*statement, specs, [&](Row&& row) {
    sink(std::move(row));
    return true;
  });
}

Result<void> loadTables(Connection& connection, const control::LoadSink& sink) {
  Specs specs;
  if (auto done = loadSpecs(connection, sink, specs); !done) return done;
  if (auto done = loadTable(connection, sql::kById, specs, sink.workload); !done) return done;
  if (auto done = loadTable(connection, sql::kOpenOrNewestAttempts, specs, sink.attempt); !done) return done;
  if (auto done = loadTable(connection, sql::kOpenIntents, specs, sink.intent); !done) return done;
  if (auto done = loadTable(connection, sql::kByVersion, specs, sink.version); !done) return done;
  return loadTable(connection, sql::kById, specs, sink.idempotency);
}

}  // namespace

Result<void> loadRows(Connection& connection, const control::LoadSink& sink) {
  if (auto begun = connection.execute("BEGIN"); !begun) return begun;
  auto done = loadTables(connection, sink);
  auto ended = connection.execute("COMMIT");
  return done ? ended : done;
}

}  // namespace fairlead::store::sqlite
