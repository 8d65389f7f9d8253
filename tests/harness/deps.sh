#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: qemu/install-deps -n names the packages that are missing or too old, and no others
. "$UPROBES_TOP/tests/lib.sh"
ktap_plan 5

# A dpkg that has all packages, of the version $VERSION, and man-db in the state $LAST.
tmp=$(mktemp -d)
at_exit "rm -rf $tmp"
cat >"$tmp/dpkg-query" <<'END'
#!/bin/bash
for package; do
	case $package in
	-* | *{*) ;;
	man-db) echo "man-db $LAST 99:1" ;;
	*) echo "$package installed ${VERSION:-99:1}" ;;
	esac
done
END
chmod +x "$tmp/dpkg-query"
export PATH=$tmp:$PATH LAST
unset UPROBES_NO_DEPS

missing() {
	LAST=$1 "$UPROBES_TOP/qemu/install-deps" -n 2>&1 </dev/null
}

is "$(missing installed; echo $?)" 0 "all is there"
is "$(missing triggers-pending; echo $?)" 0 "so is what has to act on a package that comes just now"
for state in config-files half-configured; do
	like "$(missing $state)" "missing: man-db\$" "what is $state is not"
done
like "$(VERSION=0 missing installed)" "missing: .*qemu-system-x86" "nor what is too old"
