/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of libc and of CUDA, with their ranges checked; memcheck-libc.def names them. */
#ifndef CGPU_RUNTIME_MEMCHECK_MEMCHECK_LIBC_H
#define CGPU_RUNTIME_MEMCHECK_MEMCHECK_LIBC_H

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>
#include <wchar.h>

#include "config.h"

#if HAVE_CUDA
#include <cuda_runtime_api.h>

cudaError_t memcheck_cudaMemcpy(void *to, const void *from, size_t n, enum cudaMemcpyKind kind);
cudaError_t memcheck_cudaMemcpyAsync(void *to, const void *from, size_t n, enum cudaMemcpyKind kind,
				     cudaStream_t stream);
#endif

/* From here on units reach these functions in place of libc's. */
void memcheck_libc_take_over(void);

void *memcheck_memcpy(void *to, const void *from, size_t n);
void *memcheck_memmove(void *to, const void *from, size_t n);
void *memcheck_memset(void *to, int c, size_t n);
int memcheck_memcmp(const void *a, const void *b, size_t n);
void *memcheck_memchr(const void *p, int c, size_t n);
size_t memcheck_strlen(const char *s);
size_t memcheck_strnlen(const char *s, size_t n);
char *memcheck_strcpy(char *to, const char *from);
char *memcheck_stpcpy(char *to, const char *from);
char *memcheck_strncpy(char *to, const char *from, size_t n);
char *memcheck_strcat(char *to, const char *from);
char *memcheck_strncat(char *to, const char *from, size_t n);
int memcheck_strcmp(const char *a, const char *b);
int memcheck_strncmp(const char *a, const char *b, size_t n);
char *memcheck_strchr(const char *s, int c);
char *memcheck_strrchr(const char *s, int c);
char *memcheck_strstr(const char *s, const char *what);
char *memcheck_strdup(const char *s);
int memcheck_puts(const char *s);
int memcheck_sprintf(char *to, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
int memcheck_vsprintf(char *to, const char *fmt, va_list ap) __attribute__((format(printf, 2, 0)));
int memcheck_snprintf(char *to, size_t size, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
int memcheck_vsnprintf(char *to, size_t size, const char *fmt, va_list ap)
	__attribute__((format(printf, 3, 0)));
char *memcheck_fgets(char *to, int n, FILE *f);
size_t memcheck_fread(void *to, size_t size, size_t n, FILE *f);
size_t memcheck_fwrite(const void *from, size_t size, size_t n, FILE *f);
ssize_t memcheck_read(int fd, void *to, size_t n);
ssize_t memcheck_write(int fd, const void *from, size_t n);
wchar_t *memcheck_wcscpy(wchar_t *to, const wchar_t *from);
wchar_t *memcheck_wcscat(wchar_t *to, const wchar_t *from);

#endif
