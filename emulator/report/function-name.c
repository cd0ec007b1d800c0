/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The demangler is looked up in libstdc++.so.6 at run time, once, so that the emulator does not
 * depend on the C++ demangler. Its text is then edited: a template's result type in front is cut
 * off, `const` moves in front of the type, and blanks are put before `*` and `&`, as
 * compute-sanitizer prints them. A name that cannot be demangled, that has no parameters, or that
 * is too long for FUNCTION_NAME_MAX, is printed as "name(...)".
 */
#define _GNU_SOURCE
#include "emulator/report/function-name.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/cleanup.h"
#include "common/cuda/lambda-name.h"
#include "emulator/ptx/ptx-lines.h"

typedef char *demangle_fn(const char *name, char *buffer, size_t *len, int *status);

static struct demangler {
	pthread_once_t once;
	demangle_fn *demangle; /* NULL: there is no such library */
} demangler = { .once = PTHREAD_ONCE_INIT };

static void find_library(void)
{
	void *handle = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);

	if (handle)
		*(void **)&demangler.demangle = dlsym(handle, "__cxa_demangle");
}

/* The place where the parameters begin; NULL: it is no function. */
static char *parameters_of(char *text)
{
	static const char constant[] = " const";
	char *at = text + strlen(text);
	int depth = 0;

	if (at >= text + sizeof(constant) && !strcmp(at - (sizeof(constant) - 1), constant))
		at -= sizeof(constant) - 1;
	if (at > text && at[-1] != ')')
		return NULL;
	while (at > text) {
		at--;
		depth += (*at == ')') - (*at == '(');
		if (!depth)
			return at;
	}
	return NULL;
}

/* The name of a template has its result in front: "void scale<float>(float*)". */
static const char *without_result(const char *text, const char *end)
{
	const char *begin = text;
	int depth = 0;

	for (const char *at = text; at < end; at++) {
		depth += (*at == '<' || *at == '(') - (*at == '>' || *at == ')');
		if (*at == ' ' && !depth)
			begin = at + 1;
	}
	return begin;
}

/* "int const*" -> "const int *" */
static size_t put_spaced(const char *from, char *to, size_t size)
{
	size_t used = 0, argument = 0;

	for (; *from && used + 9 < size; from++) {
		bool points = *from == '*' || *from == '&';

		if (!strncmp(from, " const", 6) && strchr("*&,)>", from[6])) {
			memmove(to + argument + 6, to + argument, used - argument);
			memcpy(to + argument, "const ", 6);
			used += 6;
			from += 5;
			continue;
		}

		if (points && used && to[used - 1] != ' ' && to[used - 1] != '*' &&
		    to[used - 1] != '&' && to[used - 1] != '(')
			to[used++] = ' ';
		to[used++] = *from;
		if (strchr("(,<", *from) || (*from == ' ' && used == argument + 1))
			argument = used;
	}
	to[used] = '\0';
	return *from ? size : used;
}

/* Clang adds the file's mark to what is one file's own in C++:
 * "_Z1kIZ1fvEUlvE_EvT___intern__5df70ce8e986dc3f". */
static size_t mangled_len(const char *symbol)
{
	const char *mark = strstr(symbol, "__intern__");

	return mark ? (size_t)(mark - symbol) : strlen(symbol);
}

void function_name(const char *symbol, const char *short_name, char *ret)
{
	cleanup_free char *whole = NULL;
	char name[96], *parameters;

	cleanup_free char *mangled = strndup(symbol, mangled_len(symbol));

	pthread_once(&demangler.once, find_library);
	if (demangler.demangle && mangled && !strncmp(mangled, "_Z", 2))
		whole = demangler.demangle(mangled, NULL, NULL, NULL);
	parameters = whole ? parameters_of(whole) : NULL;
	lambda_name_show(parameters ? whole : NULL);
	parameters = parameters ? parameters_of(whole) : NULL;
	if (parameters && put_spaced(without_result(whole, parameters), ret, FUNCTION_NAME_MAX) <
				  FUNCTION_NAME_MAX)
		return;
	if (!short_name) {
		ptx_lines_source_name(symbol, name, sizeof(name));
		short_name = name;
	}
	snprintf(ret, FUNCTION_NAME_MAX, "%s(...)", short_name);
	lambda_name_show(ret);
}
