/* SPDX-License-Identifier: Apache-2.0 */
/* The table of common/cuda/cuda-faults.def, by number. */
#include "common/cuda/cuda-fault.h"

#include <stddef.h>

static const struct row {
	int code;
	enum cuda_fault_kind kind;
	const char *meaning;
} rows[] = {
#define CUDA_FAULT(code, kind, meaning) { code, CUDA_FAULT_##kind, meaning },
#include "common/cuda/cuda-faults.def"
#undef CUDA_FAULT
};

static const struct row *find(int code)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].code == code)
			return &rows[i];
	return NULL;
}

enum cuda_fault_kind cuda_fault_kind(int code)
{
	const struct row *r = find(code);

	return r ? r->kind : CUDA_FAULT_RECOVERABLE;
}

/* CUDA's errors from 700 on are those of launches. */
bool cuda_fault_is_of_code(int code)
{
	return code >= 700 && code < 800 && cuda_fault_kind(code) == CUDA_FAULT_STICKY;
}

const char *cuda_fault_meaning(int code)
{
	const struct row *r = find(code);

	return r ? r->meaning : "";
}
