/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "compiler/compile-device.h"

#include <string.h>

#include "common/buffer.h"
#include "common/cleanup.h"
#include "common/error.h"
#include "compiler/device-text.h"

static int find_entries(struct compile_device *d, struct error *err)
{
	const struct split *s = &d->host->split;

	d->entries = mem_pool_array(d->host->pool, s->n_items + d->followers.n + 1, sizeof(*d->entries));
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

size_t compile_device_name_files(char *ptx, size_t len)
{
	char *to = ptx, *from = ptx, *end = ptx + len;

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
	*to = 0;
	return (size_t)(to - ptx);
}

static struct device_job *job_of(struct compile_device *d, const char *text)
{
	struct device_request request = { .name = d->host->cell_name, .text = text, .cuda_root = d->cuda_root,
					  .prelude = d->prelude, .sm = d->sm, .flags = d->flags };

	return device_job_new(d->nvrtc, &request);
}

void compile_device_begin(struct compile_device *d)
{
	cleanup_buffer struct buffer text = BUFFER_INIT;

	if (nvrtc_load(d->nvrtc, d->cuda_root, NULL) ||
	    device_follow_find(d->host, d->session, &d->followers, NULL) ||
	    device_text_write(d->host, d->session, &d->followers, &text, NULL))
		return;
	d->job = job_of(d, buffer_text(&text));
	if (d->job)
		device_job_start(d->job);
}

static int compile_anew(struct compile_device *d, struct error *err)
{
	cleanup_buffer struct buffer text = BUFFER_INIT;

	device_job_free(d->job);
	d->job = device_text_write(d->host, d->session, &d->followers, &text, err) ? NULL : job_of(d, buffer_text(&text));
	if (!d->job)
		return error_set(err, ERROR_MEMORY, "out of memory for device code");
	device_job_wait(d->job);
	return 0;
}

/* The entries that follow have the old function then. */
static int compile_without_followers(struct compile_device *d, struct error *err)
{
	cleanup_buffer struct buffer note = BUFFER_INIT;
	const char *log = buffer_text(&d->job->log);

	buffer_printf(&note, "with what this cell defines anew, CUDA kernels of other cells do not compile. They go on with the old "
		      "definition until their cells run again:");
	for (uint32_t i = 0; i < d->followers.n; i++)
		buffer_printf(&note, "%s %s (In[%u])", i ? "," : "", d->followers.at[i]->name, d->followers.at[i]->cell);
	buffer_printf(&note, ". The first error: %.*s", (int)strcspn(log, "\n"), log);
	d->followers.n = 0;
	if (compile_anew(d, err))
		return -1;
	if (!d->job->status)
		diagnostics_add(d->diagnostics, CLANG_WARNING, device_text_line(d->host), 0, 0, buffer_text(&note));
	return 0;
}

static void add_followers(struct compile_device *d)
{
	for (uint32_t i = 0; i < d->followers.n; i++)
		if (*d->followers.at[i]->device)
			d->entries[d->n_entries++] = (struct unit_entry){ d->followers.at[i]->name, d->followers.at[i]->name,
									  device_text_line(d->host) };
}

static int take_result(struct compile_device *d, struct error *err)
{
	struct device_job *job;

	device_job_wait(d->job);
	if (d->job->status == 1 && d->followers.n && compile_without_followers(d, err))
		return -1;
	job = d->job;
	add_followers(d);
	if (job->status < 0)
		return error_set(err, job->err.code, "%s", job->err.text);
	diagnostics_add_nvrtc(d->diagnostics, buffer_text(&job->log));
	if (job->status && !d->diagnostics->n_errors)
		diagnostics_add(d->diagnostics, CLANG_ERROR, device_text_line(d->host), 0, 0, buffer_text(&job->log));
	buffer_append(d->ptx, job->ptx.data, job->ptx.len);
	if (!job->status && d->ptx->len)
		d->ptx->len = compile_device_name_files(d->ptx->data, d->ptx->len);
	return buffer_check(d->ptx, err);
}

int compile_device(struct compile_device *d, struct error *err)
{
	cleanup_buffer struct buffer text = BUFFER_INIT;
	struct error missing = ERROR_INIT;

	if (nvrtc_load(d->nvrtc, d->cuda_root, &missing)) {
		diagnostics_add(d->diagnostics, CLANG_ERROR, device_text_line(d->host), 0, 0,
				missing.text);
		return 0;
	}
	if (device_follow_find(d->host, d->session, &d->followers, err) || find_entries(d, err) ||
	    device_text_write(d->host, d->session, &d->followers, &text, err))
		return -1;
	/* What was found out about the host's half may have changed what the cell is taken to mean. */
	if (d->job && strcmp(d->job->text, buffer_text(&text))) {
		device_job_free(d->job);
		d->job = NULL;
	}
	if (!d->job)
		d->job = job_of(d, buffer_text(&text));
	if (!d->job)
		return error_set(err, ERROR_MEMORY, "out of memory for device code");
	return take_result(d, err);
}
