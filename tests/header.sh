# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What the comment lines at the head of a test say; sourced.

# test_table FILE...: of each test a line of fields, which a tabulator separates; "-" is an
# empty one:
#
#   FILE LIMIT CPUS ONCE FULL LONGER BOOT NEEDS
#
# LIMIT is in seconds, before TEST_TIMEOUT_SCALE. ONCE and FULL are reasons. LONGER is "yes"
# where the test looks at FULL, or says "# longer:" since a program of it does. A file without #! is no test, but for a C source.
test_table() {
	local file files=()

	for file; do
		[ ! -f "$file" ] || files+=("$file")
	done
	[ ${#files[@]} = 0 ] || awk '
		function field(word) { return word in said && said[word] != "" ? said[word] : "-" }
		function tell(	limit) {
			if (file == "" || !test)
				return
			limit = field("timeout") ~ /^[0-9]+$/ ? said["timeout"] : 60
			printf "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", file, limit,
			       field("cpus") ~ /^2/ ? 2 : field("cpus") ~ /^1/ ? "1!" : 1,
			       field("once"), field("full"), longer, field("boot"), field("needs")
		}
		FNR == 1 {
			tell()
			split("", said)
			file = FILENAME
			longer = "no"
			test = /^#!/ || FILENAME ~ /\.c$/
		}
		FNR <= 30 && match($0, /^(#|\/\/) [a-z]+: */) {
			word = $2
			sub(/:$/, "", word)
			said[word] = substr($0, RLENGTH + 1)
		}
		/\$\{?FULL|ktap_full\(|inject\.inc|^(#|\/\/) longer:/ { longer = "yes" }
		END { tell() }' "${files[@]}"
}

# lacks WORD...: the first that is not here: a program, or a file where the word begins
# with a slash.
lacks() {
	local word

	for word; do
		case $word in
		/*) [ -e "$word" ] || { echo "$word"; return; } ;;
		*) command -v "$word" >/dev/null || { echo "$word"; return; } ;;
		esac
	done
}

# test_command FILE: sets the array of that name to what runs it. A script without
# the permission to be executed, as some archives leave it, runs all the same.
test_command() {
	local first

	test_command=("$1")
	if [ ! -x "$1" ] && read -r first <"$1" && [[ $first == '#!'* ]]; then
		read -ra test_command <<<"${first#\#!}"
		test_command+=("$1")
	fi
}
