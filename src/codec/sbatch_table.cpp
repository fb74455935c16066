#include "sbatch_table.hpp"

#include "sbatch_take.hpp"

#include <array>

namespace fairlead::codec {
namespace {

using enum SbatchArgument;
using namespace sbatch_take;

constexpr std::string_view kNodeChoice = "Fairlead chooses the nodes; ask for devices, cpus and memory instead";
constexpr std::string_view kFeatures =
    "node features are not known here; name the accelerator instead, as in --gres=gpu:MODEL:N";
constexpr std::string_view kLayout = "cores and sockets are not laid out here; the member gets its cpus as a number";
constexpr std::string_view kBinding = "the engine gives whole devices and cpus and binds nothing inside them";
constexpr std::string_view kMail = "no mail sink is configured; use `fairlead wait` or the event stream";
constexpr std::string_view kContainer =
    "the script runs without a container; use `images` in a fairlead.io/v1 document";
constexpr std::string_view kPyxis = "an option of the pyxis plugin; the script runs without a container";
constexpr std::string_view kSubmit = "belongs to the sbatch command, not to the work";
constexpr std::string_view kSite = "names something of the Slurm installation that does not exist here";
constexpr std::string_view kIdentity = "work runs as the user who submits it";
constexpr std::string_view kLimits = "limits of the submitting shell are not carried along";
constexpr std::string_view kTopology = "network topology is asked for with `topology` in a fairlead.io/v1 document";
constexpr std::string_view kAccounting = "Fairlead measures held devices itself";
constexpr std::string_view kSharing =
    "members get devices, cpus and memory of their own; other work may share the node";

constexpr std::array kDirectives = std::to_array<SbatchDirective>({
    {"account", 'A', required, account, {}},
    {"acctg-freq", '\0', required, nullptr, kAccounting},
    {"admin-comment", '\0', required, nullptr, kSite},
    {"array", 'a', required, array, {}},
    {"batch", '\0', required, nullptr, kFeatures},
    {"bb", '\0', required, nullptr, kSite},
    {"bbf", '\0', required, nullptr, kSite},
    {"begin", 'b', required, begin, {}},
    {"chdir", 'D', required, chdir, {}},
    {"cluster-constraint", '\0', required, nullptr, kFeatures},
    {"clusters", 'M', required, nullptr, kSite},
    {"comment", '\0', required, comment, {}},
    {"consolidate-segments", '\0', none, nullptr, kTopology},
    {"constraint", 'C', required, constraint, {}},
    {"container", '\0', required, nullptr, kContainer},
    {"container-entrypoint", '\0', none, nullptr, kPyxis},
    {"container-entrypoint-log", '\0', none, nullptr, kPyxis},
    {"container-env", '\0', required, nullptr, kPyxis},
    {"container-id", '\0', required, nullptr, kContainer},
    {"container-image", '\0', required, nullptr, kPyxis},
    {"container-mount-home", '\0', none, nullptr, kPyxis},
    {"container-mounts", '\0', required, nullptr, kPyxis},
    {"container-name", '\0', required, nullptr, kPyxis},
    {"container-readonly", '\0', none, nullptr, kPyxis},
    {"container-remap-root", '\0', none, nullptr, kPyxis},
    {"container-save", '\0', required, nullptr, kPyxis},
    {"container-type", '\0', required, nullptr, kContainer},
    {"container-workdir", '\0', required, nullptr, kPyxis},
    {"container-writable", '\0', none, nullptr, kPyxis},
    {"contiguous", '\0', none, nullptr, kNodeChoice},
    {"core-spec", 'S', required, nullptr, kLayout},
    {"cores-per-socket", '\0', required, nullptr, kLayout},
    {"cpu-freq", '\0', required, nullptr, kBinding},
    {"cpus-per-gpu", '\0', required, cpusPerGpu, {}},
    {"cpus-per-task", 'c', required, cpusPerTask, {}},
    {"deadline", '\0', required, nullptr, "there is no deadline rule; bound the run with --time"},
    {"delay-boot", '\0', required, nullptr, kSite},
    {"dependency", 'd', required, dependency, {}},
    {"distribution", 'm', required, nullptr, kBinding},
    {"error", 'e', required, errorFile, {}},
    {"exclude", 'x', required, nullptr, kNodeChoice},
    {"exclusive", '\0', optional, exclusive, {}},
    {"export", '\0', required, exportList, {}},
    {"export-file", '\0', required, nullptr,
     "the file is read by sbatch on its own host; export the variables in the script"},
    {"extra", '\0', required, nullptr, kSite},
    {"extra-node-info", 'B', required, nullptr, kLayout},
    {"get-user-env", '\0', optional, nullptr,
     "the login environment is not loaded; source what is needed in the script"},
    {"gid", '\0', required, nullptr, kIdentity},
    {"gpu-bind", '\0', required, nullptr, kBinding},
    {"gpu-freq", '\0', required, nullptr, kBinding},
    {"gpus", 'G', required, gpus, {}},
    {"gpus-per-node", '\0', required, gpusPerNode, {}},
    {"gpus-per-socket", '\0', required, gpusPerSocket, {}},
    {"gpus-per-task", '\0', required, gpusPerTask, {}},
    {"gres", '\0', required, gres, {}},
    {"gres-flags", '\0', required, nullptr, kBinding},
    {"help", 'h', none, refuseHelp, {}},
    {"hint", '\0', required, nullptr, kBinding},
    {"hold", 'H', none, hold, {}},
    {"ignore-pbs", '\0', none, nullptr, "lines of #PBS are never read here"},
    {"input", 'i', required, nullptr, "standard input is empty; redirect it in the script"},
    {"job-name", 'J', required, jobName, {}},
    {"jobid", '\0', required, nullptr, "ids are given by Fairlead"},
    {"kill-on-invalid-dep", '\0', required, nullptr, "`fairlead explain` tells of a dependency that can never hold"},
    {"licenses", 'L', required, licenses, {}},
    {"mail-type", '\0', required, nullptr, kMail},
    {"mail-user", '\0', required, nullptr, kMail},
    {"mcs-label", '\0', required, nullptr, kSite},
    {"mem", '\0', required, memory, {}},
    {"mem-bind", '\0', required, nullptr, kBinding},
    {"mem-per-cpu", '\0', required, memoryPerCpu, {}},
    {"mem-per-gpu", '\0', required, memoryPerGpu, {}},
    {"mem-update", '\0', required, nullptr, "the memory of a member does not change while it runs"},
    {"mincpus", '\0', required, leastCpus, {}},
    {"network", '\0', required, nullptr, kSite},
    {"nice", '\0', optional, nice, {}},
    {"no-container-entrypoint", '\0', none, nullptr, kPyxis},
    {"no-container-mount-home", '\0', none, nullptr, kPyxis},
    {"no-container-remap-root", '\0', none, nullptr, kPyxis},
    {"no-kill", 'k', optional, nullptr, "a gang lives and ends as a whole"},
    {"no-requeue", '\0', none, noRequeue, {}},
    {"nodefile", 'F', required, nullptr, kNodeChoice},
    {"nodelist", 'w', required, nullptr, kNodeChoice},
    {"nodes", 'N', required, nodes, {}},
    {"ntasks", 'n', required, tasks, {}},
    {"ntasks-per-core", '\0', required, nullptr, kLayout},
    {"ntasks-per-gpu", '\0', required, tasksPerGpu, {}},
    {"ntasks-per-node", '\0', required, tasksPerNode, {}},
    {"ntasks-per-socket", '\0', required, nullptr, kLayout},
    {"oom-kill-step", '\0', optional, nullptr, "a member that runs out of memory ends its attempt"},
    {"open-mode", '\0', required, openMode, {}},
    {"output", 'o', required, outputFile, {}},
    {"overcommit", 'O', none, nullptr, kSharing},
    {"oversubscribe", 's', none, nullptr, kSharing},
    {"parsable", '\0', none, nullptr, kSubmit},
    {"partition", 'p', required, partition, {}},
    {"power", '\0', required, nullptr, kSite},
    {"prefer", '\0', required, nullptr, kFeatures},
    {"priority", '\0', required, nullptr,
     "Slurm's scale of priorities is its own; use --nice, or `priority` in a fairlead.io/v1 document"},
    {"profile", '\0', required, nullptr, kAccounting},
    {"propagate", '\0', optional, nullptr, kLimits},
    {"qos", 'q', required, qos, {}},
    {"quiet", 'Q', none, nullptr, kSubmit},
    {"reboot", '\0', none, nullptr, kSite},
    {"requeue", '\0', optional, requeue, {}},
    {"reservation", '\0', required, reservation, {}},
    {"resources", '\0', required, nullptr, "hierarchical requests are not read; use --gres, --cpus-per-task and --mem"},
    {"resv-ports", '\0', optional, nullptr, kSite},
    {"segment", '\0', required, nullptr, kTopology},
    {"signal", '\0', required, signal, {}},
    {"sockets-per-node", '\0', required, socketsPerNode, {}},
    {"spread-job", '\0', none, nullptr, kTopology},
    {"spread-segments", '\0', none, nullptr, kTopology},
    {"stepmgr", '\0', none, nullptr, kSite},
    {"switches", '\0', required, switches, {}},
    {"test-only", '\0', none, refuseTestOnly, {}},
    {"thread-spec", '\0', required, nullptr, kLayout},
    {"threads-per-core", '\0', required, nullptr, kLayout},
    {"time", 't', required, timeLimit, {}},
    {"time-min", '\0', required, nullptr, "the time limit is never shortened"},
    {"tmp", '\0', required, nullptr, "space of the node's temporary folder is not counted"},
    {"tres-bind", '\0', required, nullptr, kBinding},
    {"tres-per-task", '\0', required, tresPerTask, {}},
    {"uid", '\0', required, nullptr, kIdentity},
    {"usage", '\0', none, refuseHelp, {}},
    {"use-min-nodes", '\0', none, nullptr, kNodeChoice},
    {"verbose", 'v', none, nullptr, kSubmit},
    {"version", 'V', none, refuseHelp, {}},
    {"wait", 'W', none, nullptr, "submitting never waits; use `fairlead wait`"},
    {"wait-all-nodes", '\0', required, nullptr, "a gang always starts as a whole"},
    {"wckey", '\0', required, wckey, {}},
    {"wrap", '\0', required, refuseWrap, {}},
    {"x11", '\0', optional, nullptr, "X11 is not forwarded"},
});

}  // namespace

std::span<const SbatchDirective> sbatchDirectives() { return kDirectives; }

}  // namespace fairlead::codec
