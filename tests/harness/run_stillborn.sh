#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: qemu/run starts another guest where one died while its kernel booted, and says so; not for ever
# full: it boots guests for the harness alone
# timeout: 300
. "$UPROBES_TOP/tests/lib.sh"
ktap_plan 7

tmp=$(mktemp -d)
at_exit "rm -rf $tmp"
mkdir "$tmp/bin"
qemu=$(command -v qemu-system-x86_64)

# A QEMU that is killed as soon as its guest's kernel has said a word, $tmp/deaths times.
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

# run DEATHS: the output of a command that copies its input.
run() {
	echo "$1" >"$tmp/deaths"
	echo "the input" | PATH=$tmp/bin:$PATH UPROBES_ACCEL=tcg "$UPROBES_TOP/qemu/run" --no-module cat \
		2>"$tmp/err"
}

is "$(run 1)" "the input" "the second guest runs the command, with all its input"
is "$(grep -c 'died while its kernel booted' "$tmp/err")" 1 "the first is told"
is "$(grep -c "a guest's last words" "$tmp/err")" 1 "with what it said"
is "$(grep -c "a QEMU's own words" "$tmp/err")" 1 "and what QEMU said"
output=$(run 3)
is "$? $output" "70 " "there is no fourth"
like "$(cat "$tmp/err")" "QEMU was ended by signal 11" "that is an error, with the signal"
is "$(cat "$tmp/deaths")" 0 "three have been started"
