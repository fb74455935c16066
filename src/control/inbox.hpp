// What waits for the writer thread.
#pragma once

#include <fairlead/control/commands.hpp>
#include <fairlead/control/ports/engine_port.hpp>
#include <fairlead/model/cluster.hpp>

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <utility>
#include <variant>
#include <vector>

namespace fairlead::control {

struct SubmitItem {
  SubmitCommand command;
  ReplyTo<SubmitReply> reply;
};
struct ActItem {
  ActCommand command;
  ReplyTo<ActReply> reply;
};
struct AuditItem {
  model::AuditRecord record;
};
struct ObserveItem {
  std::vector<model::Observation> observations;
};
struct InventoryItem {
  std::string cluster;
  std::vector<model::Node> nodes;
};
struct NativeItem {
  std::vector<model::NativeJob> jobs;
};
struct DispatchedItem {
  model::IntentId intent;
  DispatchOutcome outcome = DispatchOutcome::done;
  std::string reason;
};
/// A cluster is connected, gets other terms, or goes.
struct ConnectItem {
  std::shared_ptr<EnginePort> engine;
  model::ClusterTerms terms;
  ReplyTo<void> reply;
};
struct TermsItem {
  std::string cluster;
  model::ClusterTerms terms;
  ReplyTo<void> reply;
};
struct DisconnectItem {
  std::string cluster;
  ReplyTo<void> reply;
};
/// What came of an adjustment, for the events.
struct AdjustedItem {
  Adjustment adjustment;
  std::string refusal;  ///< empty: done
};
using InboxItem = std::variant<SubmitItem, ActItem, AuditItem, ObserveItem, InventoryItem, NativeItem, DispatchedItem,
                               ConnectItem, TermsItem, DisconnectItem, AdjustedItem>;

/// Many producers, one consumer. The consumer takes all at once, which is what makes commits group.
class Inbox {
 public:
  /// False when closed: the item was not taken in.
  bool push(InboxItem item) {
    {
      const std::lock_guard lock(mutex_);
      if (closed_) return false;
      items_.push_back(std::move(item));
    }
    ready_.notify_one();
    return true;
  }
  /// All that waits; waits for something until `deadline`. Empty at the deadline, or when closed and drained.
  std::vector<InboxItem> take(std::chrono::steady_clock::time_point deadline) {
    std::unique_lock lock(mutex_);
    ready_.wait_until(lock, deadline, [&] { return !items_.empty() || closed_; });
    return std::exchange(items_, {});
  }
  void close() {
    {
      const std::lock_guard lock(mutex_);
      closed_ = true;
    }
    ready_.notify_one();
  }
  [[nodiscard]] bool closed() const {
    const std::lock_guard lock(mutex_);
    return closed_;
  }
  [[nodiscard]] std::size_t size() const {
    const std::lock_guard lock(mutex_);
    return items_.size();
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable ready_;
  std::vector<InboxItem> items_;
  bool closed_ = false;
};

}  // namespace fairlead::control
