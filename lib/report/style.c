/* SPDX-License-Identifier: MIT */
/*
 * This file defines the two styles of a table: with colour and without.
 */
#include "report/style.h"

const struct rs_style *rs_style_get(bool color)
{
	static const struct rs_style plain = {"", "", "", "", ""};
	static const struct rs_style colored = {
		"\033[1m", "\033[2m", "\033[1;33m", "\033[33m", "\033[0m"};
	return color ? &colored : &plain;
}
