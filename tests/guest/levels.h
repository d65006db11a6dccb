/* SPDX-License-Identifier: MIT */
/*
 * Functions for a nest of DEEPEST regions. The file that includes this one defines LEVEL(N, INNER),
 * which defines a function level_N(uint64_t count) around INNER. So every level has its own sites,
 * as in a real program.
 */
#ifndef RS_GUEST_LEVELS_H
#define RS_GUEST_LEVELS_H

#include "instructions.h"

#define DEEPEST 20

LEVEL(20, execute_instruction_pairs(count))
LEVEL(19, level_20(count))
LEVEL(18, level_19(count))
LEVEL(17, level_18(count))
LEVEL(16, level_17(count))
LEVEL(15, level_16(count))
LEVEL(14, level_15(count))
LEVEL(13, level_14(count))
LEVEL(12, level_13(count))
LEVEL(11, level_12(count))
LEVEL(10, level_11(count))
LEVEL(9, level_10(count))
LEVEL(8, level_9(count))
LEVEL(7, level_8(count))
LEVEL(6, level_7(count))
LEVEL(5, level_6(count))
LEVEL(4, level_5(count))
LEVEL(3, level_4(count))
LEVEL(2, level_3(count))
LEVEL(1, level_2(count))

#endif
