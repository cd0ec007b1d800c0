/* SPDX-License-Identifier: Apache-2.0 */
/* Clang calls these functions for numbers that the processor does not know. The compiler's library
 * of this machine may not have them. */
#include <stdint.h>
#include <string.h>

#include "runtime/exports/exports.h"

/* To nearest even, as the prelude's __float2bfloat16(); NaN has one form. The result lies where a
 * vector's first 16 bits are. */
exports_bfloat16 exports_truncsfbf2(float f)
{
	uint32_t bits;
	uint16_t half = 0x7fff;

	memcpy(&bits, &f, sizeof(bits));
	if (f == f)
		half = (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
	return (exports_bfloat16){ (int16_t)half };
}

exports_bfloat16 exports_truncdfbf2(double d)
{
	return exports_truncsfbf2((float)d);
}
