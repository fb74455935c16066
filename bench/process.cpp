#include "process.hpp"

#include <arpa/inet.h>
#include <array>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <netinet/in.h>
#include <sstream>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace fairlead::bench {
namespace {

std::vector<char*> argvOf(const std::vector<std::string>& command) {
  std::vector<char*> words;
  for (const auto& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  return words;
}

[[noreturn]] void become(const std::vector<char*>& words, int output, int errors) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::dup2(::open("/dev/null", O_RDONLY | O_CLOEXEC), STDIN_FILENO);
  ::dup2(output, STDOUT_FILENO);
  ::dup2(errors, STDERR_FILENO);
  ::execvp(words[0], words.data());
  ::_exit(127);
}

}  // namespace

std::string outputOf(const std::vector<std::string>& command) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return {};
  const auto words = argvOf(command);
  const pid_t child = ::fork();
  if (child == 0) become(words, ends[1], ::open("/dev/null", O_WRONLY | O_CLOEXEC));
  ::close(ends[1]);
  std::string text;
  std::array<char, 4096> buffer{};
  for (ssize_t got; (got = ::read(ends[0], buffer.data(), buffer.size())) > 0;)
    text.append(buffer.data(), static_cast<std::size_t>(got));
  ::close(ends[0]);
  int status = 0;
  if (child < 0 || ::waitpid(child, &status, 0) != child || status != 0) return {};
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

Child::Child(const std::vector<std::string>& command, const std::filesystem::path& log) {
  const auto words = argvOf(command);
  const int file = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  pid_ = ::fork();
  if (pid_ == 0) become(words, file, file);
  ::close(file);
  if (pid_ < 0) throw Failed("cannot start " + command.front() + ": " + std::strerror(errno));
}

Child::~Child() {
  if (pid_ <= 0) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

bool Child::running() {
  if (pid_ > 0 && ::waitpid(pid_, nullptr, WNOHANG) == pid_) pid_ = -1;
  return pid_ > 0;
}

bool Child::end(std::chrono::seconds limit) {
  if (!running()) return true;
  ::kill(pid_, SIGTERM);
  const auto until = std::chrono::steady_clock::now() + limit;
  while (running() && std::chrono::steady_clock::now() < until)
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  if (pid_ <= 0) return true;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
  pid_ = -1;
  return false;
}

std::uint64_t Child::memory(const std::string& field) const {
  std::ifstream file("/proc/" + std::to_string(pid_) + "/status");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(field + ":")) return std::strtoull(line.c_str() + field.size() + 1, nullptr, 10) * 1024;
  return 0;
}

std::chrono::duration<double> Child::cpuTime() const {
  std::ifstream file("/proc/" + std::to_string(pid_) + "/stat");
  std::string text((std::istreambuf_iterator<char>(file)), {});
  if (const auto name = text.rfind(')'); name != std::string::npos) text.erase(0, name + 2);
  std::istringstream fields(text);
  std::string skipped;
  for (int i = 0; i < 11; ++i) fields >> skipped;  // state is the first after the name, utime the twelfth
  double user = 0, system = 0;
  fields >> user >> system;
  return std::chrono::duration<double>((user + system) / static_cast<double>(::sysconf(_SC_CLK_TCK)));
}

TemporaryFolder::TemporaryFolder() {
  std::string pattern = "/var/tmp/fairlead-bench-XXXXXX";
  if (::mkdtemp(pattern.data()) == nullptr)
    throw Failed("cannot make a folder in /var/tmp: " + std::string(std::strerror(errno)));
  path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::uint16_t freePort() {
  const int file = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  const bool bound = ::bind(file, reinterpret_cast<sockaddr*>(&address), size) == 0 &&
                     ::getsockname(file, reinterpret_cast<sockaddr*>(&address), &size) == 0;
  ::close(file);
  if (!bound) throw Failed("no free port on 127.0.0.1");
  return ntohs(address.sin_port);
}

}  // namespace fairlead::bench
