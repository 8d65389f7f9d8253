# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Common ground of the qemu/ scripts; to be sourced by bash.
#
# Gives: $top (the checkout), $cache (all that is fetched or derived, safe to
# delete at any time), die, say, took, megabytes, kernel_field, and private_apt.
#
# Exit status 125 is kept for the harness itself: it tells "nothing was tried"
# apart from any status of a command in a guest.

top=$(cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
cache=${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/uprobes
self=${0##*/}
# depmod and modprobe are not in a normal user's PATH.
PATH=$PATH:/usr/sbin:/sbin

say() {
	printf '%s: %s\n' "$self" "$*" >&2
}

die() {
	say "$*"
	exit 125
}

# took START: how long ago $SECONDS was START, to be put behind a step.
took() {
	echo "($((SECONDS - $1)) s)"
}

# megabytes BYTES: in words.
megabytes() {
	echo "$(($1 / 1000000)).$(($1 / 100000 % 10)) MB"
}

# need PROGRAM PACKAGE: a clear word when it is not there.
need() {
	command -v "$1" >/dev/null ||
		die "$1 is needed: install the package $2 (qemu/install-deps installs all that is needed)"
}

# make_cache [DIR]: create DIR (default: the cache itself).
make_cache() {
	mkdir -p "${1:-$cache}" ||
		die "cannot create ${1:-$cache}: is it, or what XDG_CACHE_HOME names, writable?"
}

# kernel_names [all]: the kernels that are tested when none is chosen, one per
# line, oldest first; or all that there are.
kernel_names() {
	awk -v all="${1:-}" '!/^[ \t]*(#|$)/ && (all || $5 == "yes") { print $1 }' \
		"$top/qemu/kernels"
}

# kernel_field NAME COLUMN: one column of the row NAME of qemu/kernels.
kernel_field() {
	awk -v name="$1" -v col="$2" '
		!/^[ \t]*(#|$)/ && $1 == name { print $col; found = 1 }
		END { exit !found }' "$top/qemu/kernels" ||
		die "no kernel '$1' in qemu/kernels; it knows: $(kernel_names all | paste -sd ' ')"
}

# load_kernel NAME: fetch it where needed and set k_release, k_image, k_modules,
# k_kdir and k_compiler as qemu/fetch prints them.
load_kernel() {
	local paths key value

	paths=$("$top/qemu/fetch" "$1") || exit
	while IFS='=' read -r key value; do
		printf -v "k_$key" %s "$value"
	done <<<"$paths"
}

# repo_uri RELEASE DEFAULT: where the system's own apt takes a Debian release
# from, so that a local mirror is honoured; DEFAULT when it does not know it.
repo_uri() {
	local uri

	uri=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE)' \
		'Created-By: Packages' 2>/dev/null |
		awk -v rel="$1" '$2 == rel { print $1; exit }')
	printf '%s\n' "${uri:-$2}"
}

# private_apt SUITE: set the array apt_opts to options that make apt-get and
# apt-cache work on package lists of our own (SUITE, with its security updates),
# kept in the cache: the system's lists and sources stay as they are, and a
# normal user can do it. Updates the lists. Suites share the lists, because most
# of what one suite needs is a list that another one has, too.
private_apt() {
	local suite=$1 dir=$cache/apt/$1 lists=$cache/apt/lists base=${1%-backports}
	local deb=http://deb.debian.org/debian key=
	local keyring=/usr/share/keyrings/debian-archive-keyring.gpg
	local out

	command -v apt-get >/dev/null ||
		die "apt-get is not there: Debian packages of $suite cannot be fetched on this system"
	make_cache "$dir/cache/archives/partial"
	if [ ! -d "$lists" ]; then
		make_cache "$lists/partial"
		# What the system has of them is not fetched again, unless it is old.
		cp --preserve=timestamps /var/lib/apt/lists/*_dists_{"$base","$base-security"}_{InRelease,main_binary-amd64_Packages}* \
			"$lists" 2>/dev/null
	fi
	make_cache "$lists/partial"
	[ ! -e $keyring ] || key="[signed-by=$keyring] "
	{
		echo "deb $key$(repo_uri "$base" $deb) $base main"
		if [ "$base" != sid ]; then
			echo "deb $key$(repo_uri "$base-security" $deb-security) $base-security main"
		fi
		if [ "$base" != "$suite" ]; then
			echo "deb $key$(repo_uri "$suite" "$(repo_uri "$base" $deb)") $suite main"
		fi
	} >"$dir/sources.list.$$" && mv "$dir/sources.list.$$" "$dir/sources.list" ||
		die "cannot write $dir/sources.list"

	apt_opts=(
		-o "Dir::Etc::sourcelist=$dir/sources.list"
		-o Dir::Etc::sourceparts=/dev/null
		-o "Dir::State::lists=$lists"
		-o "Dir::Cache=$dir/cache"
		-o Dir::Cache::pkgcache=pkgcache.bin
		-o Dir::Cache::srcpkgcache=
		-o Acquire::Languages=none
		-o Acquire::Retries=3
		-o Acquire::Check-Valid-Until=false
		-o APT::Sandbox::User=root
		-o APT::Get::List-Cleanup=false
	)
	say "updating the package lists of $suite"
	out=$(flock "$lists" apt-get "${apt_opts[@]}" -q --error-on=any update 2>&1) ||
		die "the package lists of $suite could not be fetched (apt-get update):
$(grep -E '^[EW]:' <<<"$out" | head -n 5)"
}

# packages_size PACKAGE...: how many there are and what their archives weigh, in
# words; after private_apt.
packages_size() {
	local bytes

	bytes=$(apt-cache "${apt_opts[@]}" show --no-all-versions "$@" 2>/dev/null |
		awk '$1 == "Size:" { sum += $2 } END { printf "%.0f", sum }')
	echo "$# package$([ $# = 1 ] || echo s), $(megabytes "$bytes")"
}

# package_field PACKAGE FIELD: of the newest version, after private_apt.
package_field() {
	apt-cache "${apt_opts[@]}" show --no-all-versions "$1" 2>/dev/null |
		sed -n "s/^$2: //p"
}

# source_package PACKAGE: set $deb to the newest package of that name, with a
# kernel's sources in it, kept in the cache and checked against what the package
# list says of it; after private_apt.
source_package() {
	local package=$1 sources=$cache/sources sum log version start=$SECONDS

	version=$(package_field "$package" Version)
	sum=$(package_field "$package" SHA256)
	make_cache "$sources"
	exec 8>"$sources/lock" || die "cannot write to $sources"
	flock 8
	deb=$sources/${package}_$version.deb
	if ! sha256sum --quiet --status -c - <<<"$sum  $deb" 2>/dev/null; then
		say "fetching $package $version: $(packages_size "$package")"
		rm -rf "$sources"/"$package"_* "$sources/new"
		mkdir "$sources/new" || die "cannot write to $sources"
		log=$(cd "$sources/new" && apt-get "${apt_opts[@]}" -q download "$package" 2>&1) &&
		mv "$sources"/new/*.deb "$deb" || {
			tail -n 5 <<<"$log" >&2
			die "the package $package could not be fetched"
		}
		rmdir "$sources/new"
		sha256sum --quiet --status -c - <<<"$sum  $deb" ||
			die "$package was fetched damaged; try again"
		say "fetched $package $(took "$start")"
	fi
	exec 8>&-
}
