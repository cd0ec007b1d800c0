/* SPDX-License-Identifier: Apache-2.0 */
/* The number has 64 random bits, so no two names are the same and none is there already. */
#include "kernel/base/temporary-name.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

void temporary_name(const char *what, char *ret, size_t size)
{
	const char *temporary = getenv("TMPDIR");
	uint64_t number = 0;

	*ret = '\0';
	if (getrandom(&number, sizeof(number), 0) != sizeof(number))
		return;
	if (!temporary || *temporary != '/' || strlen(temporary) >= size / 2)
		temporary = "/tmp";
	snprintf(ret, size, "%s/%s-%016llx", temporary, what, (unsigned long long)number);
}
