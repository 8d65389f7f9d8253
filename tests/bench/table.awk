# SPDX-License-Identifier: GPL-2.0
#
# Reads lines "counted|timed SIDE CASE INSN FIGURE", prints a table, and writes the same as JSON to
# the file that the variable json names. The smallest figure of all rounds counts.

function seen(key, figure) {
	if (!(key in least) || figure < least[key])
		least[key] = figure
}

# Return the figure of a side, or "" if there is none.
function get(how, side, name, insn) {
	# The kernel's uprobes have one kind of handler: compare our handler that may sleep with that.
	if (side == "peer" && name ~ /^(entry-sleepable|count)/)
		name = "entry-atomic"
	# With uprobe_events, a condition is a filter.
	if (side == "peer" && name ~ /^filter/)
		name = "event-filtered"
	if (side == "peer" && name ~ /^event-(ring|[0-9]+)$/) {
		name = "event"
		insn = "endbr64"
	}
	return least[how, side, name, insn]
}

function text(figure) {
	if (figure == "")
		return "-"
	return figure >= 100 || figure == int(figure) ? sprintf("%.0f", figure) : sprintf("%.2f", figure)
}

function value(figure) {
	return figure == "" ? "null" : sprintf("%.10g", figure)
}

function ratio(ours, peer) {
	return ours == "" || peer == "" || peer == 0 ? "" : sprintf("%.3f", ours / peer)
}

function row(name, insn, ours, peer, unit, wall) {
	printf "%-16s %-28s %10s %10s %7s %8s  %s\n", name, insn, text(ours), text(peer),
		ratio(ours, peer) == "" ? "-" : ratio(ours, peer), wall == "" ? "" : wall, unit
	printf "%s  {\"case\": \"%s\", \"insn\": \"%s\", \"ours\": %s, \"peer\": %s, \"ratio\": %s, \"unit\": \"%s\"}",
		rows++ ? ",\n" : "[\n", name, insn, value(ours), value(peer),
		value(ratio(ours, peer)), unit >json
}

$1 == "counted" || $1 == "timed" {
	seen($1 SUBSEP $2 SUBSEP $3 SUBSEP $4, $5 + 0)
	key = $3 SUBSEP $4
	if ($2 == "ours" && !(key in known)) {
		known[key] = 1
		order[++n] = key
	}
}

function rows_of(wanted, unit,    i, k) {
	for (i = 1; i <= n; i++) {
		split(order[i], k, SUBSEP)
		if (k[1] == wanted && (("counted", "ours", k[1], k[2]) in least))
			row(k[1], k[2], get("counted", "ours", k[1], k[2]),
			    get("counted", "peer", k[1], k[2]), unit,
			    ratio(get("timed", "ours", k[1], k[2]), get("timed", "peer", k[1], k[2])))
	}
}

function idle(insn, with) {
	if (("counted", with, "idle", insn) in least)
		row("idle", insn (with == "probes" ? ", file probes" : ", no probe"),
		    least["counted", with, "idle", insn], least["counted", "none", "idle", insn],
		    "instructions")
}

END {
	printf "Linux %s: guest instructions, the bare call subtracted; wall: ratio by the clock\n\n", kernel
	printf "%-16s %-28s %10s %10s %7s %8s  %s\n", "case", "insn", "ours", "kernel's", "ratio", "wall", "unit"
	count = split("entry-atomic entry-sleepable return-atomic event event-string event-filtered " \
		"hit-among-1 hit-among-1000 hit-among-100000", names, " ")
	for (c = 1; c <= count; c++)
		rows_of(names[c], "instructions/hit")
	count = split("count count-jump filter filter-jump filter-passes event-ring text text-ring event-10 event-2 event-1 read-ring " \
		"hist hist-jump hist-by hist-field lat lat-jump", names, " ")
	for (c = 1; c <= count; c++)
		rows_of(names[c], "instructions/hit")
	rows_of("attach", "instructions/site")
	rows_of("detach", "instructions/site")
	rows_of("jump", "instructions/site")
	rows_of("jump-away", "instructions/site")
	rows_of("attach-file", "instructions/site")
	rows_of("detach-file", "instructions/site")
	rows_of("attach-again", "instructions")
	rows_of("detach-again", "instructions")
	rows_of("fork", "instructions/fork")
	rows_of("fork-file", "instructions/fork")
	idle("fork+exec+exit", "loaded")
	idle("mmap+munmap", "loaded")
	idle("fork+exec+exit", "probes")
	idle("mmap+munmap", "probes")
	if (("timed", "ours", "threads", "mov") in least)
		row("threads", "mov", least["timed", "ours", "threads", "mov"],
		    least["timed", "ours", "threads-control", "mov"], "two threads / one; the control beside")
	if (("timed", "ours", "threads-return", "endbr64") in least)
		row("threads-return", "endbr64", least["timed", "ours", "threads-return", "endbr64"],
		    least["timed", "ours", "threads-control", "mov"], "the same of calls that return")
	rows_of("memory", "bytes")
	rows_of("pages", "places, pages of a process")
	print "\n]" >json
}
