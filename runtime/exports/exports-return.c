/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `return;` among the statements of a C++ cell. They are functions that are called one after the
 * other, between the initialisers of variables: the one that returns says so, and what stands
 * behind the call of it jumps out of the rest. At that place nothing is left to destroy.
 */
#include <setjmp.h>
#include <stdbool.h>

#include "runtime/exports/exports.h"

static struct {
	jmp_buf end;
	bool returned;
} cell;

void exports_returns(void)
{
	cell.returned = true;
}

void exports_end_if_returned(void)
{
	if (cell.returned)
		longjmp(cell.end, 1);
}

void exports_call_until_return(void (*fn)(void *data), void *data)
{
	cell.returned = false;
	if (!setjmp(cell.end))
		fn(data);
}
