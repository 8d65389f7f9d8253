# SPDX-License-Identifier: GPL-2.0
#
# Judges the output of one test, which is the input.
#
#   -v name=NAME     name of the test
#   -v status=N      its exit status; 124: the time limit was over
#   -v limit=N       the time limit, for the message
#   -v trouble=TEXT  a reason from outside the test that makes it fail
#   -v tally=FILE    append a line "PASSED FAILED SKIPPED" to FILE
#   -v failures=FILE append a line to FILE for each failure, then up to 12 lines of diagnostics from
#                    before it and 12 from after it, each behind a tab
#   -v skips=FILE    append a line to FILE for each skip
#   -v allowed=FILE  lines "NAME REASON", the skips that are allowed; any other skip is a failure
#
# Prints the output as a nested KTAP test. Lines that are not KTAP become diagnostics. Every
# result counts. If the test as a whole is invalid, that counts as one more failure: it has no
# plan, the number of results is not the planned one, the exit status is bad without a failed
# result, or there is trouble.

BEGIN {
	planned = -1
	most = 12
	print "  KTAP version 1"
	while (allowed != "" && (getline line <allowed) > 0) {
		if (line ~ /^[ \t]*(#|$)/)
			continue
		test = line
		sub(/[ \t].*/, "", test)
		sub(/^[^ \t]*[ \t]+/, "", line)
		may_skip[test, line] = 1
	}
}

# Check whether a skip for this reason is allowed.
function may(reason) {
	sub(/^.*# *[Ss][Kk][Ii][Pp] */, "", reason)
	return allowed == "" || ((name, reason) in may_skip)
}

# Write the last diagnostics since the last result, without the lines that belong to a failure
# before them and are written already.
function say_last(	i) {
	i = in_failure ? most : 0
	if (i < said - most)
		i = said - most
	for (; i < said; i++)
		print "\t" words[i % most] >>failures
}

# Print a diagnostic, and keep it for a failure before or after it.
function say(line) {
	print "  " line
	sub(/^[ \t]*# ?/, "", line)
	if (in_failure && said < most)
		print "\t" line >>failures
	words[said++ % most] = line
}

/^(KTAP|TAP) version/ { next }

/^1\.\.[0-9]+/ && planned < 0 {
	planned = substr($0, 4) + 0
	if (planned == 0) {
		skipped_all = 1
		reason = $0
		sub(/^1\.\.0 *(# *)?(SKIP *)?/, "", reason)
	}
	print "  " $0
	next
}

/^(not )?ok( |$)/ {
	results++
	number = ($1 == "not" ? $3 : $2)
	if (number ~ /^[0-9]+$/ && number != results && !disorder)
		disorder = "result " results " has the number " number
	if ($1 == "not") {
		failed++
		text = $0
		sub(/^not ok *[0-9]* *-? */, "", text)
		print name ": " text >>failures
		say_last()
	} else if (toupper($0) ~ /# *SKIP/ && !may($0)) {
		failed++
		text = $0
		sub(/^ok *[0-9]* *-? */, "", text)
		print name ": must not be skipped here: " text >>failures
	} else if (toupper($0) ~ /# *SKIP/) {
		skipped++
		text = $0
		sub(/^ok *[0-9]* *-? */, "", text)
		print name ": " text >>skips
	} else {
		passed++
	}
	in_failure = $1 == "not"
	said = 0
	print "  " $0
	next
}

/^Bail out!/ {
	bail = $0
}

/^[ \t]*#/ || /^[ \t]+(not )?ok / || /^[ \t]+(1\.\.|KTAP)/ {
	say($0)
	next
}

/./ {
	say("# " $0)
}

END {
	if (trouble != "")
		cause = trouble
	else if (status == 124)
		cause = "the time limit of " limit " s is over"
	else if (bail != "")
		cause = bail
	else if (planned < 0)
		cause = "there is no plan line (exit status " status ")"
	else if (results != planned)
		cause = "planned are " planned " results, but there are " results + 0
	else if (disorder != "")
		cause = disorder
	else if (status != 0 && !failed)
		cause = "exit status " status

	if (skipped_all && cause == "" && !may(reason))
		cause = "must not be skipped here: " reason
	if (skipped_all && cause == "") {
		skipped = 1
		print name ": " reason >>skips
		word = "ok"
		directive = " # SKIP " reason
	} else {
		word = failed || cause != "" ? "not ok" : "ok"
	}
	if (cause != "") {
		print "  # " cause
		print name ": " cause >>failures
		say_last()
		failed++
	}
	print passed + 0, failed + 0, skipped + 0 >>tally
	print word " " nr " - " name directive
}
