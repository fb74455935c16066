#include <fairlead/store/testing/rows.hpp>

#include <fmt/format.h>

#include <array>

namespace fairlead::store::testing {
namespace {

/// A value of an enum that is not its first, so that a forgotten column shows.
template <class E>
E pick(std::uint64_t n) {
  constexpr auto count = kEnumNames<E>.size();
  return kEnumNames<E>[1 + n % (count - 1)].first;
}

std::string word(std::string_view field, std::uint64_t n) { return fmt::format("{}-{}-é漢", field, n); }
TimePoint moment(std::uint64_t field, std::uint64_t n) {
  return {static_cast<std::int64_t>(1'700'000'000'000 + field * 1'000'000'000 + n % 1'000'000'000)};
}
std::int32_t small(std::uint64_t field, std::uint64_t n) {
  return static_cast<std::int32_t>(field * 10'000 + n % 10'000);
}

}  // namespace

model::Digest sampleDigest(std::uint64_t n) {
  model::Digest digest{};
  for (std::size_t i = 0; i < digest.size(); ++i) {
    n = n * 6364136223846793005U + 1442695040888963407U;
    digest[i] = static_cast<std::uint8_t>(n >> 56);
  }
  return digest;
}

model::NativePtr sampleNative(std::uint64_t n) {
  return std::make_shared<const model::NativeOrigin>(model::NativeOrigin{.cluster = word("cluster", n),
                                                                         .id = word("id", n),
                                                                         .account = word("account", n),
                                                                         .queue = word("queue", n),
                                                                         .qos = "",
                                                                         .state = word("state", n),
                                                                         .reason = "\"quoted\"\n",
                                                                         .jobs = small(6, n)});
}

model::Workload sampleWorkload(std::uint64_t n, const model::SpecPtr& spec) {
  return {.id = {n},
          .name = word("name", n),
          .project = word("project", n % 7),
          .submitter = word("submitter", n),
          .unixUser = word("user", n),
          .spec = spec,
          .labels = {{word("a", n), word("value", n)}, {word("b", n), "\"quoted\"\n\\"}},
          .state = pick<model::WorkloadState>(n),
          .stopPurpose = pick<model::StopPurpose>(n),
          .failure = pick<model::FailureCategory>(n),
          .priority = -small(1, n),
          .attempts = static_cast<std::uint32_t>(small(2, n)),
          .revision = 1'000'000 + n,
          .currentAttempt = {2'000'000 + n},
          .arrayParent = {3'000'000 + n},
          .arrayIndex = small(3, n),
          .elementsStarted = small(4, n),
          .submittedAt = moment(1, n),
          .queuedAt = moment(2, n),
          .notBefore = moment(3, n),
          .startedAt = moment(4, n),
          .endedAt = moment(5, n),
          .avoidNodes = {word("node", n), word("other", n)},
          .failures = {1, 2, 3, 4, 5, 6, 7, 8, 9, static_cast<std::uint16_t>(10 + n % 60'000)},
          .message = word("message", n),
          .native = n % 7 == 3 ? sampleNative(n) : nullptr};
}

model::Attempt sampleAttempt(std::uint64_t n, model::WorkloadId workload) {
  const model::MemberPlacement member{.role = small(1, n),
                                      .rank = small(2, n),
                                      .node = word("node", n),
                                      .vendor = "nvidia",
                                      .model = word("model", n),
                                      .devices = {{small(3, n), {250}}, {small(4, n), {1000}}},
                                      .cpus = {small(5, n)},
                                      .memory = {std::int64_t{1} << 40}};
  return {.id = {n},
          .workload = workload,
          .number = static_cast<std::uint32_t>(n),
          .cluster = word("cluster", n),
          .nativeId = word("native", n),
          .state = pick<model::AttemptState>(n),
          .failure = pick<model::FailureCategory>(n),
          .placement = {member, model::MemberPlacement{}},
          .ends = {{small(6, n), small(7, n), 9, true, moment(6, n)}, {1, 2, 0, false, moment(7, n)}},
          .plannedAt = moment(1, n),
          .startedAt = moment(2, n),
          .stopAt = moment(3, n),
          .endedAt = moment(4, n),
          .stopIntents = static_cast<std::uint32_t>(small(8, n)),
          .signalIntents = static_cast<std::uint32_t>(small(9, n)),
          .nativeState = word("state", n),
          .nativeReason = word("reason", n),
          .resumedFrom = word("from", n),
          .checkpoint = word("checkpoint", n),
          .checkpointAt = moment(5, n),
          .observed = 5'000'000 + n};
}

model::Intent sampleIntent(std::uint64_t n, model::AttemptId attempt) {
  return {.id = {attempt, pick<model::IntentKind>(n), static_cast<std::uint32_t>(n)},
          .workload = {4'000'000 + n},
          .cluster = word("cluster", n),
          .state = model::IntentState::open,
          .createdAt = moment(1, n),
          .signal = small(1, n),
          .firstSignal = small(2, n),
          .firstGrace = {small(3, n)},
          .grace = {small(4, n)},
          .reason = word("reason", n)};
}

model::Event sampleEvent(std::uint64_t n) {
  return {.sequence = n,
          .at = moment(1, n),
          .kind = word("kind", n),
          .project = word("project", n % 3),
          .workload = {1'000'000 + n},
          .attempt = {2'000'000 + n},
          .detail = word("detail", n)};
}

model::AuditRecord sampleAudit(std::uint64_t n) {
  return {.sequence = n,
          .at = moment(1, n),
          .principal = word("principal", n),
          .action = word("action", n),
          .object = word("object", n),
          .project = word("project", n),
          .allowed = n % 2 == 0,
          .rule = word("rule", n),
          .detail = word("detail", n),
          .hash = sampleDigest(n)};
}

model::Posting samplePosting(std::uint64_t n) {
  return {.sequence = n,
          .workload = {1'000'000 + n % 5},
          .attempt = {2'000'000 + n},
          .project = word("project", n % 3),
          .user = word("user", n),
          .taskClass = pick<model::TaskClass>(n),
          .cluster = word("cluster", n),
          .node = word("node", n),
          .vendor = word("vendor", n),
          .deviceModel = word("model", n),
          .devices = {-small(1, n)},
          .from = moment(0, n * 1000),
          .to = moment(0, n * 1000 + 1500),
          .category = pick<model::PostingCategory>(n)};
}

model::ModelVersion sampleVersion(std::uint64_t n) {
  return {.project = word("project", n % 3),
          .model = word("model", n % 2),
          .version = static_cast<std::int32_t>(n),
          .uri = word("file:///model", n),
          .digest = sampleDigest(n),
          .size = {std::int64_t{1} << 41},
          .workload = {1'000'000 + n},
          .attempt = {2'000'000 + n},
          .createdBy = word("creator", n),
          .createdAt = moment(1, n),
          .metrics = {{"loss", fmt::format("1.{:05}", n)}, {word("perplexity", n), "1e-3"}}};
}

model::IdempotencyRecord sampleIdempotency(std::uint64_t n) {
  return {.key = sampleDigest(n),
          .body = sampleDigest(n + 1'000'000),
          .first = {1'000'000 + n},
          .count = static_cast<std::uint32_t>(small(1, n)),
          .at = moment(1, n)};
}

model::AuditCheckpoint sampleCheckpoint(std::uint64_t n) {
  return {.sequence = n,
          .at = moment(1, n),
          .hash = sampleDigest(n),
          .keyId = word("key", n),
          .signature = std::vector<std::uint8_t>(64, static_cast<std::uint8_t>(n))};
}

}  // namespace fairlead::store::testing
