/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The functions of libc, and of CUDA, that read or write ranges which their caller has named: the
 * range is checked, then they do the work. Strings are measured as far as the session lets them be
 * read.
 */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/protocol/worker-protocol.h"
#include "runtime/cuda/device.h"
#include "runtime/loader/symbols.h"
#include "runtime/memcheck/memcheck-libc.h"
#include "runtime/memcheck/memcheck.h"

static void reads(const void *p, size_t n)
{
	memcheck_range(p, n, false);
}

static void writes(const void *p, size_t n)
{
	memcheck_range(p, n, true);
}

static void reads_text(const char *s)
{
	reads(s, strlen(s) + 1);
}

static void reads_text_up_to(const char *s, size_t n)
{
	size_t len = strnlen(s, n);

	reads(s, len < n ? len + 1 : n);
}

void *memcheck_memcpy(void *to, const void *from, size_t n)
{
	reads(from, n);
	writes(to, n);
	memcheck_disjoint(to, from, n);
	return memmove(to, from, n);
}

void *memcheck_memmove(void *to, const void *from, size_t n)
{
	reads(from, n);
	writes(to, n);
	return memmove(to, from, n);
}

void *memcheck_memset(void *to, int c, size_t n)
{
	writes(to, n);
	return memset(to, c, n);
}

int memcheck_memcmp(const void *a, const void *b, size_t n)
{
	reads(a, n);
	reads(b, n);
	return memcmp(a, b, n);
}

void *memcheck_memchr(const void *p, int c, size_t n)
{
	const char *found = memchr(p, c, n);

	reads(p, found ? (size_t)(found - (const char *)p) + 1 : n);
	return (void *)found;
}

size_t memcheck_strlen(const char *s)
{
	reads_text(s);
	return strlen(s);
}

size_t memcheck_strnlen(const char *s, size_t n)
{
	reads_text_up_to(s, n);
	return strnlen(s, n);
}

char *memcheck_strcpy(char *to, const char *from)
{
	reads_text(from);
	writes(to, strlen(from) + 1);
	memcheck_disjoint(to, from, strlen(from) + 1);
	return strcpy(to, from);
}

char *memcheck_stpcpy(char *to, const char *from)
{
	reads_text(from);
	writes(to, strlen(from) + 1);
	return stpcpy(to, from);
}

char *memcheck_strncpy(char *to, const char *from, size_t n)
{
	reads_text_up_to(from, n);
	writes(to, n);
	return strncpy(to, from, n);
}

char *memcheck_strcat(char *to, const char *from)
{
	reads_text(to);
	reads_text(from);
	writes(to + strlen(to), strlen(from) + 1);
	return strcat(to, from);
}

char *memcheck_strncat(char *to, const char *from, size_t n)
{
	reads_text(to);
	reads_text_up_to(from, n);
	writes(to + strlen(to), strnlen(from, n) + 1);
	return strncat(to, from, n);
}

int memcheck_strcmp(const char *a, const char *b)
{
	size_t n = 0;

	while (a[n] && a[n] == b[n])
		n++;
	reads(a, n + 1);
	reads(b, n + 1);
	return strcmp(a, b);
}

int memcheck_strncmp(const char *a, const char *b, size_t n)
{
	reads_text_up_to(a, n);
	reads_text_up_to(b, n);
	return strncmp(a, b, n);
}

char *memcheck_strchr(const char *s, int c)
{
	reads_text(s);
	return strchr(s, c);
}

char *memcheck_strrchr(const char *s, int c)
{
	reads_text(s);
	return strrchr(s, c);
}

char *memcheck_strstr(const char *s, const char *what)
{
	reads_text(s);
	reads_text(what);
	return strstr(s, what);
}

char *memcheck_strdup(const char *s)
{
	reads_text(s);
	return strdup(s);
}

int memcheck_puts(const char *s)
{
	reads_text(s);
	return puts(s);
}

/* As vsprintf() would return; the arguments can be used again. */
static int printed_length(const char *fmt, va_list ap)
{
	va_list again;
	int n;

	va_copy(again, ap);
	n = vsnprintf(NULL, 0, fmt, again);
	va_end(again);
	return n;
}

int memcheck_sprintf(char *to, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = memcheck_vsprintf(to, fmt, ap);
	va_end(ap);
	return n;
}

int memcheck_vsprintf(char *to, const char *fmt, va_list ap)
{
	int n = printed_length(fmt, ap);

	if (n >= 0)
		writes(to, (size_t)n + 1);
	return vsprintf(to, fmt, ap);
}

int memcheck_snprintf(char *to, size_t size, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = memcheck_vsnprintf(to, size, fmt, ap);
	va_end(ap);
	return n;
}

int memcheck_vsnprintf(char *to, size_t size, const char *fmt, va_list ap)
{
	int n = printed_length(fmt, ap);

	if (n >= 0)
		writes(to, (size_t)n < size ? (size_t)n + 1 : size);
	return vsnprintf(to, size, fmt, ap);
}

char *memcheck_fgets(char *to, int n, FILE *f)
{
	if (n > 0)
		writes(to, (size_t)n);
	return fgets(to, n, f);
}

size_t memcheck_fread(void *to, size_t size, size_t n, FILE *f)
{
	writes(to, size * n);
	return fread(to, size, n, f);
}

size_t memcheck_fwrite(const void *from, size_t size, size_t n, FILE *f)
{
	reads(from, size * n);
	return fwrite(from, size, n, f);
}

ssize_t memcheck_read(int fd, void *to, size_t n)
{
	writes(to, n);
	return read(fd, to, n);
}

ssize_t memcheck_write(int fd, const void *from, size_t n)
{
	reads(from, n);
	return write(fd, from, n);
}

wchar_t *memcheck_wcscpy(wchar_t *to, const wchar_t *from)
{
	size_t bytes = (wcslen(from) + 1) * sizeof(*from);

	reads(from, bytes);
	writes(to, bytes);
	return wcscpy(to, from);
}

wchar_t *memcheck_wcscat(wchar_t *to, const wchar_t *from)
{
	size_t bytes = (wcslen(from) + 1) * sizeof(*from), before = wcslen(to);

	reads(to, (before + 1) * sizeof(*to));
	reads(from, bytes);
	writes(to + before, bytes);
	return wcscat(to, from);
}

#if HAVE_CUDA
/* The host's side of a copy; the device checks its own. */
static void checks_copy(const void *to, const void *from, size_t n, enum cudaMemcpyKind kind)
{
	struct address_description d;

	if (kind == cudaMemcpyHostToDevice ||
	    (kind == cudaMemcpyDefault && !device_describe((uintptr_t)from, &d)))
		reads(from, n);
	if (kind == cudaMemcpyDeviceToHost ||
	    (kind == cudaMemcpyDefault && !device_describe((uintptr_t)to, &d)))
		writes(to, n);
}

cudaError_t memcheck_cudaMemcpy(void *to, const void *from, size_t n, enum cudaMemcpyKind kind)
{
	checks_copy(to, from, n, kind);
	return cudaMemcpy(to, from, n, kind);
}

cudaError_t memcheck_cudaMemcpyAsync(void *to, const void *from, size_t n, enum cudaMemcpyKind kind,
				     cudaStream_t stream)
{
	checks_copy(to, from, n, kind);
	return cudaMemcpyAsync(to, from, n, kind, stream);
}
#endif

struct checked {
	const char *name;
	uint64_t function;
};

void memcheck_libc_take_over(void)
{
	static const struct checked all[] = {
#define FUNCTION(name) { #name, (uint64_t)(uintptr_t)memcheck_##name },
#include "runtime/memcheck/memcheck-libc.def"
#undef FUNCTION
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct symbol *s = symbols_find(all[i].name);

		/* A name that the session defines itself stays. */
		if (s && s->kind == SYMBOL_LIBRARY)
			symbols_place(s, all[i].function);
	}
}
