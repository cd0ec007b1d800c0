/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The process-wide registry of code addresses, so that a function pointer stored by one module can
 * be called by another. The address of a function is told by its module's text and its name, so
 * that a function pointer which a session keeps means the same function in the next process. An
 * address that another function has is passed over, also when that function is gone: so a stale
 * pointer never means another function.
 */
#include "emulator/ptx/ptx-code-address.h"

#include <pthread.h>
#include <stdlib.h>

#include "emulator/ptx/machine-limits.h"
#include "emulator/ptx/ptx-syntax.h"
#include "emulator/ptx/text-hash.h"

static struct code_registry {
	pthread_mutex_t lock;
	struct code_slot {
		uint32_t number; /* of the address; 0: free */
		uint64_t key;
		struct ptx_function *f; /* NULL: its module is not loaded */
	} *slots;
	size_t count, cap; /* a power of two */
} registry = { .lock = PTHREAD_MUTEX_INITIALIZER };

#define CODE_STEP 128
#define CODE_NUMBERS (1u << 24)

/* The slot of the number, or the free one where it would be. */
static struct code_slot *code_slot(uint32_t number)
{
	size_t i = number * 2654435761u & (registry.cap - 1);

	while (registry.slots[i].number && registry.slots[i].number != number)
		i = (i + 1) & (registry.cap - 1);
	return &registry.slots[i];
}

static int grow_registry(void)
{
	struct code_slot *old = registry.slots;
	size_t cap = registry.cap, n = cap ? 2 * cap : 128;

	if (registry.count + 1 < cap / 2)
		return 0;
	registry.slots = calloc(n, sizeof(*registry.slots));
	if (!registry.slots) {
		registry.slots = old;
		return -1;
	}
	registry.cap = n;
	for (size_t i = 0; i < cap; i++)
		if (old[i].number)
			*code_slot(old[i].number) = old[i];
	free(old);
	return 0;
}

/* The upper half of the hash is mixed into the lower one. */
static uint64_t code_key(const struct ptx_function *f)
{
	uint64_t hash = text_hash(text_hash(f->module->text_hash, f->name), " ");

	return hash ^ hash >> 32;
}

uint64_t ptx_code_address_new(struct ptx_function *f)
{
	uint64_t key, address = 0;
	uint32_t number;

	if (!f->module->text_hash)
		f->module->text_hash = text_hash(TEXT_HASH_START, f->module->text);
	key = code_key(f);
	number = (uint32_t)(key % (CODE_NUMBERS - 1)) + 1;
	pthread_mutex_lock(&registry.lock);
	if (!grow_registry()) {
		struct code_slot *slot = code_slot(number);

		while (slot->number && (slot->f || slot->key != key)) {
			number = number % (CODE_NUMBERS - 1) + 1;
			slot = code_slot(number);
		}
		registry.count += !slot->number;
		*slot = (struct code_slot){ number, key, f };
		address = MACHINE_CODE_WINDOW + (uint64_t)number * CODE_STEP;
	}
	pthread_mutex_unlock(&registry.lock);
	return address;
}

void ptx_code_address_drop(struct ptx_module *m)
{
	pthread_mutex_lock(&registry.lock);
	for (size_t i = 0; i < registry.cap; i++)
		if (registry.slots[i].f && registry.slots[i].f->module == m)
			registry.slots[i].f = NULL;
	pthread_mutex_unlock(&registry.lock);
}

struct ptx_function *ptx_code_address_find(uint64_t address)
{
	uint64_t i = (address - MACHINE_CODE_WINDOW) / CODE_STEP;
	struct ptx_function *f = NULL;

	if (address < MACHINE_CODE_WINDOW || address % CODE_STEP)
		return NULL;
	pthread_mutex_lock(&registry.lock);
	if (registry.cap && i >= 1 && i < CODE_NUMBERS)
		f = code_slot((uint32_t)i)->f;
	pthread_mutex_unlock(&registry.lock);
	return f;
}
