# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# Functions for tests in shell, which print results as KTAP. Any POSIX shell can source this file:
#
#	. "$UPROBES_TOP/tests/lib.sh"
#	ktap_plan 3
#	check "the event is created" sh -c 'echo ... >uprobe_events'
#	is "$(wc -l <trace)" 5 "five hits are in the trace"
#	skip "the third thing" "this kernel cannot"
#
# Each of ok, not_ok, check, check_fails, is, isnt, like and skip prints one result of the plan.
# All other output of a test is diagnostics. The exit status is 0 if the test has printed all
# planned results, and none of them failed.

# Guest tests that unload the module use load_module to load it again.
[ -z "${UPROBES_KO:-}" ] || . "$UPROBES_TOP/tests/load.sh"

ktap_planned=0
ktap_count=0
ktap_failures=0
ktap_at_exit=
ktap_output=
ktap_tries=

# ktap_plan N: announce N results; call it before the first of them.
ktap_plan() {
	ktap_planned=$1
	echo "KTAP version 1"
	echo "1..$1"
}

# skip_all REASON: skip the whole test; call it instead of ktap_plan.
skip_all() {
	echo "KTAP version 1"
	echo "1..0 # SKIP $*"
	exit 0
}

# skip_by_hand REASON: skip the whole test because a program or a file that it needs is missing;
# call it instead of ktap_plan. If CI is set, the test fails: nobody reads there what was skipped.
skip_by_hand() {
	[ -n "${CI:-}" ] || skip_all "$@"
	ktap_plan 1
	not_ok "$@"
	exit 1
}

# diag LINE...: print a diagnostic; each of its lines begins with "# ".
diag() {
	printf '%s\n' "$*" | sed 's/^/# /'
}

# ok DESCRIPTION: print a result that has passed.
ok() {
	ktap_count=$((ktap_count + 1))
	echo "ok $ktap_count - $*"
}

# not_ok DESCRIPTION: print a result that has failed.
not_ok() {
	ktap_count=$((ktap_count + 1))
	ktap_failures=$((ktap_failures + 1))
	echo "not ok $ktap_count - $*"
}

# skip DESCRIPTION REASON: print a result that is skipped.
skip() {
	ktap_count=$((ktap_count + 1))
	echo "ok $ktap_count - $1 # SKIP $2"
}

# ktap_try COMMAND [ARG...]: run COMMAND, print its output as diagnostics, and set ktap_status to
# its exit status.
ktap_try() {
	[ -n "$ktap_output" ] || ktap_output=$(mktemp)
	"$@" >"$ktap_output" 2>&1
	ktap_status=$?
	[ ! -s "$ktap_output" ] || sed 's/^/# /' "$ktap_output"
}

# check DESCRIPTION COMMAND [ARG...]: pass if COMMAND succeeds. COMMAND runs in this shell, so it
# may be a function that sets variables.
check() {
	ktap_description=$1
	shift
	ktap_try "$@"
	if [ $ktap_status = 0 ]; then
		ok "$ktap_description"
	else
		not_ok "$ktap_description"
		diag "exit status $ktap_status of: $*"
	fi
}

# check_fails DESCRIPTION COMMAND [ARG...]: pass if COMMAND exists and fails, but not by a signal.
check_fails() {
	ktap_description=$1
	shift
	ktap_try "$@"
	if [ $ktap_status != 0 ] && [ $ktap_status -lt 126 ]; then
		ok "$ktap_description"
	else
		not_ok "$ktap_description"
		diag "exit status $ktap_status of: $*"
	fi
}

# is GOT WANTED DESCRIPTION: pass if the strings are equal.
is() {
	if [ "$1" = "$2" ]; then
		ok "$3"
	else
		not_ok "$3"
		diag "     got: $1"
		diag "expected: $2"
	fi
}

# isnt GOT UNWANTED DESCRIPTION: pass if the strings differ.
isnt() {
	if [ "$1" != "$2" ]; then
		ok "$3"
	else
		not_ok "$3"
		diag "got, unwanted: $1"
	fi
}

# matches TEXT PATTERN: check whether a line of TEXT matches PATTERN, an extended regular
# expression, or several of them on separate lines. Executing grep takes a guest 50 ms, so bash
# does it without.
if [ -n "${BASH_VERSION:-}" ]; then
	matches() {
		# shellcheck disable=SC3003,SC3060
		ktap_pattern=${2//$'\n'/|}
		while IFS= read -r ktap_line; do
			# shellcheck disable=SC3010
			[[ $ktap_line =~ $ktap_pattern ]]
			case $? in
			0) return ;;
			# For bash the expression is invalid. For grep, a brace without a number in it is literal.
			2) grep_matches "$1" "$2"; return ;;
			esac
		done <<END
$1
END
		return 1
	}
else
	matches() {
		grep_matches "$1" "$2"
	}
fi

grep_matches() {
	printf '%s\n' "$1" | grep -qE -e "$2"
}

# like GOT PATTERN DESCRIPTION: pass if a line of GOT matches the extended regular expression.
like() {
	if matches "$1" "$2"; then
		ok "$3"
	else
		not_ok "$3"
		diag "     got: $(printf '%s\n' "$1" | head -n 20)"
		diag "expected: $2"
	fi
}

# tries N: print the numbers 1 to N, for a loop like
# "for _ in $(tries 100); do COMMAND && break; sleep 0.1; done". N is multiplied by the scale of
# the time limits.
tries() {
	seq $(($1 * ${TEST_TIMEOUT_SCALE:-1}))
}

# in_time COMMAND [ARG...]: repeat COMMAND until it succeeds, and drop its output; return false if
# it never does. On the host it tries for five minutes, as other programs may keep the host busy.
in_time() {
	[ -n "$ktap_tries" ] || ktap_tries=$(tries $([ -n "${UPROBES_KERNEL:-}" ] && echo 300 || echo 3000))
	for _ in $ktap_tries; do
		"$@" >/dev/null 2>&1 && return
		sleep 0.1
	done
	return 1
}

# wait_until WHAT COMMAND [ARG...]: like in_time, for a condition that the rest of the test needs.
# If COMMAND never succeeds, name WHAT, and exit from the test, or from the subshell that calls it.
wait_until() {
	ktap_awaited=$1
	shift
	in_time "$@" && return
	echo "Bail out! waited in vain until $ktap_awaited"
	exit 1
}

# ended PID: check that the process has ended.
ended() {
	! kill -0 "$1" 2>/dev/null
}

# at_exit COMMAND: evaluate COMMAND when the test ends; the last one added comes first.
at_exit() {
	ktap_at_exit="$1
$ktap_at_exit"
}

ktap_end() {
	ktap_status=$?
	eval "$ktap_at_exit"
	[ -z "$ktap_output" ] || rm -f "$ktap_output"
	if [ $ktap_status = 0 ] &&
	   { [ $ktap_failures != 0 ] || [ $ktap_count != $ktap_planned ]; }; then
		ktap_status=1
	fi
	exit $ktap_status
}
trap ktap_end EXIT
