# SPDX-License-Identifier: MIT
# Two types of cores, a PMU each: what is counted where, and together.
. "$(dirname "$0")/measure.inc"
echo "=== pmus"
n_pmus=0
for pmu in /sys/bus/event_source/devices/*; do
	[ -e "$pmu/cpus" ] || continue
	echo "$(basename "$pmu") $(cat "$pmu/cpus")"
	n_pmus=$((n_pmus + 1))
done
[ "$n_pmus" = 2 ] || exit 0
for events in generic raw one model many; do
	case $events in
	generic) list=cycles:u,instructions:u ;;
	raw) list=r8:u ;;
	one) list=armv8_cortex_a53/instructions/u ;;
	model) list=arm_n1::INST_RETIRED:u ;;
	many) list='{r8:u,r8:u,r8:u,r8:u},{r8:u,r8:u,r8:u,r8:u}' ;;
	esac
	measure "$events" regionstat -v -x , -o out.csv -e "$list" core_types
done
measure "sums alone" regionstat -x , -o out.csv -e cycles:u,instructions:u core_types
measure nested regionstat -v -x , -o out.csv -e cycles:u,instructions:u core_types nested
echo "=== affinity"
regionstat -e cycles:u grep Cpus_allowed_list /proc/self/status 2>/dev/null
echo "=== missing"
regionstat -e bus-cycles core_types 2>&1
echo "=== list"
regionstat list '*cycles*'
