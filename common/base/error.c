/* SPDX-License-Identifier: Apache-2.0 */
/* Formatting into the fixed buffer of a struct error; texts that do not fit are cut, never an error
 * themselves. */
#include "common/base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *const names[] = {
	[ERROR_NONE] = "none",
#define ERROR(symbol, name) [ERROR_##symbol] = name,
#include "common/base/errors.def"
#undef ERROR
};

int error_set(struct error *err, enum error_code code, const char *fmt, ...)
{
	va_list ap;

	if (!err)
		return -1;
	err->code = code;
	va_start(ap, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, ap);
	va_end(ap);
	return -1;
}

int error_errno(struct error *err, const char *fmt, ...)
{
	int saved = errno;
	size_t used;
	va_list ap;

	if (!err)
		return -1;
	err->code = ERROR_SYSTEM;
	va_start(ap, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, ap);
	va_end(ap);
	used = strlen(err->text);
	snprintf(err->text + used, sizeof(err->text) - used, ": %s", strerror(saved));
	errno = saved;
	return -1;
}

int error_wrap(struct error *err, const char *fmt, ...)
{
	char context[ERROR_TEXT_MAX / 2];
	char inner[ERROR_TEXT_MAX];
	va_list ap;

	if (!err)
		return -1;
	va_start(ap, fmt);
	vsnprintf(context, sizeof(context), fmt, ap);
	va_end(ap);
	memcpy(inner, err->text, sizeof(inner));
	snprintf(err->text, sizeof(err->text), "%s: %.*s", context,
		 (int)(sizeof(err->text) - strlen(context) - 3), inner);
	return -1;
}

const char *error_code_name(enum error_code code)
{
	if ((unsigned)code >= sizeof(names) / sizeof(names[0]))
		return "unknown";
	return names[code];
}
