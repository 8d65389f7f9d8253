# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Reads the comment lines at the head of tests; sourced.

# test_table FILE...: print a line for each test. Tabs separate the fields; an empty field is "-":
#
#   FILE LIMIT CPUS ONCE FULL LONGER BOOT LAST NEEDS ABOUT
#
# LIMIT is in seconds, before TEST_TIMEOUT_SCALE multiplies it. ONCE, FULL and LAST are reasons.
# ABOUT is what the test is about. "# cpus: 2 with FULL=1" is 1 otherwise. LONGER is "yes" if the
# test uses FULL, says "with FULL=1", or has a line "# longer:" because one of its programs does. A
# file that does not begin with #! and is no C source is no test.
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
			# With FULL, two processors are more than one.
			if (field("cpus") ~ /FULL/)
				longer = "yes"
			limit = field("timeout") ~ /^[0-9]+$/ ? said["timeout"] : 60
			printf "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", file, limit,
			       field("cpus") ~ /^2/ && (ENVIRON["FULL"] != "" || field("cpus") !~ /FULL/) ? 2 : field("cpus") ~ /^1/ ? "1!" : 1,
			       field("once"), field("full"), longer, field("boot"), field("last"), field("needs"),
			       field("test")
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

# find_guest_tests DIR: set the array guest_tests to the files of guest tests below DIR. A folder says what
# its tests are about.
find_guest_tests() {
	guest_tests=("$1"/{probe/*,trace,uprobe,insn,torture}/*.sh)
}

# lacks WORD...: print the first WORD that does not exist on this machine. A WORD names a
# program; if it begins with a slash, a file.
lacks() {
	local word

	for word; do
		case $word in
		/*) [ -e "$word" ] || { echo "$word"; return; } ;;
		*) command -v "$word" >/dev/null || { echo "$word"; return; } ;;
		esac
	done
}

# test_command FILE: set the array test_command to the command that runs FILE. Some archives drop
# the permission to execute; then its interpreter runs the script.
test_command() {
	local first

	test_command=("$1")
	if [ ! -x "$1" ] && read -r first <"$1" && [[ $first == '#!'* ]]; then
		read -ra test_command <<<"${first#\#!}"
		test_command+=("$1")
	fi
}
