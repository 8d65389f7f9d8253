// SPDX-License-Identifier: GPL-2.0
/*
 * Loads a module like insmod:
 *
 *	insmod_errno FILE [PARAMETER=VALUE...]
 *
 * Prints 0, or the name of the errno if loading the module fails.
 */
#include "puppet.h"

int main(int argc, char **argv)
{
	char params[4096] = "";
	int fd, i;

	if (argc < 2)
		return 2;
	for (i = 2; i < argc; i++) {
		if (strlen(params) + strlen(argv[i]) + 2 > sizeof(params))
			return 2;
		strcat(strcat(params, " "), argv[i]);
	}
	fd = open(argv[1], O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		err(2, "%s", argv[1]);
	if (!syscall(SYS_finit_module, fd, params, 0)) {
		puts("0");
		return 0;
	}
	puts(strerrorname_np(errno));
	return 1;
}
