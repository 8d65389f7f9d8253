#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: while a probed program dumps core, /proc/PID/stat has the same ip and sp as without probes
# timeout: 120
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/client.inc"
. "$UPROBES_TOP/tests/shared/probes.inc"

pattern=$(cat /proc/sys/kernel/core_pattern)
at_exit "echo '$pattern' >/proc/sys/kernel/core_pattern"
# The kernel pipes the core to this program, and waits for it. Only meanwhile, stat shows the pointers.
cat >"$tmp/core" <<END
#!/bin/sh
PATH=/usr/sbin:/usr/bin:/sbin:/bin
cut -d ' ' -f 29,30 "/proc/\$1/stat" >"$tmp/pointers"
cat >/dev/null
END
chmod 755 "$tmp/core"
echo "|$tmp/core %P" >/proc/sys/kernel/core_pattern

# pointers HOW: print the exit status and the pointers. The addresses are the same each time.
pointers() {
	rm -f "$tmp/pointers"
	env -i setarch -R "$progs/dies" "$1" 2>/dev/null
	echo "status $?"
	cat "$tmp/pointers" 2>&1
}

for how in segv ill fpe abort; do
	pointers $how >"$tmp/plain.$how"
done
grep -q '^[1-9][0-9]* [1-9][0-9]*$' "$tmp/plain.segv" ||
	skip_all "the kernel has not started the program that reads the core: $(cat "$tmp/plain.segv")"
ktap_plan 12

n=0
# Leave out the program's own breakpoint, which cannot be probed.
own=0x$(objdump -d "$progs/dies" | awk '/\tint3/ { sub(/:/, "", $1); print $1; exit }')
for offset in $(instructions "$progs/dies" dies_in main); do
	[ "$offset" != "$own" ] || continue
	set_probe $n path="$progs/dies" offset=$((offset - 0x400000))
	n=$((n + 1))
done
at_exit 'echo 0 >/sys/module/uprobes/parameters/single_step'
for way in "flags=0" "flags=1" "flags=1, stepped"; do
	for i in $(seq 0 $((n - 1))); do
		set_probe "$i" "${way%,*}"
	done
	[[ $way != *stepped ]] || echo 1 >/sys/module/uprobes/parameters/single_step
	run register 0-$((n - 1))
	for how in segv ill fpe abort; do
		is "$(pointers $how)" "$(cat "$tmp/plain.$how")" "$how, $way: ip and sp are the same"
	done
	run unregister 0-$((n - 1))
done
