// The API of one daemon: everything under /api/v1, and the probes. Composed by the program, served by net's HttpServer.
#pragma once

#include <fairlead/api/cluster_desk.hpp>
#include <fairlead/api/problem.hpp>
#include <fairlead/api/route.hpp>
#include <fairlead/audit/signer.hpp>
#include <fairlead/auth/directory.hpp>
#include <fairlead/base/clock.hpp>
#include <fairlead/control/control.hpp>
#include <fairlead/ledger/rating.hpp>
#include <fairlead/net/http_server.hpp>
#include <fairlead/obs/health.hpp>
#include <fairlead/obs/log.hpp>
#include <fairlead/obs/metrics.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace fairlead::api {

struct ApiOptions {
  std::size_t workers = 4;            ///< threads for lists, reports, logs
  std::size_t engineWorkers = 4;      ///< threads for what waits for an engine's answer
  std::size_t workerQueue = 4'096;    ///< calls that wait for them; over it: 503
  std::size_t maxStreams = 4'096;     ///< event streams open at once; over it: 503
  std::size_t maxFollowers = 512;     ///< followed logs open at once; over it: 503
  std::size_t cacheBytes = 16 << 20;  ///< of decoded documents
  Milliseconds followPoll{100};       ///< how soon a followed log is looked at again while it grows
};

/// Prices as they are declared, and the book made of them.
struct PriceTable {
  std::vector<model::Price> prices;
  ledger::PriceBook book;
};

/// All references outlive the Api.
struct ApiDependencies {
  control::Control& control;
  std::function<std::shared_ptr<const auth::Directory>()> directory;  ///< the newest; cheap, any thread
  std::function<std::shared_ptr<const PriceTable>()> prices;          ///< the newest; cheap, any thread
  const audit::Verifier& auditKeys;
  const ClockPort& clock;
  obs::Logger log;
  obs::Metrics& metrics;
  obs::Health& health;
  policy::PolicyConfig policy;  ///< as control has it: lists tell with it what a workload waits for
  ClusterDesk& clusters;
  std::string version;
  std::string commit;  ///< empty: unknown
  ApiOptions options;
};

class Service;

class Api {
 public:
  explicit Api(ApiDependencies dependencies);
  ~Api();
  Api(const Api&) = delete;
  Api& operator=(const Api&) = delete;

  /// For net::HttpServer. Valid while this lives; stop the server before.
  [[nodiscard]] net::Handler handler();
  /// Ends all event streams and followed logs; clients come back and are checked anew. After roles have changed.
  void closeStreams();
  /// Runs what is queued, ends streams. Before the server stops, which is before control stops; this goes last, since
  /// answers of control may come until then. Idempotent.
  void stop();

 private:
  std::unique_ptr<Service> service_;
};

}  // namespace fairlead::api
