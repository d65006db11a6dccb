# SPDX-License-Identifier: MIT
# Metrics over hardware counters, alone and beside events that are there already.
. "$(dirname "$0")/measure.inc"
cat >own.yaml <<'END'
metrics:
  - name: instructions-a-call
    formula: instructions / calls
    unit: count
  - name: kernel-part
    formula: instructions:k / (instructions:u + instructions:k)
    unit: "%"
END
measure alone regionstat -x , -o out.csv --metrics-file own.yaml -M IPC,CPI,instructions-a-call,kernel-part known_instructions 10
measure beside regionstat -x , -o out.csv -e cycles,page-faults -M IPC,branch-MPKI known_instructions 10
echo "=== refused"
regionstat -e '{cycles},{instructions}' -M CPI known_instructions 10 2>&1
echo "=== list"
regionstat list metrics
