#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: costs of tests do not depend on the machine, are compared with their rows, and are written on request
. "$UPROBES_TOP/tests/lib.sh"
ktap_plan 9

# A checkout with three tests, and what a run has measured there.
tmp=$(mktemp -d)
at_exit "rm -rf $tmp"
mkdir -p "$tmp"/tests/{trace,static} "$tmp/qemu" "$tmp/work"
cp "$UPROBES_TOP"/tests/{run,costs.sh,header.sh,report.sh,guests.sh,ktap.awk} "$tmp/tests"
cp "$UPROBES_TOP"/qemu/{lib.sh,kernels} "$tmp/qemu"
for name in quick slow new; do
	printf '#!/bin/sh\n# test: it is %s\n# once: it is the same\n' $name >"$tmp/tests/trace/$name.sh"
done
printf '#!/bin/sh\n# test: it looks\n' >"$tmp/tests/static/looks"
kernel=$(. "$tmp/qemu/lib.sh"; kernel_names | head -n 1)
table() {
	echo "# what the table is"
	echo "= budget 1000"
	printf '%s\n' "$@"
}

# measured BOOT ROW...: the results of a run in which a guest boots in BOOT milliseconds.
measured() {
	echo "9000 $kernel (boot,1) 1 0 0 beside - $1" >"$tmp/work/results"
	shift
	printf '%s\n' "$@" >>"$tmp/work/results"
}

# costs FUNCTION: call a function of costs.sh.
costs() {
	bash -c '. "$1/qemu/lib.sh"; work=$1/work FULL= SINGLE_STEP= coverage=; die() { echo "$*"; exit 1; }
		. "$top/tests/costs.sh"; '"$1" - "$tmp"
}

table "first (boot,1) 100" "first quick 40" "first slow 200" >"$tmp/tests/budget"
measured 5000 "900 $kernel quick 3 0 0 10 20 2000" "900 $kernel slow 3 0 0 10 20 12400"
is "$(costs unit_of_costs)" 50 "the unit is a hundredth of the boot of a guest"
is "$(costs compare_costs)" "" "a test that costs less than a quarter more than before is not named"
measured 5000 "900 $kernel quick 3 0 0 10 20 2900" "900 $kernel slow 3 0 0 10 20 13000"
is "$(costs compare_costs)" "first slow: 260, not 200" "one that costs more is named; a short one may differ by a fifth of a boot"
measured 10000 "900 $kernel quick 3 0 0 10 20 2900" "900 $kernel slow 3 0 0 10 20 13000"
is "$(costs compare_costs)" "" "on a machine that is half as fast, they cost as much as before"
measured 5000 "900 $kernel slow 2 1 0 10 20 90000"
is "$(costs compare_costs)" "" "a test that has failed has no cost"

table "first (boot,1) 100" "first gone 40" "first slow 200" "static looks 70" >"$tmp/tests/budget"
measured 5000 "900 $kernel quick 3 0 0 10 20 2000" "900 static looks 3 0 0 - - 200"
costs write_costs
is "$(cat "$tmp/tests/budget")" "$(table "first (boot,1) 100" "first quick 40" "first slow 200" "static looks 70")" \
	"rows are written for tests that ran, and go with their tests; a check keeps what it costs without its cache"
: >"$tmp/work/results"
like "$(costs write_costs 2>&1)" 'needs a guest' "without a guest, there is nothing to measure with"

# The static check, in the checkout of the test.
cp "$UPROBES_TOP"/tests/{lib.sh,load.sh} "$tmp/tests"
cp "$UPROBES_TOP"/tests/static/{budget,lib.inc} "$tmp/tests/static"
budget() {
	env UPROBES_TOP="$tmp" "$tmp/tests/static/budget" 2>&1
}
table "first quick 400" "first slow 700" "static looks 70" >"$tmp/tests/budget"
like "$(budget)" "^# first new: not measured yet: make test COSTS=write TESTS=new" "budget names a test without a row"
like "$(budget | paste -sd ' ')" "they cost 1170, and the budget is 1000.* # first slow 700 # first quick 400" \
	"budget names the largest tests if all of them cost too much"
