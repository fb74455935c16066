// One function per mapped option: checks the value and puts it into the request.
#pragma once

#include "sbatch_request.hpp"

namespace fairlead::codec::sbatch_take {

void account(SbatchWork& work, const SbatchGiven& given);
void array(SbatchWork& work, const SbatchGiven& given);
void begin(SbatchWork& work, const SbatchGiven& given);
void constraint(SbatchWork& work, const SbatchGiven& given);
void exclusive(SbatchWork& work, const SbatchGiven& given);
void licenses(SbatchWork& work, const SbatchGiven& given);
void partition(SbatchWork& work, const SbatchGiven& given);
void qos(SbatchWork& work, const SbatchGiven& given);
void reservation(SbatchWork& work, const SbatchGiven& given);
void switches(SbatchWork& work, const SbatchGiven& given);
void chdir(SbatchWork& work, const SbatchGiven& given);
void comment(SbatchWork& work, const SbatchGiven& given);
void cpusPerGpu(SbatchWork& work, const SbatchGiven& given);
void cpusPerTask(SbatchWork& work, const SbatchGiven& given);
void dependency(SbatchWork& work, const SbatchGiven& given);
void errorFile(SbatchWork& work, const SbatchGiven& given);
void exportList(SbatchWork& work, const SbatchGiven& given);
void gpus(SbatchWork& work, const SbatchGiven& given);
void gpusPerNode(SbatchWork& work, const SbatchGiven& given);
void gpusPerSocket(SbatchWork& work, const SbatchGiven& given);
void gpusPerTask(SbatchWork& work, const SbatchGiven& given);
void gres(SbatchWork& work, const SbatchGiven& given);
void hold(SbatchWork& work, const SbatchGiven& given);
void jobName(SbatchWork& work, const SbatchGiven& given);
void leastCpus(SbatchWork& work, const SbatchGiven& given);
void memory(SbatchWork& work, const SbatchGiven& given);
void memoryPerCpu(SbatchWork& work, const SbatchGiven& given);
void memoryPerGpu(SbatchWork& work, const SbatchGiven& given);
void nice(SbatchWork& work, const SbatchGiven& given);
void nodes(SbatchWork& work, const SbatchGiven& given);
void noRequeue(SbatchWork& work, const SbatchGiven& given);
void openMode(SbatchWork& work, const SbatchGiven& given);
void outputFile(SbatchWork& work, const SbatchGiven& given);
void refuseHelp(SbatchWork& work, const SbatchGiven& given);
void refuseTestOnly(SbatchWork& work, const SbatchGiven& given);
void refuseWrap(SbatchWork& work, const SbatchGiven& given);
void requeue(SbatchWork& work, const SbatchGiven& given);
void signal(SbatchWork& work, const SbatchGiven& given);
void socketsPerNode(SbatchWork& work, const SbatchGiven& given);
void tasks(SbatchWork& work, const SbatchGiven& given);
void tasksPerGpu(SbatchWork& work, const SbatchGiven& given);
void tasksPerNode(SbatchWork& work, const SbatchGiven& given);
void timeLimit(SbatchWork& work, const SbatchGiven& given);
void tresPerTask(SbatchWork& work, const SbatchGiven& given);
void wckey(SbatchWork& work, const SbatchGiven& given);

}  // namespace fairlead::codec::sbatch_take
