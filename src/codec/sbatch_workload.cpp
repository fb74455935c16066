// From the request of a batch script to a workload: one member per node, each with its share of tasks, devices, cpus
// and memory.
#include "sbatch_request.hpp"
#include "sbatch_text.hpp"
#include "spec_rules.hpp"

#include <fairlead/base/text.hpp>
#include <fairlead/codec/errors.hpp>
#include <fairlead/model/accelerators.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace fairlead::codec {
namespace {

using model::DeviceRequest;
using model::SpecLimits;

std::int64_t ceilDivide(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// What one node holds.
struct Shape {
  NodeCounts nodes;
  std::int64_t tasksPerNode = 1;
  std::int64_t devices = 0;     ///< whole ones
  std::int64_t shareMilli = 0;  ///< of one device
  std::string vendor;
  std::string model;
};

class ShapeMaker {
 public:
  explicit ShapeMaker(SbatchWork& work) : work_(work), request_(work.request) {}

  Shape make() {
    checkConflicts();
    shape_.nodes = countNodes();
    shape_.tasksPerNode = countTasks();
    if (request_.gres) readGres();
    if (request_.gpusPerNode) take(request_.gpusPerNode.given, *request_.gpusPerNode, 1);
    if (request_.gpus) readTotal();
    if (request_.gpusPerTask) readPerTask();
    if (request_.gpusPerSocket) readPerSocket();
    if (request_.tasksPerGpu) readTasksPerGpu();
    if (shape_.devices > SpecLimits::devicesPerMember)
      work_.fault(
          gpuGiven_, kOutOfRange,
          fmt::format("{} devices per node, at most {} are taken", shape_.devices, SpecLimits::devicesPerMember),
          "use more nodes");
    return shape_;
  }

 private:
  void conflict(const SbatchGiven& first, const SbatchGiven& second) {
    work_.fault(second, kConflict, fmt::format("excludes {}", first.option), "drop one of them");
  }

  void checkConflicts() {
    const auto& r = request_;
    if (r.memory && r.memoryPerCpu) conflict(r.memory.given, r.memoryPerCpu.given);
    if (r.memory && r.memoryPerGpu) conflict(r.memory.given, r.memoryPerGpu.given);
    if (r.memoryPerCpu && r.memoryPerGpu) conflict(r.memoryPerCpu.given, r.memoryPerGpu.given);
    if (r.cpusPerTask && r.cpusPerGpu) conflict(r.cpusPerTask.given, r.cpusPerGpu.given);
    if (r.gpusPerTask && r.tasksPerGpu) conflict(r.gpusPerTask.given, r.tasksPerGpu.given);
    const bool gresGpu =
        r.gres && std::any_of((*r.gres).begin(), (*r.gres).end(), [](const auto& e) { return e.name == "gpu"; });
    if (gresGpu && r.gpusPerNode) conflict(r.gres.given, r.gpusPerNode.given);
  }

  static std::int64_t total(const GresList& list) {
    std::int64_t sum = 0;
    for (const auto& entry : list) sum += entry.count;
    return sum;
  }

  NodeCounts countNodes() {
    if (request_.nodes) return *request_.nodes;
    std::int64_t count = 1;
    if (request_.gpus && request_.gpusPerNode && total(*request_.gpusPerNode) > 0)
      count = ceilDivide(total(*request_.gpus), total(*request_.gpusPerNode));
    else if (request_.tasks && request_.tasksPerNode)
      count = ceilDivide(*request_.tasks, *request_.tasksPerNode);
    const auto nodes = static_cast<std::int32_t>(std::clamp<std::int64_t>(count, 1, SpecLimits::membersPerRole));
    return {nodes, nodes};
  }

  std::int64_t countTasks() {
    const auto nodes = shape_.nodes.most;
    if (request_.tasks && *request_.tasks < shape_.nodes.least)
      work_.fault(request_.tasks.given, kConflict,
                  fmt::format("{} tasks for {} nodes", *request_.tasks, shape_.nodes.least),
                  "lower --nodes, or raise --ntasks");
    if (request_.tasksPerNode) {
      // Beside --ntasks it is the most per node.
      return request_.tasks ? std::min(*request_.tasksPerNode, ceilDivide(*request_.tasks, shape_.nodes.least))
                            : *request_.tasksPerNode;
    }
    return request_.tasks ? ceilDivide(*request_.tasks, nodes) : 1;
  }

  /// Takes devices of one kind; `factor` of what is written falls to each node.
  void take(const SbatchGiven& given, const GresList& list, std::int64_t factor) {
    for (const auto& entry : list) {
      if (entry.count == 0) continue;
      takeType(given, entry);
      shape_.devices = std::max(shape_.devices, entry.count * factor);
      gpuGiven_ = given;
    }
  }

  void takeType(const SbatchGiven& given, const GresRequest& entry) {
    if (entry.type.empty()) return;
    const auto model = modelName(entry.type);
    if (!isModelName(model))
      return work_.fault(given, kBadValue, fmt::format("`{}` is not a model's name", printable(entry.type, 60)),
                         "use a name such as h100");
    if (!shape_.model.empty() && shape_.model != model)
      return work_.fault(given, kNotOffered, fmt::format("{} and {} in one node", shape_.model, model),
                         "ask for one model of device");
    shape_.model = model;
  }

  static std::string_view vendorOf(std::string_view gresName) {
    if (gresName == "npu") return "huawei";
    if (gresName == "dcu") return "hygon";
    if (gresName == "mlu") return "cambricon";
    if (gresName == "xpu") return "kunlunxin";
    if (gresName == "gcu") return "enflame";
    return {};
  }

  void readGres() {
    const auto& given = request_.gres.given;
    for (const auto& entry : *request_.gres) {
      const auto vendor = vendorOf(entry.name);
      if (entry.name == "gpu" || !vendor.empty()) {
        if (entry.count > 0) shape_.vendor = std::string(vendor);
        take(given, {entry}, 1);
      } else if (entry.name == "mps") {
        readMps(given, entry);
      } else if (entry.name == "shard") {
        work_.fault(given, kNotOffered, "how much of a device a shard is, only the site knows",
                    "use mps:50 for half a device");
      } else {
        auto part = given;
        part.value = entry.name;
        work_.notMap(part, "is not an accelerator; only those are counted here");
      }
    }
  }

  /// 100 is one device, and must come from one.
  void readMps(const SbatchGiven& given, const GresRequest& entry) {
    takeType(given, entry);
    gpuGiven_ = given;
    if (entry.count > 100)
      work_.fault(given, kOutOfRange, fmt::format("mps:{} is more than one device", entry.count),
                  "use at most mps:100");
    else if (entry.count == 100)
      shape_.devices = 1;
    else
      shape_.shareMilli = entry.count * 10;
  }

  void readTotal() {
    const auto& given = request_.gpus.given;
    const auto count = total(*request_.gpus);
    const auto nodes = shape_.nodes;
    if (nodes.least != nodes.most)
      return work_.fault(given, kConflict, "a total of GPUs for a varying number of nodes",
                         "use --gpus-per-node, or one number of nodes");
    if (count % nodes.most != 0)
      return work_.fault(given, kBadValue,
                         fmt::format("{} GPUs cannot be split evenly over {} nodes", count, nodes.most),
                         "use --gpus-per-node");
    if (request_.gpusPerNode && total(*request_.gpusPerNode) * nodes.most != count)
      return work_.fault(
          given, kConflict,
          fmt::format("{} GPUs are not {} nodes with {} each", count, nodes.most, total(*request_.gpusPerNode)),
          "drop one of --gpus, --gpus-per-node and --nodes");
    if (request_.gpusPerTask && !request_.tasks && total(*request_.gpusPerTask) > 0)
      shape_.tasksPerNode = ceilDivide(count / nodes.most, total(*request_.gpusPerTask));
    for (const auto& entry : *request_.gpus) takeType(given, entry);
    shape_.devices = count / nodes.most;
    gpuGiven_ = given;
  }

  void readPerTask() {
    const auto& given = request_.gpusPerTask.given;
    const auto perNode = total(*request_.gpusPerTask) * shape_.tasksPerNode;
    if (shape_.devices > 0 && perNode > shape_.devices)
      work_.fault(
          given, kConflict,
          fmt::format("{} tasks per node need {} GPUs, {} are asked for", shape_.tasksPerNode, perNode, shape_.devices),
          "make the numbers agree");
    take(given, *request_.gpusPerTask, shape_.tasksPerNode);
  }

  void readPerSocket() {
    const auto& given = request_.gpusPerSocket.given;
    if (!request_.socketsPerNode)
      return work_.fault(given, kMissingField, "needs --sockets-per-node", "add it, or use --gpus-per-node");
    take(given, *request_.gpusPerSocket, *request_.socketsPerNode);
  }

  void readTasksPerGpu() {
    const auto perGpu = *request_.tasksPerGpu;
    if (shape_.devices > 0) {
      shape_.tasksPerNode = std::max(shape_.tasksPerNode, perGpu * shape_.devices);
    } else if (request_.tasks) {
      shape_.devices = ceilDivide(shape_.tasksPerNode, perGpu);
      gpuGiven_ = request_.tasksPerGpu.given;
    } else {
      work_.fault(request_.tasksPerGpu.given, kMissingField, "needs --ntasks or a number of GPUs",
                  "add --gpus-per-node");
    }
  }

  SbatchWork& work_;
  const SbatchRequest& request_;
  Shape shape_;
  SbatchGiven gpuGiven_;
};

std::int64_t cpusOf(const SbatchRequest& request, const Shape& shape) {
  auto cpus = shape.tasksPerNode * (request.cpusPerTask ? *request.cpusPerTask : 1);
  if (request.cpusPerGpu) cpus = std::max<std::int64_t>(shape.devices, 1) * *request.cpusPerGpu;
  if (request.leastCpus) cpus = std::max(cpus, *request.leastCpus);
  return cpus;
}

/// Memory of one member, with the option that decides it.
Bytes memoryOf(SbatchWork& work, const Shape& shape, std::int64_t cpus) {
  const auto& request = work.request;
  const auto times = [&](const SbatchOption<Bytes>& each, std::int64_t count) {
    Bytes product;
    if (__builtin_mul_overflow((*each).count, count, &product.count) || product.count > (std::int64_t{1} << 60))
      work.fault(each.given, kOutOfRange, "is more memory than a node can have", "lower it");
    return product;
  };
  if (request.memory) return *request.memory;
  if (request.memoryPerCpu) return times(request.memoryPerCpu, cpus);
  if (!request.memoryPerGpu) return {};
  if (shape.devices == 0)
    work.fault(request.memoryPerGpu.given, kMissingField, "needs a number of GPUs", "add --gpus-per-node");
  return times(request.memoryPerGpu, std::max<std::int64_t>(shape.devices, 1));
}

model::Role makeRole(SbatchWork& work, std::string_view script, const Shape& shape) {
  model::Role role;
  role.name = "batch";
  role.count = shape.nodes.most;
  role.minimum = shape.nodes.least;
  role.script = std::string(script);
  if (shape.devices > 0 || shape.shareMilli > 0) {
    DeviceRequest request;
    request.vendor = shape.vendor;
    request.model = shape.model;
    request.count = static_cast<std::int32_t>(std::min<std::int64_t>(shape.devices, SpecLimits::devicesPerMember));
    if (shape.devices == 0) request.share = MilliDevices{shape.shareMilli};
    role.devices.push_back(std::move(request));
  }
  const auto cpus = cpusOf(work.request, shape);
  if (cpus > 100'000)
    work.fault(work.request.cpusPerTask.given, kOutOfRange, fmt::format("{} cpus per node", cpus), "use more nodes");
  else
    role.cpus = MilliCpus{cpus * 1000};
  role.memory = memoryOf(work, shape, std::min<std::int64_t>(cpus, 100'000));
  role.workingDirectory = sbatchDirectory(work);
  role.env = sbatchEnvironment(work, {shape.nodes.most, shape.tasksPerNode, shape.devices});
  return role;
}

void readArray(SbatchWork& work, model::Spec& spec) {
  const auto& option = work.request.array;
  if (!option) return;
  const std::string_view text = *option;
  const auto percent = text.find('%');
  model::ArrayRule rule;
  auto parsed = parseArrayIndices(text.substr(0, percent));
  if (parsed.fault)
    return work.fault(option.given, kBadValue, std::move(parsed.fault->message), std::move(parsed.fault->remedy));
  rule.ranges = std::move(parsed.ranges);
  if (percent != std::string_view::npos) {
    const auto parallel = slurmCount(text.substr(percent + 1), 1, SpecLimits::arrayElements);
    if (!parallel)
      return work.fault(option.given, kBadValue, "behind `%` is no number of elements that may run at once",
                        "write it such as 0-15%4");
    rule.parallel = static_cast<std::int32_t>(*parallel);
  }
  spec.array = std::move(rule);
}

void readRules(SbatchWork& work, model::Spec& spec) {
  const auto& request = work.request;
  spec.retry.categories = defaultRetryCategories();
  if (request.requeue && !*request.requeue) {
    spec.retry.limit = 0;
    spec.retry.categories.clear();
  }
  if (request.timeLimit) spec.timeLimit = *request.timeLimit;
  if (request.begin) spec.notBefore = *request.begin;
  if (request.priority) spec.priority = *request.priority;
  if (request.dependencies) spec.dependencies = *request.dependencies;
  if (request.signal) spec.checkpoint = *request.signal;
  spec.startHeld = request.hold;
  if (request.partition) spec.slurm.partition = *request.partition;
  if (request.qos) spec.slurm.qos = *request.qos;
  if (request.constraint) spec.slurm.constraint = *request.constraint;
  if (request.reservation) spec.slurm.reservation = *request.reservation;
  if (request.licenses) spec.slurm.licenses = *request.licenses;
  if (request.switches) spec.slurm.switches = static_cast<std::int32_t>(*request.switches);
  spec.slurm.exclusive = request.exclusive;
  readArray(work, spec);
}

void noteNodes(SbatchWork& work, const Shape& shape) {
  if (shape.nodes.most <= 1) return;
  const auto& nodes = work.request.nodes;
  const SbatchGiven derived{"--nodes", std::to_string(shape.nodes.most), true, {}};
  const auto& given = nodes ? nodes.given : derived;
  work.notMap(
      given,
      "the script starts once on every node, with RANK and WORLD_SIZE set; sbatch starts it on the first node only and "
      "leaves the others to srun, which does not exist here");
}

}  // namespace

WorkloadDocument makeSbatchWorkload(SbatchWork& work, std::string_view script) {
  WorkloadDocument document;
  const auto shape = ShapeMaker(work).make();
  document.name = sbatchName(work);
  if (work.request.account) document.project = *work.request.account;
  if (work.request.comment) document.labels.emplace_back("comment", *work.request.comment);
  if (work.request.wckey) document.labels.emplace_back("wckey", *work.request.wckey);
  auto& spec = document.spec;
  spec.roles.push_back(makeRole(work, script, shape));
  spec.gang = shape.nodes.least < shape.nodes.most ? model::GangRule::min : model::GangRule::all;
  readRules(work, spec);
  spec.logs = sbatchLogs(work);
  noteNodes(work, shape);
  return document;
}

}  // namespace fairlead::codec
