// SPDX-License-Identifier: GPL-2.0
/* Executes a statically defined probe at 20,000 places, once each.  Prints nothing. */
#include "sdt.h"

void places(unsigned long n);

asm("	.text\n"
	"	.type places, @function\n"
	"places:\n"
	"	.rept 20000\n"
	SDT_PROBE("many_places", "place", "0", "8@%rdi")
	"	.endr\n"
	"	ret\n"
	"	.size places, . - places\n");

int main(int argc, char **argv)
{
	places(argc);
	return 0;
}
