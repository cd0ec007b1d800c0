/* SPDX-License-Identifier: Apache-2.0 */
/* Programs are made by emulator/decode; they end here, with their module. */
#include "emulator/ptx/ptx-program.h"

#include <stdlib.h>

#include "emulator/ptx/ptx-syntax.h"

void ptx_program_free(struct ptx_program *p)
{
	if (!p)
		return;
	p->function->module->machine->forget(p);
	free(p->memory);
}
