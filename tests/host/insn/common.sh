# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# For the tests of the instruction analyzer: build a program of this directory
# and run it. The programs print KTAP themselves.

UPROBES_TOP=${UPROBES_TOP:-$(cd "$(dirname "$0")/../.." && pwd)}
insn=$UPROBES_TOP/tests/host/insn

# insn_build PROGRAM [VARIABLE=VALUE...]: the path is in $insn_program afterwards.
insn_build() {
	insn_program=$UPROBES_TOP/build/host/insn/insn_$1
	case " $* " in
	*" SANITIZE=1 "*) insn_program=$UPROBES_TOP/build/host/insn-asan/insn_$1 ;;
	esac
	make -s -C "$insn" "$@" >&2 || {
		echo "Bail out! cannot build $1: is the package libzydis-dev installed?"
		exit 1
	}
}

# insn_run PROGRAM [ARG...]
insn_run() {
	insn_build "$1"
	shift
	exec "$insn_program" "$@"
}
