/* SPDX-License-Identifier: Apache-2.0 */
/* One write(2) a line, so lines of several processes never mix. */
#include "common/base/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const level_names[] = { "error", "warning", "info", "debug" };
static const char *program_name = "cgpu";
static enum log_level threshold = LOG_LEVEL_WARNING;

void log_init(const char *program)
{
	const char *wanted = getenv("CGPU_LOG");

	program_name = program;
	for (size_t i = 0; wanted && i < sizeof(level_names) / sizeof(level_names[0]); i++)
		if (!strcmp(wanted, level_names[i]))
			threshold = (enum log_level)i;
}

void log_write(enum log_level level, const char *fmt, ...)
{
	char line[2048];
	int used;
	va_list ap;

	if (level > threshold)
		return;
	used = snprintf(line, sizeof(line), "%s[%d] %s: ", program_name, (int)getpid(),
			level_names[level]);
	va_start(ap, fmt);
	used += vsnprintf(line + used, sizeof(line) - (size_t)used, fmt, ap);
	va_end(ap);
	if ((size_t)used > sizeof(line) - 2)
		used = sizeof(line) - 2;
	line[used++] = '\n';
	if (write(STDERR_FILENO, line, (size_t)used) < 0)
		return;
}
