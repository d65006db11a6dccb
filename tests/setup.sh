# SPDX-License-Identifier: MIT
# Shared code of demo.sh and check.sh, which source it: progress messages, and installing packages.
#
# A list of needs has one line for each package: its name on Debian and Ubuntu, and a command. The
# command succeeds if the content of the package is installed, from any source.

build_needs='
gcc                   command -v gcc
libc6-dev             setup_has_header stdio.h
meson                 setup_has_meson
ninja-build           command -v ninja
pkg-config            command -v pkg-config
libpfm4-dev           setup_has_header perfmon/pfmlib_perf_event.h
libjansson-dev        setup_has_header jansson.h
libyaml-dev           setup_has_header yaml.h
libelf-dev            setup_has_header gelf.h
libdw-dev             setup_has_header elfutils/libdw.h
libncurses-dev        setup_has_header curses.h
zlib1g-dev            setup_has_header zlib.h
'

test_needs='
python3               command -v python3
dpkg-dev              command -v dpkg-architecture || ! command -v dpkg
libcriterion-dev      setup_has_header criterion/criterion.h
g++                   command -v g++
clang                 command -v clang
libclang-rt-dev       setup_has_clang_runtime
clang-format          command -v clang-format
mandoc                command -v mandoc
valgrind              command -v valgrind
strace                command -v strace
tmux                  command -v tmux
util-linux            command -v setpriv
procps                command -v ps
groff-base            command -v groff
sqlite3               command -v sqlite3
'

# The emulated arm64 machine needs these and what guest/fetch.sh downloads.
guest_needs='
qemu-system-arm       command -v qemu-system-aarch64
gcc-aarch64-linux-gnu command -v aarch64-linux-gnu-gcc
libc6-dev-arm64-cross setup_has_file /usr/aarch64-linux-gnu/include/stdio.h
cpio                  command -v cpio
'

# Peers to compare with, and counting tools: rows without one are skipped, with a message.
bench_needs='
python3               command -v python3
'
bench_optional_needs='
libpapi-dev           setup_has_header papi.h
linux-perf            perf --version
valgrind              command -v valgrind
uftrace               command -v uftrace
likwid                setup_has_header likwid.h
clang                 command -v clang
libomp-dev            setup_has_openmp
'

# Tests that need one of these are skipped without it, with a message.
optional_needs='
linux-perf            perf --version
prometheus            command -v promtool
python3-prometheus-client /usr/bin/python3 -c "import prometheus_client"
python3-protobuf      /usr/bin/python3 -c "import google.protobuf"
python3-jsonschema    /usr/bin/python3 -c "import jsonschema"
jq                    command -v jq
miller                command -v mlr
python3-pandas        python3 -c "import pandas" || /usr/bin/python3 -c "import pandas"
musl-tools            command -v musl-gcc
gcc-riscv64-linux-gnu command -v riscv64-linux-gnu-gcc
libc6-dev-riscv64-cross setup_has_file /usr/riscv64-linux-gnu/include/stdio.h
qemu-user             command -v qemu-riscv64 && command -v qemu-aarch64
zsh                   command -v zsh
bash-completion       setup_has_file /usr/share/bash-completion/bash_completion
liblua5.4-dev         setup_has_header lua5.4/lua.h
cmake                 command -v cmake
autoconf              command -v autoreconf
automake              command -v automake
make                  command -v make
golang-go             command -v go
python3-junitparser   /usr/bin/python3 -c "import junitparser"
python3-scipy         /usr/bin/python3 -c "import scipy"
libbenchmark-tools    setup_has_file /usr/share/benchmark/compare.py
nodejs                command -v node
gdb                   command -v gdb
gfortran              command -v gfortran
libopenmpi-dev        command -v mpicc
openmpi-bin           command -v mpirun
libmpich-dev          command -v mpicc.mpich
mpich                 command -v mpirun.mpich
cargo                 command -v cargo
python3-pip           setup_can_make_wheels pip
python3-setuptools    setup_can_make_wheels setuptools
python3-wheel         setup_can_make_wheels wheel
libomp-dev            setup_has_openmp
libtbb-dev            setup_has_file /usr/include/tbb/flow_graph.h
libjemalloc2          setup_has_library libjemalloc.so.2
libdnnl-dev           setup_has_file /usr/include/dnnl.hpp
likwid                setup_has_header likwid.h
libpapi-dev           setup_has_header papi.h
libtcmalloc-minimal4  setup_has_library libtcmalloc_minimal.so.4
gcc-i686-linux-gnu    command -v i686-linux-gnu-gcc
libc6-dev-i386-cross  setup_has_file /usr/i686-linux-gnu/include/stdio.h
gcc-aarch64-linux-gnu command -v aarch64-linux-gnu-gcc
libc6-dev-arm64-cross setup_has_file /usr/aarch64-linux-gnu/include/stdio.h
dwz                   command -v dwz
libcap2-bin           PATH=$PATH:/sbin:/usr/sbin command -v setcap
tcl                   command -v tclsh
xz-utils              command -v xz
'

setup_started=$(date +%s)

setup_say()
{
	printf '\n==> [%3d s] %s\n' "$(($(date +%s) - setup_started))" "$*"
}

setup_fail()
{
	printf '\n%s\n' "$*" >&2
	exit 1
}

setup_has_header()
{
	command -v gcc && echo "#include <$1>" | gcc -E -
}

setup_has_meson()
{
	setup_version=$(meson --version) && [ "${setup_version%%.*}" -ge 1 ]
}

setup_has_file()
{
	[ -e "$1" ]
}

setup_has_openmp()
{
	echo 'int main(void) { return 0; }' | clang -fopenmp=libomp -x c - -o /dev/null
}

setup_has_library()
{
	PATH=$PATH:/sbin:/usr/sbin ldconfig -p | grep -q -F "$1 "
}

setup_can_make_wheels()
{
	/usr/bin/python3 -c "import $1" || python3 -c "import $1"
}

setup_has_clang_runtime()
{
	[ -n "$(find "$(clang --print-resource-dir)" -name 'libclang_rt.fuzzer*' | head -n 1)" ]
}

# Print the packages of a list whose check does not succeed.
setup_missing()
{
	echo "$1" | while read -r setup_package setup_check; do
		[ -n "$setup_package" ] || continue
		eval "$setup_check" </dev/null >/dev/null 2>&1 || echo "$setup_package"
	done
}

# Run apt-get as root. Answer its questions with the defaults, because there may be no terminal.
setup_apt()
{
	setup_root=
	[ "$(id -u)" -eq 0 ] || setup_root=sudo
	$setup_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y \
		-o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 -o Acquire::Retries=3 "$@" </dev/null
}

# Check that packages can be installed on this machine. If not, print what to do by hand.
setup_can_install()
{
	setup_remedy="as root: apt-get install $setup_required
    then run this again"
	if ! command -v apt-get >/dev/null; then
		setup_reason="this machine has no apt-get, and regionstat's set-up knows Debian and Ubuntu only"
		setup_remedy="install what these hold (a C compiler, meson 1.0, ninja, pkg-config, libpfm4 with its headers, ...)
    with this machine's own package manager, then run this again"
	elif [ "$(id -u)" -eq 0 ]; then
		return 0
	elif ! command -v sudo >/dev/null; then
		setup_reason="installing packages needs root, and there is no sudo"
	elif sudo -n true 2>/dev/null || { [ -t 2 ] && [ -r /dev/tty ]; }; then
		return 0
	else
		setup_reason="installing packages needs root, and sudo wants a password that nobody can type here"
	fi
	return 1
}

# Packages of a list that the package sources do not know are skipped.
setup_known()
{
	for setup_package in $1; do
		if [ -n "$(apt-cache -q0 policy "$setup_package" 2>/dev/null | sed -n 's/^  Candidate: \([^(]\)/\1/p')" ]; then
			echo "$setup_package"
		fi
	done
}

# setup_install REQUIRED OPTIONAL: install the missing packages of two lists of needs. Fails with a
# list of them only for the first.
setup_install()
{
	setup_required=$(setup_missing "$1")
	setup_optional=$(setup_missing "${2-}")
	if [ -z "$setup_required$setup_optional" ]; then
		setup_say "Everything needed is installed"
		return 0
	fi
	# Each is one line of words.
	setup_required=$(echo $setup_required)
	setup_optional=$(echo $setup_optional)
	if ! setup_can_install; then
		[ -n "$setup_required" ] || {
			setup_say "Going on without: $setup_optional ($setup_reason)"
			return 0
		}
		setup_fail "regionstat: cannot install what is missing: $setup_reason
  missing, by their names on Debian: $setup_required
  try: $setup_remedy"
	fi

	setup_say "Installing: $setup_required $setup_optional"
	setup_log=$(mktemp)
	if [ -z "${setup_has_lists-}" ] && ! setup_apt update >"$setup_log" 2>&1; then
		tail -n 5 "$setup_log"
		echo "(some package lists could not be read; going on with those that could)"
	fi
	setup_has_lists=true
	setup_optional=$(setup_known "$setup_optional")
	if ! setup_apt install --no-install-recommends $setup_required $setup_optional \
		>"$setup_log" 2>&1; then
		tail -n 20 "$setup_log"
		rm -f "$setup_log"
		setup_fail "regionstat: apt-get could not install: $setup_required $setup_optional
  try: the same by hand, with the reason above: apt-get install $setup_required $setup_optional"
	fi
	grep -E '^(Setting up|[0-9]+ upgraded)' "$setup_log" | tail -n 1
	rm -f "$setup_log"
	setup_required=$(setup_missing "$1")
	[ -z "$setup_required" ] || setup_fail "regionstat: installed, and still not usable: $(echo $setup_required)
  try: a newer release, if what is there is too old (Debian 12 and Ubuntu 24.04 have meson 1.0);
    or look at what the packages hold, for their names may mean something else here"
}

# setup_build DIRECTORY [MESON OPTION...]: configure and build. With options it configures again, so
# that meson notices packages installed since the last time.
setup_build()
{
	setup_directory=$1
	shift
	if [ ! -e "$setup_directory/build.ninja" ] || [ $# -gt 0 ]; then
		[ ! -e "$setup_directory/build.ninja" ] || set -- --reconfigure "$@"
		setup_log=$(mktemp)
		if ! meson setup "$setup_directory" "$@" >"$setup_log" 2>&1 </dev/null; then
			cat "$setup_log"
			rm -f "$setup_log"
			setup_fail "regionstat: meson could not configure $setup_directory: the reason is above"
		fi
		rm -f "$setup_log"
	fi
	ninja -C "$setup_directory" </dev/null
}
