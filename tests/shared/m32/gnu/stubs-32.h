/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The only header of the C library that differs for 32-bit programs. The package that contains it
 * also installs 32-bit compilers. It names the functions that are not implemented, and no program
 * here asks for that.
 */
