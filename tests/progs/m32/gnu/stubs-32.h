/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The one header of the C library that differs for 32-bit programs; the package
 * that has it brings 32-bit compilers along. It names what is not implemented,
 * which nothing asks for.
 */
