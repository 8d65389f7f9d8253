#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: a guest test fails if its guest dies or hangs, or if the kernel complains; the next test is not affected
# full: it boots ten guests
# timeout: 600
. "$UPROBES_TOP/tests/lib.sh"
export TEST_TIMEOUT_SCALE=1
unset TEST_CPUS FULL TEST_SECONDS TEST_FIRST TEST_TURN TEST_ONLY TEST_TRY TEST_STOP COSTS
ktap_plan 37

# Guests see the checkout, but not the host's /tmp.
mkdir -p "$UPROBES_TOP/build"
tmp=$(mktemp -d "$UPROBES_TOP/build/runner.XXXXXX")
at_exit "rm -rf $tmp"
mkdir "$tmp/trace" "$tmp/shared"
guest_test() {
	{
		echo '#!/bin/sh'
		echo '. "$UPROBES_TOP/tests/lib.sh"'
		cat
	} >"$tmp/trace/$1.sh"
}

guest_test a_leaves <<'END'
ktap_plan 2
ok "first"
check "uprobes.ko is loaded" [ -d /sys/module/uprobes ]
touch "$(mktemp)"
sleep 1000 &
rmmod uprobes_trace uprobes
END
guest_test b_clean <<'END'
ktap_plan 3
is "$(find "$TMPDIR" -mindepth 1)" "" "no file of the last test is left"
is "$(cat /proc/[0-9]*/comm | grep -cx sleep)" 0 "no process of the last test is left"
check "uprobes.ko is loaded again" [ -d /sys/module/uprobes ]
END
guest_test c_dies <<'END'
ktap_plan 2
ok "first"
# What is said reaches the host before the end does.
sleep 15
echo c >/proc/sysrq-trigger
sleep 1000
END
guest_test d_lasts <<'END'
# timeout: 20
ktap_plan 2
ok "first"
sleep 1000
END
guest_test e_complaint <<'END'
ktap_plan 1
echo "WARNING: CPU: 0 PID: 1 at some.c:1" >/dev/kmsg
ok "first"
END
guest_test f_silent <<'END'
exit 0
END
guest_test g_needs <<'END'
# needs: sh no-such-program
exit 1
END
guest_test h_boot <<'END'
# boot: -m 768
ktap_plan 2
check "so much memory" awk '/^MemTotal/ { exit !($2 > 524288 && $2 < 786432) }' /proc/meminfo
is "$(nproc)" 1 "one processor"
END
guest_test i_cpus <<'END'
# cpus: 2
ktap_plan 1
is "$(nproc)" 2 "two processors"
END

# The list of a kernel allows the first of these to be skipped.
guest_test m_may <<'END'
skip_all "it cannot be had"
END
guest_test m_may_not <<'END'
skip_all "it cannot be had"
END
echo "m_may it cannot be had" >"$tmp/shared/skips.${UPROBES_KERNELS%% *}"

export TMPDIR=$tmp TESTS_DIR=$tmp TEST_GROUPS=guest KERNEL=${UPROBES_KERNELS%% *} RESULTS=$tmp/results
# said WORD NAME: check that the runner reports the test NAME with WORD.
said() {
	grep -qE "^$1 +\[ *[0-9]+/10\] [^ ]+ $2  [0-9].* [0-9.]+ s\$" <<<"$output"
}
output=$(TEST_JOBS=1 "$UPROBES_TOP/tests/run" 2>&1 </dev/null)
is $? 1 "if tests fail, the runner fails"
diag "$output"
check "a test that leaves things behind passes" said ok a_leaves
check "the next test finds nothing that it left" said ok b_clean
check "a test whose guest dies fails" said "not ok" c_dies
like "$output" 'c_dies: the guest.s kernel died \(.*Kernel panic.*\) during this test' \
	"the panic of this guest is reported"
check "a test that exceeds its time limit fails, in the next guest" said "not ok" d_lasts
like "$output" 'd_lasts: the time limit of 20 s is over' "the time limit is reported"
check "a test that makes the kernel complain fails" said "not ok" e_complaint
like "$output" 'e_complaint: the kernel complained: WARNING: CPU: 0' "the complaint is reported"
check "a test without a plan fails" said "not ok" f_silent
like "$output" '^skip .* g_needs ' "a test is skipped if a program that it needs is missing"
like "$output" 'g_needs: no-such-program is not there$' "the missing program is reported"
check "a test gets the memory that it asks for" said ok h_boot
check "a test gets the two processors that it asks for" said ok i_cpus
like "$output" '^skip .* m_may ' "a test may be skipped if the list of its kernel allows it"
check "a skipped test fails if the list does not allow it" said "not ok" m_may_not
is "$(grep -cE '^ok .* \(end\)  1 passed' <<<"$output" | awk '{ print ($1 > 1) }')" 1 \
	"guests that end normally have no other complaints in their logs"
is "$(sed -n '/^# what took longest/,$p' <<<"$output" |
	grep -cE '^#   [^ ]+ (c_dies|d_lasts|e_complaint|f_silent|m_may_not): ')" 5 "the failed tests are listed at the end"
like "$(tail -n 1 <<<"$output")" '^[12][0-9] passed, 5 failed, 2 skipped$' "the last line counts all results"
like "$(cat "$tmp/results/ktap")" '^  not ok [0-9]+ - c_dies$' "RESULTS has all output as KTAP"
like "$(cat "$tmp/results/times")" '^ +[0-9.]+  [^ ]+ +a_leaves +2 +0 +0 +[0-9.]+ +[0-9]+ +[0-9]+$' "RESULTS has a table of times"

# Without KERNEL, tests with a line "# once:" run on the first kernel only.
kernel_count=$(. "$UPROBES_TOP/qemu/lib.sh"; kernel_names | wc -l)
mkdir -p "$tmp/once/trace"
mv "$tmp/trace/b_clean.sh" "$tmp/once/trace"
sed -i '2i # once: it is the same everywhere' "$tmp/once/trace/b_clean.sh"
guest_test j_long <<'END'
# full: it would be
exit 1
END
mv "$tmp/trace/j_long.sh" "$tmp/once/trace"
output=$(env -u KERNEL TESTS_DIR="$tmp/once" "$UPROBES_TOP/tests/run" 2>&1 </dev/null)
is "$? $(grep -cE '^ok .* b_clean ' <<<"$output")" "0 1" "a test that runs once runs on one kernel only"
like "$output" '^#   [1-9] of ' "the tests left out on other kernels are counted"
is "$(grep -c ' j_long ' <<<"$output")" 0 "a test for FULL=1 is left out"
output=$(env -u KERNEL FULL=rest TESTS_DIR="$tmp/once" "$UPROBES_TOP/tests/run" 2>&1 </dev/null)
is "$(grep -cE '^not ok .* j_long ' <<<"$output") $(grep -cE '^ok .* b_clean ' <<<"$output")" \
	"$kernel_count $((kernel_count - 1))" "FULL=rest runs the tests that were left out"

# Parts of the tests that would run.
is "$(env -u KERNEL TESTS_DIR="$tmp/once" "$UPROBES_TOP/tests/run" --plan)" "$KERNEL b_clean: -" \
	"--plan prints the tests that would run"
is "$(TESTS_DIR="$tmp/once" TESTS='j_*' "$UPROBES_TOP/tests/run" --list)" "$(printf '%-26s trace        -' j_long)" \
	"--list prints all tests, those for FULL=1 among them, or those that match"
is "$(env -u KERNEL FULL=1 TEST_ONLY='j_*' TESTS_DIR="$tmp/once" "$UPROBES_TOP/tests/run" --plan | wc -l)" "$kernel_count" \
	"TEST_ONLY leaves out what does not match"
is "$(env -u KERNEL FULL=1 TEST_TRY=1 TESTS_DIR="$tmp/once" "$UPROBES_TOP/tests/run" --plan | wc -l)" 2 \
	"TEST_TRY has one kernel"
output=$(TEST_STOP=1 TEST_JOBS=1 TESTS='e_* f_* b_*' "$UPROBES_TOP/tests/run" 2>&1 </dev/null)
is "$(grep -cE '^(not ok|ok|skip) +\[ *[1-9][^]]*\] [^ ]+ [a-z]' <<<"$output")" 1 "with TEST_STOP, no test begins after one has failed"

# When the time is over, tests that have not begun are skipped; a test that has begun is finished.
output=$(TESTS_DIR="$tmp/once" TEST_SECONDS=0 "$UPROBES_TOP/tests/run" 2>&1 </dev/null)
is "$? $(tail -n 1 <<<"$output")" "1 1 passed, 1 failed, 2 skipped" "a run without time for any guest fails"
like "$output" '^#   2 tests: the time was over: TEST_SECONDS=0$' "the tests that had no time are counted"
guest_test k_takes <<'END'
ktap_plan 1
sleep 91
ok "it is run"
END
rm -rf "$tmp/late"
mkdir -p "$tmp/late/trace"
mv "$tmp/trace/k_takes.sh" "$tmp/late/trace"
sed -i '2i # timeout: 200' "$tmp/late/trace/k_takes.sh"
cp "$tmp/trace/a_leaves.sh" "$tmp/late/trace"
output=$(TEST_JOBS=1 TESTS_DIR="$tmp/late" TEST_SECONDS=90 "$UPROBES_TOP/tests/run" 2>&1 </dev/null)
is "$(grep -oE '^(ok|skip) .* (k_takes|a_leaves) ' <<<"$output" | awk '{ print $1, $NF }' | paste -sd ' ')" \
	"ok k_takes skip a_leaves" "a test that has begun is finished, and the next one is skipped"

# This test fakes the complaint that a stale translation of the emulator causes, until the file
# $tmp/enough exists.
mkdir -p "$tmp/stale/trace"
guest_test l_stale <<END
ktap_plan 1
ok "it is run"
[ ! -e "$tmp/enough" ] || exit 0
sleep 15
{
	echo "int3: 0000 [#1] PREEMPT SMP NOPTI"
	echo "RIP: 0010:__schedule+0x339/0xbf0"
	echo "Code: c9 e9 70 03 00 00 0f <1f> 44 00 00 48"
} >/dev/kmsg
echo c >/proc/sysrq-trigger
sleep 60
END
mv "$tmp/trace/l_stale.sh" "$tmp/stale/trace"
UPROBES_ACCEL=tcg TESTS_DIR="$tmp/stale" "$UPROBES_TOP/tests/run" >"$tmp/out" 2>&1 </dev/null
is "$? $(grep -c 'the emulator broke a guest in l_stale' "$tmp/out")" "1 1" \
	"if the emulator breaks a guest, its test runs again, but only once in a run"
(until grep -q 'the emulator broke' "$tmp/out2" 2>/dev/null; do sleep 0.2; done; : >"$tmp/enough") &
at_exit "kill $! 2>/dev/null"
UPROBES_ACCEL=tcg TESTS_DIR="$tmp/stale" "$UPROBES_TOP/tests/run" >"$tmp/out2" 2>&1 </dev/null
is "$? $(grep -cE '^ok .* l_stale ' "$tmp/out2")" "0 1" "the result of the second attempt counts"
like "$(cat "$tmp/out2")" '^# run again, since the emulator broke their guests:$' \
	"the tests that ran again are listed at the end"
TESTS=no-such-test "$UPROBES_TOP/tests/run" >"$tmp/none" 2>&1 </dev/null
is "$? $(tail -n 1 "$tmp/none")" "1 0 passed, 0 failed" "a run without any test fails"
