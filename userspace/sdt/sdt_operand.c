// SPDX-License-Identifier: GPL-2.0
/*
 * Operands have the form [-]SIZE[f]@OPERAND and are separated by blanks.  A minus
 * marks a signed value.  Without SIZE@, a register operand has the width of the
 * register, and any other operand is a word.  OPERAND is in the assembler's syntax:
 *
 *	$5				\5
 *	%rdi %edi %dil %r8d		%di %di %di %r8
 *	%ah				%ax, bits 8 to 15
 *	(%rbx) -136(%rbp)		+0(%bx) -136(%bp)
 *	sym(%rip) 8+sym(%rip)		@+OFFSET of the symbol in the file; a variable that
 *					no file holds (.bss) by its distance from the
 *					probe: +8192(%ip)
 *	-8(%rbx,%rax,4) 8(,%rax,8)	-8(%bx,%ax,4) +8(,%ax,8)
 *	8f@%xmm0			%xmm0, of type f64
 *	16@(%rbx)			+0(%bx), of type x64[2]
 */
#include "sdt_operand.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/util.h"

/* The kernel's own tracer also knows these names; a name of any width means the register. */
static const struct {
	const char *asm_names;
	const char *name;
} registers[] = {
	{ " rax eax ax al ", "%ax" }, { " rbx ebx bx bl ", "%bx" },
	{ " rcx ecx cx cl ", "%cx" }, { " rdx edx dx dl ", "%dx" },
	{ " rsi esi si sil ", "%si" }, { " rdi edi di dil ", "%di" },
	{ " rbp ebp bp bpl ", "%bp" }, { " rsp esp sp spl ", "%sp" },
	{ " r8 r8d r8w r8b ", "%r8" }, { " r9 r9d r9w r9b ", "%r9" },
	{ " r10 r10d r10w r10b ", "%r10" }, { " r11 r11d r11w r11b ", "%r11" },
	{ " r12 r12d r12w r12b ", "%r12" }, { " r13 r13d r13w r13b ", "%r13" },
	{ " r14 r14d r14w r14b ", "%r14" }, { " r15 r15d r15w r15b ", "%r15" },
	{ " rip eip ", "%ip" },
};

/* The second lowest byte of a register, which is fetched as a bit field. */
static const struct {
	const char *asm_name;
	const char *name;
} high_bytes[] = {
	{ "ah", "%ax" }, { "bh", "%bx" }, { "ch", "%cx" }, { "dh", "%dx" },
};

static const char *find_register(const char *name, size_t len)
{
	char word[16];

	if (!len || len > 8)
		return NULL;
	snprintf(word, sizeof(word), " %.*s ", (int)len, name);
	for (size_t i = 0; i < ARRAY_SIZE(registers); i++)
		if (strstr(registers[i].asm_names, word))
			return registers[i].name;
	return NULL;
}

static bool is_xmm(const char *name)
{
	char *end;

	return str_starts(name, "xmm") && isdigit((unsigned char)name[3]) &&
	       strtoul(name + 3, &end, 10) < 16 && !*end;
}

static bool unreadable(struct sdt_operand *operand, const char *why)
{
	operand->problem = why;
	return false;
}

static bool parse_register(struct sdt_operand *operand, const char *name)
{
	const char *reg = find_register(name, strlen(name));

	for (size_t i = 0; i < ARRAY_SIZE(high_bytes); i++) {
		if (strcmp(high_bytes[i].asm_name, name))
			continue;
		operand->fetch = xstrdup(high_bytes[i].name);
		operand->type = "b8@8/16";
		return true;
	}
	if (operand->size > 8)
		return unreadable(operand, "values of this size cannot be fetched");
	if (is_xmm(name)) {
		operand->fetch = xasprintf("%%%s", name);
		return true;
	}
	if (!reg)
		return unreadable(operand, str_starts(name, "xmm") ||
				  str_starts(name, "ymm") ||
				  str_starts(name, "zmm") ||
				  str_starts(name, "st") ?
				  "only %xmm0 to %xmm15 can be fetched" :
				  "the register is unknown");
	operand->fetch = xstrdup(reg);
	return true;
}

/*
 * Several object files can have static variables of the same name.  The note does
 * not tell from which object file the probe comes, so refuse such a name.
 */
static const char *find_symbol(const struct symbols *syms, const char *name,
			       size_t len, u64 *addr)
{
	bool found = false;

	for (size_t i = 0; i < syms->n; i++) {
		const struct symbol *sym = &syms->v[i];

		if (!sym->section || sym->type == STT_TLS ||
		    strncmp(sym->name, name, len) || sym->name[len])
			continue;
		if (found && sym->addr != *addr)
			return "several symbols have this name";
		*addr = sym->addr;
		found = true;
	}
	return found ? NULL : "the symbol is not known";
}

/* Parse [N+]sym[+N]: a sum of numbers and at most one symbol. */
static bool parse_sum(const char *p, const char *end, s64 *number,
		      const char **symbol, size_t *symbol_len)
{
	*number = 0;
	*symbol = NULL;
	while (p < end) {
		bool minus = *p == '-';
		const char *word;
		char *stop;

		if (*p == '-' || *p == '+')
			p++;
		if (p < end && isdigit((unsigned char)*p)) {
			s64 value = (s64)strtoull(p, &stop, 0);

			*number = (s64)((u64)*number +
					(minus ? -(u64)value : (u64)value));
			p = stop;
			continue;
		}
		for (word = p; p < end && *p != '+' && *p != '-'; p++)
			;
		if (p == word || minus || *symbol)
			return false;
		*symbol = word;
		*symbol_len = p - word;
	}
	return p == end;
}

/* Parse (%base,%index,scale) or (,%index,scale); the scale is optional. */
static bool parse_indexed(struct sdt_operand *operand, s64 number,
			  const char *symbol, const char *base,
			  const char *comma, const char *close)
{
	const char *index = comma + 1, *base_name = "", *index_name, *end;
	unsigned long scale = 1;
	char *stop;

	end = memchr(index, ',', close - index);
	if (end) {
		scale = strtoul(end + 1, &stop, 10);
		if (stop != close)
			return unreadable(operand, "the operand is not understood");
	} else {
		end = close;
	}
	if (symbol)
		return unreadable(operand, "a symbol with a register cannot be fetched");
	if (comma > base)
		base_name = find_register(base + 1, comma - base - 1);
	index_name = *index == '%' ? find_register(index + 1, end - index - 1) :
				     NULL;
	if (!base_name || !index_name)
		return unreadable(operand, "the register is unknown");
	if (scale != 1 && scale != 2 && scale != 4 && scale != 8)
		return unreadable(operand, "the operand is not understood");
	operand->fetch = xasprintf("%+lld(%s,%s,%lu)", (long long)number,
				   base_name, index_name, scale);
	return true;
}

static bool parse_memory(struct sdt_operand *operand, const char *text, u64 at,
			 const struct symbols *syms)
{
	const char *open = strchr(text, '('), *close, *base, *symbol, *comma;
	const char *problem;
	size_t symbol_len = 0;
	u64 offset, addr;
	s64 number;

	if (!open)
		open = text + strlen(text);
	if (!parse_sum(text, open, &number, &symbol, &symbol_len))
		return unreadable(operand, "the operand is not understood");
	close = *open ? strchr(open, ')') : NULL;
	if (*open && (!close || close[1] ||
		      (open[1] != '%' && open[1] != ',')))
		return unreadable(operand, "the operand is not understood");
	comma = *open ? memchr(open, ',', close - open) : NULL;
	if (comma)
		return parse_indexed(operand, number, symbol, open + 1, comma,
				     close);
	base = *open ? find_register(open + 2, close - open - 2) : NULL;
	if (*open && !base)
		return unreadable(operand, "the register is unknown");
	if (symbol) {
		if (base && strcmp(base, "%ip"))
			return unreadable(operand, "a symbol with a register cannot be fetched");
		problem = find_symbol(syms, symbol, symbol_len, &addr);
		if (problem)
			return unreadable(operand, problem);
		addr += number;
		if (elf_image_data(syms->image, addr, 0, &offset))
			operand->fetch = xasprintf("@+0x%llx",
						   (unsigned long long)offset);
		else if (elf_image_in_memory(syms->image, addr))
			operand->fetch = xasprintf("%+lld(%%ip)",
						   (long long)(addr - at));
		else
			return unreadable(operand, "the symbol is not in the file");
		return true;
	}
	if (!base)
		return unreadable(operand, "the operand is not understood");
	operand->fetch = xasprintf("%+lld(%s)", (long long)number, base);
	return true;
}

/* Return the width in bytes that a name of a register stands for; 0 for an unknown name. */
static unsigned int register_size(const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 0; i < ARRAY_SIZE(high_bytes); i++)
		if (!strcmp(high_bytes[i].asm_name, name))
			return 1;
	if (is_xmm(name))
		return 8;
	if (!find_register(name, len))
		return 0;
	if (name[0] == 'r' && isdigit((unsigned char)name[1]))
		return name[len - 1] == 'd' ? 4 : name[len - 1] == 'w' ? 2 :
		       name[len - 1] == 'b' ? 1 : 8;
	if (name[0] == 'r' || name[0] == 'e')
		return name[0] == 'r' ? 8 : 4;
	return name[len - 1] == 'l' ? 1 : 2;
}

/* Set the size of an operand without SIZE@: that of the register, or a word. */
static bool take_natural(struct sdt_operand *operand, const char *p,
			 const struct symbols *syms)
{
	bool wide = syms->image->ehdr.e_machine == EM_X86_64;

	operand->size = wide ? 8 : 4;
	operand->is_signed = *p == '$';
	if (*p != '%')
		return true;
	operand->size = register_size(p + 1);
	if (!operand->size)
		return unreadable(operand, "the register is unknown");
	if (is_xmm(p + 1))
		operand->type = "x64";
	return true;
}

/* Parse [-]SIZE[f]@ before the operand. */
static bool take_size(struct sdt_operand *operand, const char **text,
		      const struct symbols *syms)
{
	const char *p = *text, *digits;
	bool is_float;
	char *end;

	p += *p == '-';
	digits = p;
	operand->size = strtoul(p, &end, 10);
	p = end;
	is_float = *p == 'f';
	p += is_float;
	if (*p != '@' && !strchr(*text, '@'))
		return take_natural(operand, *text, syms);
	if (end == digits)
		return unreadable(operand, "the operand has no size");
	operand->is_signed = **text == '-';
	if (*p != '@')
		return unreadable(operand, "the operand is not understood");
	*text = p + 1;
	if (is_float)
		operand->type = operand->size == 4 ? "f32" :
				operand->size == 8 ? "f64" : NULL;
	if (is_float && !operand->type)
		return unreadable(operand, "floating-point values of this size cannot be fetched");
	/* Larger values are shown word by word. */
	if (operand->size == 16)
		operand->type = "x64[2]";
	else if (operand->size == 24)
		operand->type = "x64[3]";
	else if (!sdt_operand_type(operand->size, operand->is_signed))
		return unreadable(operand, "values of this size cannot be fetched");
	return true;
}

static bool parse_operand(struct sdt_operand *operand, const char *text, u64 at,
			  const struct symbols *syms)
{
	const char *p = text;
	char *end;

	if (!take_size(operand, &p, syms))
		return false;
	if (*p == '$') {
		long long value = strtoll(p + 1, &end, 0);

		if (end == p + 1 || *end)
			return unreadable(operand, "the operand is not understood");
		operand->fetch = xasprintf("\\%lld", value);
		return true;
	}
	if (*p == '%')
		return parse_register(operand, p + 1);
	return parse_memory(operand, p, at, syms);
}

/**
 * sdt_operand_type() - get the type of the fetch argument for a value
 * @size: size of the value in bytes
 * @is_signed: the value is signed
 *
 * An unsigned value of 8 bytes is usually an address, so show it in hexadecimal.
 *
 * Return: the name of the type; NULL for a size that no type has.
 */
const char *sdt_operand_type(unsigned int size, bool is_signed)
{
	switch (size) {
	case 1:
		return is_signed ? "s8" : "u8";
	case 2:
		return is_signed ? "s16" : "u16";
	case 4:
		return is_signed ? "s32" : "u32";
	case 8:
		return is_signed ? "s64" : "x64";
	default:
		return NULL;
	}
}

/* An operand ends at a blank outside of parentheses. */
static size_t operand_len(const char *p)
{
	size_t n = 0;
	int depth = 0;

	while (p[n] && (p[n] != ' ' || depth > 0)) {
		depth += (p[n] == '(') - (p[n] == ')');
		n++;
	}
	return n;
}

/**
 * sdt_operands_parse() - parse the operands of a site
 * @text: the note's operands
 * @at: address of the site
 * @syms: symbols of the file, for operands that name symbols
 * @operands: filled in; to be freed with sdt_operands_free()
 *
 * The result includes operands that cannot be read; each has its reason in @problem.
 */
void sdt_operands_parse(const char *text, u64 at, const struct symbols *syms,
			struct sdt_operands *operands)
{
	memset(operands, 0, sizeof(*operands));
	for (;;) {
		struct sdt_operand *operand;
		size_t len;

		while (*text == ' ')
			text++;
		if (!*text)
			break;
		len = operand_len(text);
		operands->v = grow(operands->v, operands->n, &operands->cap,
				   sizeof(*operands->v));
		operand = &operands->v[operands->n++];
		memset(operand, 0, sizeof(*operand));
		operand->text = xstrndup(text, len);
		parse_operand(operand, operand->text, at, syms);
		text += len;
	}
}

void sdt_operands_free(struct sdt_operands *operands)
{
	for (size_t i = 0; i < operands->n; i++) {
		free(operands->v[i].fetch);
		free(operands->v[i].text);
	}
	free(operands->v);
	memset(operands, 0, sizeof(*operands));
}
