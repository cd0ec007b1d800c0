/* SPDX-License-Identifier: Apache-2.0 */
/* Only functions have other names in the object than in the cell. */
#include "kernel/show/variable-name.h"

#include "common/text/demangle.h"

const char *variable_name(const char *name, bool is_function, char ret[VARIABLE_NAME_SIZE])
{
	if (!is_function)
		return name;
	demangle(name, ret, VARIABLE_NAME_SIZE);
	return ret;
}
