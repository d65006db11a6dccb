#!/bin/sh
# SPDX-License-Identifier: MIT
# Download SQLite's sources once into a cache. SQLite is a real program whose functions are
# measured. Nothing is installed, and the machine's package state does not change. The script asks
# the configured package repositories for sources, even if only binaries are configured.
#
# usage: fetch.sh DIRECTORY
#
# Afterwards DIRECTORY has sqlite3.c, sqlite3.h, shell.c and `complete`, which lists the fetched
# files. Exit status: 0 if the files are there, 77 if the repositories do not have them (the last
# line says why), 1 after a failure.
set -eu

directory=${1:?usage: fetch.sh DIRECTORY}
recipe=1 # raise whenever the content of the cache changes

is_complete()
{
	[ -e "$directory/complete" ] && [ "$(head -n 1 "$directory/complete")" = "recipe $recipe" ]
}

cannot()
{
	echo "$1"
	exit 77
}

is_complete && exit 0
for tool in apt-get tar xz tclsh make cc; do
	command -v "$tool" >/dev/null || cannot "no $tool: SQLite is made of a Debian source package"
done

mkdir -p "$directory"
directory=$(cd "$directory" && pwd)
exec 9>"$directory/lock"
if command -v flock >/dev/null; then
	flock 9
fi
is_complete && exit 0

work=$directory/work
rm -rf "$work" "$directory/complete"
mkdir -p "$work/lists/partial" "$work/cache/archives/partial" "$work/parts" "$work/source"
: >"$work/status"

# Convert the machine's repositories to repositories of sources.
for list in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
	[ ! -e "$list" ] || sed -n 's/^deb[[:space:]]/deb-src /p' "$list" >>"$work/parts/all.list"
done
for list in /etc/apt/sources.list.d/*.sources; do
	[ ! -e "$list" ] || sed 's/^Types:.*/Types: deb-src/' "$list" >"$work/parts/${list##*/}"
done

# Run apt with its own lists, cache and status.
own()
{
	tool=$1
	shift
	"$tool" -qq \
		-o Dir::State::Lists="$work/lists" -o Dir::State::Status="$work/status" \
		-o Dir::Cache="$work/cache" -o Dir::Etc::SourceList=/dev/null \
		-o Dir::Etc::SourceParts="$work/parts" -o APT::Sandbox::User= \
		-o Acquire::Languages=none -o Acquire::Retries=3 "$@"
}

echo "reading the lists of source packages"
# A repository without the files must not hide the others.
own apt-get update </dev/null || echo "some lists of source packages could not be read"
own apt-cache showsrc sqlite3 2>/dev/null | grep -q '^Package: sqlite3' ||
	cannot "this machine's package sources offer no source of sqlite3"

echo "downloading sqlite3"
(cd "$work" && own apt-get source --download-only --only-source sqlite3 </dev/null)
tar -xf "$work"/sqlite3_*.orig.tar.* -C "$work/source" --strip-components=1
echo "making one file of it"
if ! (cd "$work/source" && ./configure --disable-readline && make sqlite3.c shell.c) \
	>"$work/log" 2>&1 </dev/null; then
	tail -n 20 "$work/log"
	exit 1
fi
cp "$work/source/sqlite3.c" "$work/source/sqlite3.h" "$work/source/shell.c" "$directory"
{
	echo "recipe $recipe"
	(cd "$work" && ls sqlite3_*.dsc)
} >"$directory/complete"
rm -rf "$work"
