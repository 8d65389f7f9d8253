// SPDX-License-Identifier: GPL-2.0
/*
 * insn_objdump FILE...: compare every line that objdump prints for a file's code with the
 * decoder: length, branch target, rip-relative operand.
 *
 * insn_objdump -b FILE...: for each function symbol of a file, compare the instruction
 * boundaries, the returns and the jumps out with objdump.
 *
 * Where objdump is wrong, or knows less, the output counts that:
 *
 *	- 9b is one instruction with the x87 instruction behind it; it is two (SDM vol. 2, WAIT/FWAIT);
 *	- a prefix that does not belong to what follows stands alone; prefixes stand in any order, and
 *	  are part of the instruction (SDM vol. 2, 2.1.1);
 *	- 66 before near branches in 64-bit code is as AMD has it; Intel ignores it, and such branches are
 *	  refused (SDM vol. 2, JMP; APM vol. 3, JMP);
 *	- an instruction ends where a symbol begins: data between functions;
 *	- push2 and pop2 with memory (2.47), byte-sized ccmp with a prefix: undefined (APX specification).
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "agree.h"
#include "boundary.h"
#include "ktap.h"
#include "sections.h"

#define MAX_SECTIONS 64

struct line {
	u64 addr;
	unsigned int len;
	bool bad, ret, jump, indirect;
	bool has_target, has_operand;
	bool cut;		/* a symbol begins right behind it */
	u64 target, operand;
};

struct file {
	const char *path;
	struct code_section sections[MAX_SECTIONS];
	int nsections;
	struct line *lines;
	size_t nlines;
	unsigned long agreed, outvoted, fwait, prefix, bad, cut, reported;
};

/* Copy a section, so that it stays readable after the visit. */
static void keep_section(const struct code_section *section, void *data)
{
	struct file *file = data;
	struct code_section *kept;
	u8 *copy = malloc(section->size);

	if (!copy || file->nsections == MAX_SECTIONS)
		abort();
	memcpy(copy, section->text, section->size);
	kept = &file->sections[file->nsections++];
	*kept = *section;
	kept->text = copy;
	kept->name = strdup(section->name);
}

static const struct code_section *section_at(const struct file *file, u64 addr)
{
	for (int i = 0; i < file->nsections; i++)
		if (addr - file->sections[i].addr < file->sections[i].size)
			return &file->sections[i];
	return NULL;
}

/* Parse "  401126:\tf3 0f 1e fa          \tendbr64", perhaps with a comment "# 404030 <x>". */
static bool parse_line(char *text, struct line *line)
{
	char *p = text, *mnemonic, *comment, *end;
	bool branch = false;

	memset(line, 0, sizeof(*line));
	line->addr = strtoull(p, &end, 16);
	if (end == p || *end != ':' || end[1] != '\t')
		return false;
	p = end + 2;
	while (isxdigit((unsigned char)p[0]) && isxdigit((unsigned char)p[1]) && p[2] == ' ') {
		line->len++;
		p += 3;
	}
	mnemonic = strchr(p, '\t');
	if (!mnemonic)
		return line->len;
	mnemonic++;
	comment = strstr(mnemonic, " # ");
	if (comment) {
		line->has_operand = true;
		line->operand = strtoull(comment + 3, NULL, 16);
		*comment = 0;
	}
	line->bad = strstr(mnemonic, "(bad)") || strstr(mnemonic, ".byte");
	/* The words before the operand: prefixes, then the mnemonic. */
	for (p = strtok_r(mnemonic, "\n ", &end); p; p = strtok_r(NULL, "\n ", &end)) {
		char *stop;

		if (!strncmp(p, "ret", 3) || !strncmp(p, "lret", 4) || !strncmp(p, "iret", 4) ||
		    !strcmp(p, "uiret"))
			line->ret = true;
		if (p[0] == 'j' || !strncmp(p, "loop", 4) || !strncmp(p, "ljmp", 4))
			line->jump = true;
		if (p[0] == '*')
			line->indirect = true;
		if (line->jump || !strncmp(p, "call", 4) || !strcmp(p, "xbegin"))
			branch = true;
		if (!branch || !isxdigit((unsigned char)p[0]))
			continue;
		line->target = strtoull(p, &stop, 16);
		/* An address is the last word, or its symbol follows. */
		if (!*stop && (!*end || *end == '<'))
			line->has_target = true;
	}
	return line->len;
}

/* Parse "0000000000401120 <main>:". */
static bool is_label(const char *text, u64 *addr)
{
	char *end;

	*addr = strtoull(text, &end, 16);
	return end != text && end[0] == ' ' && end[1] == '<';
}

static void read_lines(struct file *file)
{
	char command[1000], text[1000];
	size_t room = 0;
	FILE *pipe;
	int n;

	/* Not -d: it prints bytes if a symbol claims that code is data (Go's .plt, tables). */
	n = snprintf(command, sizeof(command), "objdump -Dw --insn-width=15 '%s'", file->path);
	for (int i = 0; i < file->nsections && n < (int)sizeof(command); i++)
		n += snprintf(command + n, sizeof(command) - (size_t)n, " -j '%s'",
			      file->sections[i].name);
	if (n >= (int)sizeof(command))
		abort();
	pipe = popen(command, "r");
	if (!pipe)
		abort();
	while (fgets(text, sizeof(text), pipe)) {
		struct line line, *last;
		u64 addr;

		if (is_label(text, &addr) && file->nlines) {
			last = &file->lines[file->nlines - 1];
			last->cut = last->addr + last->len == addr;
		}
		if (!parse_line(text, &line))
			continue;
		if (file->nlines == room) {
			room = room ? 2 * room : 1 << 16;
			file->lines = realloc(file->lines, room * sizeof(line));
			if (!file->lines)
				abort();
		}
		file->lines[file->nlines++] = line;
	}
	pclose(pipe);
}

__attribute__((format(printf, 4, 5)))
static void report(struct file *file, const u8 *text, const struct code_section *section,
		   const char *fmt, ...)
{
	size_t left = section->size - (size_t)(text - section->text);
	char line[100], why[200];
	va_list ap;

	if (++file->reported > 20)
		return;
	va_start(ap, fmt);
	vsnprintf(why, sizeof(why), fmt, ap);
	va_end(ap);
	agree_reproducer(text, left < 15 ? left : 15, section->mode, line, sizeof(line));
	ktap_note("%s %#llx: %s: %s", file->path,
		  (unsigned long long)(section->addr + (u64)(text - section->text)), line, why);
}

static bool only_prefixes(const u8 *text, unsigned int len)
{
	static const u8 prefixes[] = {
		0x26, 0x2e, 0x36, 0x3e, 0x64, 0x65, 0x66, 0x67, 0xf0, 0xf2, 0xf3,
	};

	for (unsigned int i = 0; i < len; i++)
		if (!memchr(prefixes, text[i], sizeof(prefixes)) && (text[i] & 0xf0) != 0x40)
			return false;
	return true;
}

static void compare_line(struct file *file, const struct line *line)
{
	const struct code_section *section = section_at(file, line->addr);
	enum agree_excuse excuse;
	struct uinsn insn;
	bool backed;
	u64 operand;
	size_t left;
	char why[200];
	const u8 *text;
	int ret;

	if (!section)
		return;
	text = section->text + (line->addr - section->addr);
	left = section->size - (size_t)(text - section->text);
	backed = agree(text, left, section->mode, &insn, &ret, &excuse, why, sizeof(why)) &&
		 excuse == AGREE_NONE;

	if (line->bad) {
		/*
		 * objdump knows no instruction here: this is mostly data, so its answer does not
		 * count.
		 */
		if (ret || backed || excuse)
			file->bad++;
		else
			report(file, text, section, "an instruction, to objdump (bad)");
		return;
	}
	if (ret) {
		/*
		 * objdump prints a prefix that does not belong to an instruction on its own line.
		 */
		if (only_prefixes(text, line->len))
			file->prefix++;
		else if (backed)
			file->outvoted++;
		else
			report(file, text, section, "error %d", ret);
		return;
	}
	if (insn.len != line->len) {
		if (*text == 0x9b && insn.len == 1)
			file->fwait++;
		else if (only_prefixes(text, line->len))
			file->prefix++;
		else if (line->cut && insn.len > line->len)
			file->cut++;
		else if ((insn.flags & UINSN_VENDOR) && backed)
			file->outvoted++;
		else
			report(file, text, section, "length %u, to objdump %u", insn.len,
			       line->len);
		return;
	}
	if (uinsn_has(&insn, UINSN_RELATIVE) && !(insn.flags & UINSN_VENDOR) &&
	    (!line->has_target || line->target != uinsn_target(&insn, line->addr))) {
		report(file, text, section, "target %#llx, to objdump %#llx",
		       (unsigned long long)uinsn_target(&insn, line->addr),
		       (unsigned long long)line->target);
		return;
	}
	/* If the address size is 32 bits, objdump does not cut the sum. */
	operand = insn.address_size == 4 ? (u32)line->operand : line->operand;
	if (uinsn_has(&insn, UINSN_RIP_RELATIVE) != line->has_operand ||
	    (line->has_operand && operand != uinsn_rip_operand(&insn, line->addr))) {
		report(file, text, section, "rip-relative operand %#llx, to objdump %#llx",
		       (unsigned long long)uinsn_rip_operand(&insn, line->addr),
		       (unsigned long long)line->operand);
		return;
	}
	file->agreed++;
}

static void compare_lines(struct file *file)
{
	for (size_t i = 0; i < file->nlines; i++)
		compare_line(file, &file->lines[i]);
	ktap_ok(!file->reported && file->agreed, "%s: %lu instructions agree with objdump",
		file->path, file->agreed);
	if (file->prefix)
		ktap_note("%lu prefixes stand alone there", file->prefix);
	if (file->fwait)
		ktap_note("%lu fwait are joined to what follows, unlike in SDM vol. 2, FWAIT",
			  file->fwait);
	if (file->cut)
		ktap_note("%lu are cut off there, where a symbol begins", file->cut);
	if (file->bad)
		ktap_note("%lu lines say (bad)", file->bad);
	if (file->outvoted)
		ktap_note("%lu others are to Zydis what they are here", file->outvoted);
}

static const struct line *line_from(const struct file *file, u64 addr)
{
	size_t lo = 0, hi = file->nlines;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (file->lines[mid].addr < addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return file->lines + lo;
}

/*
 * Check that a function has no data between instructions, and no instructions that objdump sees
 * differently.
 */
static bool comparable(const struct file *file, const struct line *line, u64 end,
		       const struct code_section *section)
{
	const struct line *last = file->lines + file->nlines;
	u64 at = line->addr;

	for (; line < last && line->addr < end; line++) {
		struct uinsn insn;

		if (line->bad || line->addr != at ||
		    uinsn_decode(&insn, section->text + (at - section->addr),
				 section->size - (at - section->addr), section->mode) ||
		    insn.len != line->len)
			return false;
		at += line->len;
	}
	return at == end;
}

static bool same_function(const struct file *file, const struct line *line, u64 addr, u64 size,
			  const struct code_section *section, char *why, size_t why_size)
{
	const u8 *text = section->text + (addr - section->addr);
	const struct line *last = file->lines + file->nlines, *here = line;
	static struct boundary_exit exits[20000];
	size_t begin = 0, stopped;
	long n, i = 0;

	for (u64 offset = 0; offset < size; offset++) {
		bool begins = here < last && here->addr == addr + offset;
		int ret = boundary_check(text, size, section->mode, offset, &begin);

		if (ret != begins) {
			snprintf(why, why_size, "boundary_check(%llu) is %d",
				 (unsigned long long)offset, ret);
			return false;
		}
		if (!begins && addr + begin != here[-1].addr) {
			snprintf(why, why_size, "offset %llu is inside of %zu",
				 (unsigned long long)offset, begin);
			return false;
		}
		here += begins;
	}
	n = boundary_exits(text, size, section->mode, addr, exits, 20000, &stopped);
	for (; line < last && line->addr < addr + size; line++) {
		bool out = line->jump && !line->indirect && line->target - addr >= size;
		bool indirect = line->jump && line->indirect, returns, jumps;
		u8 kind;

		if (!line->ret && !out && !indirect)
			continue;
		if (i >= n || exits[i].offset != line->addr - addr) {
			snprintf(why, why_size, "exit at offset %llu is not listed",
				 (unsigned long long)(line->addr - addr));
			return false;
		}
		kind = exits[i++].kind;
		returns = kind == BOUNDARY_RET;
		jumps = kind == BOUNDARY_JUMP_IND;
		if (returns != line->ret || jumps != indirect) {
			snprintf(why, why_size, "exit at offset %llu is of kind %d",
				 (unsigned long long)(line->addr - addr), kind);
			return false;
		}
	}
	if (i != n)
		snprintf(why, why_size, "%ld exits, to objdump %ld", n, i);
	return i == n;
}

static void compare_functions(struct file *file)
{
	unsigned long functions = 0, skipped = 0, wrong = 0;
	char command[1000], text[1000];
	u64 previous = 0;
	FILE *pipe;

	snprintf(command, sizeof(command), "readelf -sW '%s' | sort -u -k2,2 -k3,3", file->path);
	pipe = popen(command, "r");
	if (!pipe)
		abort();
	while (fgets(text, sizeof(text), pipe)) {
		unsigned long long addr, size;
		const struct code_section *section;
		const struct line *line;
		char type[20], why[200];

		if (sscanf(text, " %*d: %llx %lli %19s", &addr, &size, type) != 3 ||
		    (strcmp(type, "FUNC") && strcmp(type, "IFUNC")) || !size || addr == previous)
			continue;
		previous = addr;
		section = section_at(file, addr);
		if (!section || addr + size > section->addr + section->size || size > 20000)
			continue;
		line = line_from(file, addr);
		if (line == file->lines + file->nlines || line->addr != addr ||
		    !comparable(file, line, addr + size, section)) {
			skipped++;
			continue;
		}
		functions++;
		if (!same_function(file, line, addr, size, section, why, sizeof(why)) &&
		    ++wrong <= 10)
			ktap_note("%s: function at %#llx: %s", file->path, addr, why);
	}
	pclose(pipe);
	if (!functions)
		ktap_skip("%s: it has no function symbols", file->path);
	else
		ktap_ok(!wrong,
			"%s: boundaries and exits of %lu functions agree (%lu others contain data)",
			file->path, functions, skipped);
}

int main(int argc, char **argv)
{
	bool boundaries = argc > 1 && !strcmp(argv[1], "-b");
	int first = boundaries ? 2 : 1;

	ktap_plan(argc - first);
	for (int i = first; i < argc; i++) {
		struct file file = { .path = argv[i] };

		if (visit_code_sections(argv[i], keep_section, &file) < 1) {
			ktap_skip("%s: it is no x86 object file", argv[i]);
			continue;
		}
		read_lines(&file);
		if (boundaries)
			compare_functions(&file);
		else
			compare_lines(&file);
		for (int k = 0; k < file.nsections; k++) {
			free((void *)file.sections[k].text);
			free((void *)file.sections[k].name);
		}
		free(file.lines);
	}
	return ktap_finish();
}
