/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libFuzzer target for the PTX front end: any bytes are loaded as a module, its variables placed,
 * and every function decoded. Nothing may crash, leak or take long. `make fuzz-ptx`, then
 * ./fuzz-ptx -dict=... FOLDER; see HACKING.md.
 */
#include <stdint.h>
#include <stdlib.h>

#include "common/base/error.h"
#include "emulator/decode/ptx-function.h"
#include "emulator/launch/machine-launch.h"
#include "emulator/ptx/ptx-syntax.h"
#include "emulator/warp/exec.h"

#define PLACED_MAX (1u << 20)

struct placed {
	uint64_t next;
	void *bytes[64];
	int count;
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int place(void *data, const struct ptx_variable *v, uint64_t *ret_address, void **ret_bytes,
		 struct error *err)
{
	struct placed *p = data;

	if (p->count == 64 || v->size > PLACED_MAX)
		return error_set(err, ERROR_MEMORY, "too much for a test");
	*ret_bytes = p->bytes[p->count] = calloc(1, v->size + 1);
	if (!*ret_bytes)
		return error_set(err, ERROR_MEMORY, "out of memory");
	p->count++;
	*ret_address = p->next;
	p->next += (v->size + 511) / 256 * 256;
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct placed p = { .next = 0x300000000000ull };
	struct ptx_placer placer = { .data = &p, .place = place };
	struct error err = ERROR_INIT;
	char *text = malloc(size + 1);
	struct ptx_module *m;

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	m = ptx_module_load(text, size, &machine_ptx, &err);
	free(text);
	if (m && !ptx_module_place(m, &placer, &err))
		for (size_t i = 0; i < m->function_count; i++)
			ptx_function_prepare(m->functions[i], &err);
	ptx_module_free(m);
	for (int i = 0; i < p.count; i++)
		free(p.bytes[i]);
	return 0;
}
