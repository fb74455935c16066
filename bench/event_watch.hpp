// Many event streams read by one thread, each checked: its own project, rising sequence, nothing missing.
#pragma once

#include "http_load.hpp"

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

namespace fairlead::bench {

/// What a stream has seen. Sums of hashes tell two sets of ids apart whatever their order.
struct Seen {
  std::uint64_t events = 0;  ///< of kind workload.queued
  std::uint64_t idSum = 0;   ///< of the workloads named
  std::uint64_t last = 0;    ///< sequence of the last event of any kind
};

[[nodiscard]] std::uint64_t idHash(std::string_view id);

/// Opens a stream per project p0, p1 ... and reads until it ends.
class EventWatch {
 public:
  EventWatch(const Endpoint& where, std::size_t projects);
  ~EventWatch();
  EventWatch(const EventWatch&) = delete;
  EventWatch& operator=(const EventWatch&) = delete;

  /// Waits until so many events of kind workload.queued came over all streams. False after `limit`.
  [[nodiscard]] bool await(std::uint64_t events, std::chrono::seconds limit) const;
  /// Ends the reading; then what each stream saw. Throws Failed at the first thing wrong on a stream.
  [[nodiscard]] const std::vector<Seen>& finish();

 private:
  struct Stream {
    int file = -1;
    bool headRead = false;
    std::string raw;   // bytes as they came: chunks
    std::string text;  // events that are not whole yet
  };
  void open(const Endpoint& where, std::size_t project);
  void readAll();
  void read(std::size_t i);
  void unpack(Stream& stream) const;
  void takeEvent(std::size_t i, std::string_view event);
  void fault(std::size_t i, std::string_view what);

  std::vector<Stream> streams_;
  std::vector<Seen> seen_;
  std::string fault_;
  std::atomic<std::uint64_t> events_ = 0;
  std::atomic<bool> ending_ = false;
  int epoll_ = -1;
  std::thread thread_;
};

}  // namespace fairlead::bench
