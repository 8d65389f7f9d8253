// SPDX-License-Identifier: GPL-2.0
// cflags: -Wno-missing-field-initializers -Itests/host/insn -Iarch/x86 -Ibuild/progs
// cflags: tests/host/insn/encodings.c arch/x86/decode.c arch/x86/ssol.c arch/x86/ssol_emit.c
/*
 *	stream_make SEED COUNT FILE
 *
 * Writes a stream of COUNT random instructions for stream_run, and prints the offset in FILE of
 * each. The instructions are drawn from all encodings, except for two kinds: instructions whose
 * result differs between runs, and instructions that would harm the program itself (see
 * harmless()).
 *
 * Branches go forward. The stream must not read its text, as it would see breakpoints. So if an
 * instruction (a call, syscall) leaves an address of the text behind, others replace it by its
 * distance from the right address.
 */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>

#include "encodings.h"
#include "ssol.h"
#include "stream.h"

enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI };

struct item {
	u8 text[UINSN_MAX_LEN];
	u8 len, fix_at, fix_size;	/* the displacement to fill in */
	int target;			/* number of the instruction that it refers to */
	bool loose;			/* the target may be a later instruction */
	bool inside;
	u32 offset;
};

static struct stream_random rnd;
static struct item items[STREAM_MAX];
static int count, wanted;
static u8 (*encodings)[UINSN_MAX_LEN];
static size_t nencodings;

static u32 pick(void)
{
	return stream_random(&rnd);
}

static bool harmless_0f(const struct uinsn *insn, bool memory)
{
	unsigned int reg = uinsn_reg(insn);

	switch (insn->opcode) {
	case 0x00:		/* descriptor tables, protection keys, clocks, sleeping ... */
	case 0x01:
	case 0x31:
	case 0x33:
	case 0xa1:		/* pop, and loads, of segment registers */
	case 0xa9:
	case 0xb2:
	case 0xb4:
	case 0xb5:
		return false;
	case 0xae:		/* only stmxcsr, clflush and fences */
		return insn->pp == 0 && (memory ? reg == 3 || reg == 7 : reg >= 5);
	case 0x90 ... 0x9f:
		/* QEMU 10.0 gets flags wrong when the store of setcc faults. */
		return !memory;
	case 0xc7:		/* only cmpxchg8b and 16b: no random numbers */
		return memory && reg == 1;
	default:
		return true;
	}
}

static bool harmless(const struct uinsn *insn, const u8 *text)
{
	bool memory = uinsn_has(insn, UINSN_HAS_MEMORY);
	unsigned int reg = uinsn_reg(insn);
	struct ssol_plan plan;

	if (ssol_plan_insn(&plan, text, insn->len, UINSN_MODE_64, NULL))
		return false;
	/* The bases of FS and GS are not known. */
	if (insn->prefixes & (UINSN_PREFIX_FS | UINSN_PREFIX_GS))
		return false;
	switch (insn->class) {
	case UINSN_COPY:
	case UINSN_NOP:
	case UINSN_ENDBR:
	case UINSN_JUMP:
	case UINSN_JCC:
	case UINSN_LOOP:
	case UINSN_STRING:
	case UINSN_PUSHF:
	case UINSN_XBEGIN:
	case UINSN_TRAP:
		break;
	case UINSN_INT:
		/* Some hypervisors cannot get past an int1 with prefixes. */
		return insn->opcode == 0xcd ? text[insn->imm_at] < 0x20 : insn->len == 1;
	default:
		return false;
	}
	switch (insn->map) {
	case UINSN_MAP_1:
		/*
		 * Exclude mov to segment registers, and the environment of the x87, which contains
		 * addresses. In mov from segment registers, QEMU 10.0 does not ignore REX.R.
		 */
		return insn->opcode != 0x8e &&
		       !(insn->opcode == 0x8c && (insn->rex & UINSN_REX_R)) &&
		       !(insn->opcode == 0xd9 && memory && reg >= 4 && reg <= 6) &&
		       !(insn->opcode == 0xdd && memory && (reg == 4 || reg == 6));
	case UINSN_MAP_0F:
		return harmless_0f(insn, memory);
	case UINSN_MAP_V1:
		return insn->opcode != 0xae || reg != 2;
	case UINSN_MAP_V3:
		/* QEMU 10.0 dies of vroundss and vroundsd with VEX.L, which processors ignore. */
		return (insn->opcode & 0xfe) != 0x0a || !insn->vl;
	default:
		return true;
	}
}

static void collect(const struct uinsn *insn, const u8 *text, void *data)
{
	static size_t room;

	if (!harmless(insn, text))
		return;
	if (nencodings == room) {
		room = room ? 2 * room : 1 << 16;
		encodings = realloc(encodings, room * sizeof(*encodings));
		if (!encodings)
			abort();
	}
	memcpy(encodings[nencodings++], text, UINSN_MAX_LEN);
}

static struct item *add(const void *text, u8 len)
{
	struct item *item = &items[count++];

	*item = (struct item){ .len = len };
	memcpy(item->text, text, len);
	return item;
}

#define ADD(...) add((const u8[]){ __VA_ARGS__ }, sizeof((const u8[]){ __VA_ARGS__ }))

/* Make the last four bytes of @item the distance to instruction @target. */
static void add_relative(struct item *item, int target)
{
	item->fix_size = 4;
	item->fix_at = item->len - 4;
	item->target = target;
}

static u32 data_address(void)
{
	return STREAM_DATA + STREAM_SIZE / 2 + pick() % 1024;
}

/* mov $value, reg */
static void add_load(unsigned int reg, u64 value)
{
	struct item *item = ADD(0x48 | reg >> 3, 0xb8 | (reg & 7), 0, 0, 0, 0, 0, 0, 0, 0);

	uinsn_put64(item->text + 2, value);
}

/*
 * Check for a bit test. These instructions leave all flags but one undefined. In QEMU, the
 * undefined flags depend on what else is in the block that it translates.
 */
static bool bit_test(const struct uinsn *insn)
{
	return insn->map == UINSN_MAP_0F &&
	       (insn->opcode == 0xba || (insn->opcode & 0xe7) == 0xa3);
}

static void add_any(void)
{
	struct uinsn insn;
	struct item *item;
	int tries = 0;
	u8 *text;

	item = add("", 0);
	text = item->text;
	/* Draw again, up to three times: most processors lack most of EVEX and XOP. */
	do {
		memcpy(text, encodings[pick() % nencodings], UINSN_MAX_LEN);
		if (uinsn_decode(&insn, text, UINSN_MAX_LEN, UINSN_MODE_64))
			abort();
	} while (insn.encoding >= UINSN_ENC_EVEX && tries++ < 3);
	item->len = insn.len;
	if (uinsn_has(&insn, UINSN_RIP_RELATIVE)) {
		item->fix_size = 4;
		item->fix_at = insn.disp_at;
		item->target = -1;
	} else if (insn.disp_size == 4 && uinsn_mod(&insn) == 0) {
		uinsn_put32(text + insn.disp_at, data_address());
	} else if (insn.disp_size == 4) {
		uinsn_put32(text + insn.disp_at, pick() % 512 - 256);
	} else if (insn.imm_size == 8 && insn.opcode >= 0xa0 && insn.opcode <= 0xa3) {
		uinsn_put64(text + insn.imm_at, data_address());
	} else if (uinsn_has(&insn, UINSN_RELATIVE)) {
		item->fix_size = insn.imm_size;
		item->fix_at = insn.imm_at;
		item->target = count + (int)(pick() % 4);
		item->loose = true;
	}
	if (bit_test(&insn))
		ADD(0x48, 0x85, 0xc0);					/* test %rax, %rax */
}

/* Add up to three instructions that a jump skips, unless the jump faults. */
static void add_skipped(void)
{
	for (u32 n = pick() % 4; n--;)
		add_any();
}

/* Replace the address in rax by its distance from the address of instruction @target. */
static void add_distance(int target)
{
	add_relative(ADD(0x48, 0x8d, 0x0d, 0, 0, 0, 0), target);	/* lea target(%rip), %rcx */
	ADD(0x48, 0x29, 0xc8);						/* sub %rcx, %rax */
	add_load(RCX, stream_value(&rnd));
}

/* Add a call of any form. At its target, check the address that it has pushed. */
static void add_call(void)
{
	struct item *jump, *load = NULL;
	int next;

	switch (pick() % 5) {
	case 0:
		jump = ADD(0xe8, 0, 0, 0, 0);
		next = count;
		add_skipped();
		add_relative(jump, count);
		break;
	case 1:
		load = ADD(0x48, 0x8d, 0x1d, 0, 0, 0, 0);		/* lea target(%rip), %rbx */
		ADD(0xff, 0xd3);					/* call *%rbx */
		next = count;
		add_skipped();
		break;
	default:
		load = ADD(0x48, 0x8d, 0x1d, 0, 0, 0, 0);
		jump = ADD(0x48, 0x89, 0x1c, 0x25, 0, 0, 0, 0);		/* mov %rbx, cell */
		uinsn_put32(jump->text + 4, STREAM_CELL);
		if (pick() & 1) {
			jump = ADD(0xff, 0x14, 0x25, 0, 0, 0, 0);	/* call *cell */
			uinsn_put32(jump->text + 3, STREAM_CELL);
		} else if (pick() & 1) {
			ADD(0x53);					/* push %rbx */
			ADD(0xff, 0x14, 0x24);				/* call *(%rsp) */
		} else {
			add_load(RBP, STREAM_CELL - 8);
			ADD(0xff, 0x55, 0x08);				/* call *8(%rbp) */
		}
		next = count;
		add_skipped();
	}
	if (load)
		add_relative(load, count);
	ADD(0x58);							/* pop %rax */
	add_distance(next);
	/* Leave no address behind, not on the stack either. */
	ADD(0x48, 0xc7, 0x44, 0x24, 0xf8, 1, 0, 0, 0);			/* movq $1, -8(%rsp) */
	ADD(0x48, 0xc7, 0x04, 0x24, 2, 0, 0, 0);			/* movq $2, (%rsp) */
	add_load(RBX, stream_value(&rnd));
	jump = ADD(0x48, 0xc7, 0x04, 0x25, 0, 0, 0, 0, 3, 0, 0, 0);	/* movq $3, cell */
	uinsn_put32(jump->text + 4, STREAM_CELL);
}

/* Add an indirect jump, or a return to a pushed address. */
static void add_jump(void)
{
	struct item *load = ADD(0x48, 0x8d, 0x35, 0, 0, 0, 0);		/* lea target(%rip), %rsi */

	switch (pick() % 3) {
	case 0:
		ADD(0xff, 0xe6);					/* jmp *%rsi */
		break;
	case 1:
		ADD(0x56);						/* push %rsi */
		ADD(0xc3);
		break;
	default:
		ADD(0x56);
		ADD(0xc2, 0x10, 0x00);					/* ret $16 */
	}
	add_skipped();
	add_relative(load, count);
	add_load(RSI, stream_value(&rnd));
	ADD(0x48, 0xc7, 0x44, 0x24, 0xf8, 1, 0, 0, 0);			/* movq $1, -8(%rsp) */
	ADD(0x48, 0xc7, 0x44, 0x24, 0xe8, 1, 0, 0, 0);			/* movq $1, -24(%rsp) */
}

/* Add a system call without arguments. Check the address that it leaves in rcx. */
static void add_syscall(void)
{
	static const u16 numbers[] = { 24, 102, 1000 }, old_numbers[] = { 158, 24, 1000 };

	if (pick() % 3 == 0) {
		add_load(RAX, old_numbers[pick() % 3]);
		ADD(0xcd, 0x80);
		return;
	}
	add_load(RAX, numbers[pick() % 3]);
	ADD(0x0f, 0x05);
	ADD(0x48, 0x91);						/* xchg %rcx, %rax */
	add_distance(count - 1);
}

/* Add a change of the flags CF, PF, AF, ZF, SF, DF and OF. */
static void add_flags(void)
{
	struct item *item = ADD(0x68, 0, 0, 0, 0);			/* push $flags */

	uinsn_put32(item->text + 1, (pick() & 0xcd5) | 0x202);
	ADD(0x9d);							/* popf */
}

static void make(void)
{
	while (count < wanted) {
		int first = count;

		switch (pick() % 32) {
		case 0:
			add_call();
			break;
		case 1:
			add_jump();
			break;
		case 2:
			add_syscall();
			break;
		case 3:
			add_flags();
			break;
		case 4:
			add_load(RSP, STREAM_STACK + STREAM_SIZE / 2 + pick() % 64 * 8);
			break;
		case 5 ... 9:
			add_load(pick() % 8 == 0 ? RCX : (pick() % 16) | (pick() % 2 ? 0 : 3),
				 stream_value(&rnd));
			break;
		default:
			add_any();
		}
		while (++first < count)
			items[first].inside = true;
	}
	ADD(0x0f, 0x0b);
}

/* Return where an item's branch goes. Skip instructions that make no sense alone. */
static u32 target_of(const struct item *item)
{
	int to = item->target;

	if (!item->loose)
		return items[to].offset;
	while (to < count - 1 && items[to].inside)
		to++;
	if (to >= count)
		to = count - 1;
	if (item->fix_size == 1 && items[to].offset - item->offset > 100)
		return item->offset + item->len;
	return items[to].offset;
}

static void fix(void)
{
	u32 at = 0;

	for (int i = 0; i < count; i++) {
		items[i].offset = at;
		at += items[i].len;
	}
	for (int i = 0; i < count; i++) {
		struct item *item = &items[i];
		u32 end = item->offset + item->len, to;

		if (!item->fix_size)
			continue;
		if (item->target < 0)
			to = data_address() - STREAM_TEXT;
		else
			to = target_of(item);
		if (item->fix_size == 1)
			item->text[item->fix_at] = (u8)(to - end);
		else if (item->fix_size == 2)
			uinsn_put16(item->text + item->fix_at, (u16)(to - end));
		else
			uinsn_put32(item->text + item->fix_at, to - end);
	}
}

static void put(FILE *file, const void *p, size_t size)
{
	if (fwrite(p, size, 1, file) != 1)
		abort();
}

static void write_file(FILE *file)
{
	u32 number = (u32)count, size = items[count - 1].offset + 2;
	Elf64_Ehdr ehdr = {
		.e_ident = ELFMAG "\2\1\1", .e_type = ET_DYN, .e_machine = EM_X86_64,
		.e_version = 1, .e_phoff = sizeof(ehdr), .e_ehsize = sizeof(ehdr),
		.e_phentsize = sizeof(Elf64_Phdr), .e_phnum = 1,
	};
	Elf64_Phdr phdr = {
		.p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_align = 0x1000,
		.p_offset = STREAM_OFFSET, .p_vaddr = STREAM_OFFSET, .p_paddr = STREAM_OFFSET,
		.p_filesz = size, .p_memsz = size,
	};

	put(file, &ehdr, sizeof(ehdr));
	put(file, &phdr, sizeof(phdr));
	fseek(file, STREAM_TABLE, SEEK_SET);
	put(file, &number, sizeof(number));
	for (int i = 0; i < count; i++) {
		u32 entry = items[i].offset | (items[i].inside ? STREAM_INSIDE : 0);

		put(file, &entry, sizeof(entry));
	}
	fseek(file, STREAM_OFFSET, SEEK_SET);
	for (int i = 0; i < count; i++)
		put(file, items[i].text, items[i].len);
}

int main(int argc, char **argv)
{
	FILE *file = argc == 4 ? fopen(argv[3], "wb") : NULL;

	if (!file) {
		fprintf(stderr, "usage: stream_make SEED COUNT FILE\n");
		return 2;
	}
	rnd = stream_seed(strtoull(argv[1], NULL, 0), 0);
	wanted = atoi(argv[2]);
	if (wanted < 1 || wanted > STREAM_MAX - 50) {
		fprintf(stderr, "COUNT is to be 1 to %d\n", (int)STREAM_MAX - 50);
		return 2;
	}
	visit_encodings(UINSN_MODE_64, pick, collect, NULL);
	make();
	fix();
	write_file(file);
	if (fclose(file))
		return 1;
	for (int i = 0; i < count; i++)
		printf("0x%x\n", STREAM_OFFSET + items[i].offset);
	return 0;
}
