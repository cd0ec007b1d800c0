/* SPDX-License-Identifier: Apache-2.0 */
/* A lock of its own: reports come from threads of the driver, also while device.lock is held. */
#include "runtime/cuda/session/source-text.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/code/unit.h"
#include "common/protocol/compiler-protocol.h"
#include "runtime/cuda/driver/device-state.h"
#include "runtime/cuda/session/session.h"

#define TOTAL_MAX (256u << 10)
#define LINE_MAX_SHOWN 160

/* The cell that runs. The lock is over the session's texts, too. */
static struct source_text {
	pthread_mutex_t lock;
	const char *text;
	uint32_t cell;
} source = { .lock = PTHREAD_MUTEX_INITIALIZER };

void source_text_begin(uint32_t cell, const char *text)
{
	pthread_mutex_lock(&source.lock);
	source.text = text;
	source.cell = cell;
	pthread_mutex_unlock(&source.lock);
}

static struct session_source *find(struct session_array *a, uint32_t cell)
{
	for (uint32_t i = a->n; i-- > 0;)
		if (session_at(a, struct session_source, i)->cell == cell)
			return session_at(a, struct session_source, i);
	return NULL;
}

static void make_room(struct session_array *a, size_t wanted)
{
	size_t total = wanted;

	for (uint32_t i = 0; i < a->n; i++)
		total += strlen(session_at(a, struct session_source, i)->text) + 1;
	while (a->n && total > TOTAL_MAX) {
		char *oldest = session_at(a, struct session_source, 0)->text;

		total -= strlen(oldest) + 1;
		device.host->session_free(oldest);
		session_remove(a, sizeof(struct session_source), 0);
	}
}

/* A cell that is run again has replaced what its last run defined. */
static bool renew(struct session_array *a)
{
	for (uint32_t i = 0; i < a->n; i++) {
		struct session_source s = *session_at(a, struct session_source, i);

		if (strcmp(s.text, source.text))
			continue;
		session_remove(a, sizeof(s), i);
		s.cell = source.cell;
		*session_append(a, struct session_source) = s;
		return true;
	}
	return false;
}

void source_text_keep(void)
{
	struct session_array *a = &device.session->sources;
	struct session_source *s;
	char *copy;

	pthread_mutex_lock(&source.lock);
	if (source.text && strlen(source.text) < TOTAL_MAX && !find(a, source.cell) && !renew(a)) {
		make_room(a, strlen(source.text) + 1);
		copy = session_strdup(source.text);
		s = copy ? session_append(a, struct session_source) : NULL;
		if (s)
			*s = (struct session_source){ source.cell, copy };
		else if (copy)
			device.host->session_free(copy);
	}
	pthread_mutex_unlock(&source.lock);
}

static bool is_for_device(const struct declaration *d)
{
	switch (d->kind) {
	case DECLARATION_ENTRY:
		return true;
	case DECLARATION_FUNCTION:
	case DECLARATION_TAG:
		return *d->device;
	default:
		return false;
	}
}

void source_text_keep_of(const struct unit *u)
{
	bool wanted = u->ptx_len;

	for (size_t i = 0; i < u->n_declarations && !wanted; i++)
		wanted = is_for_device(&u->declarations[i]);
	if (wanted)
		source_text_keep();
}

/* The line of the cell's text at which a file of a program in several files begins. */
static const char *find_file(const char *text, const char *name)
{
	size_t len = strlen(name);

	while (text && (text = strstr(text, COMPILER_CUDA_FILE))) {
		text += strlen(COMPILER_CUDA_FILE);
		if (!strncmp(text, name, len) && text[len] == '\n')
			return text + len + 1;
	}
	return NULL;
}

/* The text of that name; lock is held. */
static const char *find_text(const char *file)
{
	struct session_array none = { 0 }, *a = device.session ? &device.session->sources : &none;
	const struct session_source *s;
	const char *text = NULL;
	unsigned cell;
	int end = 0;

	if (sscanf(file, "In[%u]%n", &cell, &end) == 1 && end && !file[end]) {
		s = find(a, cell);
		return cell == source.cell ? source.text : s ? s->text : NULL;
	}
	text = find_file(source.text, file);
	for (uint32_t i = a->n; !text && i-- > 0;)
		text = find_file(session_at(a, struct session_source, i)->text, file);
	return text;
}

int source_text_line(void *data, const char *file, uint32_t line, char *ret, size_t size)
{
	const char *at;

	(void)data;
	pthread_mutex_lock(&source.lock);
	at = find_text(file);
	for (uint32_t i = 1; at && i < line; i++) {
		at = strchr(at, '\n');
		at = at ? at + 1 : NULL;
	}
	if (at)
		snprintf(ret, size, "%.*s", (int)strcspn(at, "\n"), at);
	pthread_mutex_unlock(&source.lock);
	return at != NULL;
}

void source_text_put(uint32_t cell, uint32_t line, struct buffer *out)
{
	char file[32], text[LINE_MAX_SHOWN];
	size_t skip;

	snprintf(file, sizeof(file), "In[%u]", cell);
	if (!source_text_line(NULL, file, line, text, sizeof(text)))
		return;
	skip = strspn(text, " \t");
	if (text[skip])
		buffer_printf(out, "=========         %u | %s\n", line, text + skip);
}
