# SPDX-License-Identifier: GPL-2.0
#
# Functions for the tests of the uprobe helper, in addition to tests/lib.sh: a directory for the programs that a
# test builds, and offsets by readelf alone. Sourced, not run.

set -u
export LC_ALL=C

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
corpus=$here/elf_corpus
. "$top/tests/lib.sh"
UPROBE=${UPROBE:-$top/userspace/uprobe}
CC=${CC:-gcc}
CXX=${CXX:-g++}

work=$(mktemp -d "${TMPDIR:-/tmp}/uprobe-test.XXXXXX") || exit 1
at_exit 'rm -rf "$work"'
cd "$work" || exit 1

[ -x "$UPROBE" ] || {
	echo "Bail out! $UPROBE is not built: make -C userspace"
	exit 1
}

# uprobe ARGUMENT...: run the helper. $out and $err have its output, $status its exit status. Bash reads the
# files itself: a process for each would take as long as the helper.
uprobe() {
	"$UPROBE" "$@" > "$work/.out" 2> "$work/.err"
	status=$?
	out=$(< "$work/.out")
	err=$(< "$work/.err")
}

# many: run the helper for each line of the input, in one process. many.c describes input and output.
many() {
	local objects=${UPROBE_OBJECTS:-$top/build/userspace}
	if [ ! -x "$work/.many" ]; then
		# shellcheck disable=SC2086
		objcopy --redefine-sym main=uprobe_main "$objects/cmd/main.o" "$work/.main.o" &&
			$CC -O1 ${LDFLAGS:-} -o "$work/.many" "$corpus/many.c" "$work/.main.o" \
				"$objects/helper.a" -ldw -lelf -llzma -liberty || exit 1
	fi
	"$work/.many"
}

# a_line TEXT PATTERN: check whether a line of TEXT matches PATTERN, an extended regular expression.
a_line() {
	local line
	while IFS= read -r line; do
		[[ $line =~ $2 ]] && return
	done <<< "$1"
	return 1
}

# one_sentence TEXT: check that exactly one line of TEXT is not part of a list. Lines of a list begin with two
# spaces.
one_sentence() {
	local line n=0
	while IFS= read -r line; do
		[[ $line == '  '* ]] || n=$((n + 1))
	done <<< "$1"
	[ $n = 1 ]
}

# fails DESCRIPTION STATUS PATTERN ARGUMENT...: the helper must end with STATUS, print a message that matches
# PATTERN to stderr, and nothing to stdout.
fails() {
	local what=$1 wanted=$2 pattern=$3
	shift 3
	uprobe "$@"
	if [ "$status" = "$wanted" ] && [ -z "$out" ] &&
	   a_line "$err" "$pattern"; then
		ok "$what"
	else
		not_ok "$what"
		diag "uprobe $*"
		diag "status $status, wanted $wanted; pattern $pattern"
		diag "stdout: $out"
		diag "stderr: $err"
	fi
}

# gives DESCRIPTION LINE ARGUMENT...: the helper must succeed and print LINE.
gives() {
	local what=$1 wanted=$2
	shift 2
	uprobe "$@"
	if [ "$status" = 0 ] && [ "$out" = "$wanted" ]; then
		ok "$what"
	else
		not_ok "$what"
		diag "uprobe $*"
		diag "status $status, stdout: $out"
		diag "wanted: $wanted"
		diag "stderr: $err"
	fi
}

# offsets FILE [READELF-OPTION]: print "NAME 0xOFFSET" for each function of FILE, by readelf alone. The names
# have their versions, as readelf writes them.
offsets() {
	{ readelf -lW "$1"; readelf -W "${2:--s}" "$1"; } 2> /dev/null |
		awk -f "$corpus/offsets.awk"
}

# offset_of FILE FUNCTION [READELF-OPTION]: print the 0xOFFSET of FUNCTION, by readelf alone.
offset_of() {
	offsets "$1" "${3:--s}" | awk -v name="$2" '$1 == name { print $2; exit }'
}

# agrees DESCRIPTION FILE FUNCTION: the helper must print the same offset as readelf.
agrees() {
	local wanted
	wanted=$(offset_of "$2" "$3")
	if [ -z "$wanted" ]; then
		not_ok "$1"
		diag "readelf finds no $3 in $2"
		return
	fi
	gives "$1" "$2:$wanted" offset "$2" "$3"
}
