// The least that a durable submission can be: one I/O thread (Beast), Boost.JSON, one writer thread with group commit,
// three rows a submission in SQLite, an answer after the fsync. No checks, no queue, no audit: the yardstick that the
// daemon is measured by.
//   fairlead_bench_trial PORT FOLDER
#include <boost/asio.hpp>
#include <boost/beast.hpp>
#include <boost/json.hpp>
#include <sqlite3.h>

#include <condition_variable>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace asio = boost::asio;
namespace http = boost::beast::http;
using Socket = asio::ip::tcp::socket;

struct Session;
struct Submission {
  std::shared_ptr<Session> from;
  std::string name, project, spec, answer;
};

struct Inbox {
  std::mutex mutex;
  std::condition_variable filled;
  std::vector<Submission> waiting;
  void put(Submission one) {
    const std::lock_guard lock(mutex);
    waiting.push_back(std::move(one));
    filled.notify_one();
  }
};

struct Session : std::enable_shared_from_this<Session> {
  Session(Socket from, Inbox& to) : socket(std::move(from)), inbox(to) {}
  void read() {
    request = {};
    http::async_read(socket, buffer, request, [self = shared_from_this()](auto failed, std::size_t) {
      if (!failed) self->take();
    });
  }
  void take() {
    const auto document = boost::json::parse(request.body());
    const auto& metadata = document.at("metadata");
    const auto text = [](const boost::json::value& value) { return std::string(value.as_string()); };
    inbox.put({shared_from_this(),
               text(metadata.at("name")),
               text(metadata.at("project")),
               boost::json::serialize(document.at("spec")),
               {}});
  }
  void answer(std::string body) {
    response = {http::status::created, request.version()};
    response.set(http::field::content_type, "application/json");
    response.body() = std::move(body);
    response.prepare_payload();
    http::async_write(socket, response, [self = shared_from_this()](auto failed, std::size_t) {
      if (!failed) self->read();
    });
  }
  Socket socket;
  Inbox& inbox;
  boost::beast::flat_buffer buffer;
  http::request<http::string_body> request;
  http::response<http::string_body> response;
};

class Rows {
 public:
  explicit Rows(const std::string& path) {
    sqlite3_open(path.c_str(), &database_);
    run("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;"
        "CREATE TABLE workload(id INTEGER PRIMARY KEY, name TEXT, project TEXT, state INT, spec TEXT);"
        "CREATE TABLE audit(id INTEGER PRIMARY KEY, action TEXT, object INT); CREATE TABLE event(id INTEGER PRIMARY "
        "KEY, kind TEXT, object INT);");
    workload_ = prepare("INSERT INTO workload VALUES(?,?,?,0,?)");
    audit_ = prepare("INSERT INTO audit VALUES(?,'workload.submit',?)");
    event_ = prepare("INSERT INTO event VALUES(?,'workload.queued',?)");
  }
  void run(const char* sql) {
    if (sqlite3_exec(database_, sql, nullptr, nullptr, nullptr) != SQLITE_OK) std::abort();
  }
  void write(Submission& one) {
    ++id_;
    sqlite3_bind_text(workload_, 2, one.name.data(), static_cast<int>(one.name.size()), SQLITE_STATIC);
    sqlite3_bind_text(workload_, 3, one.project.data(), static_cast<int>(one.project.size()), SQLITE_STATIC);
    sqlite3_bind_text(workload_, 4, one.spec.data(), static_cast<int>(one.spec.size()), SQLITE_STATIC);
    for (auto* row : {audit_, event_}) sqlite3_bind_int64(row, 2, id_);
    for (auto* row : {workload_, audit_, event_}) step(row);
    one.answer = boost::json::serialize(
        boost::json::object{{"id", "w-" + std::to_string(id_)}, {"name", one.name}, {"state", "queued"}});
  }

 private:
  sqlite3_stmt* prepare(const char* sql) {
    sqlite3_stmt* made = nullptr;
    if (sqlite3_prepare_v2(database_, sql, -1, &made, nullptr) != SQLITE_OK) std::abort();
    return made;
  }
  void step(sqlite3_stmt* row) {
    sqlite3_bind_int64(row, 1, id_);
    if (sqlite3_step(row) != SQLITE_DONE) std::abort();
    sqlite3_reset(row);
  }
  sqlite3* database_ = nullptr;
  sqlite3_stmt *workload_ = nullptr, *audit_ = nullptr, *event_ = nullptr;
  sqlite3_int64 id_ = 0;
};

void writeForEver(Rows& rows, Inbox& inbox, asio::io_context& io) {
  while (true) {
    std::vector<Submission> batch;
    {
      std::unique_lock lock(inbox.mutex);
      inbox.filled.wait(lock, [&] { return !inbox.waiting.empty(); });
      batch.swap(inbox.waiting);
    }
    rows.run("BEGIN");
    for (auto& one : batch) rows.write(one);
    rows.run("COMMIT");
    asio::post(io, [batch = std::move(batch)]() mutable {
      for (auto& one : batch) one.from->answer(std::move(one.answer));
    });
  }
}

void acceptNext(asio::ip::tcp::acceptor& acceptor, Inbox& inbox) {
  acceptor.async_accept([&](auto failed, Socket socket) {
    if (failed) return;
    socket.set_option(asio::ip::tcp::no_delay(true));
    std::make_shared<Session>(std::move(socket), inbox)->read();
    acceptNext(acceptor, inbox);
  });
}

int main(int count, char** words) {
  if (count != 3) return 2;
  Inbox inbox;
  Rows rows(std::string(words[2]) + "/trial.db");
  asio::io_context io(1);
  asio::ip::tcp::acceptor acceptor(
      io, {asio::ip::make_address("127.0.0.1"), static_cast<std::uint16_t>(std::atoi(words[1]))});
  acceptNext(acceptor, inbox);
  std::thread([&] { writeForEver(rows, inbox, io); }).detach();
  io.run();
}
