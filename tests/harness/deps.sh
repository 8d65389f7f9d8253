#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: qemu/install-deps names and installs the packages of its purposes that are missing or too old, and no others
# full: it tests the harness only
# timeout: 120
. "$UPROBES_TOP/tests/lib.sh"
ktap_plan 21

# Fake programs. dpkg-query has all packages, in version $VERSION, and man-db in the state $LAST; if
# the file $HAVE is set, only the packages that it names. The lists of apt-cache lack the packages
# that the file $LACKS names, until they are updated. Each call of apt-cache and apt-get is logged,
# except for the question which package provides a name: the-NAME provides the name $VIRTUAL.
tmp=$(mktemp -d)
at_exit "rm -rf $tmp"
mkdir "$tmp/bin"
export HAVE= LACKS=$tmp/lacks CALLS=$tmp/calls LAST=installed VIRTUAL=
: >"$LACKS"
cat >"$tmp/bin/dpkg-query" <<'END'
#!/bin/bash
[ -z "$VIRTUAL" ] || ! grep -qxF -e "the-$VIRTUAL" "$HAVE" ||
	[[ $* != *Provides* ]] || echo "installed other, $VIRTUAL (= 1:3)"
for package; do
	case $package in
	-* | *{*) ;;
	man-db) [ -n "$HAVE" ] || echo "man-db $LAST 99:1" ;;
	*) [ -n "$HAVE" ] || echo "$package installed ${VERSION:-99:1}" ;;
	esac
	[ -z "$HAVE" ] || ! grep -qxF -e "$package" "$HAVE" || echo "$package installed 99:1"
done
END
cat >"$tmp/bin/apt-cache" <<'END'
#!/bin/bash
if [ "$1" = showpkg ]; then
	[ "$2" != "$VIRTUAL" ] || printf 'Versions: \n\nReverse Provides: \nthe-%s 1:3 (= 1:3)\n' "$2"
	exit
fi
echo "cache $*" >>"$CALLS"
version=1:7.2
[[ $* != *" -t bookworm-backports "* ]] || version=1:10.0
args=" $*"
for package in ${args##* policy }; do
	! grep -qxF -e "$package" "$LACKS" && [ "$package" != "$VIRTUAL" ] || continue
	printf '%s:\n  Installed: (none)\n  Candidate: %s\n  Version table:\n' "$package" "$version"
done
END
cat >"$tmp/bin/apt-get" <<'END'
#!/bin/bash
args=" $*"
case "$args " in
*" update "*) echo update >>"$CALLS"; : >"$LACKS" ;;
*" install "*)
	echo "install ${args##* install }" >>"$CALLS"
	[ ! -e "$CALLS.stale" ] || { rm "$CALLS.stale"; echo "E: 404  Not Found"; exit 100; }
	echo "0 upgraded, 321 newly installed, 0 to remove and 7 not upgraded."
	echo "Need to get 98.7 MB/123 MB of archives."
	printf '%s\n' ${args##* install } >>"$HAVE" ;;
esac
END
printf '#!/bin/bash\n[ "$1" != -n ] || shift\nexec "$@"\n' >"$tmp/bin/sudo"
chmod +x "$tmp"/bin/*
export PATH=$tmp/bin:$PATH XDG_CACHE_HOME=$tmp/cache
unset UPROBES_NO_DEPS

missing() {
	LAST=$1 "$UPROBES_TOP/qemu/install-deps" -n "${@:2}" 2>&1 </dev/null
}

is "$(missing installed; echo $?)" 0 "if all packages are installed, none is missing"
is "$(missing triggers-pending; echo $?)" 0 "a package with pending triggers is not missing"
for state in config-files half-configured; do
	like "$(missing $state)" "missing: man-db\$" "a package in the state $state is missing"
done
like "$(VERSION=0 missing installed)" "missing: .*qemu-system-x86" "a package that is too old is missing"
is "$(missing config-files build run; echo $?)" 0 "packages of other purposes may be missing"
said=$(missing installed build nosuch)
is "$? $(grep -o "no purpose 'nosuch'" <<<"$said")" "125 no purpose 'nosuch'" \
	"an unknown purpose is refused"

# listed PURPOSE...: print the packages that qemu/deps lists for these purposes.
listed() {
	sed 's/#.*//' "$UPROBES_TOP/qemu/deps" | while read -r package purposes _; do
		for purpose; do
			[[ ,$purposes, != *,$purpose,* ]] || { echo "$package"; break; }
		done
	done | sort
}
is "$(sed 's/#.*//' "$UPROBES_TOP/qemu/deps" | awk 'NF && $2 !~ /^(build|run|test|check|full|kernel)(,(build|run|test|check|full|kernel))*$/')" "" \
	"each package in qemu/deps has purposes, and no unknown ones"
for purposes in "build run" "build check" "build run test" full kernel; do
	: >"$tmp/none"
	# shellcheck disable=SC2086
	is "$(HAVE=$tmp/none missing installed $purposes | sed 's/.*missing: //' | tr ' ' '\n' | sort)" \
		"$(listed $purposes)" "purposes $purposes: all of their packages are missing, and no others"
done

# install PURPOSE...: install the packages on a system that has none of them; leaves the output in
# said.
install() {
	: >"$tmp/have"
	: >"$CALLS"
	said=$(HAVE=$tmp/have "$UPROBES_TOP/qemu/install-deps" "$@" 2>&1 </dev/null)
}
install build run
is "$? $(sort -u "$tmp/have" | grep -v '^--$')" "0 $(listed build run)" \
	"all packages of build and run are installed, from two suites"
is "$(grep -c '^cache' "$CALLS")" 2 "apt-cache is called once for each suite"
like "$said" "321 packages with what they need, 98.7 MB to fetch" "the number and the size of the packages are printed"
like "$said" "installed \([0-9]+ s\)" "the time of the installation is printed"

VIRTUAL=kmod
install run
is "$? $(sort -u "$tmp/have" | grep -v '^--$')" "0 $(listed run | sed 's/^kmod$/the-kmod/' | sort)" \
	"where no package has the name, one that provides it is installed"
VIRTUAL=qemu-system-x86
install run
like "$said" "bookworm-backports does not have qemu-system-x86 1:10 either" "a package that provides the name does not do where a version is asked for"
VIRTUAL=
echo cpio >"$LACKS"
install run
is "$? $(sed 's/ .*//; 4q' "$CALLS" | paste -sd ' ')" "0 cache update cache install" \
	"package lists that lack a package are updated before the installation"
touch "$CALLS.stale"
install kernel
is "$? $(sed 's/ .*//' "$CALLS" | paste -sd ' ')" "0 cache install update install" \
	"if a listed version is gone, the lists are updated, and the installation is repeated"
