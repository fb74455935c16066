#include "settings.hpp"

#include "prices.hpp"

#include <fairlead/auth/principals.hpp>
#include <fairlead/auth/tokens.hpp>
#include <fairlead/base/text.hpp>
#include <fairlead/config/report.hpp>
#include <fairlead/model/accelerators.hpp>

#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <unistd.h>

namespace fairlead::serve {

using cli::Exit;
using cli::Stop;

namespace {

std::optional<std::string> readFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return {};
  return std::string(std::istreambuf_iterator<char>(file), {});
}

}  // namespace

config::Inputs gatherInputs(const std::string& file, std::vector<std::string> flags) {
  config::Inputs inputs;
  if (!file.empty()) inputs.fileName = std::filesystem::absolute(file).lexically_normal().string();
  inputs.environment = config::environmentOf(environ);
  inputs.flags = std::move(flags);
  if (file.empty()) return inputs;
  auto text = readFile(file);
  if (!text)
    throw Stop{Exit::usage, fmt::format("{}: cannot be read (check the path given to --config)", printable(file))};
  inputs.fileText = std::move(*text);
  return inputs;
}

config::DaemonConfig loadConfig(const config::Inputs& inputs) {
  auto loaded = config::loadDaemonConfig(inputs);
  if (!loaded) throw Stop{Exit::usage, config::renderErrors(loaded.error(), inputs.fileName)};
  return std::move(*loaded);
}

control::ControlOptions controlOptions(const config::DaemonConfig& config) {
  control::ControlOptions options;
  options.policy = {static_cast<std::size_t>(config.policy.depth), config.policy.reserveAfter,
                    static_cast<std::size_t>(config.policy.startsPerPlan)};
  options.planInterval = config.control.planInterval;
  options.engineRetry = config.control.engineRetry;
  options.eventsInMemory = static_cast<std::size_t>(config.control.eventsInMemory);
  options.eventsKept = static_cast<std::uint64_t>(config.control.eventsKept);
  options.idempotencyKept = config.control.idempotencyKept;
  options.auditCheckpointEvery = static_cast<std::uint64_t>(config.audit.checkpointEvery);
  options.inboxLimit = static_cast<std::size_t>(config.control.inboxLimit);
  return options;
}

engine::LocalOptions localOptions(const config::DaemonConfig& config) {
  engine::LocalOptions options;
  options.cluster = config.local.cluster;
  options.stateDir = std::filesystem::absolute(config.stateDirectory).lexically_normal().string() + "/local";
  options.findDevices = config.local.discover;
  options.cpus = {config.local.cpus * 1000};
  options.memory = config.local.memory;
  options.logSegment = config.local.logBytes;
  options.logSegments = static_cast<std::int32_t>(config.local.logFiles);
  std::int32_t index = 0;
  std::string vendor;
  for (const auto& declared : config.local.devices) {
    if (declared.vendor != vendor) index = 0;  // a vendor's visible-devices variable counts its own devices
    vendor = declared.vendor;
    const auto* known = model::findAccelerator(declared.model);
    for (std::int64_t i = 0; i < declared.count; ++i) {
      model::Device device;
      device.index = index++;
      device.vendor = declared.vendor;
      device.model = declared.model;
      device.memory = declared.memory.count > 0 || known == nullptr ? declared.memory : Bytes{known->memoryGib << 30};
      device.declared = true;
      options.devices.push_back(std::move(device));
    }
  }
  return options;
}

namespace {

/// `127.0.0.1:7171`, `[::1]:7171`.
net::Listener tcpListener(const std::string& address) {
  const auto colon = address.rfind(':');
  net::Listener listener;
  if (colon == std::string::npos)
    throw Stop{Exit::usage, fmt::format("listen.tcp: \"{}\" has no port (write 127.0.0.1:7171)", printable(address))};
  listener.host = address.substr(0, colon);
  if (listener.host.starts_with('[') && listener.host.ends_with(']'))
    listener.host = listener.host.substr(1, listener.host.size() - 2);
  const auto port = address.substr(colon + 1);
  const auto [end, failed] = std::from_chars(port.data(), port.data() + port.size(), listener.port);
  if (failed != std::errc{} || end != port.data() + port.size())
    throw Stop{Exit::usage, fmt::format("listen.tcp: \"{}\" is not a port (0 to 65535)", printable(port))};
  return listener;
}

}  // namespace

net::ServerOptions serverOptions(const config::DaemonConfig& config) {
  net::ServerOptions options;
  net::Listener local;
  local.unixPath = config.listen.unixSocket;
  local.unixMode = 0666;  // who connects is told by the kernel; what they may do is decided by their roles
  if (!local.unixPath.empty()) options.listeners.push_back(std::move(local));
  if (!config.listen.tcp.empty()) {
    auto tcp = tcpListener(config.listen.tcp);
    if (!config.listen.tlsCertificate.empty())
      tcp.tls = net::TlsFiles{config.listen.tlsCertificate, config.listen.tlsKey};
    options.listeners.push_back(std::move(tcp));
  }
  options.ioThreads = static_cast<int>(config.http.ioThreads);
  options.maxBody = config.http.maxBody;
  options.headerTimeout = config.http.headerTimeout;
  options.bodyTimeout = config.http.bodyTimeout;
  options.idleTimeout = config.http.idleTimeout;
  options.writeTimeout = config.http.writeTimeout;
  options.maxConnections = static_cast<int>(config.http.maxConnections);
  return options;
}

tl::expected<std::shared_ptr<const auth::Directory>, std::string> loadDirectory(
    const config::DaemonConfig& config, std::shared_ptr<auth::PeerResolver> peers) {
  auth::ProjectTable projects;
  if (config.projects.empty()) {
    const auto own = auth::lookupUser(::geteuid());
    projects = auth::ProjectTable::standard(own ? own->name : std::string());
  } else {
    auto loaded = auth::loadProjects(config.projects);
    if (!loaded) return tl::unexpected(config::renderErrors(loaded.error(), config.projects));
    projects = std::move(*loaded);
  }
  auth::TokenTable tokens;
  if (!config.listen.tokens.empty()) {
    auto loaded = auth::loadTokens(config.listen.tokens);
    if (!loaded) return tl::unexpected(config::renderErrors(loaded.error(), config.listen.tokens));
    tokens = std::move(*loaded);
  }
  return std::make_shared<const auth::Directory>(std::move(projects), std::move(tokens), std::move(peers));
}

tl::expected<std::shared_ptr<const api::PriceTable>, std::string> loadPrices(const config::DaemonConfig& config) {
  api::PriceTable table;
  if (!config.prices.empty()) {
    const auto text = readFile(config.prices);
    if (!text) return tl::unexpected(fmt::format("{}: cannot be read", config.prices));
    auto prices = decodePrices(*text);
    if (!prices) return tl::unexpected(config::renderErrors(prices.error(), config.prices));
    table.prices = std::move(*prices);
    auto book = ledger::PriceBook::make(table.prices);
    if (!book) return tl::unexpected(config::renderErrors(book.error(), config.prices));
    table.book = std::move(*book);
  }
  return std::make_shared<const api::PriceTable>(std::move(table));
}

}  // namespace fairlead::serve
