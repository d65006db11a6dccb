# SPDX-License-Identifier: MIT
# Attach with each kernel.yama.ptrace_scope. The last one stays until the machine is off, so no test may
# come after this one.
scope=/proc/sys/kernel/yama/ptrace_scope
mkfifo input
chmod 644 input
as_user load 1 100 <input >output &
exec 3>input
while ! grep -q ready output; do
	usleep 10000
done
# as_user becomes the program
attach()
{
	"$@" regionstat attach $! --duration 50ms -e time -o - 2>&1
	echo "status $?"
}
cd /
for i in 0 1 2 3; do
	echo "=== scope $i"
	[ -e $scope ] && echo $i >$scope
	attach as_user
	echo "=== root $i"
	attach
done
exec 3>&-
wait
