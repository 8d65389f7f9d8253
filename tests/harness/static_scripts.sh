#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: a static check without the script or the program that it runs is skipped by hand, and fails in continuous integration; so does what tries the targets of libFuzzer
. "$UPROBES_TOP/tests/lib.sh"
ktap_plan 9

# without SCRIPT: skip_by_hand, as a check would call it.
without() {
	bash -c '. "$UPROBES_TOP/tests/lib.sh"; . "$UPROBES_TOP/tests/static/lib.inc"
		skip_by_hand "there is no $1"; echo "it goes on"' - "$1"
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
	is "$(grep -c 'skip_by_hand "' "$UPROBES_TOP/tests/static/$check") $(grep -c skip_all "$UPROBES_TOP/tests/static/$check")" \
		"1 0" "$check asks for its script so"
done

# What stands in its line "# needs: ...".
tmp=$(mktemp -d)
at_exit "rm -rf $tmp"
mkdir "$tmp/static"
printf '#!/bin/sh\n# needs: no-such-program\nexit 1\n' >"$tmp/static/needs"
run_static() {
	env -u TESTS -u KERNEL TESTS_DIR="$tmp" RESULTS="$tmp/results" TEST_GROUPS=static "$UPROBES_TOP/tests/run" 2>&1 </dev/null
}
like "$(run_static)" '^#   static needs: no-such-program is not there$' "a program that is missing has its check skipped"
said=$(CI=true run_static)
is "$? $(tail -n 1 <<<"$said")" "1 0 passed, 1 failed" "with CI=true it fails"
like "$said" '^    needs: no-such-program is there$' "and says why"

# A clang without libFuzzer, or none.
fuzz_corpora() {
	CLANG=false "$UPROBES_TOP/tests/host/fuzz_corpora" 2>&1
}
is "$(fuzz_corpora | sed -n 's/ there.*//; 2p') $(CI=true fuzz_corpora | sed -n 's/ there.*//; 3p')" \
	"1..0 # SKIP not ok 1 -" "the same of clang with libFuzzer"
