/* SPDX-License-Identifier: Apache-2.0 */
/* One table, cuda-errors.def, which is searched: errors are rare. */
#include "runtime/cuda/driver/cuda-error.h"

#include <stddef.h>

#include <driver_types.h>

static const struct {
	unsigned code;
	const char *name;
	const char *text;
} errors[] = {
#define CUDA_ERROR_ROW(symbol, text) { symbol, #symbol, text },
#include "runtime/cuda/driver/cuda-errors.def"
#undef CUDA_ERROR_ROW
};

const char *cuda_error_text(unsigned error)
{
	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++)
		if (errors[i].code == error)
			return errors[i].text;
	return "unrecognized error code";
}

const char *cuda_error_name(unsigned error)
{
	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++)
		if (errors[i].code == error)
			return errors[i].name;
	return "unrecognized error code";
}
