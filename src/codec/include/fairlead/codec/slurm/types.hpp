// Every neutral value of Slurm: what the rest of Fairlead sees of any release, through REST or the command line.
#pragma once

#include <fairlead/codec/slurm/accounting.hpp>
#include <fairlead/codec/slurm/inventory.hpp>
#include <fairlead/codec/slurm/job.hpp>
#include <fairlead/codec/slurm/problem.hpp>
#include <fairlead/codec/slurm/submit.hpp>
