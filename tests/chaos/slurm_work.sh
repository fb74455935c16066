#!/bin/sh
# What the workloads of a chaos run on Slurm do: slurm_work.sh FOLDER MODE [ARGUMENT]. Each process writes down that it began and how it
# ended, a line each, appended whole, in a file of its user; the auditor counts them.
log=$1/$USER
mode=$2
argument=${3:-}
note() { echo "$1 $FAIRLEAD_ATTEMPT_ID $FAIRLEAD_MEMBER $SLURM_JOB_ID $2" >>"$log"; }

note start -
code=0
case $mode in
  exit) code=$argument ;;
  sleep) sleep "$argument" ;;
  job) code=$((10 + SLURM_JOB_ID % 50)) ;; # tells the jobs of a doubled submission apart
esac
note end "$code"
exit "$code"
