/* SPDX-License-Identifier: Apache-2.0 */
/*
 * %%cuda: the line is for the compiler. Before that the libraries that it names are loaded, as a
 * linker would, and -t does what %%time does.
 */
#include "kernel/device-magics/magic-cuda.h"

#include <string.h>

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "kernel/session/cell.h"
#include "kernel/session/magic.h"
#include "kernel/session/packages.h"

struct wish {
	struct buffer link, packages; /* words with blanks between them */
	bool openmp, links, timed;
	bool profiled; /* -p does what %%profile does */
};

char *magic_cuda_word(char **args)
{
	char *word = *args + strspn(*args, " \t"), *p = word, quote = 0;

	for (; *p && (quote || !strchr(" \t", *p)); p++)
		if (quote ? *p == quote : *p == '"' || *p == '\'')
			quote = quote ? 0 : *p;
	*args = *p ? p + 1 : p;
	*p = '\0';
	return word;
}

char *magic_cuda_bare(char *word)
{
	char *to = word;

	for (const char *p = word; *p; p++)
		if (!strchr("\"'", *p))
			*to++ = *p;
	*to = '\0';
	return word;
}

static bool is_one_of(const char *word, const char *const *list)
{
	while (*list && strcmp(word, *list))
		list++;
	return *list != NULL;
}

/* Tells whether a library is part of the session, or of every unit. */
static bool is_there(const char *name)
{
	static const char *const names[] = { "cuda",   "cudart",   "cudart_static", "cudadevrt",
					     "stdc++", "stdc++fs", "gomp",          NULL };

	return is_one_of(name, names);
}

/* Tells whether it is a CUDA library, which %pkg can find. */
static bool is_of_cuda(const char *name)
{
	return !strncmp(name, "cu", 2) || !strncmp(name, "npp", 3) || !strncmp(name, "nv", 2);
}

static void add_link(struct wish *w, const char *flag, const char *value)
{
	buffer_printf(&w->link, "%s%s%s", w->link.len ? " " : "", flag, value);
	w->links |= !strcmp(flag, "-l"); /* a folder alone loads nothing */
}

static void want_library(struct wish *w, const char *name)
{
	if (!strcmp(name, "gomp"))
		w->openmp = true;
	else if (!is_there(name) && is_of_cuda(name))
		buffer_printf(&w->packages, " %s", name);
	else if (!is_there(name))
		add_link(w, "-l", name);
}

static void read_words(struct wish *w, char *args)
{
	static const char *const skipped[] = { "-run-args",       "--run-args", "-a",
					       "--profiler-args", "-o",         NULL };
	static const char *const nested[] = { "-c", "--compiler-args", NULL };
	char *word, *value;

	while (*(word = magic_cuda_word(&args)) || *args) {
		if (is_one_of(word, skipped))
			magic_cuda_word(&args);
		else if (is_one_of(word, nested))
			read_words(w, magic_cuda_bare(magic_cuda_word(&args)));
		else if (!strncmp(word, "--compiler-args=", 16))
			read_words(w, magic_cuda_bare(word + 16));
		else if (!strcmp(word, "-t") || !strcmp(word, "--timeit"))
			w->timed = true;
		else if (!strcmp(word, "-p") || !strcmp(word, "--profile"))
			w->profiled = true;
		else if (strstr(word, "-fopenmp") && strncmp(word, "--", 2))
			w->openmp = true;
		else if (!strncmp(word, "-L", 2) && word[2])
			add_link(w, "", word);
		else if (!strcmp(word, "-l") && *(value = magic_cuda_word(&args)) &&
			 strcmp(value, "ncu") && strcmp(value, "nsys"))
			want_library(w, value);
		else if (!strncmp(word, "-l", 2) && word[2] && strcmp(word, "-lineinfo"))
			want_library(w, word + 2);
	}
}

int magic_cuda_prepare(struct session *s, struct cell *c, const char *flags, struct error *err)
{
	struct wish w = { .link = BUFFER_INIT };
	cleanup_buffer struct buffer copy = BUFFER_INIT;
	int rc = 0;

	buffer_puts(&copy, flags);
	if (!buffer_check(&copy, err) && copy.len)
		read_words(&w, copy.data);
	if (w.openmp)
		buffer_puts(&w.packages, " omp");
	c->timed |= w.timed;
	c->options.profiled |= w.profiled;
	if (buffer_check(&copy, err) || buffer_check(&w.link, err) ||
	    buffer_check(&w.packages, err))
		rc = -1;
	else if (w.packages.len || w.links)
		rc = packages_load(s, c, w.links ? buffer_text(&w.link) : "",
				   buffer_text(&w.packages), err);
	buffer_release(&w.link);
	buffer_release(&w.packages);
	return rc;
}

static int cuda(struct session *s, struct cell *c, const struct magic_call *call, struct error *err)
{
	return magic_cuda_prepare(s, c, call->args, err);
}

const struct magic magic_cuda = {
	.name = "cuda",
	.alias = "cu",
	.forms = MAGIC_CELL | MAGIC_COMPILER,
	.usage = "%%cuda [FLAGS] [--run-args \"ARGS\"]",
	.help = "The cell is CUDA C++, compiled with nvcc: classes, templates, Thrust, "
		"the C++ library.\n\n"
		"If it has `int main()`, that is run with ARGS. FLAGS are nvcc's, for "
		"this cell; `-t` shows times as `%%time` does, `-p` what `%%profile` "
		"shows.",
	.run = cuda,
};
