// SPDX-License-Identifier: GPL-2.0
// Throws and catches as many exceptions as it is told.
#include <cstdlib>
#include <stdexcept>

int main(int argc, char **argv)
{
	int caught = 0, n = argc > 1 ? atoi(argv[1]) : 1;

	for (int i = 0; i < n; i++) {
		try {
			throw std::runtime_error("thrown");
		} catch (const std::exception &e) {
			caught++;
		}
	}
	return caught != n;
}
