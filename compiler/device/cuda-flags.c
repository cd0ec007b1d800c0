/* SPDX-License-Identifier: Apache-2.0 */
/* Words are split as by a shell, without expansions; an option is looked up by its name in front of
 * `=`. */
#include "compiler/device/cuda-flags.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "common/base/mem-pool.h"

enum effect {
	TO_NVCC,
	DROPPED, /* with its value */
	DROPPED_ALONE,
	DROPPED_PROFILER, /* -l is an option of nvcc, too */
	DROPPED_NUMBER,   /* its value is a number, or none */
	FLAGS,            /* the value is a list of flags */
	ARGUMENTS,
};

static const struct option {
	const char *name;
	enum effect effect;
} options[] = {
	{ "-o", DROPPED },
	{ "--output-file", DROPPED },
	{ "-arch", DROPPED },
	{ "--gpu-architecture", DROPPED },
	{ "-code", DROPPED },
	{ "--gpu-code", DROPPED },
	{ "-gencode", DROPPED },
	{ "--generate-code", DROPPED },
	{ "-c", FLAGS },
	{ "--compiler-args", FLAGS },
	{ "-run-args", ARGUMENTS },
	{ "--run-args", ARGUMENTS },
	{ "-run", DROPPED_ALONE },
	{ "--run", DROPPED_ALONE },
	{ "-t", DROPPED_NUMBER },
	{ "--timeit", DROPPED_ALONE },
	{ "-p", DROPPED_ALONE },
	{ "--profile", DROPPED_ALONE },
	{ "-l", DROPPED_PROFILER },
	{ "--profiler", DROPPED },
	{ "-a", DROPPED },
	{ "--profiler-args", DROPPED },
};

struct reader {
	struct cuda_flags *flags;
	struct mem_pool *pool;
};

/* Returns the next word at `*at`, without its quotes; NULL: there is none. */
static char *next_word(struct mem_pool *pool, const char **at)
{
	const char *p = *at + strspn(*at, " \t\r");
	char *word = mem_pool_strdup(pool, p), *to = word, quote = 0;

	if (!*p || !word)
		return NULL;
	for (; *p && (quote || !strchr(" \t\r", *p)); p++) {
		if (quote ? *p == quote : *p == '"' || *p == '\'')
			quote = quote ? 0 : *p;
		else
			*to++ = *p;
	}
	*to = '\0';
	*at = p;
	return word;
}

static enum effect effect_of(const char *word)
{
	size_t n = strcspn(word, "=");

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		if (strlen(options[i].name) == n && !strncmp(word, options[i].name, n))
			return options[i].effect;
	return TO_NVCC;
}

static void add(const char **list, size_t *n, const char *word)
{
	if (*n < CUDA_FLAGS_MAX)
		list[(*n)++] = word;
}

static void add_arguments(struct reader *r, const char *text)
{
	char *word;

	while (text && (word = next_word(r->pool, &text)))
		add(r->flags->arguments, &r->flags->n_arguments, word);
}

static bool is_profiler(const char *word)
{
	return word && (!strcmp(word, "ncu") || !strcmp(word, "nsys"));
}

static void add_flags(struct reader *r, const char *text);

static void add_flag(struct reader *r, char *word, const char **rest)
{
	enum effect effect = effect_of(word);
	const char *behind = *rest;
	char *value = NULL;

	if (effect == TO_NVCC || effect == DROPPED_ALONE) {
		if (effect == TO_NVCC)
			add(r->flags->nvcc, &r->flags->n_nvcc, word);
		return;
	}
	value = strchr(word, '=') ? strchr(word, '=') + 1 : next_word(r->pool, &behind);
	if (effect == DROPPED_NUMBER && !(value && isdigit((unsigned char)*value)))
		return;
	if (effect == DROPPED_PROFILER && !is_profiler(value)) {
		add(r->flags->nvcc, &r->flags->n_nvcc, word);
		return;
	}
	*rest = behind;
	if (effect == FLAGS && value)
		add_flags(r, value);
	else if (effect == ARGUMENTS)
		add_arguments(r, value);
}

static void add_flags(struct reader *r, const char *text)
{
	char *word;

	while ((word = next_word(r->pool, &text)))
		add_flag(r, word, &text);
}

void cuda_flags_read(struct cuda_flags *f, const char *line, struct mem_pool *pool)
{
	struct reader r = { f, pool };

	add_flags(&r, line);
}
