# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Common functions of the scripts in qemu/; sourced by bash.
#
# Gives: $top (the checkout), $cache (fetched and generated files, which can be deleted at any
# time), die, say, took, megabytes, kernel_field, private_apt, and others.
#
# Exit status 125 is reserved for failures of the harness, to distinguish them from the status of a
# command in a guest.

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

# took START: print the time since $SECONDS was START, for the message at the end of a step.
took() {
	echo "($((SECONDS - $1)) s)"
}

# megabytes BYTES: print the size in MB.
megabytes() {
	echo "$(($1 / 1000000)).$(($1 / 100000 % 10)) MB"
}

# need PROGRAM PACKAGE: fail if PROGRAM does not exist, and name the package to install.
need() {
	command -v "$1" >/dev/null ||
		die "$1 is needed: install the package $2 (qemu/install-deps installs all needed packages)"
}

# make_cache [DIR]: create DIR (default: the cache itself).
make_cache() {
	mkdir -p "${1:-$cache}" ||
		die "cannot create ${1:-$cache}: is it, or the directory that XDG_CACHE_HOME names, writable?"
}

# kernel_names [all]: print the names of the kernels that are tested by default on this system, its
# own first, or of all kernels, oldest first; one per line. UPROBES_OS_RELEASE replaces the file that
# says which system this is.
kernel_names() {
	local host

	# shellcheck source=/dev/null
	host=$(ID='' VERSION_ID='' VERSION_CODENAME=''
		. "${UPROBES_OS_RELEASE:-/etc/os-release}" 2>/dev/null
		[ "$ID" != debian ] || echo "${VERSION_ID:--} $VERSION_CODENAME")
	awk -v all="${1:-}" -v host="$host" '
		/^[ \t]*(#|$)/ { next }
		all { print $1; next }
		{
			name[++n] = $1
			suite[n] = $2
			split($4, on, ",")
			for (i in on) {
				tested[n, on[i]]
				known[on[i]]
				newest = on[i] > newest && on[i] != "asked" ? on[i] : newest
			}
		}
		END {
			split(host, is, " ")
			version = is[1] in known ? is[1] : newest
			for (own = 1; own >= 0; own--)
				for (i = 1; i <= n; i++)
					if ((i, version) in tested && own == (suite[i] == is[2]))
						print name[i]
		}' "$top/qemu/kernels"
}

# kernel_field NAME COLUMN: print one column of the row NAME of qemu/kernels: name, suite ...
kernel_field() {
	awk -v name="$1" -v column="$2" '
		/^# name / { for (i = 2; i <= NF; i++) col[$i] = i - 1 }
		!/^[ \t]*(#|$)/ && $1 == name { print $col[column]; found = 1 }
		END { exit !found }' "$top/qemu/kernels" ||
		die "no kernel '$1' in qemu/kernels; it knows: $(kernel_names all | paste -sd ' ')"
}

# load_kernel NAME: fetch the kernel if it is not in the cache, and set k_release, k_image,
# k_modules, k_kdir and k_compiler to the values that qemu/fetch prints.
load_kernel() {
	local paths key value

	paths=$("$top/qemu/fetch" "$1") || exit
	while IFS='=' read -r key value; do
		printf -v "k_$key" %s "$value"
	done <<<"$paths"
}

# repo_uri RELEASE DEFAULT: print the URI from which the system's apt takes a Debian release, so
# that a local mirror is used. If apt does not have this release, print DEFAULT.
repo_uri() {
	local uri

	uri=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE)' \
		'Created-By: Packages' 2>/dev/null |
		awk -v rel="$1" '$2 == rel { print $1; exit }')
	printf '%s\n' "${uri:-$2}"
}

# private_apt SUITES: update package lists of our own in the cache (those of SUITES, separated by
# commas, with their security updates), and set the array apt_opts to options that make apt-get and
# apt-cache use them. The system's lists and sources do not change, and a normal user can do this.
# Suites share one directory for the lists, because most lists are needed by several suites.
private_apt() {
	local suites=${1//,/ } dir=$cache/apt/$1 lists=$cache/apt/lists suite base
	local deb=http://deb.debian.org/debian key=
	local keyring=/usr/share/keyrings/debian-archive-keyring.gpg
	local out

	command -v apt-get >/dev/null ||
		die "this system has no apt-get: Debian packages of $suite cannot be fetched"
	make_cache "$dir/cache/archives/partial"
	if [ ! -d "$lists" ]; then
		make_cache "$lists/partial"
		# Copy the system's lists: apt fetches only those again that are out of date.
		cp --preserve=timestamps /var/lib/apt/lists/*_dists_*_{InRelease,main_binary-amd64_Packages}* \
			"$lists" 2>/dev/null
	fi
	make_cache "$lists/partial"
	[ ! -e $keyring ] || key="[signed-by=$keyring] "
	for suite in $suites; do
		base=${suite%-backports}
		echo "deb $key$(repo_uri "$base" $deb) $base main"
		if [ "$base" != sid ]; then
			echo "deb $key$(repo_uri "$base-security" $deb-security) $base-security main"
		fi
		if [ "$base" != "$suite" ]; then
			echo "deb $key$(repo_uri "$suite" "$(repo_uri "$base" $deb)") $suite main"
		fi
	done >"$dir/sources.list.$$" && mv "$dir/sources.list.$$" "$dir/sources.list" ||
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
	say "updating the package lists of $suites"
	out=$(flock "$lists" apt-get "${apt_opts[@]}" -q --error-on=any update 2>&1) ||
		die "the package lists of $suites could not be fetched (apt-get update):
$(grep -E '^[EW]:' <<<"$out" | head -n 5)"
}

# packages_size PACKAGE...: print the number of the packages and the size of their archives; call it
# after private_apt.
packages_size() {
	local bytes

	bytes=$(apt-cache "${apt_opts[@]}" show --no-all-versions "$@" 2>/dev/null |
		awk '$1 == "Size:" { sum += $2 } END { printf "%.0f", sum }')
	echo "$# package$([ $# = 1 ] || echo s), $(megabytes "$bytes")"
}

# package_field PACKAGE FIELD: print a field of the newest version; call it after private_apt.
package_field() {
	apt-cache "${apt_opts[@]}" show --no-all-versions "$1" 2>/dev/null |
		sed -n "s/^$2: //p"
}

# source_package PACKAGE: set $deb to the path of the newest PACKAGE, which contains a kernel's
# sources. Fetch it into the cache if it is not there, and check it against the checksum in the
# package list. Call it after private_apt.
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
			die "the fetched $package is damaged; try again"
		say "fetched $package $(took "$start")"
	fi
	exec 8>&-
}
