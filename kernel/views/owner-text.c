/* SPDX-License-Identifier: Apache-2.0 */
/* A few words, which follow a pointer in brackets. */
#include "kernel/views/owner-text.h"

#include <inttypes.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/protocol/worker-protocol.h"
#include "common/text/demangle.h"

/* Returns the name to show: on the host a device entry is the stub function that launches it. */
static const char *shown_name(const char *name, char *ret, size_t size)
{
	static const char stub[] = "__device_stub__";
	const char *at;

	demangle(name, ret, size);
	at = strstr(ret, stub);
	return at ? at + strlen(stub) : ret;
}

void owner_text(const struct address_description *d, uint64_t address, struct buffer *out)
{
	uint64_t offset = address - d->base;
	char name[sizeof(d->name)];

	switch (d->owner) {
	case OWNER_HEAP:
		buffer_printf(out, "%" PRIu64 " bytes on the heap", d->size);
		break;
	case OWNER_HEAP_FREED:
		buffer_printf(out, "freed in In[%" PRIu32 "]; %" PRIu64 " bytes", d->freed_cell,
			      d->size);
		break;
	case OWNER_VARIABLE:
	case OWNER_CODE:
		buffer_printf(
			out, offset && d->owner == OWNER_VARIABLE ? "%s + %" PRIu64 " bytes" : "%s",
			shown_name(d->name, name, sizeof(name)), offset);
		break;
	case OWNER_DEVICE:
		buffer_printf(out, "%" PRIu64 " bytes on the device", d->size);
		break;
	case OWNER_DEVICE_FREED:
		buffer_puts(out, "device memory that was freed");
		break;
	case OWNER_STACK:
		buffer_puts(out, "the stack of a cell that has ended");
		return;
	case OWNER_LIBRARY:
		buffer_puts(out, *d->name ? d->name : "a library");
		return;
	default:
		return;
	}
	if (offset && (d->owner == OWNER_HEAP || d->owner == OWNER_DEVICE))
		buffer_printf(out, " + %" PRIu64, offset);
	if (d->cell)
		buffer_printf(out, ", In[%" PRIu32 "]", d->cell);
}
