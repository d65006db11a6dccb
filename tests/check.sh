#!/bin/sh
# SPDX-License-Identifier: MIT
# Install what is missing, build regionstat with gcc and clang, and pass every test: natively, in
# an emulated machine that has hardware counters, and under sanitizers. For Debian and Ubuntu, as
# root or with sudo. The last line is `N passed, N failed, N skipped`; the exit status is non-zero
# when any failed.
set -eu
cd "$(dirname "$0")/.."
. tests/setup.sh

# A command that starts tests with another priority.
test_priority=
# Options for check_summary.py, one argument in each line.
outcome=$(mktemp)
background=$(mktemp -d)
# What runs in the background ends first: an installation must not be cut off.
trap 'wait; rm -rf "$outcome" "$background"' EXIT

passed() { printf '%s\n%s\n' --passed "$1" >>"$outcome"; }
failed() { printf '%s\n%s\n' --failed "$1" >>"$outcome"; }

# run_tests DIRECTORY LABEL [meson test option...]: `meson test`, after the words of $test_priority.
# If at most 3 programs fail, run them once more, one at a time. A host that takes the CPU away may be
# the reason. The summary lists each test that failed before it passed.
run_tests()
{
	test_directory=$1
	test_label=$2
	test_logs=$test_directory/meson-logs
	shift 2
	rm -f "$test_logs/$test_label.json" "$test_logs/$test_label-again.json"
	if ! $test_priority meson test -C "$test_directory" --logbase "$test_label" --no-rebuild \
		--print-errorlogs "$@" </dev/null; then
		failed_programs=$(python3 tests/check_summary.py --list-failed 3 "$test_logs/$test_label.json")
		if [ -n "$failed_programs" ]; then
			setup_say "Running once more: $(echo $failed_programs)"
			$test_priority meson test -C "$test_directory" --logbase "$test_label-again" --no-rebuild \
				--print-errorlogs --num-processes 1 "$@" $failed_programs </dev/null || true
		fi
	fi
	echo "$test_label=$test_logs" >>"$outcome"
}

# use_quick_linker makes gold the linker where it is installed: it takes a third of the time.
use_quick_linker()
{
	! command -v ld.gold >/dev/null || export CC_LD=gold
}

# judge_reports DIRECTORY WHOSE prints the reports that a sanitizer has written, if any.
judge_reports()
{
	# Messages of a sanitizer about its own limits, for instance in a traced program, do not count.
	reports=$(grep -l -r -E 'ERROR: [A-Z]|WARNING: ThreadSanitizer|runtime error:' "$1/reports" || true)
	if [ -z "$reports" ]; then
		passed "no report from $2"
		return
	fi
	failed "$(echo "$reports" | wc -l) reports from $2, in $1/reports"
	echo "$reports" | head -n 5 | xargs head -n 40
}

# fetch_guest and prepare_programs take minutes, in which they mostly wait for the network and the
# disk. Meanwhile the build that needs none of their packages runs.
fetch_guest()
{
	setup_say "Fetching the parts of the emulated arm64 machine (once)"
	sh tests/guest/fetch.sh "$guest_cache" </dev/null ||
		echo "(its tests will be skipped and say why)"
}

prepare_programs()
{
	setup_install "$guest_needs" "$optional_needs"
	setup_say "Fetching the sources of SQLite, Redis and nginx (once)"
	for package in sqlite redis nginx; do
		sh tests/apps/fetch.sh "${guest_cache%/guest}/$package" </dev/null ||
			echo "(its test will be skipped and say why)"
	done
}

# await LOG PROCESS: wait for a function in the background and print its log. Exit if it failed.
await()
{
	await_status=0
	wait "$2" || await_status=$?
	cat "$1"
	[ "$await_status" -eq 0 ] || exit "$await_status"
}

setup_install "$build_needs$test_needs"
# sudo asks for its password here, because a question of the background may be overlooked.
if [ "$(id -u)" -ne 0 ] && [ -n "$(setup_missing "$guest_needs$optional_needs")" ] && setup_can_install; then
	sudo -v || true
fi
guest_cache=$(sh tests/guest/cache.sh)
fetch_guest >"$background/guest" 2>&1 &
guest_process=$!
prepare_programs >"$background/programs" 2>&1 &
programs_process=$!

setup_say "Checking the format"
if find cmd lib tests -name '*.[ch]' -print0 | xargs -0 -n 64 -P "$(nproc)" clang-format --dry-run -Werror; then
	passed "format of the sources"
else
	failed "clang-format: run clang-format -i on the files named above"
fi

setup_say "Building with AddressSanitizer and UndefinedBehaviorSanitizer in build-address/"
# No -Werror with sanitizers: gcc documents that they bring false warnings. Of the debugging
# information, reports need only the lines (-g1). The rest takes a sixth of the compiler's time, and
# the locations of variables in long functions half of it.
# Undefined behaviour traps, and AddressSanitizer writes the report, with the stack. The texts of
# UndefinedBehaviorSanitizer would make 180,000 relocations at each start of the command, which take
# a third of its time. Linked without its library, the check for leaks reads 500 pages less.
has_address=true
(use_quick_linker && setup_build build-address -Dwerror=false -Db_sanitize=address,undefined -Dbuildtype=debug -Doptimization=1 \
	"-Dc_args=-g1 -fsanitize-undefined-trap-on-error" -Dc_link_args=-fsanitize-undefined-trap-on-error) || has_address=false

await "$background/guest" "$guest_process"
await "$background/programs" "$programs_process"

# The command's unit tests run with AddressSanitizer, which sees more, and not once more without it.
setup_say "Building with gcc, warnings as errors, in build/"
setup_build build -Dwerror=true -Dunit_tests=false -Dc_args=-g1

setup_say "Building with clang and ThreadSanitizer, warnings as errors, in build-thread/, while nothing else runs"
# Programs contain clang's sanitizer, so libraries have undefined symbols (b_lundef).
(use_quick_linker && chrt --idle 0 env CC=clang sh -c '. tests/setup.sh && setup_build "$@"' sh build-thread \
	-Dwerror=true -Db_sanitize=thread -Db_lundef=false -Dbuildtype=debug -Doptimization=0 -Dc_args=-g1) \
	>"$background/thread" 2>&1 &
thread_process=$!

setup_say "Running the tests that depend on no time, in build/, whenever a processor is idle"
# One more than processors: each test of tests/steps stays on the processor where it starts.
(test_priority="chrt --idle 0" && run_tests build untimed --suite untimed --timeout-multiplier 4 \
	--num-processes "$(($(nproc) + 1))") >"$background/untimed" 2>&1 &
untimed_process=$!

setup_say "Running all other tests"
run_tests build native --no-suite untimed

# Reports go to files: the tests compare what programs write to stderr.
mkdir -p build-address/reports build-thread/reports
rm -f build-address/reports/* build-thread/reports/*

if "$has_address"; then
	setup_say "Running tests with AddressSanitizer and UndefinedBehaviorSanitizer"
	export ASAN_OPTIONS="log_path=$PWD/build-address/reports/address:handle_sigill=1"
	export UBSAN_OPTIONS="log_path=$PWD/build-address/reports/undefined:print_stacktrace=1:halt_on_error=1"
	run_tests build-address address --timeout-multiplier 4
	unset ASAN_OPTIONS UBSAN_OPTIONS
	judge_reports build-address "AddressSanitizer and UndefinedBehaviorSanitizer"
else
	failed "build with AddressSanitizer"
fi

if wait "$thread_process"; then
	setup_say "Running tests with ThreadSanitizer"
	# At the end of each program with threads the sanitizer sleeps, by default for a second, while the
	# others may still race.
	export TSAN_OPTIONS="log_path=$PWD/build-thread/reports/thread:atexit_sleep_ms=100"
	run_tests build-thread thread --timeout-multiplier 4
	unset TSAN_OPTIONS
	judge_reports build-thread ThreadSanitizer
else
	cat "$background/thread"
	failed "build with clang and ThreadSanitizer"
fi

setup_say "Awaiting the tests that depend on no time"
await "$background/untimed" "$untimed_process"

setup_say "Summary"
status=0
tr '\n' '\0' <"$outcome" | xargs -0 python3 tests/check_summary.py || status=1
exit "$status"
