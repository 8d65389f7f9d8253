# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Drives the guests of tests/run, which sources this file. A guest asks for one test after the
# other. It gets the next one of a queue that guests share, so that all of them end at about the
# same time.

# A guest has hung if it prints nothing for this many seconds beyond the limit of its test.
grace=120

# A guest boots while the module is being built, and waits for its first test.

# built KERNEL: build the module and the programs of the tests, once; another lane waits for
# that. If the build fails, return false, and leave the reason in $work/built/KERNEL.
built() {
	(
		flock 8
		if [ ! -e "$work/built/$1" ]; then
			: >"$work/built/$1"
			build_for "$1" || echo "so no guest can be booted" >>"$work/built/$1"
		fi
	) 8>>"$work/built/.lock.$1"
	[ ! -s "$work/built/$1" ]
}

build_for() {
	local what=$work/built/$1

	begin build "$1"
	build_helper >"$what" 2>&1 &&
		(
			flock 8
			make -s -j "$(nproc)" -C "$top/tests" progs
		) >"$what" 2>&1 </dev/null 8>>"$work/built/.progs" &&
		"$top/qemu/build" "$1" -s -j "$(nproc)" >>"$what" 2>&1 </dev/null &&
		{ [ -z "$coverage" ] || "$top/qemu/build" -o "$1-coverage" "$1" -s -j "$(nproc)" COVERAGE=1 \
			>>"$what" 2>&1 </dev/null; } || return
	: >"$what"
	printf '1..1\nok 1 - the module and the programs of its tests are built\n' >"$out"
	report build "$1" 0 "" 0 beside
}

# build_helper: build userspace/uprobe, which guests have in PATH.
build_helper() {
	flock "$top/build/.helper.lock" make -s -j "$(nproc)" -C "$top" userspace </dev/null
}

# give_up QUEUE GROUP STATUS OUTPUT: report all tests that are left in the queue with this
# status and output.
give_up() {
	local limit file

	while take "$1"; do
		read -r limit file <<<"$taken"
		begin "$2" "$(basename "$file" .sh)"
		printf '%s\n' "$4" >"$out"
		allowed="" report "$2" "$(basename "$file" .sh)" "$3" "" "$limit"
	done
}

# next_test: name the next test to the guest. If there is none, close its input, so that the
# guest ends.
next_test() {
	if ! time_is_over && take "$queue"; then
		read -r limit file <<<"$taken"
		# If the guest has died already, this write fails.
		(echo "$limit $file" >&6) 2>/dev/null
	else
		exec 6>&-
		# From here on, no test is to blame for what the guest does.
		file='' finished=1
	fi
}

# look_at_qemu: set $cost to the milliseconds of processor time that QEMU has used since the last
# call, for this guest.
look_at_qemu() {
	local pid now=0

	{ read -r pid <"$work/qemu.$lane" && now=$(used_ms "$pid" 14 15); } 2>/dev/null
	cost=$((now > qemu_ms ? now - qemu_ms : 0))
	qemu_ms=$((now > qemu_ms ? now : qemu_ms))
}

# finish_test STATUS TROUBLE [IDLE FORKS]: report the test $current, which has ended by itself
# or with its guest.
finish_test() {
	local trouble=$2

	if [ -s "$out.kernel" ]; then
		attributed=1
		sed 's/^/# kernel: /' "$out.kernel" >>"$out"
		trouble=${trouble:-the kernel complained: $(head -n 1 "$out.kernel")}
	fi
	rm -f "$out.kernel"
	look_at_qemu
	report "$group" "$current" "$1" "$trouble" "$limit" "${3:-}" "${4:-}" "$cost"
	current='' file=''
}

# attend: read the output of the guest, and report each test as it ends.
attend() {
	local line event value rest status

	while :; do
		IFS= read -r -t $((hung ? 5 : limit + grace)) line <&5 2>/dev/null
		status=$?
		if [ $status = 1 ]; then
			[ -z "$line" ] || printf '%s\n' "$line" >>"$out"
			break
		elif [ $status != 0 ]; then
			# After the kill, wait 5 s more for its last output.
			[ $hung = 0 ] || break
			hung=1
			kill "$guest"
			continue
		fi
		[[ $line == "$mark "* ]] || {
			[ -z "$line" ] || printf '%s\n' "$line" >>"$out"
			continue
		}
		read -r event value rest <<<"${line#"$mark "}"
		case $event in
		ready)
			printf '1..1\nok 1 - the guest boots\n' >"$out"
			look_at_qemu
			report "$group" "(boot,$cpus)" 0 "" 0 beside "" "$cost"
			next_test
			;;
		begin)
			current=$value
			: >"$out"
			begin "$group" "$current"
			;;
		kernel) printf '%s\n' "${line#"$mark kernel "}" >>"$out.kernel" ;;
		end)
			finished=1
			# shellcheck disable=SC2086
			finish_test ${rest%% *} "" ${rest#* }
			next_test
			;;
		cover) printf "%s\n" "$value $rest" >>"$coverage" ;;
		broken) tell "$group: $value $rest: the other tests run in a new guest" ;;
		esac
	done
}

# one_guest: boot a guest, and have it run tests of the queue until that is empty, or the guest
# has died. If it dies during a test, $current is the name of the test.
one_guest() {
	local with=() guest cost qemu_ms=0 hung=0 mark=uprobes-test-$RANDOM$RANDOM jump=$JUMP

	# Each test runs in both ways, with and without jumps, if it runs on both kernels.
	[ -n "$jump" ] || [ "$kernel" != "$(kernel_names | sed -n 2p)" ] || jump=0
	limit=600 current='' file='' attributed='' finished=''
	if [ -n "$coverage" ]; then
		with=(UPROBES_KO="$top/build/$kernel-coverage/uprobes.ko"
			UPROBES_SAMPLES="$top/build/$kernel-coverage/module/samples"
			UPROBES_COVER="$top/build/$kernel-coverage/tests/kmod/uprobe_cover.ko")
	fi
	rm -f "$out".{from,to,kernel} "$work/qemu.$lane"
	mkfifo "$out".{from,to}
	: >"$out"
	begin "$group" "(boot)"
	# Some tests trace a Java virtual machine, which needs the memory. Some write to text by /proc/PID/mem,
	# which a kernel may allow only debuggers from 6.12 on.
	# shellcheck disable=SC2086
	UPROBES_PID=$work/qemu.$lane "$top/qemu/run" -k "$kernel" -t 999999 --no-load -m 1536 -n $cpus \
		--append proc_mem.force_override=always $options -- \
		env TEST_TIMEOUT_SCALE="$scale" SINGLE_STEP="$SINGLE_STEP" JUMP="$jump" FULL="$FULL" LANG=C "${with[@]}" \
		"$top/tests/in-guest" $mark <"$out.to" >"$out.from" 2>"$work/words.$lane" &
	guest=$!
	echo "$guest" >"$work/guest.$lane"
	exec 6>"$out.to" 5<"$out.from"
	if built "$kernel"; then
		begin "$group" "(boot)"
		attend
	else
		kill "$guest"
	fi
	exec 5<&- 6>&-
	wait "$guest"
	guest_status=$?
	rm -f "$work/guest.$lane"
	[ $hung = 0 ] || guest_status=124
}

# emulators_fault: check whether the emulator has broken the guest, for the first time in this run.
# If it has, the interrupted test runs again. A second such guest in one run is a failure: the fault
# that stale.awk describes is too rare for that.
emulators_fault() {
	[ "$guest_status" = 71 ] && mkdir "$work/broken_once" 2>/dev/null
}

# guests QUEUE: boot as many guests as all tests of a queue need; QUEUE is
# "RANK,KERNEL,CPUS,NUMBER".
guests() {
	local queue=$1 rank kernel cpus group limit file current attributed finished guest_status trouble
	local scale=$TEST_TIMEOUT_SCALE allowed='' options

	IFS=, read -r rank kernel cpus options <<<"$queue"
	[ -s "$work/queue/$queue" ] || return
	options=$(<"$work/options/$options")
	group=$kernel
	# The kernels that are built here are debug kernels: a fork takes ten times as long.
	[ -z "$(kernel_field "$kernel" config)" ] || scale=$((scale * 5))
	[ ! -e "$tests/shared/skips.$kernel" ] || allowed=$tests/shared/skips.$kernel
	# Booting one more guest takes longer than the last few tests.
	if [ -e "$work/serving.$queue" ] && [ "$(wc -l <"$work/queue/$queue")" -lt 3 ]; then
		return
	fi
	: >"$work/serving.$queue"
	while [ -s "$work/queue/$queue" ] && ! stopped; do
		if time_is_over; then
			give_up "$queue" "$group" 0 "1..0 # SKIP $over"
			return
		fi
		one_guest
		if [ -s "$work/built/$kernel" ]; then
			give_up "$queue" "$group" 1 "1..1
not ok 1 - the module and the programs for the guest can be built
$(tail -n 40 "$work/built/$kernel")"
			return
		elif emulators_fault; then
			tell "the emulator broke a guest${current:+ in $current}: its tests run in a new guest"
			echo "$group $current" >>"$work/broken"
			[ -z "$file" ] || put_back "$queue" "$limit $file"
			continue
		fi
		case $guest_status in
		70 | 71)
			trouble=$(sed -n '/complained:$/ { n; p; q }' "$work/words.$lane")
			trouble="the guest's kernel died${trouble:+ ($trouble)}"
			;;
		124) trouble="the guest hung" ;;
		*) trouble="the guest ended with status $guest_status" ;;
		esac
		if [ -n "$current" ]; then
			sed 's/^/# /' "$work/words.$lane" >>"$out"
			finish_test 1 "$trouble during this test"
		elif [ -z "$finished" ]; then
			# Another guest would fail in the same way.
			[ -z "$file" ] || put_back "$queue" "$limit $file"
			give_up "$queue" "$group" 1 "1..1
not ok 1 - $trouble before any test began
$(sed 's/^/# /' "$work/words.$lane")"
		else
			[ -z "$file" ] || put_back "$queue" "$limit $file"
			begin "$group" "(end)"
			{
				echo 1..1
				if [ "$guest_status" = 0 ] || [ "$guest_status$attributed" = 701 ]; then
					echo "ok 1 - the guest ends, and its kernel has complained during tests only"
				else
					sed 's/^/# /' "$work/words.$lane"
					echo "not ok 1 - $trouble, and no test had a complaint"
				fi
			} >"$out"
			allowed='' report "$group" "(end)" 0 "" 0 beside
		fi
	done
}
