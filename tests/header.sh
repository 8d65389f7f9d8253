# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What the comment lines at the head of a test script say; sourced.

# test_name FILE
test_name() {
	local name=${1##*/}

	echo "${name%.*}"
}

# test_header FILE WORD: the rest of its line "# WORD: ...", or "// WORD: ..." in the source of
# a program.
test_header() {
	local file=$1

	[[ $file != */build/tests/host/* ]] ||
		file=${file%/build/tests/host/*}/tests/host/${file##*/}.c
	sed -n "s,^\(#\|//\) $2: *,,p;30q" "$file" 2>/dev/null
}

# test_limit FILE: its time limit in seconds.
test_limit() {
	local limit

	limit=$(test_header "$1" timeout)
	[[ $limit =~ ^[0-9]+$ ]] || limit=60
	echo $((limit * ${TEST_TIMEOUT_SCALE:-1}))
}

# test_cpus FILE: how many processors its guest has, 1 or 2.
test_cpus() {
	local cpus

	cpus=$(test_header "$1" cpus)
	cpus=${cpus%% *}
	[ "$cpus" = 1 ] || cpus=${TEST_CPUS:-$cpus}
	[ "$cpus" = 2 ] && echo 2 || echo 1
}

# test_lacks FILE: the first thing in its line "# needs: ..." that is not here: a
# program, or a file where the word begins with a slash.
test_lacks() {
	local word

	for word in $(test_header "$1" needs); do
		case $word in
		/*) [ -e "$word" ] || { echo "$word"; return; } ;;
		*) command -v "$word" >/dev/null || { echo "$word"; return; } ;;
		esac
	done
}

# is_script FILE: does it begin with #! as a test script must?
is_script() {
	local magic=

	[ -f "$1" ] && read -r -n 2 magic <"$1"
	[ "$magic" = '#!' ]
}

# test_command FILE: sets the array of that name to what runs it. A script without
# the permission to be executed, as some archives leave it, runs all the same.
test_command() {
	local first

	test_command=("$1")
	if [ ! -x "$1" ] && is_script "$1"; then
		read -r first <"$1"
		read -ra test_command <<<"${first#\#!}"
		test_command+=("$1")
	fi
}
