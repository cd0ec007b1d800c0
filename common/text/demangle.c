/* SPDX-License-Identifier: Apache-2.0 */
/* Uses the demangler of the C++ library (Itanium C++ ABI, 3.4), which is loaded for the first
 * mangled name. */
#include "common/text/demangle.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/base/cleanup.h"

#define ARGUMENTS_SHOWN 24

typedef char *demangler(const char *name, char *buffer, size_t *len, int *status);

static demangler *find(void)
{
	static demangler *found;
	static bool looked;
	void *library = looked ? NULL : dlopen("libstdc++.so.6", RTLD_NOW | RTLD_LOCAL);

	looked = true;
	if (library)
		*(void **)&found = dlsym(library, "__cxa_demangle");
	return found;
}

/* Returns the position behind the bracket that closes the one at p. */
static const char *behind(const char *p)
{
	char open = *p, close = open == '<' ? '>' : ')';
	unsigned depth = 0;

	for (; *p; p++) {
		depth += *p == open;
		if (*p == close && !--depth)
			return p + 1;
	}
	return p;
}

static void put_arguments(const char *p, const char *end, struct buffer *out)
{
	if (end - p <= ARGUMENTS_SHOWN)
		buffer_append(out, p, (size_t)(end - p));
	else
		buffer_puts(out, "<...>");
}

/* Finds names in which brackets are a part of the name. */
static const char *special(const char *p)
{
	static const char *const names[] = { "operator()",  "operator<<=", "operator>>=",
					     "operator<=>", "operator<<",  "operator>>",
					     "operator<=",  "operator>=",  "operator->",
					     "operator<",   "operator>",   "(anonymous namespace)",
					     "{lambda(" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strncmp(p, names[i], strlen(names[i])))
			return names[i];
	return NULL;
}

static void shorten(const char *p, struct buffer *out)
{
	while (*p) {
		const char *name = special(p), *end = p + 1;

		if (name && *name == '{') { /* {lambda(int)#1} */
			buffer_puts(out, "lambda");
			p += strcspn(p, "}");
			p += *p != '\0';
			continue;
		}
		if (name)
			end = p + strlen(name);
		else if (*p == '(')
			return;
		else if (*p == '<')
			end = behind(p);
		if (*p == '<')
			put_arguments(p, end, out);
		else
			buffer_append(out, p, (size_t)(end - p));
		p = end;
	}
}

/* Skips a template's result type, which is in front: "void std::sort<...>". */
static const char *behind_result(const char *p)
{
	const char *start = p;

	while (*p && *p != '(') {
		const char *name = special(p);

		if (name)
			p += strlen(name);
		else if (*p == '<')
			p = behind(p);
		else if (*p++ == ' ')
			start = p;
	}
	return start;
}

void demangle(const char *name, char *ret, size_t size)
{
	cleanup_buffer struct buffer text = BUFFER_INIT;
	demangler *fn = strncmp(name, "_Z", 2) ? NULL : find();
	cleanup_free char *whole = fn ? fn(name, NULL, NULL, NULL) : NULL;

	if (whole)
		shorten(behind_result(whole), &text);
	snprintf(ret, size, "%s", text.len ? buffer_text(&text) : name);
}
