#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: the test runner's judgement of one test's output
. "$UPROBES_TOP/tests/lib.sh"
ktap_plan 24

tmp=$(mktemp -d)
at_exit "rm -rf $tmp"

# judge STATUS TROUBLE LINE...: prints "PASSED FAILED SKIPPED WORD".
allowed=
judge() {
	status=$1 trouble=$2
	shift 2
	: >"$tmp/tally"
	printf '%s\n' "$@" | awk -v nr=1 -v name=x -v status="$status" -v limit=60 \
		-v trouble="$trouble" -v tally="$tmp/tally" -v failures="$tmp/failures" -v skips="$tmp/skips" \
		-v allowed="$allowed" -f "$UPROBES_TOP/tests/ktap.awk" >"$tmp/out"
	echo "$(cat "$tmp/tally") $(sed -n '$s/ 1 - x.*//p' "$tmp/out")"
}

is "$(judge 0 '' 'KTAP version 1' 1..2 'ok 1 - a' 'ok 2 - b')" "2 0 0 ok" "all well"
is "$(judge 0 '' 1..2 'ok 1' 'ok 2')" "2 0 0 ok" "without a version and descriptions"
is "$(judge 1 '' 1..2 'ok 1 - a' 'not ok 2 - b')" "1 1 0 not ok" "a failed result"
is "$(judge 0 '' 1..2 'ok 1 - a' 'ok 2 - b # SKIP why')" "1 0 1 ok" "a skipped result"
is "$(judge 0 '' '1..0 # SKIP why')" "0 0 1 ok" "a test skipped as a whole"
is "$(cat "$tmp/skips")" "x: b # SKIP why
x: why" "both are kept, with the reason"
rm "$tmp/failures"
is "$(judge 0 '' 'ok 1 - a')" "1 1 0 not ok" "no plan"
is "$(cat "$tmp/failures")" "x: there is no plan line (exit status 0)" "failures are kept, too"
rm "$tmp/failures"
is "$(judge 0 '' 1..3 'ok 1' '# of the first' 'not ok 2 - a' '# of it' '' 'ok 3' '# of the last')" \
	"2 1 0 not ok" "a failed result among others"
is "$(cat "$tmp/failures")" "x: a
	of the first
	of it" "what was said around it is kept, too"
is "$(judge 0 '' '')" "0 1 0 not ok" "no output"
is "$(judge 0 '' 1..2 'ok 1 - a')" "1 1 0 not ok" "fewer results than planned"
is "$(judge 0 '' 1..1 'ok 1 - a' 'ok 2 - b')" "2 1 0 not ok" "more results than planned"
is "$(judge 0 '' 1..2 'ok 1 - a' 'ok 1 - b')" "2 1 0 not ok" "results out of order"
is "$(judge 3 '' 1..1 'ok 1 - a')" "1 1 0 not ok" "a bad exit status alone"
is "$(judge 124 '' 1..1 'ok 1 - a')" "1 1 0 not ok" "the time limit, though all is printed"
is "$(judge 0 'the kernel complained' 1..1 'ok 1 - a')" "1 1 0 not ok" "trouble from outside"
is "$(judge 0 '' 1..1 'ok 1 - a' 'Bail out!')" "1 1 0 not ok" "bailing out"
is "$(judge 0 '' 1..1 '  1..2' '  ok 1 - inner' '  not ok 2 - inner' 'ok 1 - a')" \
	"1 0 0 ok" "nested results do not count"
allowed=$tmp/allowed
cat >"$allowed" <<END
# what may be skipped
x  it cannot be
x	it is slow
y  why
END
is "$(judge 0 '' 1..2 'ok 1 - a # SKIP it cannot be' 'ok 2 - b # SKIP it is slow')" "0 0 2 ok" \
	"what may be skipped"
rm -f "$tmp/failures"
is "$(judge 0 '' 1..2 'ok 1 - a # SKIP why' 'ok 2 - b')" "1 1 0 not ok" "what may be in another test alone"
is "$(cat "$tmp/failures")" "x: must not be skipped here: a # SKIP why" "it is named"
is "$(judge 0 '' '1..0 # SKIP it cannot be')" "0 0 1 ok" "a whole test that may be"
is "$(judge 0 '' '1..0 # SKIP why')" "0 1 0 not ok" "a whole test that must not"
