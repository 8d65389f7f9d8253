# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What the comment lines at the head of a test script say; sourced.

# test_name FILE
test_name() {
	local name=${1##*/}

	echo "${name%.*}"
}

# test_header FILE WORD: the rest of its line "# WORD: ...".
test_header() {
	sed -n "s/^# $2: *//p;30q" "$1" 2>/dev/null
}

# test_limit FILE: its time limit in seconds.
test_limit() {
	local limit

	limit=$(test_header "$1" timeout)
	[[ $limit =~ ^[0-9]+$ ]] || limit=60
	echo $((limit * ${TEST_TIMEOUT_SCALE:-1}))
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
