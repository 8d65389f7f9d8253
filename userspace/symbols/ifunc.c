// SPDX-License-Identifier: GPL-2.0
#include "ifunc.h"

#include <stdlib.h>
#include <string.h>

#include "elf/eh_frame.h"
#include "util/error.h"
#include "elf/text.h"

#define RESOLVER_MAX 4096

#define OPCODE_LEA 0x8d

static void add_variant(struct ifunc_variants *variants, u64 addr)
{
	for (size_t i = 0; i < variants->n; i++)
		if (variants->v[i] == addr)
			return;
	if (variants->n < IFUNC_VARIANTS_MAX)
		variants->v[variants->n++] = addr;
}

/*
 * Find the variants in the code of a resolver.  A resolver loads the addresses
 * of its variants with lea relative to the instruction pointer.  This finds
 * the variants in a stripped library, too.
 */
static void variants_from_code(struct symbols *syms,
			       const struct symbol *ifunc,
			       struct ifunc_variants *variants)
{
	u64 start, end, addr;
	struct instruction insn;

	if (!eh_frame_function_at(syms->image, ifunc->addr, &start, &end))
		end = ifunc->addr + ifunc->size;
	if (end - ifunc->addr > RESOLVER_MAX)
		end = ifunc->addr + RESOLVER_MAX;
	for (addr = ifunc->addr; addr < end; addr += insn.decoded.len) {
		struct error *err = text_instruction(syms->image, addr, &insn);
		const struct uinsn *d = &insn.decoded;

		if (err) {
			error_free(err);
			return;
		}
		if (d->map == UINSN_MAP_1 && d->opcode == OPCODE_LEA &&
		    uinsn_has(d, UINSN_RIP_RELATIVE)) {
			u64 to = uinsn_rip_operand(d, addr);

			if (elf_image_is_code(syms->image, to))
				add_variant(variants, to);
		}
	}
}

static const char *bare(const char *name)
{
	return name + strspn(name, "_");
}

/* Find the variants by their names: __strlen_avx2 is a variant of strlen. */
static void variants_from_names(struct symbols *syms,
				const struct symbol *ifunc,
				struct ifunc_variants *variants)
{
	const char *name = bare(ifunc->name);
	size_t len = strlen(name);

	for (size_t i = 0; i < syms->n; i++) {
		const struct symbol *sym = &syms->v[i];
		const char *other = bare(sym->name);

		if (sym->type == STT_FUNC && sym->defined &&
		    !strncmp(other, name, len) && other[len] == '_' &&
		    !strstr(other, "_chk"))
			add_variant(variants, sym->addr);
	}
}

/**
 * ifunc_find_variants() - find the functions that an IFUNC's resolver chooses from
 * @syms: the symbols of the file
 * @ifunc: one of them, an IFUNC
 * @variants: filled in, without functions outside the file, such as functions
 *	of the vDSO
 */
void ifunc_find_variants(struct symbols *syms, const struct symbol *ifunc,
			 struct ifunc_variants *variants)
{
	variants->n = 0;
	variants_from_code(syms, ifunc, variants);
	if (!variants->n)
		variants_from_names(syms, ifunc, variants);
}

/**
 * ifunc_refuse() - explain why an IFUNC is not probed and what to probe instead
 * @syms: the symbols of the file
 * @ifunc: one of them, an IFUNC
 */
struct error *ifunc_refuse(struct symbols *syms, const struct symbol *ifunc)
{
	struct ifunc_variants variants;
	struct error *err;

	ifunc_find_variants(syms, ifunc, &variants);
	err = error_new(STATUS_REFUSED,
			"%s of %s is an IFUNC: its address is that of a resolver, which runs once and chooses the function that is called; ",
			ifunc->name, syms->image->path);
	error_append(err, "%s, or the resolver with --force=ifunc", variants.n ?
		     "probe all its variants with --all, or one or more of those listed here" :
		     "name a process with -p, and what it could have got is probed");
	for (size_t i = 0; i < variants.n; i++) {
		u64 addr = variants.v[i], end;
		const struct symbol *sym = symbols_function_at(syms, addr, &end);

		error_append(err, "\n  @0x%llx%s%s", (unsigned long long)addr,
			     sym && sym->addr == addr ? "\t" : "",
			     sym && sym->addr == addr ? sym->name : "");
	}
	return err;
}
