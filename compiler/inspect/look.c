/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The PTX of each unit, newest first, is parsed for its names; the first unit that has the name is
 * read a second time, for what was asked, and for the figures of all entries every unit is. PTX is
 * a listing of that text itself. Machine code is made by ptxas and written out by nvdisasm, both
 * in one temporary folder. Figures of registers come from the PTX and from what `ptxas -v` prints;
 * without ptxas the former are shown alone. Names of functions are collected on the way, for the
 * error when none fits.
 */
#include "compiler/inspect/look.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/error.h"
#include "common/cuda/ptx-link.h"
#include "compiler/device/object-ptx.h"
#include "compiler/device/tool-folder.h"
#include "compiler/device/tool.h"
#include "compiler/inspect/resources.h"

#define PTXAS_MISSING                                                                              \
	"ptxas is not installed: it makes machine code of PTX (in the CUDA toolkit, or pip "       \
	"install "                                                                                 \
	"nvidia-cuda-nvcc), or name it in CGPU_PTXAS."
#define NVDISASM_MISSING                                                                           \
	"%%sass needs nvdisasm, which is not installed: apt install nvidia-cuda-toolkit or "       \
	"NVIDIA's "                                                                                \
	"cuda-nvdisasm, or pip install nvidia-cuda-nvdisasm, or name it in CGPU_NVDISASM. %%ptx "  \
	"needs neither"

/* The state of one request; the units' texts are read one after another. */
struct looker {
	const struct look_request *request;
	const struct look_unit *unit;
	struct listing listing; /* of the unit's PTX, or its machine code */
	struct resources_list resources;
	struct mem_pool pool; /* for the texts of resources */
	struct tool_folder folder;
	char *ptxas, *nvdisasm;
	struct buffer names; /* all functions, for the error about an unknown name */
};

/* ---- machine code ---- */

struct cubin {
	struct buffer ptx, cubin, log, arch; /* paths, and -arch=sm_75 */
	struct buffer said;
};

static void cubin_release(struct cubin *c)
{
	buffer_release(&c->ptx);
	buffer_release(&c->cubin);
	buffer_release(&c->log);
	buffer_release(&c->arch);
	buffer_release(&c->said);
}

/* Assembles with ptxas. 1: ptxas has failed, and c->said has its error. */
static int assemble(struct looker *k, const char *ptx, size_t len, struct cubin *c,
		    struct error *err)
{
	/* Such code is complete only when it is linked with the device runtime, so ptxas must
	 * accept undefined names. */
	char name[80];
	bool linked = ptx_link_needs_device_runtime(ptx, len, name, sizeof(name));
	int failed;

	if (!*k->folder.path && tool_folder_make(&k->folder, "ptxas", 0, err))
		return -1;
	buffer_printf(&c->ptx, "%s/a.ptx", k->folder.path);
	buffer_printf(&c->cubin, "%s/a.cubin", k->folder.path);
	buffer_printf(&c->log, "%s/log", k->folder.path);
	buffer_printf(&c->arch, "-arch=sm_%u", k->request->sm);
	if (buffer_check(&c->ptx, err) || buffer_check(&c->cubin, err) ||
	    buffer_check(&c->log, err) || buffer_check(&c->arch, err) ||
	    tool_write_file(buffer_text(&c->log), "", 0, err) ||
	    tool_write_file(buffer_text(&c->ptx), ptx, len, err))
		return -1;
	failed = tool_run(&k->folder, buffer_text(&c->log),
			  (const char *const[]){ k->ptxas, "-v", "-lineinfo", buffer_text(&c->arch),
						 buffer_text(&c->ptx), "-o", buffer_text(&c->cubin),
						 linked ? "-c" : NULL, NULL },
			  err);
	if (failed < 0 || tool_read_file(buffer_text(&c->log), &c->said, err))
		return -1;
	return failed;
}

static int refuse_ptxas(const struct looker *k, const struct cubin *c, struct error *err)
{
	return error_set(err, ERROR_COMPILE, "ptxas makes no machine code of %s for sm_%u: %.*s",
			 k->unit->cell, k->request->sm, (int)strcspn(buffer_text(&c->said), "\n"),
			 buffer_text(&c->said));
}

static int disassemble(struct looker *k, struct cubin *c, struct error *err)
{
	cleanup_buffer struct buffer text = BUFFER_INIT;
	int failed;

	if (tool_write_file(buffer_text(&c->log), "", 0, err))
		return -1;
	failed = tool_run(
		&k->folder, buffer_text(&c->log),
		(const char *const[]){ k->nvdisasm, "-c", "-gi", buffer_text(&c->cubin), NULL },
		err);
	if (failed < 0 || tool_read_file(buffer_text(&c->log), &text, err))
		return -1;
	if (failed)
		return error_set(
			err, ERROR_COMPILE, "nvdisasm does not read machine code for sm_%u: %.*s",
			k->request->sm, (int)strcspn(buffer_text(&text), "\n"), buffer_text(&text));
	return listing_read_sass(&k->listing, text.data, text.len, err);
}

/* ---- one PTX text ---- */

static int show_sass(struct looker *k, const char *ptx, size_t len, struct error *err)
{
	struct cubin c = { .said = BUFFER_INIT };
	int failed = assemble(k, ptx, len, &c, err);

	if (failed > 0)
		failed = refuse_ptxas(k, &c, err);
	if (!failed)
		failed = disassemble(k, &c, err);
	cubin_release(&c);
	return failed;
}

static int show_resources(struct looker *k, const char *ptx, size_t len, struct error *err)
{
	struct cubin c = { .said = BUFFER_INIT };
	struct listing l;
	int failed;

	listing_init(&l, NULL, 0);
	failed = listing_read_ptx(&l, ptx, len, err);
	if (!failed)
		resources_add(&k->resources, &l, k->request->name, k->unit->cell, &k->pool);
	if (!failed && k->ptxas && listing_count(&l, k->request->name)) {
		failed = assemble(k, ptx, len, &c, err);
		if (failed > 0)
			failed = refuse_ptxas(k, &c, err);
		else if (!failed)
			resources_read_log(&k->resources, buffer_text(&c.said));
	}
	cubin_release(&c);
	listing_release(&l);
	return failed;
}

static int on_ptx(void *data, const char *ptx, size_t len, struct error *err)
{
	struct looker *k = data;

	switch (k->request->kind) {
	case LOOK_SASS:
		return show_sass(k, ptx, len, err);
	case LOOK_REGISTERS:
		return show_resources(k, ptx, len, err);
	default:
		return listing_read_ptx(&k->listing, ptx, len, err);
	}
}

static int each_ptx(const struct look_unit *u, object_ptx_found *fn, void *data, struct error *err)
{
	if (u->ptx_len && fn(data, u->ptx, u->ptx_len, err))
		return -1;
	return u->object_len ? object_ptx_each(u->object, u->object_len, fn, data, err) : 0;
}

/* ---- which unit ---- */

static int read_names(void *data, const char *ptx, size_t len, struct error *err)
{
	return listing_read_ptx(data, ptx, len, err);
}

static void note_names(struct looker *k, const struct listing *l)
{
	for (size_t i = 0; i < l->n_functions; i++)
		if (*l->functions[i].name && k->names.len < 300)
			buffer_printf(&k->names, "%s%s", k->names.len ? ", " : "",
				      l->functions[i].shown);
}

/* Tells whether the unit has what is asked for: 1. */
static int has_it(struct looker *k, const struct look_unit *u, struct error *err)
{
	struct listing l;
	int ret;

	listing_init(&l, NULL, 0);
	ret = each_ptx(u, read_names, &l, err);
	if (!ret) {
		note_names(k, &l);
		ret = listing_count(&l, k->request->name) > 0;
	}
	listing_release(&l);
	return ret;
}

static int refuse_name(const struct looker *k, struct error *err)
{
	if (!k->names.len)
		return error_set(err, ERROR_NOT_FOUND,
				 "there is no device code: no cell has defined an entry "
				 "(__global__) yet, or this one has none");
	return error_set(err, ERROR_NOT_FOUND,
			 "no device code has a function `%s`. There are: %s. A __device__ function "
			 "is a part of the entries that call it, and one of its own only where "
			 "these stand in the same cell",
			 k->request->name, buffer_text(&k->names));
}

/* Reads the newest unit with the name; for %regs of all names every unit. */
static int look_at_units(struct looker *k, struct error *err)
{
	bool every = k->request->kind == LOOK_REGISTERS && !*k->request->name, any = false;

	for (size_t i = 0; i < k->request->n_units && (every || !any); i++) {
		int found = has_it(k, &k->request->units[i], err);

		if (found < 0)
			return -1;
		any |= found;
		k->unit = &k->request->units[i];
		if (found && each_ptx(k->unit, on_ptx, k, err))
			return -1;
	}
	return any ? 0 : refuse_name(k, err);
}

/* ---- what is needed, what is shown ---- */

static int find_programs(struct looker *k, struct error *err)
{
	const struct look_request *r = k->request;

	if (r->kind == LOOK_PTX)
		return 0;
	k->ptxas = tool_find("ptxas", "CGPU_PTXAS", r->cuda_root);
	if (r->kind == LOOK_REGISTERS)
		return 0;
	if (!k->ptxas)
		return error_set(err, ERROR_NOT_FOUND, "%s", PTXAS_MISSING);
	k->nvdisasm = tool_find("nvdisasm", "CGPU_NVDISASM", r->cuda_root);
	return k->nvdisasm ? 0 : error_set(err, ERROR_NOT_FOUND, NVDISASM_MISSING);
}

static int show(const struct looker *k, struct buffer *text, struct buffer *html, struct error *err)
{
	const struct look_request *r = k->request;
	const struct resources_view view = { r->sm, r->threads, r->dynamic_shared,
					     k->ptxas ? "" : PTXAS_MISSING };

	if (k->listing.failed || k->resources.failed)
		return error_set(err, ERROR_MEMORY, "out of memory for the listing of device code");
	if (r->kind == LOOK_REGISTERS) {
		resources_text(&k->resources, &view, text);
		resources_html(&k->resources, &view, html);
	} else {
		listing_text(&k->listing, r->name, text);
		listing_html(&k->listing, r->name, html);
	}
	return buffer_check(text, err) || buffer_check(html, err) ? -1 : 0;
}

int look(const struct look_request *r, struct buffer *text, struct buffer *html, struct error *err)
{
	struct looker k = { .request = r };
	int failed;

	listing_init(&k.listing, r->sources, r->n_sources);
	mem_pool_init(&k.pool);
	failed = find_programs(&k, err) || look_at_units(&k, err) || show(&k, text, html, err);
	tool_folder_remove(&k.folder);
	listing_release(&k.listing);
	resources_release(&k.resources);
	mem_pool_release(&k.pool);
	buffer_release(&k.names);
	free(k.ptxas);
	free(k.nvdisasm);
	return failed ? -1 : 0;
}
