#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: qemu/install-deps names and installs what its purposes need and is missing or too old, and no more
# full: it is about the harness, as the others here are
# timeout: 120
. "$UPROBES_TOP/tests/lib.sh"
ktap_plan 19

# A dpkg that has all packages, of the version $VERSION, and man-db in the state $LAST; or only
# those that the file $HAVE names. An apt whose lists lack the package that the file
# $LACKS names until they are updated. Each call of apt is written down.
tmp=$(mktemp -d)
at_exit "rm -rf $tmp"
mkdir "$tmp/bin"
export HAVE= LACKS=$tmp/lacks CALLS=$tmp/calls LAST=installed
: >"$LACKS"
cat >"$tmp/bin/dpkg-query" <<'END'
#!/bin/bash
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
echo "cache $*" >>"$CALLS"
version=1:7.2
[[ $* != *" -t bookworm-backports "* ]] || version=1:10.0
args=" $*"
for package in ${args##* policy }; do
	! grep -qxF -e "$package" "$LACKS" || continue
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

is "$(missing installed; echo $?)" 0 "all is there"
is "$(missing triggers-pending; echo $?)" 0 "so is what has to act on a package that comes just now"
for state in config-files half-configured; do
	like "$(missing $state)" "missing: man-db\$" "what is $state is not"
done
like "$(VERSION=0 missing installed)" "missing: .*qemu-system-x86" "nor what is too old"
is "$(missing config-files build run; echo $?)" 0 "what other purposes need may be missing"
said=$(missing installed build nosuch)
is "$? $(grep -o "no purpose 'nosuch'" <<<"$said")" "125 no purpose 'nosuch'" \
	"a purpose that there is not is refused"

# listed PURPOSE...: the packages that qemu/deps has for these.
listed() {
	sed 's/#.*//' "$UPROBES_TOP/qemu/deps" | while read -r package purposes _; do
		for purpose; do
			[[ ,$purposes, != *,$purpose,* ]] || { echo "$package"; break; }
		done
	done | sort
}
is "$(sed 's/#.*//' "$UPROBES_TOP/qemu/deps" | awk 'NF && $2 !~ /^(build|run|test|check|full|kernel)(,(build|run|test|check|full|kernel))*$/')" "" \
	"each package has purposes"
for purposes in "build run" "build check" "build run test" full kernel; do
	: >"$tmp/none"
	# shellcheck disable=SC2086
	is "$(HAVE=$tmp/none missing installed $purposes | sed 's/.*missing: //' | tr ' ' '\n' | sort)" \
		"$(listed $purposes)" "$purposes: all of theirs, and no more"
done

# install PURPOSE...: on a system that has nothing.
install() {
	: >"$tmp/have"
	: >"$CALLS"
	said=$(HAVE=$tmp/have "$UPROBES_TOP/qemu/install-deps" "$@" 2>&1 </dev/null)
}
install build run
is "$? $(sort -u "$tmp/have" | grep -v '^--$')" "0 $(listed build run)" \
	"what build and run need is installed, from two suites"
is "$(grep -c '^cache' "$CALLS")" 2 "each suite is asked once, for all packages"
like "$said" "321 packages with what they need, 98.7 MB to fetch" "how much it is, is said before"
like "$said" "installed \([0-9]+ s\)" "how long it took, after"

echo cpio >"$LACKS"
install run
is "$? $(sed 's/ .*//; 4q' "$CALLS" | paste -sd ' ')" "0 cache update cache install" \
	"package lists that lack something are updated first"
touch "$CALLS.stale"
install kernel
is "$? $(sed 's/ .*//' "$CALLS" | paste -sd ' ')" "0 cache install update install" \
	"package lists that name what is gone are updated, and it is tried again"
