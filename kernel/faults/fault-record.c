/* SPDX-License-Identifier: Apache-2.0 */
/* Takes one copy and validates the copy, since shared memory can change between check and use. */
#include "kernel/faults/fault-record.h"

#include <string.h>

static const char *const enames[] = {
#define FAULT(symbol, ename) [FAULT_##symbol] = ename,
#include "common/protocol/faults.def"
#undef FAULT
};

#define TERMINATE(text) ((text)[sizeof(text) - 1] = '\0')

static void end_texts_of(struct address_description *d)
{
	TERMINATE(d->name);
	TERMINATE(d->allocated.function);
	TERMINATE(d->freed.function);
}

void fault_record_take(struct fault_record *ret, const struct fault_record *shared)
{
	memcpy(ret, shared, sizeof(*ret));
	if (ret->n_frames > FAULT_FRAMES_MAX)
		ret->n_frames = FAULT_FRAMES_MAX;
	if (ret->n_registers > FAULT_REGISTER_FRAMES)
		ret->n_registers = FAULT_REGISTER_FRAMES;
	for (uint32_t i = 0; i < FAULT_FRAMES_MAX; i++)
		TERMINATE(ret->frames[i].name);
	end_texts_of(&ret->what);
	TERMINATE(ret->ename);
	TERMINATE(ret->missing);
	TERMINATE(ret->text);
}

const char *fault_record_ename(uint32_t kind)
{
	return enames[kind == FAULT_NONE || kind >= FAULT_KINDS ? FAULT_INTERNAL : kind];
}
