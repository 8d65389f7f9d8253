# SPDX-License-Identifier: GPL-2.0
#
# Turns the kernel-doc comments of include/uprobes/uprobes.h into manual pages of
# section 9:
#
#   awk -v out=DIR -v date=YYYY-MM-DD -v version=N -f man/kernel-doc.awk HEADER
#
# DIR gets FUNCTION.9 for each function, struct_NAME.9 for each structure, and
# uprobes.9 with the comment at the head of the file, the constants and the
# enumerations. What is declared in the header without a comment, or described
# wrongly (a parameter that does not exist, one that is left out), is an error.

function complain(text) {
	printf "%s:%d: %s\n", FILENAME, FNR, text > "/dev/stderr"
	failed = 1
}

# Text as roff has it: names and constants in bold, parameters in italics.
function markup(s,    done, word) {
	gsub(/\\/, "\\e", s)
	done = ""
	while (match(s, /@[a-z_]+((->|\.)[a-z_]+)*|%?[A-Z][A-Z]+_[A-Z_]*[A-Z*]|&[a-z_]+(\.[a-z_]+)?|[a-z_*]+\(\)|-E[A-Z]+/)) {
		word = substr(s, RSTART, RLENGTH)
		done = done substr(s, 1, RSTART - 1)
		s = substr(s, RSTART + RLENGTH)
		if (word ~ /^@/)
			done = done "\\fI" substr(word, 2) "\\fP"
		else if (word ~ /^[%&]/)
			done = done "\\fB" substr(word, 2) "\\fP"
		else
			done = done "\\fB" word "\\fP"
	}
	s = done s
	gsub(/->/, "\\->", s)
	gsub(/-E/, "\\-E", s)
	sub(/^[.']/, "\\\\\\&&", s)
	return s
}

function code(s) {
	gsub(/\\/, "\\e", s)
	gsub(/-/, "\\-", s)
	return s
}

function put(text) {
	print text > page
}

# Lines first to last of doc[], as paragraphs, bullets and lists of error numbers.
function put_text(first, last,    i, s, in_item, blank, colon) {
	blank = 1
	for (i = first; i <= last; i++) {
		s = doc[i]
		if (s ~ /^[ \t]*$/) {
			blank = 1
			continue
		}
		if (s ~ /^ *- /) {
			put(".IP \\(bu 2")
			sub(/^ *- /, "", s)
			in_item = 1
		} else if (s ~ /^-E[A-Z]+[^:]*: /) {
			put(".TP")
			colon = index(s, ":")
			put("\\fB" code(substr(s, 1, colon - 1)) "\\fP")
			s = substr(s, colon + 2)
			in_item = 1
		} else if (in_item ? s !~ /^[ \t]/ && (blank || doc[i - 1] ~ /\.$/) : blank && i > first) {
			put(".PP")
			in_item = 0
		}
		blank = 0
		sub(/^[ \t]+/, "", s)
		put(markup(s))
	}
}

function head(name, what) {
	page = out "/" name ".9"
	put(".\\\" SPDX-License-Identifier: GPL-2.0")
	put(".\\\" Generated from the kernel-doc comments of uprobes.h.")
	put(".TH " toupper(name) " 9 " date " \"uprobes " version "\" \"Kernel Developer's Manual\"")
	put(".SH NAME")
	put(name " \\- " what)
}

function synopsis(declaration) {
	put(".SH SYNOPSIS")
	put(".nf")
	put(".B #include <uprobes/uprobes.h>")
	put(".PP")
	gsub(/\t/, "        ", declaration)
	put(code(declaration))
	put(".fi")
}

function see_also(name) {
	pages[++n_pages] = name
}

# "@name: text" lines from doc[from] on; returns the line behind the last.
function put_members(title, from, declaration, function_page,    i, name, seen) {
	i = from
	for (; i < n_doc && doc[i] !~ /^[ \t]*$/; i++) {
		if (doc[i] !~ /^@[a-z_]+: /) {
			if (!seen) {
				complain("no parameter or member: " doc[i])
				return i
			}
			name = doc[i]
			sub(/^[ \t]+/, "", name)
			put(markup(name))
			continue
		}
		if (!seen++)
			put(".SH " title)
		name = substr(doc[i], 2, index(doc[i], ":") - 2)
		if (declaration !~ ("[^a-z_]" name "[^a-z_]"))
			complain("there is no " name " to be described")
		described[name] = 1
		put(".TP")
		put("\\fI" name "\\fP")
		put(markup(substr(doc[i], index(doc[i], ":") + 2)))
	}
	return i
}

# What the sections Context: and Return: have, and before them the description.
function put_sections(from,    i, start, title, s) {
	start = from
	title = "DESCRIPTION"
	for (i = from; i <= n_doc; i++) {
		s = i < n_doc ? doc[i] : "Return: "
		if (s !~ /^(Context|Return): /)
			continue
		while (start < i && doc[start] ~ /^[ \t]*$/)
			start++
		if (start < i) {
			put(".SH " title)
			put_text(start, i - 1)
		}
		title = s ~ /^Context/ ? "CONTEXT" : "RETURN VALUE"
		if (i < n_doc)
			sub(/^[A-Z][a-z]+: /, "", doc[i])
		start = i
	}
}

function check_arguments(declaration,    list, n, i, name) {
	list = declaration
	sub(/^[^(]*\(/, "", list)
	sub(/\)[^)]*$/, "", list)
	n = split(list, words, ",")
	for (i = 1; i <= n; i++) {
		name = words[i]
		gsub(/[ \t\n]+$/, "", name)
		sub(/.*[ *]/, "", name)
		if (name != "void" && !(name in described))
			complain("parameter " name " is not described")
	}
}

function check_members(declaration,    n, i, name) {
	n = split(declaration, words, ";")
	for (i = 1; i < n; i++) {
		name = words[i]
		if (name ~ /\(\*[a-z_]+\)/) {
			sub(/.*\(\*/, "", name)
			sub(/\).*/, "", name)
		} else {
			sub(/\[[^]]*\].*/, "", name)
			gsub(/[ \t\n]+$/, "", name)
			sub(/.*[ \t*{}\n]/, "", name)
		}
		if (name != "" && !(name in described))
			complain("member " name " is not described")
	}
}

# What belongs to uprobes.9 is kept: it is written last.
function keep(declaration,    i, name, what) {
	name = doc[0]
	sub(/^(define|enum) /, "", name)
	what = name
	sub(/ - .*/, "", name)
	sub(/.* - /, "", what)
	kept[++n_kept] = "\\fB" (doc[0] ~ /^enum/ ? "enum " : "") name "\\fP"
	kept_text[n_kept] = markup(what) "."
	for (i = 1; i < n_doc; i++) {
		if (doc[i] ~ /^@/)
			kept_text[n_kept] = kept_text[n_kept] "\n.br\n\\fB" \
				substr(doc[i], 2, index(doc[i], ":") - 2) "\\fP:" \
				markup(substr(doc[i], index(doc[i], ":") + 1))
		else if (doc[i] != "")
			kept_text[n_kept] = kept_text[n_kept] "\n" markup(doc[i])
	}
}

function finish(    name, what, i) {
	delete described["uprobes"]
	for (name in described)
		delete described[name]
	if (doc[0] !~ / - /) {
		complain("no name and short description: " doc[0])
		return
	}
	if (doc[0] ~ /^(define|enum) /) {
		keep(decl)
		return
	}
	name = doc[0]
	what = name
	sub(/ - .*/, "", name)
	sub(/.* - /, "", what)
	if (name ~ /^struct /) {
		sub(/ /, "_", name)
		head(name, what)
		synopsis(decl)
		i = put_members("MEMBERS", 1, decl)
		check_members(decl)
	} else {
		sub(/\(\)$/, "", name)
		if (decl !~ ("[ *]" name "\\("))
			complain("the declaration is not of " name "()")
		head(name, what)
		synopsis(decl)
		i = put_members("PARAMETERS", 1, decl)
		check_arguments(decl)
	}
	see_also(name)
	put_sections(i)
}

BEGIN {
	if (out == "") {
		print "usage: awk -v out=DIR [-v date=DATE -v version=N] -f man/kernel-doc.awk HEADER" > "/dev/stderr"
		exit failed = 1
	}
}

# The comment at the head of the file.
!overview_done && /^\/\*$/ {
	in_overview = 1
	n_overview = 0
	next
}

in_overview {
	if (/\*\//) {
		in_overview = 0
		overview_done = 1
		next
	}
	sub(/^ \*[ ]?/, "")
	overview[n_overview++] = $0
	next
}

/^\/\*\*$/ {
	in_doc = 1
	n_doc = 0
	next
}

in_doc {
	if (/^ \*\//) {
		in_doc = 0
		want = doc[0] ~ /^define / ? "define" : doc[0] ~ /^(struct|enum) / ? "block" : "function"
		decl = ""
		private = 0
		next
	}
	sub(/^ \*[ ]?/, "")
	doc[n_doc++] = $0
	next
}

want == "block" && /private:/ {
	private = 1
}

want && !(private && !/^};/) {
	sub(/[ \t]+$/, "")
	decl = decl (decl == "" ? "" : "\n") $0
	if (want == "define" || (want == "block" ? /^};/ : /;$/)) {
		sub(/\n+};$/, "\n};", decl)
		finish()
		want = ""
	}
	next
}

!want && /^[a-z].*\(/ {
	complain("declared without a kernel-doc comment: " $0)
}

END {
	if (out == "")
		exit 1
	head("uprobes", "probes on user-space instructions, for kernel modules")
	put(".SH SYNOPSIS")
	put(".nf")
	put(".B #include <uprobes/uprobes.h>")
	put(".PP")
	for (i = 1; i <= n_pages; i++)
		if (pages[i] !~ /^struct_/)
			put("\\fB" pages[i] "\\fP()")
	put(".fi")
	put(".SH DESCRIPTION")
	for (i = 1; i < n_overview; i++)
		doc[i] = overview[i]
	for (first = 1; doc[first] == ""; first++)
		;
	put_text(first, n_overview - 1)
	put(".SH CONSTANTS")
	for (i = 1; i <= n_kept; i++) {
		put(".TP")
		put(kept[i])
		put(kept_text[i])
	}
	pages[++n_pages] = "uprobes"
	for (i = 1; i <= n_pages; i++) {
		page = out "/" pages[i] ".9"
		put(".SH SEE ALSO")
		# The overview names them all; the others, what they need.
		for (k = 1; k <= n_pages; k++)
			if (k != i && (pages[i] == "uprobes" || pages[k] == "uprobes"))
				put(".BR " pages[k] " (9),")
		put(".BR uprobes (4)")
		close(page)
	}
	exit failed
}
