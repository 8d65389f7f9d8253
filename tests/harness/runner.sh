#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: guest tests that die, hang, leave things behind or make the kernel complain fail, others do not
# timeout: 600
. "$UPROBES_TOP/tests/lib.sh"
export TEST_TIMEOUT_SCALE=1
unset TEST_CPUS LONG TEST_SECONDS
ktap_plan 29

# Guests see the checkout, but not the host's /tmp.
mkdir -p "$UPROBES_TOP/build"
tmp=$(mktemp -d "$UPROBES_TOP/build/runner.XXXXXX")
at_exit "rm -rf $tmp"
mkdir "$tmp/guest"
guest_test() {
	{
		echo '#!/bin/sh'
		echo '. "$UPROBES_TOP/tests/lib.sh"'
		cat
	} >"$tmp/guest/$1.sh"
}

guest_test a_leaves <<'END'
ktap_plan 2
ok "first"
check "uprobes.ko is loaded" [ -d /sys/module/uprobes ]
touch "$(mktemp)"
sleep 1000 &
rmmod uprobes
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
sleep 3
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

# What a kernel's tests may skip, and nothing else.
guest_test m_may <<'END'
skip_all "it cannot be had"
END
guest_test m_may_not <<'END'
skip_all "it cannot be had"
END
echo "m_may it cannot be had" >"$tmp/guest/skips.${UPROBES_KERNELS%% *}"

export TMPDIR=$tmp TESTS_DIR=$tmp TEST_GROUPS=guest KERNEL=${UPROBES_KERNELS%% *}
output=$("$UPROBES_TOP/tests/run" 2>&1 </dev/null)
is $? 1 "the runner fails"
diag "$output"
like "$output" '^  ok [0-9]+ - a_leaves$' "a test that leaves things behind passes"
like "$output" '^  ok [0-9]+ - b_clean$' "the next one finds nothing of it"
like "$output" '^  not ok [0-9]+ - c_dies$' "a test whose guest dies fails"
like "$output" '^    # .*Kernel panic' "with the kernel's words"
like "$output" '^  not ok [0-9]+ - d_lasts$' "a test that lasts too long fails, in another guest"
like "$output" 'd_lasts: the time limit of 20 s is over' "with the reason"
like "$output" '^  not ok [0-9]+ - e_complaint$' "a test that makes the kernel complain fails"
like "$output" 'e_complaint: the kernel complained: WARNING: CPU: 0' "with the reason"
like "$output" '^  not ok [0-9]+ - f_silent$' "a test without a plan fails"
like "$output" '^  ok [0-9]+ - g_needs # SKIP no-such-program is not there$' "a test that lacks something is skipped"
like "$output" '^  ok [0-9]+ - h_boot$' "a test gets the machine it asks for"
like "$output" '^  ok 1 - i_cpus$' "and two processors, in a group of such tests"
like "$output" '^  ok [0-9]+ - m_may # SKIP it cannot be had$' "a test skips what its kernel's list has"
like "$output" '^  not ok [0-9]+ - m_may_not$' "one that is not in the list fails"
like "$output" '^  ok [0-9]+ - kernel_log$' "the kernel log has nothing else"
for part in "what failed stands before its group's end:/^# failed:\$/,/^not ok 1 - Linux/p;/^not ok 1/q" \
	"and behind all, where it is seen:/^# what took longest/,\$p"; do
	is "$(sed -n "${part#*:}" <<<"$output" | grep -cE '^#   Linux.*: (c_dies|d_lasts|e_complaint|f_silent|m_may_not): ')" 5 \
		"${part%%:*}"
done
is "$(tail -n 1 <<<"$output")" "13 passed, 5 failed, 2 skipped" "the last line counts them"

# Without KERNEL, some run on the first kernel only.
mkdir -p "$tmp/once/guest"
mv "$tmp/guest/b_clean.sh" "$tmp/once/guest"
sed -i '2i # once: it is the same everywhere' "$tmp/once/guest/b_clean.sh"
guest_test j_long <<'END'
# long: it would be
exit 1
END
mv "$tmp/guest/j_long.sh" "$tmp/once/guest"
output=$(env -u KERNEL TESTS_DIR="$tmp/once" "$UPROBES_TOP/tests/run" 2>&1 </dev/null)
is "$? $(grep -c '^  ok 2 - b_clean$' <<<"$output")" "0 1" "a test that runs once is run once"
like "$output" '^  ok 1 - b_clean # SKIP it runs on .*KERNEL=' "and said to be left out elsewhere"
like "$output" '^  ok 1 - j_long # SKIP it takes minutes: LONG=1$' "one that takes minutes is left out, too"

# Where there is no time, what has not begun is left out; what has is brought to its end.
output=$(TESTS_DIR="$tmp/once" TEST_SECONDS=0 "$UPROBES_TOP/tests/run" 2>&1 </dev/null)
is "$? $(tail -n 1 <<<"$output")" "1 0 passed, 1 failed, 3 skipped" "where there was no time for a guest, that is a failure"
like "$output" '^  ok 1 - b_clean # SKIP the time was over: TEST_SECONDS=0$' "which is said"
guest_test k_takes <<'END'
ktap_plan 1
sleep 31
ok "it is run"
END
output=$("$UPROBES_TOP/qemu/run" -k "$KERNEL" env TEST_SECONDS=30 "$UPROBES_TOP/tests/in-guest" MARK \
	"$tmp/guest/k_takes.sh" "$tmp/guest/a_leaves.sh" 2>&1 </dev/null | grep ^MARK | paste -sd ' ')
is "$output" "MARK begin k_takes 60 MARK end k_takes 0 MARK over" "nor in a guest"

# What an emulator's stale translation does to a guest, here by hand; the host's file ends it.
mkdir -p "$tmp/stale/guest"
guest_test l_stale <<END
ktap_plan 1
ok "it is run"
[ ! -e "$tmp/enough" ] || exit 0
sleep 3
{
	echo "int3: 0000 [#1] PREEMPT SMP NOPTI"
	echo "RIP: 0010:__schedule+0x339/0xbf0"
	echo "Code: c9 e9 70 03 00 00 0f <1f> 44 00 00 48"
} >/dev/kmsg
echo c >/proc/sysrq-trigger
sleep 60
END
mv "$tmp/guest/l_stale.sh" "$tmp/stale/guest"
UPROBES_ACCEL=tcg TESTS_DIR="$tmp/stale" "$UPROBES_TOP/tests/run" >"$tmp/out" 2>&1 </dev/null
is "$? $(grep -c 'the emulator broke the guest in l_stale' "$tmp/out")" "1 1" \
	"a test whose guest the emulator breaks is run again, once"
(until grep -q 'the emulator broke' "$tmp/out2" 2>/dev/null; do sleep 0.2; done; : >"$tmp/enough") &
at_exit "kill $! 2>/dev/null"
UPROBES_ACCEL=tcg TESTS_DIR="$tmp/stale" "$UPROBES_TOP/tests/run" >"$tmp/out2" 2>&1 </dev/null
is "$? $(grep -c '^  ok 1 - l_stale$' "$tmp/out2")" "0 1" "and counts as it goes then"
like "$(cat "$tmp/out2")" '^# run again, since the emulator broke their guests:$' "which is told in the end"
TESTS=no-such-test "$UPROBES_TOP/tests/run" >"$tmp/none" 2>&1 </dev/null
is "$? $(tail -n 1 "$tmp/none")" "1 0 passed, 0 failed" "no test at all is a failure"
