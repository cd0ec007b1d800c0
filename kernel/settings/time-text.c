/* SPDX-License-Identifier: Apache-2.0 */
/* Parses and formats durations. */
#include "kernel/settings/time-text.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/error.h"

static const struct {
	const char *name;
	uint64_t ms;
} units[] = { { "ms", 1 }, { "s", 1000 }, { "min", 60000 }, { "h", 3600000 } };

#define UNITS (sizeof(units) / sizeof(units[0]))

const char *time_text(uint64_t ms, char ret[TIME_TEXT_MAX])
{
	size_t unit = UNITS - 1;

	if (!ms)
		return "off";
	while (unit && ms % units[unit].ms)
		unit--;
	snprintf(ret, TIME_TEXT_MAX, "%llu %s", (unsigned long long)(ms / units[unit].ms),
		 units[unit].name);
	return ret;
}

int time_text_parse(const char *text, uint64_t *ret_ms, struct error *err)
{
	char *end;
	double value = strtod(text, &end);

	if (!strcmp(text, "off")) {
		*ret_ms = 0;
		return 0;
	}
	end += strspn(end, " ");
	for (size_t i = 0; i < UNITS && end > text && value > 0 && value < 1e9; i++) {
		if (strcmp(end, units[i].name))
			continue;
		*ret_ms = (uint64_t)(value * (double)units[i].ms + 0.5);
		return 0;
	}
	return error_set(err, ERROR_INPUT, "\"%s\" is no time; write 30s, 5min or 2h, or off",
			 text);
}
