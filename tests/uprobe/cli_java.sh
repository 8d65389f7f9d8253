#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: the helper can trace an installed Java VM: classes, threads, garbage collections
# once: the helper is the same on all kernels
# full: the Java VM takes most of 8 s; cli_python and cli_redis trace installed programs, too
# timeout: 300
# needs: java
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/cli.inc"

java=$(readlink -f "$(command -v java)")
jvm=${java%/bin/java}/lib/server/libjvm.so
[ -f "$jvm" ] || skip_all "there is no ${java%/bin/java}/lib/server/libjvm.so"

ktap_plan 12

# class G {
#	static byte[] b;
#	public static void main(String[] args) {
#		for (int i = 0; i < 200; i++)
#			b = new byte[10000];
#		System.gc();
#		System.gc();
#	}
# }
base64 -d >"$tmp/G.class" <<END
yv66vgAAADQAFgoAAgADBwAEDAAFAAYBABBqYXZhL2xhbmcvT2JqZWN0AQAGPGluaXQ+AQADKClW
CQAIAAkHAAoMAAsADAEAAUcBAAFiAQACW0IKAA4ADwcAEAwAEQAGAQAQamF2YS9sYW5nL1N5c3Rl
bQEAAmdjAQAEQ29kZQEABG1haW4BABYoW0xqYXZhL2xhbmcvU3RyaW5nOylWAQANU3RhY2tNYXBU
YWJsZQAgAAgAAgAAAAEACAALAAwAAAACAAAABQAGAAEAEgAAABEAAQABAAAABSq3AAGxAAAAAAAJ
ABMAFAABABIAAAA5AAIAAgAAAB4DPBsRAMiiABERJxC8CLMAB4QBAaf/7rgADbgADbEAAAABABUA
AAAJAAL8AAIB+gAUAAA=
END

start "u:$jvm:class__loaded name=arg1:string length=arg2:u32" \
	"u:$jvm:thread__start name=arg1:string" \
	"u:$jvm:gc__begin full=arg1" "u:$jvm:gc__end"
# The VM logs its collections, to compare with. A small heap causes some.
"$java" -Xint -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Xmx8m -Xmn512k -Xlog:gc -cp "$tmp" G >"$tmp/said" 2>&1
is $? 0 "while it is traced, the VM ends with status 0"
stop
diag "$(tail -n 1 "$tmp/err")" "$(grep -c Pause "$tmp/said") collections"
like "$(tail -n 1 "$tmp/err")" ' 0 missed, 0 lost\.$' "no hit is missed or lost"

# -a: names may have any bytes.
isnt "$(grep -ac ' class__loaded: .*name="java/lang/' "$tmp/out")" 0 "events show the classes that are loaded"
is "$(grep -ao ' class__loaded: .*name="java/lang/Object.* length=[0-9]*$' "$tmp/out" | head -n 1 | sed 's/.*length=//')" 16 \
	"events show the length of class names"
is "$(grep -ac ' class__loaded: .*name="G[^a-zA-Z/]*" *length=1$\| class__loaded: .*name="G.* length=1$' "$tmp/out")" 1 \
	"the program's class is loaded once"
like "$(grep -a ' thread__start:' "$tmp/out")" 'name="(Reference Handler|Finalizer|Signal Dispatcher)' \
	"events show the threads that start"
is "$(grep -a ' gc__begin:' "$tmp/out" | sed 's/.*full=//' | sort | uniq -c | awk '{ print $2 ": " $1 }')" \
	"$(sed -n 's/.*Pause \(Young\|Full\).*/\1/p' "$tmp/said" | sed 's/Young/0/; s/Full/1/' | sort | uniq -c | awk '{ print $2 ": " $1 }')" \
	"events show as many young and full garbage collections as the VM's log"
is "$(grep -ac ' gc__end:' "$tmp/out")" "$(grep -c 'Pause' "$tmp/said")" \
	"events show the end of each garbage collection"

# The VM walks its stack from where Java code called it: a return probe must not replace these return
# addresses.
uprobe -c "$java -Xint -XX:+UseSerialGC -cp $tmp G; echo status \$?" "r:$jvm:SharedRuntime::resolve_static_call_C" \
	>"$tmp/out" 2>"$tmp/err"
like "$(cat "$tmp/out")" '^status 0$' \
	"with returns of a function that Java code calls probed, the VM ends with status 0"
like "$(cat "$tmp/err")" 'is a Java virtual machine, .*: its return instructions are probed instead' \
	"a note tells that return instructions are probed instead"
uprobe lat --return=trampoline "$jvm:*" 2>"$tmp/err"
is "$?" 4 "lat of all functions of the VM by replaced return addresses is refused"
uprobe lat -c "$java -Xint -XX:+UseSerialGC -cp $tmp G" "$jvm:JVM_*" >"$tmp/out" 2>"$tmp/err"
like "$(cat "$tmp/err")" ' [1-9][0-9]* calls, 0 missed' "lat of its native methods shows their calls"
