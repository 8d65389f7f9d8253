#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: a Java VM with probes on all functions that it exports handles null checks, overflows and safepoints as unprobed
# once: the VM uses signals in the same way on all kernels
# full: a Java VM takes most of 25 s; signals and handler_faults have such faults
# timeout: 300
# needs: java
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/cli.inc"

java=$(readlink -f "$(command -v java)")
jvm=${java%/bin/java}/lib/server/libjvm.so
[ -f "$jvm" ] || skip_all "there is no ${java%/bin/java}/lib/server/libjvm.so"

modes=-Xmixed
[ -z "${FULL:-}" ] || modes="-Xmixed -Xint"
ktap_plan $((5 * $(wc -w <<<"$modes")))

# class F {
#	int x = 1;
#	static volatile boolean done;
#	static long count;
#
#	static int deep(int n) { return deep(n + 1) + 1; }
#
#	static int field(F f) { return f.x; }
#
#	public static void main(String[] args) throws Exception {
#		int nulls = 0, zeros = 0, overflows = 0, held = 0;
#		F f = new F();
#		Thread spinner = new Thread(() -> { while (!done) count++; });
#
#		spinner.start();
#		for (int i = 0; i < 30000; i++) {
#			try {
#				field(i % 3 == 0 ? null : f);
#			} catch (NullPointerException e) {
#				nulls++;
#			}
#			try {
#				zeros += 1 / (i % 5);
#			} catch (ArithmeticException e) {
#				zeros += 10;
#			}
#			if (i % 100 == 0 && !Thread.holdsLock(f))
#				held++;
#		}
#		for (int i = 0; i < 3; i++) {
#			try {
#				deep(0);
#			} catch (StackOverflowError e) {
#				overflows++;
#			}
#			System.gc();
#		}
#		done = true;
#		spinner.join();
#		System.out.println(nulls + " nulls, " + zeros + " zeros, " + overflows + " overflows, " + held + " held");
#	}
# }
base64 -d >"$tmp/F.class" <<END
yv66vgAAADQAewoAAgADBwAEDAAFAAYBABBqYXZhL2xhbmcvT2JqZWN0AQAGPGluaXQ+AQADKClWCQAI
AAkHAAoMAAsADAEAAUYBAAF4AQABSQoACAAODAAPABABAARkZWVwAQAEKEkpSQoACAADBwATAQAQamF2
YS9sYW5nL1RocmVhZBIAAAAVDAAWABcBAANydW4BABYoKUxqYXZhL2xhbmcvUnVubmFibGU7CgASABkM
AAUAGgEAFyhMamF2YS9sYW5nL1J1bm5hYmxlOylWCgASABwMAB0ABgEABXN0YXJ0CgAIAB8MACAAIQEA
BWZpZWxkAQAGKExGOylJBwAjAQAeamF2YS9sYW5nL051bGxQb2ludGVyRXhjZXB0aW9uBwAlAQAdamF2
YS9sYW5nL0FyaXRobWV0aWNFeGNlcHRpb24KABIAJwwAKAApAQAJaG9sZHNMb2NrAQAVKExqYXZhL2xh
bmcvT2JqZWN0OylaBwArAQAcamF2YS9sYW5nL1N0YWNrT3ZlcmZsb3dFcnJvcgoALQAuBwAvDAAwAAYB
ABBqYXZhL2xhbmcvU3lzdGVtAQACZ2MJAAgAMgwAMwA0AQAEZG9uZQEAAVoKABIANgwANwAGAQAEam9p
bgkALQA5DAA6ADsBAANvdXQBABVMamF2YS9pby9QcmludFN0cmVhbTsHAD0BABdqYXZhL2xhbmcvU3Ry
aW5nQnVpbGRlcgoAPAADCgA8AEAMAEEAQgEABmFwcGVuZAEAHChJKUxqYXZhL2xhbmcvU3RyaW5nQnVp
bGRlcjsIAEQBAAggbnVsbHMsIAoAPABGDABBAEcBAC0oTGphdmEvbGFuZy9TdHJpbmc7KUxqYXZhL2xh
bmcvU3RyaW5nQnVpbGRlcjsIAEkBAAggemVyb3MsIAgASwEADCBvdmVyZmxvd3MsIAgATQEABSBoZWxk
CgA8AE8MAFAAUQEACHRvU3RyaW5nAQAUKClMamF2YS9sYW5nL1N0cmluZzsKAFMAVAcAVQwAVgBXAQAT
amF2YS9pby9QcmludFN0cmVhbQEAB3ByaW50bG4BABUoTGphdmEvbGFuZy9TdHJpbmc7KVYJAAgAWQwA
WgBbAQAFY291bnQBAAFKAQAEQ29kZQEAD0xpbmVOdW1iZXJUYWJsZQEABG1haW4BABYoW0xqYXZhL2xh
bmcvU3RyaW5nOylWAQANU3RhY2tNYXBUYWJsZQcAYgEAE1tMamF2YS9sYW5nL1N0cmluZzsBAApFeGNl
cHRpb25zBwBlAQATamF2YS9sYW5nL0V4Y2VwdGlvbgEADWxhbWJkYSRtYWluJDABAApTb3VyY2VGaWxl
AQAGRi5qYXZhAQAQQm9vdHN0cmFwTWV0aG9kcw8GAGsKAGwAbQcAbgwAbwBwAQAiamF2YS9sYW5nL2lu
dm9rZS9MYW1iZGFNZXRhZmFjdG9yeQEAC21ldGFmYWN0b3J5AQDMKExqYXZhL2xhbmcvaW52b2tlL01l
dGhvZEhhbmRsZXMkTG9va3VwO0xqYXZhL2xhbmcvU3RyaW5nO0xqYXZhL2xhbmcvaW52b2tlL01ldGhv
ZFR5cGU7TGphdmEvbGFuZy9pbnZva2UvTWV0aG9kVHlwZTtMamF2YS9sYW5nL2ludm9rZS9NZXRob2RI
YW5kbGU7TGphdmEvbGFuZy9pbnZva2UvTWV0aG9kVHlwZTspTGphdmEvbGFuZy9pbnZva2UvQ2FsbFNp
dGU7EAAGDwYAcwoACAB0DABmAAYBAAxJbm5lckNsYXNzZXMHAHcBACVqYXZhL2xhbmcvaW52b2tlL01l
dGhvZEhhbmRsZXMkTG9va3VwBwB5AQAeamF2YS9sYW5nL2ludm9rZS9NZXRob2RIYW5kbGVzAQAGTG9v
a3VwACAACAACAAAAAwAAAAsADAAAAEgAMwA0AAAACABaAFsAAAAFAAAABQAGAAEAXAAAACYAAgABAAAA
Ciq3AAEqBLUAB7EAAAABAF0AAAAKAAIAAAABAAQAAgAIAA8AEAABAFwAAAAhAAIAAQAAAAkaBGC4AA0E
YKwAAAABAF0AAAAGAAEAAAAGAAgAIAAhAAEAXAAAAB0AAQABAAAABSq0AAesAAAAAQBdAAAABgABAAAA
CAAJAF4AXwACAFwAAAGlAAQACQAAANEDPAM9Az4DNgS7AAhZtwAROgW7ABJZugAUAAC3ABg6BhkGtgAb
AzYHFQcRdTCiAEYVBwZwmgAHAacABRkFuAAeV6cACDoIhAEBHAQVBwhwbGA9pwAIOgiEAgoVBxBkcJoA
DhkFuAAmmgAGhAQBhAcBp/+4AzYHFQcGogAZA7gADVenAAg6CIQDAbgALIQHAaf/5wSzADEZBrYANbIA
OLsAPFm3AD4btgA/EkO2AEUctgA/Eki2AEUdtgA/Ekq2AEUVBLYAPxJMtgBFtgBOtgBSsQADADAAQQBE
ACIASQBSAFUAJAB8AIEAhAAqAAIAXQAAAG4AGwAAAAsACQAMABIADQAgAA8AJQAQADAAEgBBABUARAAT
AEYAFABJABcAUgAaAFUAGABXABkAWgAbAGoAHABtABAAcwAeAHwAIACBACMAhAAhAIYAIgCJACQAjAAe
AJIAJgCWACcAmwAoANAAKQBgAAAANgAN/wAoAAgHAGEBAQEBBwAIBwASAQAAEkEHAAhGBwAiBEsHACQE
EvoABfwAAgFNBwAqBPoACABjAAAABAABAGQQCgBmAAYAAQBcAAAANAAEAAAAAAASsgAxmgAOsgBYCmGz
AFin//KxAAAAAgBdAAAABgABAAAADQBgAAAABAACABAAAwBnAAAAAgBoAGkAAAAMAAEAagADAHEAcgBx
AHUAAAAKAAEAdgB4AHoAGQ==
END

# The compiler and the interpreter leave null checks to SIGSEGV. Threads look for a safepoint by
# reading a page, which the VM takes away when it wants one.
run() {
	"$java" "$1" -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Xss512k -Xmx16m -cp "$tmp" F 2>&1
}

# counted FUNCTION: print how often it was called.
counted() {
	awk -v name="$1" '$2 == name { print $1 }' "$tmp/out"
}

for how in $modes; do
	unprobed=$(run $how)
	like "$unprobed" '^10000 nulls, 66000 zeros, 3 overflows, 300 held$' \
		"$how: unprobed, the program prints the expected numbers"
	start count "r:$jvm:JVM_*"
	is "$(run $how)" "$unprobed" \
		"$how: with return probes on all functions that the VM exports, the output is the same"
	stop
	is "$(counted JVM_HoldsLock) $(counted JVM_FillInStackTrace)" "300 16000" \
		"$how: the probes count calls and exceptions"
	check "$how: the VM has handled signals for the exceptions" test "$(counted JVM_handle_linux_signal)" -ge 16000
	like "$(tail -n 1 "$tmp/err")" ' 0 missed\.$' "$how: no hit is missed"
done
