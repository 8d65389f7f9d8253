#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: qemu/fetch unpacks a kernel, keeps it, and repairs a cache that is empty, damaged or incomplete
# full: it tests the harness only
# timeout: 120
# needs: dpkg-deb depmod gcc setsid
. "$UPROBES_TOP/tests/lib.sh"
ktap_plan 21

# Make two small packages, and a fake apt that has no others.
tmp=$(mktemp -d)
at_exit "rm -rf $tmp"
name=6.1 release=6.1.0-99-amd64
export XDG_CACHE_HOME=$tmp/cache PATH=$tmp/bin:$PATH PACKAGES=$tmp/packages
mkdir -p "$tmp/bin" "$PACKAGES"

package() { # NAME, from the directory $tmp/NAME
	mkdir -p "$tmp/$1/DEBIAN"
	printf 'Package: %s\nVersion: 1\nArchitecture: amd64\nMaintainer: none <none@example.org>\nDescription: none\n' \
		"$1" >"$tmp/$1/DEBIAN/control"
	dpkg-deb -b "$tmp/$1" "$PACKAGES/$1.deb" >/dev/null
}
image=linux-image-$release headers=linux-headers-$release
mkdir -p "$tmp/$image/boot" "$tmp/$image/lib/modules/$release/kernel" "$tmp/$headers/usr/src/$headers"
echo kernel >"$tmp/$image/boot/vmlinuz-$release"
echo 'int x;' | gcc -x c -c -o "$tmp/$image/lib/modules/$release/kernel/9p.ko" -
touch "$tmp/$image/lib/modules/$release"/modules.{order,builtin}
echo "include /usr/src/$headers-common/Makefile" >"$tmp/$headers/usr/src/$headers/Makefile"
echo 'override CROSS_COMPILE = none-' >"$tmp/$headers/usr/src/$headers/.kernelvariables"
package $image
package $headers
# A compiler that this system lacks.
mkdir -p "$tmp/gcc-99/usr/bin"
touch "$tmp/gcc-99/usr/bin/x86_64-linux-gnu-gcc-99"
package gcc-99
export COMPILER
COMPILER=gcc-$(gcc -dumpversion | sed 's/\..*//')

cat >"$tmp/bin/apt-cache" <<END
#!/bin/sh
case "\$*" in
*" search "*) echo "linux-image-6.1.0-98-amd64 - older"; echo "$image - newest"
	echo "linux-image-6.1.0-100-amd64 - without headers" ;;
*" show "*linux-headers-6.1.0-100*) exit 1 ;;
*" depends "*) echo gcc-99 ;;
*" show "*) echo "Depends: $headers (= 1), linux-compiler-\$COMPILER-x86, other-thing"
	printf '%s\n' \$* | sed -n 's/^linux-.*/Size: 1250000/p' ;;
esac
END
cat >"$tmp/bin/apt-get" <<'END'
#!/bin/sh
case "$*" in
*" download "*)
	echo "$*" | sed 's/.* download //' >>"$PACKAGES/asked"
	[ -e "$PACKAGES/linux-image-6.1.0-99-amd64.deb" ] || exit 100
	for package in $(tail -n 1 "$PACKAGES/asked"); do
		cp "$PACKAGES/$package.deb" . || exit 100
		[ ! -e "$PACKAGES/slow" ] || sleep 30
	done ;;
esac
END
chmod +x "$tmp"/bin/*

fetch() {
	"$UPROBES_TOP/qemu/fetch" $name 2>"$tmp/err" </dev/null
}
asked() {
	wc -l <"$PACKAGES/asked"
}

output=$(fetch)
is $? 0 "qemu/fetch fills an empty cache"
dir=$XDG_CACHE_HOME/uprobes/kernels/$name
like "$(cat "$tmp/err")" " 2 packages, 2.5 MB: " "the number and the size of the packages are printed"
like "$output" "^release=$release\$" "the newest kernel that has headers is taken"
is "$(cat "$(sed -n 's/^image=//p' <<<"$output")")" kernel "the image is at the printed path"
is "$(cat "$(sed -n 's/^kdir=//p' <<<"$output")/Makefile")" \
	"include $dir/root/usr/src/$headers-common/Makefile" "the headers refer to their own directory"
check "depmod has made modules.dep" test -s "$(sed -n 's/^modules=//p' <<<"$output")/modules.dep"
is "$(fetch) $(asked)" "$output 1" "an intact cache is kept"

: >"$dir/root/boot/vmlinuz-$release"
is "$(fetch) $(asked)" "$output 2" "a truncated file is noticed"
rm "$dir/root/lib/modules/$release/kernel/9p.ko"
is "$(fetch) $(asked)" "$output 3" "a missing file is noticed"
rm -rf "${dir:?}"/*
is "$(fetch) $(asked)" "$output 4" "an empty directory is noticed"
mv "$XDG_CACHE_HOME" "$tmp/moved"
export XDG_CACHE_HOME=$tmp/moved
is "$(fetch | sed -n 's/^image=//p') $(asked)" \
	"$tmp/moved/uprobes/kernels/$name/root/boot/vmlinuz-$release 5" "a moved cache is noticed"

rm -rf "$XDG_CACHE_HOME"
touch "$PACKAGES/slow"
setsid "$UPROBES_TOP/qemu/fetch" $name >/dev/null 2>&1 </dev/null &
sixth() { [ "$(asked)" = 6 ]; }
wait_until "apt is asked for a package" sixth
kill -KILL -- "-$!"
rm "$PACKAGES/slow"
is "$(fetch | head -n 1) $(asked)" "release=$release 7" "after a killed fetch, the next one succeeds"
is "$(ls -A "$XDG_CACHE_HOME/uprobes/kernels" | paste -sd ' ')" "$name $name.lock" \
	"the killed fetch leaves no files behind"

like "$output" "^compiler=$COMPILER\$" "the headers name the compiler, which this system has"
rm -rf "$XDG_CACHE_HOME"
like "$(COMPILER=gcc-99 fetch)" "^compiler=$XDG_CACHE_HOME/uprobes/kernels/$name/root/usr/bin/x86_64-linux-gnu-gcc-99\$" \
	"a compiler that this system lacks is fetched"
is "$(cat "$XDG_CACHE_HOME/uprobes/kernels/$name/root/usr/src/$headers/.kernelvariables" | sed -n 's/.*CROSS_COMPILE/CROSS_COMPILE/p' | tail -n 1)" \
	"CROSS_COMPILE = $XDG_CACHE_HOME/uprobes/kernels/$name/root/usr/bin/x86_64-linux-gnu-" \
	"the headers use it"

rm -rf "$XDG_CACHE_HOME" "$PACKAGES/$image.deb"
is "$(fetch; echo $?)" 125 "if a package cannot be fetched, qemu/fetch fails"
like "$(cat "$tmp/err")" "could not be fetched" "the failure is reported"

# names ID VERSION CODENAME: print the kernels that such a system tests by default.
names() {
	printf 'ID=%s\nVERSION_ID="%s"\nVERSION_CODENAME=%s\n' "$@" >"$tmp/os-release"
	(. "$UPROBES_TOP/qemu/lib.sh"; UPROBES_OS_RELEASE=$tmp/os-release kernel_names | paste -sd ' ')
}
is "$(names debian 12 bookworm)" "6.1 6.12" "Debian 12 tests its kernels"
is "$(names debian 13 trixie)" "6.12-deb13 6.1" "Debian 13 tests its own kernel first, then 6.1"
is "$(names debian '' forky), $(names ubuntu 12.04 some)" "6.1 6.12-deb13, 6.1 6.12-deb13" \
	"other systems test what the newest Debian does"
