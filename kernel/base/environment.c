/* SPDX-License-Identifier: Apache-2.0 */
/* An array of texts, as execve() takes it, which is searched from the front: there are few
 * variables, and few questions. */
#include "kernel/base/environment.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/error.h"

extern char **environ;

static int out_of_memory(struct error *err)
{
	return error_set(err, ERROR_MEMORY, "out of memory for the session's environment");
}

int environment_init(struct environment *e, struct error *err)
{
	size_t n = 0;

	while (environ[n])
		n++;
	*e = (struct environment){ .texts = calloc(n + 1, sizeof(*e->texts)),
				   .is_change = calloc(n + 1, sizeof(*e->is_change)) };
	while (e->texts && e->is_change && e->n < n && (e->texts[e->n] = strdup(environ[e->n])))
		e->n++;
	if (e->texts && e->is_change && e->n == n)
		return 0;
	environment_release(e);
	return out_of_memory(err);
}

void environment_release(struct environment *e)
{
	while (e->n)
		free(e->texts[--e->n]);
	free(e->texts);
	free(e->is_change);
	*e = (struct environment){ 0 };
}

/* The index of the variable, or n. */
static size_t find(const struct environment *e, const char *name)
{
	size_t len = strlen(name), i = 0;

	while (i < e->n && (strncmp(e->texts[i], name, len) || e->texts[i][len] != '='))
		i++;
	return i;
}

/* Makes room for one more text behind the last one. */
static int grow(struct environment *e)
{
	char **texts = realloc(e->texts, (e->n + 2) * sizeof(*texts));
	bool *is_change;

	if (!texts)
		return -1;
	e->texts = texts;
	is_change = realloc(e->is_change, (e->n + 2) * sizeof(*is_change));
	if (!is_change)
		return -1;
	e->is_change = is_change;
	return 0;
}

int environment_set(struct environment *e, const char *name, const char *value, struct error *err)
{
	size_t at = find(e, name), len = strlen(name);
	char *text;

	if (!len || strchr(name, '='))
		return error_set(err, ERROR_INPUT, "'%s' is no name of a variable", name);
	text = malloc(len + strlen(value) + 2);
	if (!text || (at == e->n && grow(e))) {
		free(text);
		return out_of_memory(err);
	}
	strcpy(text, name);
	text[len] = '=';
	strcpy(text + len + 1, value);
	if (at < e->n)
		free(e->texts[at]);
	else
		e->texts[++e->n] = NULL;
	e->texts[at] = text;
	e->is_change[at] = true;
	return 0;
}

const char *environment_text(const struct environment *e, const char *name)
{
	return e->texts[find(e, name)];
}

const char *environment_get(const struct environment *e, const char *name)
{
	const char *text = environment_text(e, name);

	return text ? text + strlen(name) + 1 : NULL;
}
