/* SPDX-License-Identifier: Apache-2.0 */
/* The text is read by lines: directives of ours and of cells start at the beginning of one. */
#include "compiler/device-header.h"

#include <ctype.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "compiler/options.h"

/* What the name of a header starts with, and the word that its users say. */
static const struct family {
	const char *header, *word;
} families[] = {
	{ "cooperative_groups", "cooperative_groups" },
	{ "cub/", "cub" },
	{ "cuda/", "cuda" },
	{ "thrust/", "thrust" },
	{ "curand_kernel.h", "curand" },
};

#define FAMILIES (sizeof(families) / sizeof(*families))

static size_t line_length(const char *at)
{
	const char *end = strchr(at, '\n');

	return end ? (size_t)(end + 1 - at) : strlen(at);
}

/* A directive with the lines that it goes on in. */
static size_t directive_length(const char *at)
{
	size_t len = line_length(at);

	while (len > 1 && at[len - 1] == '\n' && at[len - 2] == '\\')
		len += line_length(at + len);
	return len;
}

static bool is_directive(const char *at, const char *name)
{
	size_t len = strlen(name);

	if (*at++ != '#')
		return false;
	at += strspn(at, " \t");
	return !strncmp(at, name, len) && !isalnum((unsigned char)at[len]);
}

/* The family of the include at the start of this line; NULL: it is another one, or none. */
static const struct family *family_at(const char *at)
{
	const char *name = is_directive(at, "include") ? strpbrk(at, "<\"\n") : NULL;

	for (size_t i = 0; name && i < FAMILIES; i++)
		if (!strncmp(name + 1, families[i].header, strlen(families[i].header)))
			return &families[i];
	return NULL;
}

static bool is_word_char(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* curand_init, curandState: what stands behind the word of that family is a part of it. */
static bool says(const char *line, size_t len, const struct family *f)
{
	size_t word = strlen(f->word);
	bool open = f->header[strlen(f->header) - 1] == 'h';

	for (size_t i = 0; i + word <= len; i++)
		if (!memcmp(line + i, f->word, word) && (!i || !is_word_char(line[i - 1])) &&
		    (open || !is_word_char(line[i + word])))
			return true;
	return false;
}

static bool is_used(const char *text, const struct family *f)
{
	for (size_t len; *text; text += len) {
		len = line_length(text);
		if (!is_directive(text, "include") && !is_directive(text, "line") && says(text, len, f))
			return true;
	}
	return false;
}

/* #line 3 "In[1]" */
static bool names(const char *line, size_t len, const char *file)
{
	const char *quote = memchr(line, '"', len);

	return quote && !strncmp(quote + 1, file, strlen(file)) && quote[1 + strlen(file)] == '"';
}

bool device_header_lean(const char *text, const char *cell, struct buffer *ret)
{
	bool used[FAMILIES], lean = false, own = false;
	size_t len;

	for (size_t i = 0; i < FAMILIES; i++)
		used[i] = is_used(text, &families[i]);
	for (; *text; text += len) {
		const struct family *f = family_at(text);

		len = line_length(text);
		if (is_directive(text, "line"))
			own = names(text, len, cell);
		if (f && !own && !used[f - families]) {
			buffer_putc(ret, '\n');
			lean = true;
		} else {
			buffer_append(ret, text, len);
		}
	}
	return lean && !ret->failed;
}

/* Macros in front of an include are for it, too. What stands behind an #if or #undef may mean something else at the start. */
void device_header_find(const char *text, struct buffer *ret)
{
	cleanup_buffer struct buffer macros = BUFFER_INIT;
	bool ours = true;
	size_t len;

	for (; *text; text += len) {
		len = directive_length(text);
		if (is_directive(text, "line"))
			ours = names(text, len, "cgpu");
		else if (ours || *text != '#')
			continue;
		else if (is_directive(text, "define"))
			buffer_append(&macros, text, len);
		else if (family_at(text))
			buffer_printf(ret, "%s%.*s", buffer_text(&macros), (int)len, text), buffer_clear(&macros);
		else if (!is_directive(text, "include") && !is_directive(text, "pragma"))
			return;
	}
}

struct device_header *device_headers_get(struct device_headers *h, const char *key)
{
	for (unsigned i = 0; i < h->n; i++) {
		if (strcmp(buffer_text(&h->at[i].key), key) != 0)
			continue;
		h->at[i].last = ++h->uses;
		return &h->at[i];
	}
	return NULL;
}

int device_headers_path(struct device_headers *h, struct buffer *ret)
{
	if (options_cache_folder(ret, NULL))
		return -1;
	buffer_printf(ret, "/device-%ld-%u.pch", (long)getpid(), h->made++);
	return buffer_check(ret, NULL);
}

static void header_release(struct device_header *header)
{
	buffer_release(&header->key);
	if (header->fd >= 0)
		close(header->fd);
}

void device_headers_drop(struct device_headers *h, struct device_header *header)
{
	header_release(header);
	*header = h->at[--h->n];
}

void device_headers_put(struct device_headers *h, const char *key, const char *path)
{
	struct device_header header = { .key = BUFFER_INIT, .fd = open(path, O_RDONLY | O_CLOEXEC), .last = ++h->uses };
	unsigned oldest = 0;

	unlink(path);
	for (unsigned i = 1; i < h->n; i++)
		if (h->at[i].last < h->at[oldest].last)
			oldest = i;
	if (h->n == DEVICE_HEADERS_MAX)
		device_headers_drop(h, &h->at[oldest]);
	buffer_puts(&header.key, key);
	if (header.key.failed)
		header_release(&header);
	else
		h->at[h->n++] = header;
}

void device_headers_release(struct device_headers *h)
{
	while (h->n)
		device_headers_drop(h, &h->at[0]);
}
