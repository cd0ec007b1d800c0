/* SPDX-License-Identifier: Apache-2.0 */
/* The names are few: they are compared one by one. */
#include "emulator/ptx/ptx-syscall.h"

#include <stddef.h>
#include <string.h>

bool ptx_syscall_known(const char *name)
{
	static const char *const names[] = {
#define SYSCALL(name, handler) #name,
#include "emulator/ptx/syscalls.def"
#undef SYSCALL
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}
