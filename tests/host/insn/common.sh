# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# Functions for the tests of the instruction analyzer: build a program of this directory, and run it.

UPROBES_TOP=${UPROBES_TOP:-$(cd "$(dirname "$0")/../.." && pwd)}
insn=$UPROBES_TOP/tests/host/insn
. "$UPROBES_TOP/tests/lib.sh"

# insn_build PROGRAM [SANITIZE=1]: build PROGRAM, and set $insn_program to its path. If INSN_BUILT is set, this
# directory already has the program.
insn_build() {
	insn_program=${INSN_BUILT:-$UPROBES_TOP/build/tests/host/insn${2:+-asan}}/insn_$1
	[ -z "${INSN_BUILT:-}" ] || return 0
	make -s -C "$insn" "$@" >&2 && return
	echo "Bail out! cannot build $1; it wants the packages gcc and libzydis-dev"
	exit 1
}

# insn_run PROGRAM [ARG...]: build and run a program that prints KTAP itself.
insn_run() {
	insn_build "$1"
	shift
	exec "$insn_program" "$@"
}

# insn_trials DESCRIPTION ARG...: run $insn_program, which is insn_run, as one result. Skip it if this machine
# runs no code of that mode.
insn_trials() {
	insn_description=$1
	shift
	ktap_try "$insn_program" "$@"
	case $ktap_status in
	0)	ok "$insn_description" ;;
	77)	skip "$insn_description" "this machine runs no code of that mode" ;;
	*)	not_ok "$insn_description"
		diag "exit status $ktap_status of: insn_run $*" ;;
	esac
}
