# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# For tests in shell: prints KTAP. Sourced by any POSIX shell:
#
#	. "$UPROBES_TOP/tests/lib.sh"
#	ktap_plan 3
#	check "the event is created" sh -c 'echo ... >uprobe_events'
#	is "$(wc -l <trace)" 5 "five hits are in the trace"
#	skip "the third thing" "this kernel cannot"
#
# One of ok, not_ok, check, check_fails, is, isnt, like and skip for each test of the plan.
# What a test prints otherwise is a diagnostic. Exit status: 0 when all of the
# plan was done and nothing failed.

# Guest tests that unload the module load it again with load_module.
[ -z "${UPROBES_KO:-}" ] || . "$UPROBES_TOP/tests/load.sh"

ktap_planned=0
ktap_count=0
ktap_failures=0
ktap_at_exit=
ktap_output=
ktap_tries=

# ktap_plan N: how many results will come; before the first of them.
ktap_plan() {
	ktap_planned=$1
	echo "KTAP version 1"
	echo "1..$1"
}

# skip_all REASON: instead of ktap_plan, when nothing of this test makes sense here.
skip_all() {
	echo "KTAP version 1"
	echo "1..0 # SKIP $*"
	exit 0
}

# skip_by_hand REASON: instead of ktap_plan, without what the test runs. It is skipped then; where CI is
# set, nobody reads what was skipped, and it fails.
skip_by_hand() {
	[ -n "${CI:-}" ] || skip_all "$@"
	ktap_plan 1
	not_ok "$@"
	exit 1
}

# diag LINE...: a diagnostic; its lines are marked as such.
diag() {
	printf '%s\n' "$*" | sed 's/^/# /'
}

# ok DESCRIPTION
ok() {
	ktap_count=$((ktap_count + 1))
	echo "ok $ktap_count - $*"
}

# not_ok DESCRIPTION
not_ok() {
	ktap_count=$((ktap_count + 1))
	ktap_failures=$((ktap_failures + 1))
	echo "not ok $ktap_count - $*"
}

# skip DESCRIPTION REASON: one result that cannot be had here.
skip() {
	ktap_count=$((ktap_count + 1))
	echo "ok $ktap_count - $1 # SKIP $2"
}

# What COMMAND prints becomes diagnostics; its status goes to ktap_status.
ktap_try() {
	[ -n "$ktap_output" ] || ktap_output=$(mktemp)
	"$@" >"$ktap_output" 2>&1
	ktap_status=$?
	[ ! -s "$ktap_output" ] || sed 's/^/# /' "$ktap_output"
}

# check DESCRIPTION COMMAND [ARG...]: COMMAND succeeds. What it prints is a
# diagnostic. Runs in this shell, so it may be a function that sets variables.
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

# check_fails DESCRIPTION COMMAND [ARG...]: COMMAND fails, and neither by a
# signal nor because it is not there.
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

# is GOT WANTED DESCRIPTION: the strings are the same.
is() {
	if [ "$1" = "$2" ]; then
		ok "$3"
	else
		not_ok "$3"
		diag "     got: $1"
		diag "expected: $2"
	fi
}

# isnt GOT UNWANTED DESCRIPTION: the strings differ.
isnt() {
	if [ "$1" != "$2" ]; then
		ok "$3"
	else
		not_ok "$3"
		diag "got, unwanted: $1"
	fi
}

# matches TEXT PATTERN: does a line of TEXT match the extended regular expression, or one of
# several in lines of their own? bash does it itself, as executing grep takes a guest 50 ms.
if [ -n "${BASH_VERSION:-}" ]; then
	matches() {
		# shellcheck disable=SC3003,SC3060
		ktap_pattern=${2//$'\n'/|}
		while IFS= read -r ktap_line; do
			# shellcheck disable=SC3010
			[[ $ktap_line =~ $ktap_pattern ]]
			case $? in
			0) return ;;
			# For grep, a bracket that encloses no number is itself.
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

# like GOT PATTERN DESCRIPTION: a line of GOT matches the extended regular expression.
like() {
	if matches "$1" "$2"; then
		ok "$3"
	else
		not_ok "$3"
		diag "     got: $(printf '%s\n' "$1" | head -n 20)"
		diag "expected: $2"
	fi
}

# tries N: the numbers of so many tries, as many times more as time limits are
# longer: "for _ in $(tries 100); do COMMAND && break; sleep 0.1; done".
tries() {
	seq $(($1 * ${TEST_TIMEOUT_SCALE:-1}))
}

# in_time COMMAND [ARG...]: wait until COMMAND, whose output is dropped, succeeds; false
# when it never does. On the host that takes five minutes to say: what else runs there is not known.
in_time() {
	[ -n "$ktap_tries" ] || ktap_tries=$(tries $([ -n "${UPROBES_KERNEL:-}" ] && echo 300 || echo 3000))
	for _ in $ktap_tries; do
		"$@" >/dev/null 2>&1 && return
		sleep 0.1
	done
	return 1
}

# wait_until WHAT COMMAND [ARG...]: the same, of what the rest of the test needs: without it
# the test ends (or the subshell that this is called in), and says that it was WHAT.
wait_until() {
	ktap_awaited=$1
	shift
	in_time "$@" && return
	echo "Bail out! waited in vain until $ktap_awaited"
	exit 1
}

# ended PID: is there no such process any more?
ended() {
	! kill -0 "$1" 2>/dev/null
}

# at_exit COMMAND: evaluated when the test ends, the last one first.
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
