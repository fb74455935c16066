#!/bin/sh
# What the workloads of a chaos run do: work.sh LOG MODE [ARGUMENT]. Each process writes down that it began and how it ended, a line
# each, appended whole; the auditor counts them.
log=$1
mode=$2
argument=${3:-}
note() { echo "$1 $FAIRLEAD_ATTEMPT_ID $FAIRLEAD_MEMBER $$ $2" >>"$log"; }

note start "${FAIRLEAD_CHECKPOINT:--}"
code=0
case $mode in
  exit) code=$argument ;;
  sleep) sleep "$argument" ;;
  checkpoint) # in a folder that all attempts share; half of what it writes never becomes valid
    for step in 1 2 3 4; do
      folder=$argument/$FAIRLEAD_ATTEMPT_ID-$step
      mkdir -p "$folder" && echo "$step" >"$folder/weights"
      sleep 0.1
      [ $((step % 2)) -eq 0 ] && : >"$folder/DONE"
    done
    ;;
esac
note end "$code"
exit "$code"
