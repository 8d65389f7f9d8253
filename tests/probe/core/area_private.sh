#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: parent and child do not see what the module writes into the other's SSOL area after a fork
# once: the module's own code decides this, and it is the same on all kernels
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/probes.inc"
ktap_plan 9

dir=/sys/kernel/debug/uprobes
prog=$tmp/area_private
cp "$progs/area_private" "$prog"
chmod 711 "$prog" "$tmp"
offset=0x$(symbol "$prog" marked)

is "$("$prog" "$offset" | sort | uniq -c | xargs)" "2 child 65534: no area 1 parent 0: no area" \
	"without probes, there is no SSOL area"
for single_step in 0 1; do
	echo $single_step >/sys/module/uprobes/parameters/single_step
	how=", single_step=$single_step"
	echo "p:one $prog:$offset" >$dir/uprobe_events
	echo 1 >$dir/events/uprobes/one/enable
	"$prog" "$offset" >"$out"
	is $? 0 "with probes, the program ends with status 0$how"
	is "$(grep parent "$out")" "parent 0: OfParent" "the parent's SSOL area has no slot of a child$how"
	is "$(grep child "$out" | sort | paste -sd ' ')" "child 65534: OfChild1 child 65534: OfChild2" \
		"a child's SSOL area has no slot of the parent or of the other child$how"
	is "$(awk '{ print $2, $3 }' $dir/uprobe_profile)" "one 4" "all four calls are counted$how"
	echo 0 >$dir/events/uprobes/one/enable
	echo >$dir/uprobe_events
done
echo 0 >/sys/module/uprobes/parameters/single_step
