/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "compiler/compile-device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"
#include "common/cleanup.h"
#include "common/error.h"
#include "compiler/device-text.h"
#include "compiler/options.h"

#define FLAGS_MAX 32

static int find_entries(struct compile_device *d, struct error *err)
{
	const struct split *s = &d->host->split;

	d->entries = mem_pool_array(d->host->pool, s->n_items + d->host->launches.n + 1, sizeof(*d->entries));
	if (!d->entries)
		return error_set(err, ERROR_MEMORY, "out of memory for the entries of a cell");
	for (uint32_t i = 0; i < s->n_items; i++) {
		const struct declaration_parts *p = &d->host->parts[i];

		if (!s->items[i].is_entry || s->items[i].kind != ITEM_FUNCTION || !p->n ||
		    p->declarators[0].name == TOKEN_NONE)
			continue;
		uint32_t name = p->declarators[0].name;
		char *text = mem_pool_strndup(d->host->pool, token_text(&s->tokens, name),
					      token_len(&s->tokens, name));

		if (!text)
			return error_set(err, ERROR_MEMORY,
					 "out of memory for the entries of a cell");
		/* Entries are extern "C" in the device text: their PTX name is their name. */
		d->entries[d->n_entries++] =
			(struct unit_entry){ text, text, s->tokens.at[name].line };
	}
	return 0;
}

static uint32_t first_device_line(const struct host_text *h)
{
	for (uint32_t i = 0; i < h->split.n_items; i++)
		if (h->split.items[i].world & WORLD_DEVICE)
			return h->split.tokens.at[h->split.items[i].first].line;
	return 0;
}

/* NVRTC puts the working folder in front of names that #line gives: `.file 1 "/home/me/In[3]"`. */
static void name_files(struct buffer *ptx)
{
	char *to = ptx->data, *from = ptx->data, *end = ptx->data + ptx->len;

	while (from < end) {
		char *newline = memchr(from, '\n', (size_t)(end - from)),
		     *stop = newline ? newline + 1 : end;
		char *quote = strncmp(from, "\t.file", 6)
				      ? NULL
				      : memchr(from, '"', (size_t)(stop - from));
		char *last = quote ? memrchr(from, '/', (size_t)(stop - from)) : NULL;

		if (last && last > quote && !strncmp(last, "/In[", 4)) {
			memmove(to, from, (size_t)(quote + 1 - from));
			to += quote + 1 - from;
			from = last + 1;
		}
		memmove(to, from, (size_t)(stop - from));
		to += stop - from;
		from = stop;
	}
	ptx->len = (size_t)(to - ptx->data);
	*to = 0;
}

/* NVRTC makes the instances of templates that it is asked for the names of. */
static int compile_instances(struct compile_device *d, struct nvrtc_program *program, struct buffer *log, struct error *err)
{
	const struct template_launches *launches = &d->host->launches;
	const char **names = mem_pool_array(d->host->pool, launches->n + 1, sizeof(*names));
	char **mangled = mem_pool_array(d->host->pool, launches->n + 1, sizeof(*mangled));
	int status;

	if (!names || !mangled)
		return error_set(err, ERROR_MEMORY, "out of memory for the entries of a cell");
	for (const struct template_launch *x = NULL; (x = template_launch_next(launches, x));)
		names[program->n_names++] = x->expression;
	program->names = names;
	status = nvrtc_compile(d->nvrtc, program, d->ptx, log, mangled, err);
	for (size_t i = 0; i < program->n_names; i++) {
		char *name = mangled[i] ? mem_pool_strdup(d->host->pool, mangled[i]) : NULL;

		if (name)
			d->entries[d->n_entries++] = (struct unit_entry){ names[i], name, first_device_line(d->host) };
		free(mangled[i]);
	}
	return status;
}

static int run_nvrtc(struct compile_device *d, const char *text, struct error *err)
{
	cleanup_buffer struct buffer include = BUFFER_INIT, cccl = BUFFER_INIT, log = BUFFER_INIT;
	cleanup_free char *flags = strdup(d->flags);
	char arch[32];
	const char *options[8 + FLAGS_MAX] = { arch,	  "-lineinfo",	     "-rdc=true", "-default-device",
				    "-std=c++17", "--include-path=." };
	struct nvrtc_program program = {
		.name = d->host->cell_name, .text = text, .options = options, .n_options = 6
	};

	snprintf(arch, sizeof(arch), "-arch=compute_%u", d->sm ? d->sm : 75);
	if (d->cuda_root) {
		buffer_printf(&include, "--include-path=%s/include", d->cuda_root);
		buffer_printf(&cccl, "--include-path=%s/include/cccl", d->cuda_root);
		options[program.n_options++] = buffer_text(&include);
		options[program.n_options++] = buffer_text(&cccl);
	}
	if (!flags)
		return error_set(err, ERROR_MEMORY, "out of memory for compiler options");
	program.n_options += options_split(flags, options + program.n_options, FLAGS_MAX);
	int status = compile_instances(d, &program, &log, err);

	if (status < 0)
		return -1;
	diagnostics_add_nvrtc(d->diagnostics, buffer_text(&log));
	if (status && !d->diagnostics->n_errors)
		diagnostics_add(d->diagnostics, CLANG_ERROR, first_device_line(d->host), 0, 0,
				buffer_text(&log));
	if (!status && d->ptx->len)
		name_files(d->ptx);
	return 0;
}

int compile_device(struct compile_device *d, struct error *err)
{
	cleanup_buffer struct buffer text = BUFFER_INIT;
	struct error missing = ERROR_INIT;

	if (nvrtc_load(d->nvrtc, d->cuda_root, &missing)) {
		diagnostics_add(d->diagnostics, CLANG_ERROR, first_device_line(d->host), 0, 0,
				missing.text);
		return 0;
	}
	if (find_entries(d, err) || device_text_write(d->host, d->session, &text, err))
		return -1;
	return run_nvrtc(d, buffer_text(&text), err);
}
