#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: if a guest dies while its kernel boots, qemu/run reports that and starts another guest, at most three in all
# full: it boots guests, and tests the harness only
# timeout: 300
. "$UPROBES_TOP/tests/lib.sh"
ktap_plan 7

tmp=$(mktemp -d)
at_exit "rm -rf $tmp"
mkdir "$tmp/bin"
qemu=$(command -v qemu-system-x86_64)

# A fake QEMU that a signal kills after the first line of its guest's kernel, $tmp/deaths times.
cat >"$tmp/bin/qemu-system-x86_64" <<END
#!/bin/bash
left=\$(<"$tmp/deaths")
[[ "\$*" == *-kernel* && \$left -gt 0 ]] || exec "$qemu" "\$@"
echo \$((left - 1)) >"$tmp/deaths"
for arg; do
	[[ \$arg != file,id=log,path=* ]] || echo "[    0.000000] a guest's last words" >"\${arg#*path=}"
done
echo "a QEMU's own words" >&2
kill -SEGV \$\$
END
chmod +x "$tmp/bin/qemu-system-x86_64"

# run DEATHS: run cat in a guest after so many deaths; prints its output.
run() {
	echo "$1" >"$tmp/deaths"
	echo "the input" | PATH=$tmp/bin:$PATH UPROBES_ACCEL=tcg "$UPROBES_TOP/qemu/run" --no-module cat \
		2>"$tmp/err"
}

is "$(run 1)" "the input" "the second guest runs the command, with all its input"
isnt "$(grep -c 'died while its kernel booted' "$tmp/err")" 0 "the death of the first guest is reported"
is "$(grep -c "a guest's last words" "$tmp/err")" 1 "the report has the last lines of the guest's kernel log"
is "$(grep -c "a QEMU's own words" "$tmp/err")" 1 "the report has the output of QEMU"
output=$(run 3)
is "$? $output" "70 " "after the third death the status is 70"
like "$(cat "$tmp/err")" "QEMU was ended by signal 11" "the error names the signal that ended QEMU"
is "$(cat "$tmp/deaths")" 0 "three guests have been started"
