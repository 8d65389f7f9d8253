#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: if a static check or fuzz_corpora lacks a script or program, it is skipped by hand, and fails if CI is set
. "$UPROBES_TOP/tests/lib.sh"
ktap_plan 9

# without SCRIPT: call skip_by_hand as a check does that lacks SCRIPT.
without() {
	bash -c '. "$UPROBES_TOP/tests/lib.sh"; . "$UPROBES_TOP/tests/static/lib.inc"
		skip_by_hand "there is no $1"; echo "it goes on"' - "$1"
}

unset CI
is "$(without tool)" "KTAP version 1
1..0 # SKIP there is no tool" "by hand, a check without its script is skipped"
said=$(CI=true without tool)
isnt $? 0 "with CI=true, a check without its script fails"
is "$said" "KTAP version 1
1..1
not ok 1 - there is no tool" "the failure names the missing script"
for check in checkpatch kernel_doc; do
	# With skip_all, nobody would notice in CI that the check has not run.
	is "$(grep -c 'skip_by_hand "' "$UPROBES_TOP/tests/static/$check") $(grep -c skip_all "$UPROBES_TOP/tests/static/$check")" \
		"1 0" "$check uses skip_by_hand, not skip_all"
done

# The line "# needs: ..." of a check names a program that does not exist.
tmp=$(mktemp -d)
at_exit "rm -rf $tmp"
mkdir "$tmp/static"
printf '#!/bin/sh\n# needs: no-such-program\nexit 1\n' >"$tmp/static/needs"
run_static() {
	env -u TESTS -u KERNEL TESTS_DIR="$tmp" RESULTS="$tmp/results" TEST_GROUPS=static "$UPROBES_TOP/tests/run" 2>&1 </dev/null
}
like "$(run_static)" '^#   static needs: no-such-program is not there$' \
	"by hand, a check is skipped if a program that it needs is missing"
said=$(CI=true run_static)
is "$? $(tail -n 1 <<<"$said")" "1 0 passed, 1 failed" "with CI=true, this check fails"
like "$said" '^    needs: no-such-program is there$' "the failure names the missing program"

# CLANG=false stands for no clang, or a clang without libFuzzer.
fuzz_corpora() {
	CLANG=false "$UPROBES_TOP/tests/host/fuzz_corpora" 2>&1
}
is "$(fuzz_corpora | sed -n 's/ there.*//; 2p') $(CI=true fuzz_corpora | sed -n 's/ there.*//; 3p')" \
	"1..0 # SKIP not ok 1 -" "fuzz_corpora without libFuzzer is skipped by hand, and fails with CI=true"
