// SPDX-License-Identifier: GPL-2.0
/*
 * insn_random [SEED [COUNT]]: decode random bytes and compare with Zydis, in both modes and with
 * every length up to 16. Prefixes and escapes are more frequent than other bytes.
 *
 * In addition, a result must not change with more bytes behind the instruction, and every shorter
 * length must be reported as truncated.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "agree.h"
#include "ktap.h"

static u64 state;

/* xorshift64* */
static u32 random32(void)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return (u32)(state * 0x2545f4914f6cdd1dull >> 32);
}

static u8 random_byte(void)
{
	static const u8 often[] = {
		0x66, 0x67, 0xf2, 0xf3, 0xf0, 0x2e, 0x65, 0x48, 0x41, 0x4f, 0x0f, 0x0f, 0x0f,
		0x38, 0x3a, 0xc4, 0xc5, 0x62, 0x8f, 0xd5, 0xff, 0xe8, 0x05, 0x25, 0x04, 0x24,
	};
	u32 r = random32();

	return (r & 3) ? (u8)(r >> 8) : often[(r >> 8) % sizeof(often)];
}

/* Check the answer of the decoder for fewer bytes than the instruction has. */
static bool truncation_is_reported(const u8 *text, const struct uinsn *insn, enum uinsn_mode mode,
				   char *why, size_t size)
{
	struct uinsn again;

	for (u8 len = 0; len < insn->len; len++) {
		int ret = uinsn_decode(&again, text, len, mode);

		if (ret != -ENODATA) {
			snprintf(why, size, "%d for the first %u of %u bytes", ret, len, insn->len);
			return false;
		}
	}
	if (uinsn_decode(&again, text, insn->len, mode) || memcmp(&again, insn, sizeof(again))) {
		snprintf(why, size, "another answer without the bytes behind it");
		return false;
	}
	return true;
}

int main(int argc, char **argv)
{
	u64 seed = argc > 1 ? strtoull(argv[1], NULL, 0) : (u64)time(NULL);
	unsigned long count = argc > 2 ? strtoul(argv[2], NULL, 0) : 5000000;
	unsigned long valid = 0, truncated = 0, excused[AGREE_NR] = { 0 };
	int reported = 0;

	ktap_plan(1);
	ktap_note("insn_random %llu %lu", (unsigned long long)seed, count);
	state = seed * 0x9e3779b97f4a7c15ull | 1;
	for (unsigned long i = 0; i < count; i++) {
		enum uinsn_mode mode = random32() & 1;
		size_t len = random32() % 4 ? 16 : random32() % 16;
		enum agree_excuse excuse;
		struct uinsn insn;
		char why[200], line[100];
		u8 text[16];
		int ret;

		for (size_t k = 0; k < sizeof(text); k++)
			text[k] = random_byte();
		if (agree(text, len, mode, &insn, &ret, &excuse, why, sizeof(why)) &&
		    (ret || truncation_is_reported(text, &insn, mode, why, sizeof(why)))) {
			excused[excuse]++;
			valid += !ret;
			truncated += ret == -ENODATA;
		} else if (++reported <= 20) {
			agree_reproducer(text, len, mode, line, sizeof(line));
			ktap_note("%s: %s", line, why);
		}
	}
	ktap_ok(!reported,
		"random bytes agree: %lu instructions, %lu truncated, %lu no instructions",
		valid, truncated, count - valid - truncated);
	for (int i = 1; i < AGREE_NR; i++)
		if (excused[i])
			ktap_note("%lu excused: %s", excused[i], agree_excuse_name(i));
	return ktap_finish();
}
