#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: static checks find faults that are planted in a file, and report it if a program that they run fails
# full: it builds kernel modules with faults
# timeout: 600
# needs: sparse clang cppcheck perl
. "$UPROBES_TOP/tests/lib.sh"
ktap_plan 12

# Make a checkout of one module, with a fault of each kind.
tmp=$(mktemp -d)
at_exit "rm -rf $tmp"
mkdir -p "$tmp"/{arch,include,module,userspace,tests/{kmod,harness/faults}}
cp -a "$UPROBES_TOP/qemu" "$UPROBES_TOP/dkms.conf" "$tmp"
cp -a "$UPROBES_TOP"/tests/{static,lib.sh,load.sh,header.sh} "$tmp/tests"
echo "obj-m := module/faulty.o" >"$tmp/Kbuild"
cat >"$tmp/module/faulty.c" <<'END'
// SPDX-License-Identifier: GPL-2.0
#include <linux/module.h>
#include <linux/uaccess.h>

static int faulty(int __user *user)
{
	int set, same = 1, array[2] = {};

	set = same;
	same = same;
	array[2] = 1;
	if(!user)
		return array[0];
	return *user;
}

static int __init faulty_init(void)
{
	return faulty(NULL);
}
module_init(faulty_init);
MODULE_LICENSE("GPL");
END
for dir in tests/kmod tests/harness/faults userspace; do
	echo 'int main(void) { int array[2]; array[2] = 1; return array[2]; }' >"$tmp/$dir/faulty.c"
done

# check_of NAME [VARIABLE=VALUE...]: print the output of this static check for the faulty files.
kernel=${UPROBES_KERNELS%% *}
check_of() {
	env UPROBES_TOP="$tmp" UPROBES_KERNELS="$kernel" "${@:2}" "$tmp/tests/static/$1" 2>&1
}

# part N: print the Nth result in $said, with its diagnostics.
part() {
	awk -v n="$1" '/^(not )?ok / { now = $1 == "ok" ? $2 : $3 } now == n' <<<"$said"
}

# found N WORDS WHAT: check that the Nth result is a failure with WORDS in it or in its diagnostics.
found() {
	like "$(part "$1" | paste -sd ' ')" "^not ok $1 .*$2" "$3"
}

said=$(check_of sparse)
found 1 'unused-but-set-variable' "the compiler with W=1 finds a fault"
# sparse does not run on a file that does not compile, so remove this fault.
sed -i '/\<set\>/{s/set, //; /set = /d}' "$tmp/module/faulty.c"
said=$(check_of sparse)
found 2 'faulty.c:.*noderef' "sparse finds a fault"
said=$(check_of clang)
found 1 'Wself-assign' "clang finds a fault"
said=$(check_of cppcheck)
n=0
for what in "the module" "modules that tests load" "the helper"; do
	n=$((n + 1))
	found $n 'faulty.c:[0-9]+: arrayIndexOutOfBounds' "cppcheck finds a fault in $what"
done
said=$(check_of checkpatch)
found 1 'faulty.c:[0-9]+: .*SPACING' "checkpatch finds a fault in the module"
found 2 'userspace/faulty.c' "checkpatch finds a fault in programs"

# The programs fail without any output.
mkdir "$tmp/bin"
printf '#!/bin/sh\nexit 3\n' >"$tmp/bin/cppcheck"
chmod +x "$tmp/bin/cppcheck"
said=$(check_of cppcheck PATH="$tmp/bin:$PATH")
is "$(grep -c '^not ok' <<<"$said")" 3 "if the exit status of cppcheck is not 0, the check fails"
like "$said" '^# cppcheck ended with status 3' "the exit status of cppcheck is reported"
echo 'exit 3;' >"$tmp/checkpatch.pl"
said=$(check_of checkpatch CHECKPATCH="$tmp/checkpatch.pl")
is "$(grep -c '^not ok [12] ' <<<"$said")" 2 "if the exit status of checkpatch is not 0 or 1, the check fails"
like "$said" '^# checkpatch.pl ended with status 3' "the exit status of checkpatch is reported"
