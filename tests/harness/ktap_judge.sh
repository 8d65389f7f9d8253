#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: the test runner judges the output of a test correctly
. "$UPROBES_TOP/tests/lib.sh"
ktap_plan 24

tmp=$(mktemp -d)
at_exit "rm -rf $tmp"

# judge STATUS TROUBLE LINE...: print "PASSED FAILED SKIPPED WORD" for a test with this output.
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

is "$(judge 0 '' 'KTAP version 1' 1..2 'ok 1 - a' 'ok 2 - b')" "2 0 0 ok" "all results pass"
is "$(judge 0 '' 1..2 'ok 1' 'ok 2')" "2 0 0 ok" "the version line and descriptions may be missing"
is "$(judge 1 '' 1..2 'ok 1 - a' 'not ok 2 - b')" "1 1 0 not ok" "one result fails"
is "$(judge 0 '' 1..2 'ok 1 - a' 'ok 2 - b # SKIP why')" "1 0 1 ok" "one result is skipped"
is "$(judge 0 '' '1..0 # SKIP why')" "0 0 1 ok" "a whole test is skipped"
is "$(cat "$tmp/skips")" "x: b # SKIP why
x: why" "both skips are kept with their reasons"
rm "$tmp/failures"
is "$(judge 0 '' 'ok 1 - a')" "1 1 0 not ok" "a missing plan is a failure"
is "$(cat "$tmp/failures")" "x: there is no plan line (exit status 0)" "the failure is kept with its reason"
rm "$tmp/failures"
is "$(judge 0 '' 1..3 'ok 1' '# of the first' 'not ok 2 - a' '# of it' '' 'ok 3' '# of the last')" \
	"2 1 0 not ok" "one result of several fails"
is "$(cat "$tmp/failures")" "x: a
	of the first
	of it" "the diagnostics around the failed result are kept"
is "$(judge 0 '' '')" "0 1 0 not ok" "no output is a failure"
is "$(judge 0 '' 1..2 'ok 1 - a')" "1 1 0 not ok" "fewer results than planned are a failure"
is "$(judge 0 '' 1..1 'ok 1 - a' 'ok 2 - b')" "2 1 0 not ok" "more results than planned are a failure"
is "$(judge 0 '' 1..2 'ok 1 - a' 'ok 1 - b')" "2 1 0 not ok" "a wrong number of a result is a failure"
is "$(judge 3 '' 1..1 'ok 1 - a')" "1 1 0 not ok" "a bad exit status alone is a failure"
is "$(judge 124 '' 1..1 'ok 1 - a')" "1 1 0 not ok" "the time limit is a failure, though all results are printed"
is "$(judge 0 'the kernel complained' 1..1 'ok 1 - a')" "1 1 0 not ok" "trouble from outside the test is a failure"
is "$(judge 0 '' 1..1 'ok 1 - a' 'Bail out!')" "1 1 0 not ok" "bailing out is a failure"
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
	"skips that the list allows are skips"
rm -f "$tmp/failures"
is "$(judge 0 '' 1..2 'ok 1 - a # SKIP why' 'ok 2 - b')" "1 1 0 not ok" \
	"a skip that the list allows for another test is a failure"
is "$(cat "$tmp/failures")" "x: must not be skipped here: a # SKIP why" "the forbidden skip is named"
is "$(judge 0 '' '1..0 # SKIP it cannot be')" "0 0 1 ok" "a whole test may be skipped if the list allows it"
is "$(judge 0 '' '1..0 # SKIP why')" "0 1 0 not ok" "skipping a whole test is a failure if the list does not allow it"
