/* SPDX-License-Identifier: Apache-2.0 */
/* Parses and formats amounts of memory. */
#include "kernel/settings/size-text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/error.h"

static const char units[] = "KMGT";

int size_text_parse(const char *text, uint64_t *ret, struct error *err)
{
	char *end;
	double value = strtod(text, &end);
	const char *unit;
	int shift = 0;

	if (end == text || !(value >= 0) || !isdigit((unsigned char)*text))
		return error_set(err, ERROR_INPUT, "\"%s\" is not a size; write it like 512M or 2G",
				 text);
	end += strspn(end, " ");
	unit = *end ? strchr(units, toupper((unsigned char)*end)) : NULL;
	if (unit) {
		shift = 10 * (unit - units + 1);
		end++;
		if (*end == 'i')
			end++;
	}
	if (toupper((unsigned char)*end) == 'B')
		end++;
	value *= (double)(UINT64_C(1) << shift);
	if (*end || value >= 0x1p62)
		return error_set(err, ERROR_INPUT, "\"%s\" is not a size; write it like 512M or 2G",
				 text);
	*ret = value;
	return 0;
}

const char *size_text(uint64_t bytes, char ret[SIZE_TEXT_MAX])
{
	double value = bytes;
	int unit = -1;

	while (value >= 1024 && units[unit + 1]) {
		value /= 1024;
		unit++;
	}
	if (unit < 0)
		snprintf(ret, SIZE_TEXT_MAX, "%u B", (unsigned)bytes);
	else
		snprintf(ret, SIZE_TEXT_MAX,
			 value < 10 && value != (int)value ? "%.1f %cB" : "%.0f %cB", value,
			 units[unit]);
	return ret;
}
