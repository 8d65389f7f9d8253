#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: all functions of libc are counted without traps, but for known reasons
# full: it calls thousands of functions; jump_counts calls some
# once: it is about functions of libc
# timeout: 120
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/probes.inc"
. "$UPROBES_TOP/tests/shared/jump.inc"
ktap_plan 4

# call_each: call each function once, whatever it is for.
call_each() {
	echo >&"${calls[1]}"
	read -r called <&"${calls[0]}"
}

# settle: call all functions until no further one gets a jump.
settle() {
	local before=-1 now=0

	while [ "$now" != "$before" ] || [ "$now" = 0 ]; do
		call_each
		sleep 1
		before=$now
		now=$(jumps)
	done
}

# traps: print a line "OFFSET REASON" for each place of libc, from the descriptor of the counts.
traps() {
	local start offset

	read -r start offset < <(awk '$2 == "r-xp" && /\/libc\.so\.6$/ { sub(/-.*/, "", $1); print $1, $3 }' "/proc/$pid/maps")
	cat "/proc/$counter/fdinfo/"* | sed -n 's/^k[0-9]* [0-9]* //p' | while read -r address reason; do
		printf '0x%016x %s\n' $((address - 0x$start + 0x$offset)) "$reason"
	done
}

jump 1
uprobe list -v libc '*' >"$tmp/functions"
grep -o '^0x[0-9a-f]*' "$tmp/functions" | cut -c 3- | sort -u >"$tmp/offsets"
coproc calls { exec "$progs/call_all" libc.so.6; }
{ wc -l <"$tmp/offsets"; cat "$tmp/offsets"; } >&"${calls[1]}"
read -r pid <&"${calls[0]}"
uprobe count -v --max-probes 100000 -p "$pid" 'p:libc:*' >/dev/null 2>"$tmp/said" &
counter=$!
wait_until "the functions are probed" grep -q Ctrl-C "$tmp/said"
settle
traps >"$tmp/traps"
kill -INT "$counter"
wait "$counter"
diag "$(cat "$tmp/said")"
is "$called" "$(wc -l <"$tmp/offsets")" "each function is called"
like "$(cat "$tmp/said")" ' hits, 0 missed' "no hit is missed"
# The reasons, and a function for each one.
diag "$(awk 'NR == FNR { name[$1] = $4; next } { at = $1; sub(/^[^ ]* /, ""); n[$0]++; one[$0] = name[at] }
	END { for (why in n) printf "%5d %s; %s\n", n[why], why, one[why] }' "$tmp/functions" "$tmp/traps" | sort -rn)"
# Some functions fault at their first instruction: the processor lacks it, or the arguments are wrong.
is "$(sed 's/^[^ ]* //' "$tmp/traps" | sort -u)" "an instruction behind it, under the jump, needs a trap
no trap
signals or debuggers have made threads come back to it" "functions trap for known reasons only"
check "few functions trap" [ "$(grep -vc ' no trap$' "$tmp/traps")" -le 40 ]
