#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: the memory that probes take for a program's mappings is charged to the program, whoever registers them
# once: the result depends on the module only, not on the kernel
# timeout: 120
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/client.inc"
. "$UPROBES_TOP/tests/shared/charged.inc"

ktap_plan 5

file=$tmp/steps
cp "$progs/steps" "$file"
places=8

# The first instructions of nest() that lie in one page.
objdump -d --no-show-raw-insn "$file" |
	awk '/<nest>:$/ { on = 1; next } !NF { on = 0 } on { sub(/:/, "", $1); print $1 }' |
	awk 'substr($1, 1, length($1) - 3) == page || !page { print; page = substr($1, 1, length($1) - 3) }' |
	head -n $places >"$tmp/places"
section=$(readelf -SW "$file" | sed 's/^ *\[ *//' | awk '$2 == ".text" { print "0x" $4 " 0x" $5 }')
n=0
while read -r address; do
	at=$((0x$address - ${section% *} + ${section#* }))
	set_probe $n path="$file" offset=$at
	n=$((n + 1))
done <"$tmp/places"
page=$((at / 4096))
last=$((n - 1))

kernel_memory() {
	charged slab_unreclaimable slab_reclaimable
}

# taken WHEN TIMES: print how much kernel memory the program takes to map the page TIMES times. WHEN
# says whether the probes are registered before that, after that or never.
taken() {
	rm -f "$tmp/in" "$tmp/said"
	mkfifo "$tmp/in"
	sh -c "echo \$\$ >$group/cgroup.procs && exec $progs/map_often $file $page $2" \
		<"$tmp/in" >"$tmp/said" &
	exec 4>"$tmp/in"
	wait_until "the program is ready" grep -qx ready "$tmp/said"
	[ "$1" != before ] || run register 0-$last || echo failed
	before=$(kernel_memory)
	echo >&4
	wait_until "the program has mapped the page" grep -qx mapped "$tmp/said"
	[ "$1" != after ] || run register 0-$last || echo failed
	after=$(kernel_memory)
	[ "$1" = never ] || run unregister 0-$last || echo failed
	exec 4>&-
	wait $! || echo failed
	echo $((after - before))
}

# With probes, each new mapping makes the module look at all mappings again, so there are fewer.
# If the probes come last, the mappings fill more than one batch.
for when in "before 400" "after 1500"; do
	times=${when#* } when=${when% *}
	least=$((times * n * 100))
	plain=$(taken never $times)
	diag "without probes $plain bytes"
	charged=$(($(taken $when $times) - plain))
	diag "registered $when: $charged bytes more for $((times * n)) sites"
	check "probes registered $when the program maps the file: their memory is charged to the program" \
		[ $charged -ge $least ]
	check "probes registered $when the program maps the file: the charge is gone at the end" \
		in_time eval "[ \$(kernel_memory) -lt $least ]"
done
is "$(all_hits)" "0 0" "no probe was hit"
