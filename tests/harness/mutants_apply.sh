#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: each fault of tests/mutants applies to the sources, one for each of twenty-one folders
. "$UPROBES_TOP/tests/lib.sh"
cd "$UPROBES_TOP" || exit
[ -z "${UPROBES_MUTANT:-}" ] || skip_all "one of them is applied"
ktap_plan 3
failed='' several='' folders=
for patch in tests/mutants/*.patch; do
	name=${patch##*/}
	git apply --check "$patch" || failed+=" $name"
	files=$(sed -n 's,^+++ b/,,p' "$patch")
	[ "$(wc -l <<<"$files")" = 1 ] && grep -q '^# Fault: ' "$patch" || several+=" $name"
	folders+=${files%/*}$'\n'
done
is "$failed" "" "each patch applies"
is "$several" "" "each changes one file, and says what the fault is"
is "$(sort -u <<<"$folders" | grep -c .)" 21 "twenty-one folders have one"
