#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: strings to 4095 characters are whole, longer ones marked; (fault) is for bad addresses only
# once: what decides here is the module, in the same way on all kernels
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/trace.inc"

# repeat CHARACTER COUNT
repeat() {
	printf "%${2}s" "" | tr ' ' "$1"
}

# arguments: what follows the address, of each line.
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
is "$(sed -n 1p "$tmp/got")" 's=""' "an empty string"
is "$(sed -n 2p "$tmp/got")" 's="b"' "one character"
is "$(sed -n 3p "$tmp/got")" "s=\"$(repeat c 4094)\"" "4094 characters"
is "$(sed -n 4p "$tmp/got")" "s=\"$(repeat d 4095)\"" "4095 characters, which is the limit"
is "$(sed -n 5p "$tmp/got")" "s=\"$(repeat e 4096)\"..." "one more is cut, and the cut is marked"
is "$(sed -n 6p "$tmp/got")" "s=\"$(repeat f 4096)\"..." "so are many more"
# shellcheck disable=SC1003
is "$(sed -n 7p "$tmp/got")" 's="tab\tnewline\nescape\x1b[0m delete\x7f quote" end"' \
	"control characters neither break the line nor reach the terminal"

# Control characters above ASCII: as UTF-8, as a byte that is of no character, in overlong form, and
# halves. What is no control character stays as it is.
disable
clear
define "p $text s=+0(%di):string c=+0(%di):char[2]"
enable
ln -s "$prog" "$tmp/"$'csi\xc2\x9b1m\x9b\xc3\xa0'
"$tmp/"$'csi\xc2\x9b1m\x9b\xc3\xa0' say $'\xc2\x9b31m \x9b31m \xe0\x82\x9b \xc3\xa0\xe2\x82\xac\xf0\x9f\x90\x9b \xe0 \xc2'
is "$(arguments)" $'s="\\xc2\\x9b31m \\x9b31m \xe0\\x82\\x9b \xc3\xa0\xe2\x82\xac\xf0\x9f\x90\x9b \xe0 \xc2" c={\'\xc2\',\'\\x9b\'}' \
	"nor do those above ASCII"
is "$(lines | LC_ALL=C sed 's/-[0-9]* .*//; s/^ *//')" $'csi\\xc2\\x9b1m\\x9b\xc3\xa0' "nor from the name of a thread"

# Eight of them in one event: more than any page, and than a record holds.
disable
clear
define "p $text $(for i in 1 2 3 4 5 6 7 8 9; do printf 's%d=+0(%%di):string ' $i; done)"
enable
"$prog" strings
arguments >"$tmp/got"
is "$(sed -n 4p "$tmp/got" | tr ' ' '\n' | sed -n 3p)" "s3=\"$(repeat d 4095)\"" "many long strings in one record"
is "$(sed -n 4p "$tmp/got" | wc -w)" 9 "none of them is missing"
like "$(sed -n 4p "$tmp/got" | tr ' ' '\n' | sed -n '8p;9p')" '\.\.\.$' "what does not fit is marked, too"
is "$(wc -l <"$tmp/got")" 7 "and no event is lost"

# Where what can be fetched in the trap ends in the middle of the name.
disable
clear
for at in $(seq 20 79); do
	define "p:comm/e$at $text a=+0(%di):string b=+$at(%di):string c=\$comm"
	echo 'c != "traced"' >$dir/events/comm/e$at/filter
done
enable comm
"$prog" strings
is "$(awk '{ n += $3 } END { print n }' $dir/uprobe_profile)" $((60 * 7)) "two long strings, and the program's name"
is "$(lines)" "" "which is never cut"

# Pages that are not there yet.
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
s=(fault) c=(fault) n=(fault)' "absent pages are brought in, bad addresses are told"
clear
