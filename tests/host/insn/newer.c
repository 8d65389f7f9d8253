// SPDX-License-Identifier: GPL-2.0
/*
 * insn_newer OBJDUMP: compare instructions that are newer than Zydis 4.0 (APX, AVX10.2, AMX ...)
 * with an objdump that knows them (binutils 2.45 does). It tries every encoding that agree()
 * excuses for its age, and all of EVEX map 4. If both find an instruction, they must find the
 * same length. If objdump finds one, the decoder must find one, too. (insn_shapes compares REX2
 * with REX.)
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "agree.h"
#include "ktap.h"

/* Each encoding has its own block, filled up with nops. */
#define STEP 32

struct entry {
	u8 text[UINSN_MAX_LEN];
	u8 len;			/* 0: no instruction */
	u8 theirs;
};

static struct entry *entries;
static size_t nentries, room;

static void add(const u8 *head, size_t n, bool only_excused)
{
	u8 text[UINSN_MAX_LEN];
	enum agree_excuse excuse;
	struct uinsn insn;
	char why[200];
	int ret;

	memset(text, 0x90, sizeof(text));
	memcpy(text, head, n);
	agree(text, sizeof(text), UINSN_MODE_64, &insn, &ret, &excuse, why, sizeof(why));
	if (only_excused && excuse != AGREE_APX && excuse != AGREE_NEWER)
		return;
	if (nentries == room) {
		room = room ? 2 * room : 1 << 16;
		entries = realloc(entries, room * sizeof(*entries));
		if (!entries)
			abort();
	}
	memcpy(entries[nentries].text, text, sizeof(text));
	entries[nentries].theirs = 0;
	entries[nentries++].len = ret ? 0 : insn.len;
}

/* Add a register operand, a rip-relative operand, and one with a SIB byte. */
static void all_forms(const u8 *head, size_t n, bool only_excused)
{
	static const u8 forms[] = { 0x05, 0x44, 0xc0, 0xc1, 0xc6, 0xc7 };
	u8 text[UINSN_MAX_LEN];

	memcpy(text, head, n);
	for (int reg = 0; reg < 8; reg++)
		for (size_t i = 0; i < sizeof(forms); i++) {
			text[n] = (u8)(forms[i] | reg << 3);
			add(text, n + 1, only_excused);
		}
}

static void evex(int map, bool only_excused)
{
	static const u8 third[] = { 0x08, 0x28, 0x48, 0x18, 0x38, 0x0c };

	for (int second = 0; second < 8; second++)
		for (size_t i = 0; i < sizeof(third); i++)
			for (int op = 0; op < 256; op++) {
				u8 head[] = {
					0x62, 0xf0 | (u8)map,
					(u8)(0x7c | (second & 4) << 5 | (second & 3)),
					third[i], (u8)op,
				};

				all_forms(head, sizeof(head), only_excused);
				head[1] ^= 0x08;	/* a base register beyond r15 */
				all_forms(head, sizeof(head), only_excused);
			}
}

static void vex(int map)
{
	for (int second = 0; second < 16; second++)
		for (int op = 0; op < 256; op++) {
			u8 head[] = {
				0xc4, 0xe0 | (u8)map,
				(u8)(0x78 | (second & 8) << 4 | (second & 7)), (u8)op,
			};

			all_forms(head, sizeof(head), true);
		}
}

static void write_entries(const char *path)
{
	FILE *file = fopen(path, "wb");
	u8 block[STEP];

	if (!file)
		abort();
	for (size_t i = 0; i < nentries; i++) {
		memset(block, 0x90, sizeof(block));
		memcpy(block, entries[i].text, UINSN_MAX_LEN);
		if (fwrite(block, sizeof(block), 1, file) != 1)
			abort();
	}
	fclose(file);
}

static void read_theirs(const char *objdump, const char *path)
{
	char command[1000], line[1000];
	FILE *pipe;

	snprintf(command, sizeof(command),
		 "'%s' -Dwz --insn-width=15 -b binary -m i386:x86-64 '%s'", objdump, path);
	pipe = popen(command, "r");
	if (!pipe)
		abort();
	while (fgets(line, sizeof(line), pipe)) {
		unsigned int len = 0;
		char *p;
		u64 at = strtoull(line, &p, 16);

		if (p == line || *p != ':' || at % STEP || at / STEP >= nentries)
			continue;
		p += 2;
		while (isxdigit((unsigned char)p[0]) && isxdigit((unsigned char)p[1]) &&
		       p[2] == ' ') {
			len++;
			p += 3;
		}
		entries[at / STEP].theirs = strstr(p, "(bad)") ? 0 : (u8)len;
	}
	pclose(pipe);
}

/*
 * Return: true for encodings that are undefined in the APX specification, but not for objdump:
 * prefixes before a byte-sized ccmp, and memory as operand of push2 and pop2.
 */
static bool lax(const u8 *text)
{
	if (text[0] != 0x62 || (text[1] & 7) != 4)
		return false;
	switch (text[4]) {
	case 0x38:
	case 0x3a:
		return text[2] & 3;
	case 0x8f:
		return text[5] < 0xc0;
	case 0xff:
		return (text[5] >> 3 & 7) == 6;
	default:
		return false;
	}
}

int main(int argc, char **argv)
{
	unsigned long same = 0, none = 0, operands = 0, undefined = 0, wrong = 0;
	char path[] = "/tmp/insn-newer-XXXXXX";

	if (argc != 2 || mkstemp(path) < 0) {
		fprintf(stderr, "usage: insn_newer OBJDUMP\n");
		return 2;
	}
	evex(4, false);
	for (int map = 1; map <= 7; map++) {
		if (map != 4)
			evex(map, true);
		if (map <= 3 || map == 5 || map == 7)
			vex(map);
	}
	write_entries(path);
	read_theirs(argv[1], path);
	unlink(path);

	ktap_plan(1);
	for (size_t i = 0; i < nentries; i++) {
		const struct entry *e = &entries[i];
		char line[100];

		if (e->len == e->theirs) {
			same += !!e->len;
			none += !e->len;
		} else if (!e->theirs) {
			operands++;
		} else if (lax(e->text)) {
			undefined++;
		} else if (++wrong <= 20) {
			agree_reproducer(e->text, sizeof(e->text), UINSN_MODE_64, line,
					 sizeof(line));
			ktap_note("%s: length %u, to objdump %u", line, e->len, e->theirs);
		}
	}
	ktap_note("%lu are none to both", none);
	ktap_note("%lu are none to objdump, by rules about operands", operands);
	ktap_note("%lu are undefined in the APX specification, not so to objdump", undefined);
	ktap_ok(!wrong && same, "%lu encodings have the same length as in objdump", same);
	return ktap_finish();
}
