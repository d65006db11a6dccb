#!/bin/sh
# SPDX-License-Identifier: MIT
# Fetch the parts of the emulated arm64 machine: two kernels, libpfm4, jansson, libyaml, elfutils,
# ncurses, zlib, busybox, PAPI, and LLVM's library of OpenMP. They are downloaded once, into a cache. Nothing is
# installed, and the package state of this machine does not change. The package sources are those
# that are configured on this machine.
#
# usage: fetch.sh DIRECTORY
#
# Afterwards DIRECTORY holds vmlinuz-6.1, vmlinuz-6.12 (those that the sources offer), sysroot/
# and `complete`, which names what was fetched. Exit status: 0 if all parts are in the cache, 1 on
# failure, and 77 if this machine's package sources do not offer them. The last line then has the
# reason.
set -eu

directory=${1:?usage: fetch.sh DIRECTORY}
recipe=8 # raise whenever the content of the cache changes
kernel_series='6.1 6.12'

if [ -e "$directory/complete" ] && [ "$(head -n 1 "$directory/complete")" = "recipe $recipe" ]; then
	exit 0
fi

cannot()
{
	echo "$1"
	exit 77
}

for tool in apt-get apt-cache dpkg-deb tar; do
	command -v "$tool" >/dev/null || cannot "no $tool: the emulated machine is made of Debian packages"
done

mkdir -p "$directory"
directory=$(cd "$directory" && pwd)
exec 9>"$directory/lock"
if command -v flock >/dev/null; then
	flock 9
fi
if [ -e "$directory/complete" ] && [ "$(head -n 1 "$directory/complete")" = "recipe $recipe" ]; then
	exit 0
fi

work=$directory/work
rm -rf "$work" "$directory/complete" "$directory/sysroot" "$directory"/vmlinuz-*
mkdir -p "$work/lists/partial" "$work/cache/archives/partial" "$work/packages" "$directory/sysroot"
: >"$work/status"

# Run apt for arm64, with separate lists, cache and status.
arm64()
{
	tool=$1
	shift
	"$tool" -qq \
		-o APT::Architecture=arm64 -o APT::Architectures=arm64 \
		-o Dir::State::Lists="$work/lists" -o Dir::State::Status="$work/status" \
		-o Dir::Cache="$work/cache" -o APT::Sandbox::User= \
		-o Acquire::Languages=none -o Acquire::Retries=3 "$@"
}

# Print the newest signed cloud kernel of a series, such as 6.1, or nothing if there is none.
newest_kernel()
{
	series=$(echo "$1" | sed 's/\./[.]/g')
	arm64 apt-cache pkgnames linux-image-"$1" |
		grep -E "^linux-image-$series[.][0-9].*-cloud-arm64\$" | sort -V | tail -n 1
}

echo "reading the arm64 package lists"
# A source that offers nothing for arm64 is no error, because others may: check what was found.
arm64 apt-get update </dev/null || echo "some arm64 package lists could not be read"

kernels=
for series in $kernel_series; do
	package=$(newest_kernel "$series" || true)
	if [ -n "$package" ]; then
		kernels="$kernels $package"
	else
		echo "no arm64 cloud kernel $series in this machine's package sources"
	fi
done
[ -n "$kernels" ] || cannot "this machine's package sources offer no arm64 cloud kernel"

libraries='libpfm4 libpfm4-dev libjansson4 libjansson-dev libyaml-0-2 libyaml-dev libelf-dev libdw-dev
	libncurses-dev libncursesw6 libncurses6 libtinfo6 zlib1g-dev
	zlib1g busybox-static'
# libelf1 or libelf1t64, and what it and libdw need, if the release has it
for name in 'libelf1(t64)?' 'libdw1(t64)?' 'libzstd1' 'liblzma5' 'libbz2-1.0'; do
	found=$(arm64 apt-cache pkgnames lib | grep -E "^$name\$" | sort | tail -n 1 || true)
	[ -z "$found" ] || libraries="$libraries $found"
done
papi=$(arm64 apt-cache pkgnames libpapi | grep -E '^libpapi[0-9.]+(t64)?$' | sort -V | tail -n 1 || true)
if [ -n "$papi" ]; then
	libraries="$libraries $papi libpapi-dev"
else
	echo "no PAPI for arm64 in this machine's package sources: tests and benchmarks go without it"
fi
openmp=$(arm64 apt-cache pkgnames libomp5- | grep -E '^libomp5-[0-9]+(t64)?$' | sort -V |
	tail -n 1 || true)
if [ -n "$openmp" ]; then
	libraries="$libraries $openmp"
else
	echo "no libomp for arm64 in this machine's package sources: the tests go without it"
fi

echo "downloading$kernels $libraries"
# shellcheck disable=SC2086 # a list of words
(cd "$work/packages" && arm64 apt-get download $kernels $libraries </dev/null)

for package in $kernels; do
	series=$(echo "$package" | sed -E 's/^linux-image-([0-9]+[.][0-9]+).*/\1/')
	# Only the kernel itself: its modules are most of the package, and none is needed.
	dpkg-deb --fsys-tarfile "$work/packages/$package"_*.deb |
		tar -xO --wildcards './boot/vmlinuz-*' >"$directory/vmlinuz-$series"
done
for package in $libraries; do
	dpkg-deb --extract "$work/packages/$package"_*.deb "$directory/sysroot"
done
# Some links of -dev packages are absolute. They would lead out of the sysroot.
find "$directory/sysroot" -type l -lname '/*' | while read -r link; do
	ln -sf "$directory/sysroot$(readlink "$link")" "$link"
done

{
	echo "recipe $recipe"
	(cd "$work/packages" && ls)
} >"$directory/complete"
rm -rf "$work"
