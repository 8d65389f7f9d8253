// SPDX-License-Identifier: GPL-2.0
/*
 * libFuzzer target: operands of statically defined probes.  The compiler of the program has
 * written them as text into an ELF note.
 *
 * For any text, each operand must either have a fetch argument or a problem.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "elf/elf_image.h"
#include "sdt/sdt_operand.h"
#include "util/util.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct elf_image image;
	struct symbols syms = { .image = &image };
	struct sdt_operands operands;
	char *text = xmalloc(size + 1);

	memcpy(text, data, size);
	text[size] = 0;
	sdt_operands_parse(text, size, &syms, &operands);
	for (size_t i = 0; i < operands.n; i++) {
		if (!operands.v[i].fetch == !operands.v[i].problem || !operands.v[i].text)
			abort();
	}
	sdt_operands_free(&operands);
	free(text);
	return 0;
}
