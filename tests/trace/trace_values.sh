#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: a definition with a value in an aggregate file counts the values of its hits, in buckets
# full: cli_hist tries the usual values; this tries all kinds, and takes 10 s
# once: the result depends on the module only, not on the kernel
# cpus: 2
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/trace.inc"
. "$UPROBES_TOP/tests/shared/jump.inc"

prog=$tmp/valued
cp "$UPROBES_TOP/build/progs/valued" "$prog"
value=$(where value)
word=$(where word)

# put LINE: write LINE into a new aggregate file.
put() {
	exec 5<&- 5<>$dir/aggregate
	printf '%s\n' "$1" >&5
}

# read_all: print what the file has.
read_all() { cat <&5; }

ktap_plan 38
clear

for jump in 0 1; do
	jump $jump
	check "jump=$jump: a register is accepted as a value" put "p:v $value number=%di:s64"
	"$prog" 100 1 0 1 7 8 15 16 17 -1 -8 -9 0x7fffffffffffffff 0x8000000000000000
	is "$(read_all)" "v 1200 0 4500 -9223372036854775808 9223372036854775807 -9223372036854775808:100 -9:100 -8:100 -1:100 0:100 1:100 7:100 8:100 15:100 16:200 8646911284551352320:100" \
		"signed values are counted, from the least on"
	put "p:v $value %di"
	"$prog" 100 1 0 -1 0x8000000000000000 0xffff
	is "$(read_all)" "v 400 0 6553400 0 18446744073709551615 0:100 61440:100 9223372036854775808:100 17293822569102704640:100" \
		"those of a register are not signed"
	put "p:v $value %dil:s8"
	"$prog" 100 1 255 127 128
	is "$(read_all)" "v 300 0 -200 -128 127 -128:100 -1:100 120:100" "a part of a register has its own sign"
	put "p:v $value %di:b4@4/32"
	"$prog" 100 1 0x12345678 0x123456f8
	is "$(read_all)" "v 200 0 2200 7 15 7:100 15:100" "bits are a value"
	put "r:v $value \$retval:s32"
	"$prog" 100 1 5 -5
	is "$(read_all)" "v 200 0 0 -5 5 -5:100 5:100" "a returned value is counted"
	put "p:w $word +0(%di):u16"
	"$prog" 100 1 3 0x10004
	like "$(read_all)" '^w 201 1 [0-9]+ 3 17791 3:100 4:100 16384:1$' \
		"memory is read, also from a page that is absent; an address that is bad counts as missed"
	put "p:v $value %di:u8"
	"$prog" 20000 2 1 2 3
	is "$(read_all)" "v 120000 0 240000 1 3 1:40000 2:40000 3:40000" "no value of two threads is lost"
done

# Values by a key.
for jump in 0 1; do
	jump $jump
	put "p:v $value %di:b4@0/8 key=%di:b4@4/8"
	"$prog" 1000 2 0x12 0x13 0x21 0xf3
	is "$(read_all | tr '\n' ,)" "v 8000 0,by v 1 4000 10000 2 3 2:2000 3:2000,by v 2 2000 2000 1 1 1:2000,by v 15 2000 6000 3 3 3:2000," \
		"jump=$jump: values are counted for each key"
	put "p:v $value %di:u8 %di:s8"
	# shellcheck disable=SC2046
	"$prog" 10 1 $(seq 0 99) -1
	read_all >"$tmp/keys"
	is "$(wc -l <"$tmp/keys") $(awk '$1 == "by" { n += $4 } END { print n }' "$tmp/keys") $(grep '^by v others' "$tmp/keys" | cut -d' ' -f 4-7)" \
		"66 1010 370 31890 64 255" "jump=$jump: 64 keys have counts of their own"
done
put "r:v $value \$retval:s16 \$retval:s8"
"$prog" 10 1 -1 -0x8000
is "$(read_all | tr '\n' ,)" "v 20 0,by v -1 10 -10 -1 -1 -1:10,by v 0 10 -327680 -32768 -32768 -32768:10," "keys have a sign, those of returns, too"
put "p:w $word %di:u8 +0(%di):u8"
"$prog" 10 1 7
like "$(read_all | head -n 1)" '^w 11 1$' "a key that cannot be read counts as missed"
# The first word is not an address, either.
put "p:w $word %di:u8 +0(+0(%di)):u8"
"$prog" 100 1 7
is "$(read_all)" "w 0 102" "keys behind two addresses, too"

put "p:v $value %di:u8"
nice -n 19 "$prog" 0 1 9 &
load=$!
traps() { [ "$(awk '/no trap/' /proc/$$/fdinfo/5)" ]; }
check "a value in a register needs no trap" in_time traps
"$prog" 2000 1 6
like "$(read_all)" '^v [0-9]+ 0 [0-9]+ 6 9 6:2000 9:[0-9]+$' "a second process is counted, too"

# An event with a filter at the same place.
define "p:e $value n=%di:u8"
echo 'n == 6' >$dir/events/uprobes/e/filter
enable uprobes/e
put "p:v $value %di:u8"
"$prog" 500 1 6 7
like "$(read_all)" '^v [0-9]+ 0 [0-9]+ 6 9 6:500 7:500 9:[0-9]+$' "the filter of an event at the place is the event's alone"
is "$(grep -c ' n=6$' $dir/trace) $(grep -c ' n=[^6]' $dir/trace)" "500 0" "which has its own hits"
clear

# Close files while hits arrive, and while one is read.
for i in {1..30}; do
	put "p:v $value %di"
	read_all >"$tmp/some" &
	[ $((i % 3)) = 0 ] || sleep 0.01
	exec 5<&-
done
wait $!
check "the program is not harmed by files that come and go" kill -0 $load
put "only pid $$"
printf '%s\n' "p:v $value %di" >&5
"$prog" 5 1 6
is "$(read_all)" "" "a process outside of a limit is not counted"
put "p:v $word %di
p:n $value
r:t $value"
printf '%s\n' "p:x $value %si" >&5
"$prog" 100 1 6
is "$(read_all | awk '{ print $1, ($2 >= 100) }' | tr '\n' ' ')" "v 1 n 1 t 1 x 1 " \
	"other definitions can be in one set with values"

for line in "p:v $value %di %si %dx" "p:v $value %di +0(%di):string" "p:v $value +0(%di):string" "p:v $value \$comm" "p:v $value %xmm0:f64" \
	"p:v $value +0(%di):u8[4]" "p:v $value %di stack=any" "p:v $value @+0x7fffffffffff"; do
	check_fails "$line is refused" put "$line"
done 2>"$tmp/err"
exec 5<&-

put "p:v $value %di"
exec 5<&-
kill $load
