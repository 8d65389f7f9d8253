#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: strings up to 4095 characters are complete, longer ones are marked; (fault) means a bad address
# once: the result depends on the module only, not on the kernel
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/trace.inc"

# repeat CHARACTER COUNT
repeat() {
	printf "%${2}s" "" | tr ' ' "$1"
}

# arguments: print what follows the address in each line.
arguments() {
	lines | LC_ALL=C fields | LC_ALL=C sed 's/^[^)]*) //'
}

text=$(where text)
ktap_plan 16
clear
define "p $text s=+0(%di):string"
enable
"$prog" strings
arguments >"$tmp/got"
is "$(sed -n 1p "$tmp/got")" 's=""' "an empty string is recorded"
is "$(sed -n 2p "$tmp/got")" 's="b"' "a string of one character is recorded"
is "$(sed -n 3p "$tmp/got")" "s=\"$(repeat c 4094)\"" "a string of 4094 characters is complete"
is "$(sed -n 4p "$tmp/got")" "s=\"$(repeat d 4095)\"" "a string of 4095 characters, which is the limit, is complete"
is "$(sed -n 5p "$tmp/got")" "s=\"$(repeat e 4096)\"..." "a string of one more character is cut, and the cut is marked"
is "$(sed -n 6p "$tmp/got")" "s=\"$(repeat f 4096)\"..." "a much longer string is cut, and the cut is marked"
# shellcheck disable=SC1003
is "$(sed -n 7p "$tmp/got")" 's="tab\tnewline\nescape\x1b[0m delete\x7f quote" end"' \
	"control characters neither break the line nor reach the terminal"

# Control characters above ASCII: in UTF-8, as a byte that belongs to no character, in overlong form,
# and cut in half. Other characters stay as they are.
disable
clear
define "p $text s=+0(%di):string c=+0(%di):char[2]"
enable
ln -s "$prog" "$tmp/"$'csi\xc2\x9b1m\x9b\xc3\xa0'
"$tmp/"$'csi\xc2\x9b1m\x9b\xc3\xa0' say $'\xc2\x9b31m \x9b31m \xe0\x82\x9b \xc3\xa0\xe2\x82\xac\xf0\x9f\x90\x9b \xe0 \xc2'
is "$(arguments)" $'s="\\xc2\\x9b31m \\x9b31m \xe0\\x82\\x9b \xc3\xa0\xe2\x82\xac\xf0\x9f\x90\x9b \xe0 \xc2" c={\'\xc2\',\'\\x9b\'}' \
	"control characters above ASCII do not reach the terminal"
is "$(lines | LC_ALL=C sed 's/-[0-9]* .*//; s/^ *//')" $'csi\\xc2\\x9b1m\\x9b\xc3\xa0' \
	"control characters in the name of a thread do not reach the terminal"

# Nine long strings in one event: more than a page, and more than a record holds.
disable
clear
define "p $text $(for i in 1 2 3 4 5 6 7 8 9; do printf 's%d=+0(%%di):string ' $i; done)"
enable
"$prog" strings
arguments >"$tmp/got"
is "$(sed -n 4p "$tmp/got" | tr ' ' '\n' | sed -n 3p)" "s3=\"$(repeat d 4095)\"" "a record holds many long strings"
is "$(sed -n 4p "$tmp/got" | wc -w)" 9 "no string of the record is missing"
like "$(sed -n 4p "$tmp/got" | tr ' ' '\n' | sed -n '8p;9p')" '\.\.\.$' \
	"a string that does not fit into the record is cut and marked, too"
is "$(wc -l <"$tmp/got")" 7 "no event with long strings is lost"

# The memory that the trap can fetch ends in the middle of the program's name.
disable
clear
for at in $(seq 20 79); do
	define "p:comm/e$at $text a=+0(%di):string b=+$at(%di):string c=\$comm"
	echo 'c != "traced"' >$dir/events/comm/e$at/filter
done
enable comm
"$prog" strings
is "$(awk '{ n += $3 } END { print n }' $dir/uprobe_profile)" $((60 * 7)) \
	"all events with two long strings and the program's name are hit"
is "$(lines)" "" "the program's name is never cut"

# Absent pages.
disable
clear
repeat x 5000 | sed 's/^x/Y/' >"$tmp/file"
printf '\0' >>"$tmp/file"
truncate -s 8182 "$tmp/file"
printf 'across the border of two pages\0' >>"$tmp/file"
truncate -s 12288 "$tmp/file"
define "p $text s=+0(%di):string c=+0(%di):char n=+0(+0(%di)):u8"
enable
"$prog" absent "$tmp/file"
is "$(arguments | sed 's/Yx*"/Yxxx"/')" 's="Yxxx"... c='\''Y'\'' n=(fault)
s="across the border of two pages" c='\''a'\'' n=(fault)
s=(fault) c=(fault) n=(fault)
s=(fault) c=(fault) n=(fault)
s=(fault) c=(fault) n=(fault)
s=(fault) c=(fault) n=(fault)
s=(fault) c=(fault) n=(fault)
s=(fault) c=(fault) n=(fault)' "strings in absent pages are fetched, and bad addresses are marked"
clear
