# SPDX-License-Identifier: MIT
# Markers one instruction at a time, on arm64: as tests/steps does on this machine. From the kernel's
# command line: which case, how many states, and at which distance signals come (none). All cases but
# multiplexed, which was not seen to end here; steps_case=multiplexed names it.
programs=/usr/libexec/guest
for case in ${steps_case:-leaf outer recursion growth next skipped start-stop work adoption \
	takeover pause}; do
	echo "=== $case"
	step $programs/victim $programs/victim-static /usr/lib/libregionstat.so.1 "$case" \
		"${steps_states:-40}" "${steps_stride:-0}"
	echo "status $?"
done
echo "=== swapped"
step $programs/victim $programs/victim-swapped /usr/lib/libregionstat.so.1 leaf 600 0
echo "status $?"
