#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: a static check without the script that it runs is skipped by hand, and fails in continuous integration
. "$UPROBES_TOP/tests/lib.sh"
ktap_plan 5

# without SCRIPT: no_script, as a check would call it.
without() {
	bash -c '. "$UPROBES_TOP/tests/lib.sh"; . "$UPROBES_TOP/tests/static/lib.inc"
		no_script "there is no $1"; echo "it goes on"' - "$1"
}

unset CI
is "$(without tool)" "KTAP version 1
1..0 # SKIP there is no tool" "by hand the check is skipped"
said=$(CI=true without tool)
isnt $? 0 "with CI=true it fails"
is "$said" "KTAP version 1
1..1
not ok 1 - there is no tool" "and says why"
for check in checkpatch kernel_doc; do
	# skip_all would hide that nothing was looked at.
	is "$(grep -c 'no_script "' "$UPROBES_TOP/tests/static/$check") $(grep -c skip_all "$UPROBES_TOP/tests/static/$check")" \
		"1 0" "$check asks for its script so"
done
