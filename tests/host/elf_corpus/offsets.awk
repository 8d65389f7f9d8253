# SPDX-License-Identifier: GPL-2.0
#
# The input is the output of readelf -lW and -sW for one file. The output is "NAME 0xOFFSET" for each defined
# function with code in the file. It works in any awk: it uses no hexadecimal functions, and addresses are below
# 2^53.

function number(s,    i, v) {
	sub(/^0x/, "", s)
	v = 0
	for (i = 1; i <= length(s); i++)
		v = v * 16 + index("0123456789abcdef", substr(s, i, 1)) - 1
	return v
}

function hex(v,    s, d) {
	if (v == 0)
		return "0"
	for (s = ""; v > 0; v = (v - d) / 16) {
		d = v % 16
		s = substr("0123456789abcdef", d + 1, 1) s
	}
	return s
}

# Type Offset VirtAddr PhysAddr FileSiz MemSiz Flg Align, where Flg can be two words, such as "R E".
$1 == "LOAD" {
	flags = ""
	for (i = 7; i < NF; i++)
		flags = flags $i
	if (flags ~ /E/) {
		n++
		offset[n] = number($2)
		vaddr[n] = number($3)
		filesz[n] = number($5)
	}
}

# Num: Value Size Type Bind Vis Ndx Name
$1 ~ /^[0-9]+:$/ && ($4 == "FUNC" || $4 == "IFUNC") && $7 != "UND" && $7 != "ABS" && NF >= 8 {
	addr = number($2)
	for (i = 1; i <= n; i++)
		if (addr >= vaddr[i] && addr < vaddr[i] + filesz[i])
			print $8, "0x" hex(addr - vaddr[i] + offset[i])
}
