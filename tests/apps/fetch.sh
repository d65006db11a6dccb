#!/bin/sh
# SPDX-License-Identifier: MIT
# Download the sources of a real program once into a cache, for a test that measures the program.
# Nothing is installed, and the machine's package state does not change. The script asks the
# configured package repositories for sources, even if only binaries are configured.
#
# usage: fetch.sh DIRECTORY/PACKAGE, where PACKAGE is sqlite, redis or nginx
#
# Afterwards the directory has `complete`, which lists the fetched files, and:
#   sqlite: sqlite3.c, sqlite3.h, shell.c
#   redis, nginx: source, where the unmarked program is built, so that a test compiles only the
#     files that it marks.
#
# Exit status: 0 if the files are there, 77 if the repositories do not have them, 1 after a failure.
# The last line says why.
set -eu

directory=${1:?usage: fetch.sh DIRECTORY/PACKAGE}
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

# Everything is compiled with little optimization, since nobody compares its speed.
make_sqlite()
{
	./configure --disable-readline && make sqlite3.c shell.c &&
		cp sqlite3.c sqlite3.h shell.c "$directory"
}

make_redis()
{
	# The makefile of the dependencies knows one word as the compiler's name.
	make -j2 -C src MALLOC=libc OPTIMIZATION=-O1 DEBUG= redis-server redis-benchmark
}

make_nginx()
{
	./configure --prefix=. --with-cc-opt=-O1 --with-http_stub_status_module \
		--without-http_rewrite_module --without-http_gzip_module --without-pcre \
		--without-http_proxy_module --without-http_fastcgi_module \
		--without-http_uwsgi_module --without-http_scgi_module --without-http_grpc_module \
		--without-http_memcached_module --without-http_ssi_module \
		--without-http_charset_module --without-http_upstream_zone_module &&
		make -j2
}

is_complete && exit 0
package=${directory##*/}
case $package in
sqlite) source=sqlite3 tools=tclsh ;;
redis | nginx) source=$package tools= ;;
*) cannot "nothing is known about the sources of $package" ;;
esac
for tool in apt-get tar xz make cc $tools; do
	command -v "$tool" >/dev/null || cannot "no $tool: $package is made of a Debian source package"
done

mkdir -p "$directory"
directory=$(cd "$directory" && pwd)
exec 9>"$directory/lock"
if command -v flock >/dev/null; then
	flock 9
fi
is_complete && exit 0

work=$directory/work
rm -rf "$work" "$directory/complete" "$directory/source"
mkdir -p "$work/lists/partial" "$work/cache/archives/partial" "$work/parts" "$directory/source"
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
own apt-cache showsrc "$source" 2>/dev/null | grep -q "^Package: $source" ||
	cannot "this machine's package sources offer no source of $source"

echo "downloading $source"
(cd "$work" && own apt-get source --download-only --tar-only --only-source "$source" </dev/null)
tar -xf "$work/$source"_*.orig.tar.* -C "$directory/source" --strip-components=1
echo "building it"
if ! (cd "$directory/source" && "make_$package") >"$work/log" 2>&1 </dev/null; then
	tail -n 20 "$work/log"
	exit 1
fi
[ "$package" != sqlite ] || rm -rf "$directory/source"
{
	echo "recipe $recipe"
	(cd "$work" && ls "$source"_*.orig.tar.*)
} >"$directory/complete"
rm -rf "$work"
