/* SPDX-License-Identifier: Apache-2.0 */
/* The table of buffers. Freed buffers that a rollback may need keep their place, marked dead, until
 * the commit. */
#include "runtime/cuda/memory/ledger.h"

#include <stdio.h>
#include <string.h>

#include "runtime/cuda/driver/device-state.h"
#include "runtime/cuda/memory/vmm-pool.h"
#include "runtime/cuda/memory/watch.h"
#include "runtime/cuda/session/advice.h"
#include "runtime/cuda/session/pinning.h"

static struct session_buffer *buffer_at(uint32_t i)
{
	return session_at(&device.session->buffers, struct session_buffer, i);
}

static bool is_host_kind(uint8_t kind)
{
	return kind >= BUFFER_MANAGED;
}

/* Index of the first buffer behind `address`. */
static uint32_t index_behind(uint64_t address)
{
	uint32_t low = 0, high = device.session->buffers.n;

	while (low < high) {
		uint32_t middle = (low + high) / 2;

		if (buffer_at(middle)->address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct session_buffer *ledger_find(uint64_t address)
{
	uint32_t i = index_behind(address);
	struct session_buffer *b;

	if (!i)
		return NULL;
	b = buffer_at(i - 1);
	return !b->dead && address - b->address < b->size ? b : NULL;
}

bool ledger_holds(uint64_t address, uint64_t size)
{
	const struct session_buffer *b = ledger_find(address);

	return b && size <= b->size - (address - b->address);
}

const struct session_buffer *ledger_look(uint64_t address, bool *ret_freed)
{
	const struct device_session *s = device.session;
	uint32_t i;

	*ret_freed = false;
	if (!s)
		return NULL;
	i = index_behind(address);
	if (i && address - buffer_at(i - 1)->address < buffer_at(i - 1)->size) {
		*ret_freed = buffer_at(i - 1)->dead;
		return buffer_at(i - 1);
	}
	for (uint32_t n = 0; n < s->freed.n; n++) {
		/* The youngest first. */
		uint32_t at = (s->freed_next + SESSION_FREED_MAX * 2 - 1 - n) % SESSION_FREED_MAX;
		const struct session_buffer *b;

		if (at >= s->freed.n)
			continue;
		b = session_at(&s->freed, struct session_buffer, at);
		if (address - b->address < b->size) {
			*ret_freed = true;
			return b;
		}
	}
	return NULL;
}

static void annotate(const struct session_buffer *b, bool unwritten)
{
	struct emulator_annotation a = {
		.address = b->address,
		.size = b->size,
		.name = session_buffer_name(b),
		.cell = b->cell,
		.read_only = b->kind == BUFFER_CONSTANT || b->kind == BUFFER_ARRAY,
		.unwritten = unwritten,
	};

	if (!device.driver->extension)
		return;
	device.driver->extension->annotate(&a);
	if (b->dead)
		device.driver->extension->annotate_freed(b->address, b->freed);
}

void ledger_annotate(const struct session_buffer *b)
{
	annotate(b, false);
}

static CUresult insert(const struct ledger_request *r, uint64_t address, uint64_t charged)
{
	struct session_buffer *b;

	b = session_insert(&device.session->buffers, sizeof(*b), index_behind(address));
	if (!b)
		return CUDA_ERROR_OUT_OF_MEMORY;
	*b = (struct session_buffer){
		.address = address,
		.size = r->size,
		.charged = charged,
		.cell = device.cell,
		.line = r->line,
		.born = device.session->serial,
		.kind = (uint8_t)r->kind,
		.device = (uint8_t)r->device,
		.pool = r->pool,
	};
	snprintf(b->name, sizeof(b->name), "%s", r->name ? r->name : "");
	device.session->charged += charged;
	if (device.host->device_made && !is_host_kind(b->kind))
		device.host->device_made(b->size);
	annotate(b, b->kind == BUFFER_MALLOC);
	device.ledger_callbacks->allocated(b);
	watch_changed();
	return CUDA_SUCCESS;
}

static CUresult alloc(const struct ledger_request *r, uint64_t *ret_address)
{
	CUresult result = ledger_admit(r);
	uint64_t address;

	if (result)
		return result;
	result = vmm_pool_alloc(r->device, r->pool, r->size, &address);
	if (result == CUDA_ERROR_OUT_OF_MEMORY)
		ledger_refuse_full(r);
	if (result)
		return result;
	result = insert(r, address, ledger_cost(r));
	if (result) {
		vmm_pool_free(address);
		return result;
	}
	*ret_address = address;
	return CUDA_SUCCESS;
}

CUresult ledger_alloc(const struct ledger_request *r, uint64_t *ret_address)
{
	CUresult result = alloc(r, ret_address);

	if (result)
		device.ledger_callbacks->refused(r, result);
	return result;
}

CUresult ledger_add_host(const struct ledger_request *r, uint64_t address)
{
	CUresult result = pinning_add(address, r->size);

	if (result)
		return result;
	result = insert(r, address, r->kind == BUFFER_MANAGED ? r->size : 0);
	if (result)
		pinning_remove(address);
	return result;
}

/* Keep the story of a freed buffer for reports. */
static void remember(const struct session_buffer *b)
{
	struct device_session *s = device.session;
	struct session_buffer *slot;

	if (s->freed.n < SESSION_FREED_MAX)
		slot = session_append(&s->freed, struct session_buffer);
	else
		slot = session_at(&s->freed, struct session_buffer,
				  s->freed_next % SESSION_FREED_MAX);
	if (!slot)
		return;
	*slot = *b;
	s->freed_next = (s->freed_next + 1) % SESSION_FREED_MAX;
}

static void take_out(struct session_buffer *b)
{
	uint64_t address = b->address;
	bool host = is_host_kind(b->kind);

	remember(b);
	session_remove(&device.session->buffers, sizeof(*b), index_behind(address) - 1);
	if (!host)
		vmm_pool_free(address);
}

CUresult ledger_free(struct session_buffer *b)
{
	CUresult result = CUDA_SUCCESS;

	/* A later cell may use its place in the pool, and an undo over both needs what was there.
	 */
	if (is_host_kind(b->kind))
		result = pinning_remove(b->address);
	else if (b->size <= VMM_POOL_SMALL)
		result = device.ledger_callbacks->save(b);
	if (result)
		return result;
	device.ledger_callbacks->freed(b);
	if (b->kind == BUFFER_MANAGED)
		advice_forget(b->address, b->size);
	b->freed = device.cell;
	device.session->charged -= b->charged;
	b->charged = 0;
	if (device.host->device_freed && !is_host_kind(b->kind))
		device.host->device_freed(b->cell, b->size);
	if (device.driver->extension && !is_host_kind(b->kind))
		device.driver->extension->annotate_freed(b->address, device.cell);
	/* A buffer that existed before the cell may have to come back: nothing is put in its place.
	 */
	if (is_host_kind(b->kind) || b->born == device.session->serial)
		take_out(b);
	else
		b->dead = true;
	watch_changed();
	return CUDA_SUCCESS;
}

void ledger_settle(void)
{
	for (uint32_t i = 0; i < device.session->buffers.n;) {
		if (buffer_at(i)->dead)
			take_out(buffer_at(i));
		else
			i++;
	}
}
