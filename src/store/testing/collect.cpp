#include <fairlead/store/testing/rows.hpp>

#include <gtest/gtest.h>

namespace fairlead::store::testing {
namespace {

template <class Row>
control::Visitor<Row> into(std::vector<Row>& rows) {
  return [&rows](const Row& row) {
    rows.push_back(row);
    return true;
  };
}

void expectRead(const Result<void>& done) {
  if (!done) ADD_FAILURE() << toText(done.error());
}

}  // namespace

std::vector<model::Event> allEvents(control::StorePort& store, std::uint64_t after, const std::string& project) {
  std::vector<model::Event> rows;
  expectRead(store.readEvents(after, project, into(rows)));
  return rows;
}

std::vector<model::AuditRecord> allAudits(control::StorePort& store, std::uint64_t from) {
  std::vector<model::AuditRecord> rows;
  expectRead(store.readAudit(from, into(rows)));
  return rows;
}

std::vector<model::Posting> allPostings(control::StorePort& store, const control::PostingQuery& query) {
  std::vector<model::Posting> rows;
  expectRead(store.readPostings(query, into(rows)));
  return rows;
}

}  // namespace fairlead::store::testing
