#include "local/checkpoint.hpp"
#include "local/model_input.hpp"
#include "local/outputs.hpp"
namespace fairlead::engine {
DeviceReport findDevices(const DeviceRoots&) { return {}; }
namespace local {
FoundCheckpoint newestCheckpoint(const model::CheckpointRule&, const std::string&) { return {}; }
std::vector<model::OutputArtifact> takeOutputs(const LaunchOrder&, const Identity&, const std::string&) { return {}; }
Fields verifyModel(const LaunchOrder&, const Identity&) { return {}; }
}  // namespace local
}  // namespace fairlead::engine
