# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What tests cost, and the table tests/budget; tests/run sources this file.
#
# A cost is processor time: of QEMU for a guest test, of all processes of a test for one on the host.
# Its unit is a hundredth of the processor time in which a guest with the first kernel and one
# processor boots to its first command. A run measures the boots of its guests, so costs
# depend neither on how fast the machine is nor on what else it does. All are costs under emulation.

# roles FIELD: read lines, and replace the kernel in a field by its role in the table: first or second, of
# those that this system tests by default.
roles() {
	awk -v field="$1" -v kernels="$(kernel_names | paste -sd ' ')" '
		BEGIN { split(kernels, kernel, " "); role[kernel[1]] = "first"; role[kernel[2]] = "second" }
		$field in role { $field = role[$field] }
		{ print }'
}

# unit_of_costs: print the milliseconds of a unit in this run: the median of what the boots say. A run
# without guests has no unit. A run that writes costs takes the boots that define it, if it has any.
unit_of_costs() {
	roles 2 <"$work/results" | awk -v write="${costs:-}" '
		NR == FNR {
			if (!/^[#=]/)
				row[$1 " " $2] = $3
			next
		}
		$3 ~ /^\(boot/ && $9 > 0 {
			is = $2 " " $3
			if (is == "first (boot,1)")
				defining[++n] = $9 / 100
			if (is in row)
				known[++m] = $9 / row[is]
		}
		END {
			if (n && (write || !m))
				for (i = 1; i <= n; i++) print defining[i]
			else
				for (i = 1; i <= m; i++) print known[i]
		}' "$top/tests/budget" - | sort -n | awk '{ unit[NR] = $1 } END { if (NR) print unit[int((NR + 1) / 2)] }'
}

# costs: print a line "GROUP NAME COST" for each test of this run that has not failed.
costs() {
	local unit

	unit=$(unit_of_costs)
	[ -n "$unit" ] || return
	roles 2 <"$work/results" | awk -v unit="$unit" '$5 == 0 && $9 ~ /^[0-9]+$/ {
			name = $2 " " $3
			cost[name] += $9 / unit
			n[name]++
		}
		END { for (name in cost) printf "%s %.0f\n", name, cost[name] / n[name] }'
}

# compare_costs: print the tests that cost over 25 % more than their row says, and over a fifth of a
# boot more. Tests at full length have no rows.
compare_costs() {
	[ -z "$FULL$SINGLE_STEP$coverage${TEST_CPUS:-}" ] || return
	costs | awk '
		NR == FNR { row[$1 " " $2] = $3; next }
		($1 " " $2) in row && $2 !~ /^\(/ {
			was = row[$1 " " $2]
			if ($3 > was * 1.25 && $3 > was + 20)
				print $1, $2 ": " $3 ", not " was
		}' "$top/tests/budget" - | sort -t : -k 2nr
}

# write_costs: replace the rows of the tests of this run that have not failed. Rows of tests that are
# not in the default run go. A test on the host keeps the larger cost, which is that without its cache.
write_costs() {
	local new=$work/budget

	costs >"$new.costs"
	[ -s "$new.costs" ] || die "COSTS=write needs a guest whose boot it can measure"
	(unset CI; TEST_GROUPS='static host guest' "$top/tests/run" --plan) | sed 's/:.*//' | roles 1 >"$new.list" || return
	{
		grep '^[#=]' "$top/tests/budget"
		awk 'FILENAME == ARGV[1] { listed[$0]; next }
			/^[#=]/ { next }
			{ is = $1 " " $2 }
			is in row && $1 ~ /^(static|host)$/ && row[is] > $3 { next }
			is in listed || $2 ~ /^\(/ { row[is] = $3 }
			END { for (is in row) print is, row[is] }' "$new.list" "$top/tests/budget" "$new.costs" |
			LC_ALL=C sort
	} >"$new" && cp "$new" "$top/tests/budget"
}
