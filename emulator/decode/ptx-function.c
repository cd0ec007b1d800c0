/* SPDX-License-Identifier: Apache-2.0 */
/* A function is decoded once, by whoever needs it first; others wait for the module's lock. */
#include "emulator/decode/ptx-function.h"

#include "common/base/error.h"
#include "emulator/decode/ptx-decode.h"

int ptx_function_prepare(struct ptx_function *f, struct error *err)
{
	int rc = 0;

	if (!f->has_body)
		return error_set(
			err, ERROR_NOT_FOUND,
			"function `%s` is declared .extern but no loaded module defines it",
			f->name);
	if (__atomic_load_n(&f->body->program, __ATOMIC_ACQUIRE))
		return 0;
	pthread_mutex_lock(&f->module->lock);
	if (!f->body->program)
		rc = ptx_decode(f, err);
	pthread_mutex_unlock(&f->module->lock);
	return rc;
}
