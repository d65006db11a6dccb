# SPDX-License-Identifier: MIT
# Attach to a running program and detach, three times. Then go on with a run whose launcher is killed.
EVENTS=instructions:u
mkfifo input output

# start COMMAND: run it with a stream each way, and wait until it is ready.
start()
{
	"$@" <input >output &
	pid=$!
	exec 3>input 4<output
	read -r line <&4
	echo "$line"
}

# ask WORD: print how many calls of "scope" a runtime has begun, and how many there were.
ask()
{
	echo "$1" >&3
	read -r line <&4
	echo "$line"
}

finish()
{
	exec 3>&-
	read -r line <&4
	echo "$line"
	exec 4<&-
}

echo "=== attached"
start load 4 100
ask
for i in 1 2 3; do
	regionstat attach "$pid" -e $EVENTS --duration 100ms --quiet -x , -o "$i.csv" 2>/dev/null
	ask
done
finish
wait "$pid"
echo "status $?"
for i in 1 2 3; do
	echo "=== csv $i"
	cat "$i.csv"
done

echo "=== killed"
start regionstat -e $EVENTS -o run.txt load 4 100
program=$(cat "/proc/$pid/task/$pid/children")
usleep 100000
kill -9 "$pid"
wait "$pid" 2>/dev/null # until it is gone
regionstat attach $program --quiet -x , -o 4.csv 2>messages 3>&- 4<&- &
attached=$!
usleep 100000
ask s
finish
wait "$attached"
echo "status $?"
echo "=== messages"
cat messages
echo "=== csv 4"
cat 4.csv
