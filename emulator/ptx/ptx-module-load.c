/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From text to a module: the text is parsed, arrays of shared memory get their offsets, and device
 * functions the addresses that function pointers hold. The module keeps its text, which operands
 * and instructions point into.
 */
#include "emulator/ptx/ptx-module.h"

#include <stdlib.h>

#include "common/base/error.h"
#include "emulator/ptx/ptx-code-address.h"
#include "emulator/ptx/ptx-shared.h"
#include "emulator/ptx/ptx-syntax.h"

struct ptx_module *ptx_module_load(const char *text, size_t len, const struct ptx_machine *machine,
				   struct error *err)
{
	struct ptx_module *m = calloc(1, sizeof(*m));
	char *copy;

	if (!m) {
		error_set(err, ERROR_MEMORY, "out of memory for a PTX module");
		return NULL;
	}
	m->machine = machine;
	pthread_mutex_init(&m->lock, NULL);
	mem_pool_init(&m->pool);
	copy = mem_pool_strndup(&m->pool, text, len);
	if (!copy) {
		error_set(err, ERROR_MEMORY, "out of memory for %zu bytes of PTX", len);
		goto fail;
	}
	m->text = copy;
	if (ptx_parse_module(m, copy, len, err) || ptx_shared_lay_out(m, err))
		goto fail;
	for (size_t i = 0; i < m->function_count; i++)
		if (m->functions[i]->body) {
			m->functions[i]->code_address = ptx_code_address_new(m->functions[i]);
			if (!m->functions[i]->code_address) {
				error_set(err, ERROR_MEMORY, "out of memory for a PTX module");
				goto fail;
			}
		}
	return m;
fail:
	ptx_module_free(m);
	return NULL;
}
