// links: base codec
// Slurm's small grammars: what is accepted prints, and the print is read equal; nothing grows beyond its bound.
#include <fairlead/base/assert.hpp>
#include <fairlead/codec/slurm/file_patterns.hpp>
#include <fairlead/codec/slurm/grammars.hpp>
#include <fairlead/codec/slurm/hostlist.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

using namespace fairlead;
using namespace fairlead::codec::slurm;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto hosts = expandHosts(text, 1000)) {
    FL_ASSERT(hosts->size() <= 1000 && countHosts(text) == hosts->size(), "the count of hosts is another");
    FL_ASSERT(expandHosts(compressHosts(*hosts)) == hosts, "compressed hosts are others");
  }
  Tres tres, tresAgain;
  if (readTres(text, tres)) FL_ASSERT(readTres(tresText(tres), tresAgain) && tresAgain == tres, "resources differ");
  std::vector<GresEntry> gres, gresAgain;
  if (readGres(text, gres)) {
    for (auto& entry : gres) entry.perIndex.clear();  // not printed
    FL_ASSERT(readGres(gresText(gres), gresAgain) && gresAgain == gres, "generic resources differ");
  }
  if (const auto tasks = parseTasks(text)) FL_ASSERT(parseTasks(tasksText(*tasks)) == tasks, "tasks differ");
  std::optional<Milliseconds> span;
  TimeLimit limit;
  std::optional<TimePoint> moment;
  std::optional<ExitCode> exit;
  (void)readSpan(text, span);
  (void)readLimit(text, limit);
  (void)readInstant(text, moment, 480);
  if (readExitCode(text, exit) && exit) FL_ASSERT(exit->code >= 0 && exit->code <= 255, "an exit code out of range");
  FileNameContext context;
  context.jobId = 7;
  context.workDir = "/w";
  if (const auto name = expandFileName(text, context)) FL_ASSERT(name->starts_with('/'), "a path that is not absolute");
  return 0;
}
