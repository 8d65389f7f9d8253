#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: @+OFFSET reads any segment of the file that is probed, read-only, data and text
# needs: readelf
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/trace.inc"

# in_file SYMBOL: where the symbol's data are in the file.
in_file() {
	local value

	value=$((0x$(nm -D "$prog" | awk -v name="$1" '$3 == name { print $1 }')))
	readelf -lW "$prog" | awk '$1 == "LOAD" { print $2, $3, $5 }' |
		while read -r offset vaddr size; do
			if ((value >= vaddr && value < vaddr + size)); then
				printf '0x%x\n' $((value - vaddr + offset))
			fi
		done
}

tick=$(where tick)
global=$(in_file global)
constant=$(in_file constant)
ktap_plan 5
clear
define "p $tick ro=@+$constant:string rw=@+$global:u8 s32=@+$((global + 4)):s32 name=+0(@+$((global + 16))):string text=@+${tick##*:}:x8"
define "r:back $tick ro=@+$constant:string"
enable
"$prog" ticks 1 1
args=$(lines | fields | sed -n 's/^p_[^)]*) //p')
like "$args" '^ro="a constant string" ' "read-only data"
like "$args" ' rw=241 s32=-123456 ' "writable data, initialized by the file"
like "$args" ' name="global" ' "a pointer in the data"
like "$args" ' text=0xcc$' "the text that runs, breakpoint included"
like "$(lines | fields)" '^back: .* ro="a constant string"' "a return probe finds them from the function"
clear
