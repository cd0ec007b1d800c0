/* SPDX-License-Identifier: Apache-2.0 */
/*
 * %arch: what device code is compiled for, and what it may use there. The target follows from the
 * device and cannot be set: code for another one would not fit what the device says of itself, by
 * which programs choose their ways. The emulated device is another one by CGPU_EMULATED_CAPABILITY;
 * what a cell would be elsewhere is shown by %%ptx --arch.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "common/cuda/device-target.h"
#include "common/cuda/without-cuda.h"
#include "config.h"
#include "kernel/base/text-table.h"
#include "kernel/declarations/flags.h"
#include "kernel/device/version-rules.h"
#include "kernel/device/version-watch.h"
#include "kernel/reports/view-display.h"
#include "kernel/session/look.h"
#include "kernel/session/magic.h"
#include "kernel/session/session.h"
#include "kernel/views/presenter-view.h"
#include "kernel/workers/worker-pool.h"

static const struct text_column columns[] = {
	{ "device code", "", 12, 26, true },
	{ "here", "", 8, 24, true },
	{ "why", "", 3, 100, true },
};

struct feature {
	uint32_t target;
	bool is_specific;
	int version; /* of PTX */
	const char *name, *what, *emulated;
};

static const struct feature features[] = {
#define FEATURE(target, is_specific, version, name, what, emulated)                                \
	{ target, is_specific, version, name, what, emulated },
#include "kernel/device-magics/device-features.def"
#undef FEATURE
};

/* What is asked for. */
struct question {
	struct session *session;
	uint32_t own; /* target of the session's device */
	uint32_t target;
	struct version_facts facts;
};

static void add_row(struct text_table *t, const char *what, const char *here, const char *why)
{
	text_table_begin_row(t, false);
	text_table_add(t, what);
	text_table_add(t, here);
	text_table_add(t, why);
}

static void add_capability(const struct question *q, struct text_table *t)
{
	char here[32], why[128];

	snprintf(here, sizeof(here), "%" PRIu32 ".%" PRIu32, q->target / 10, q->target % 10);
	if (q->target != q->own)
		snprintf(why, sizeof(why), "as asked for; cells are compiled for sm_%" PRIu32,
			 q->own);
	else if (q->facts.emulated)
		snprintf(why, sizeof(why),
			 "of the emulated device; CGPU_EMULATED_CAPABILITY, 7.5 to 9.0, set before "
			 "the kernel starts makes it another");
	else
		snprintf(why, sizeof(why), "of the device, the lowest if there are several");
	add_row(t, "compute capability", here, why);
}

static void add_clang(const struct question *q, struct text_table *t)
{
	bool is_newer = q->target > DEVICE_TARGET_CLANG_NEWEST;
	char here[32], why[160];

	snprintf(here, sizeof(here), "sm_%" PRIu32 ", PTX %d.%d",
		 is_newer ? DEVICE_TARGET_CLANG_NEWEST : q->target, DEVICE_TARGET_CLANG_PTX / 10,
		 DEVICE_TARGET_CLANG_PTX % 10);
	snprintf(why, sizeof(why), "by clang%s; drivers of CUDA %d.%d and newer take it, %s %u.%u",
		 is_newer ? ", which has no newer target: the device runs this one" : "",
		 DEVICE_TARGET_CLANG_CUDA / 1000, DEVICE_TARGET_CLANG_CUDA % 1000 / 10,
		 q->facts.emulated ? "the emulated one is of" : "this one is of",
		 q->facts.driver / 1000, q->facts.driver % 1000 / 10);
	add_row(t, "cells of C and C++", here, why);
}

static void add_nvcc(const struct question *q, struct text_table *t)
{
	char here[32];

	snprintf(here, sizeof(here), "compute_%" PRIu32, q->target);
	add_row(t, "%%cuda cells", here,
		"by nvcc, as PTX of its release and no machine code; -arch and -gencode have no "
		"effect");
}

static void add_macro(const struct question *q, struct text_table *t)
{
	bool is_newer = q->target > DEVICE_TARGET_CLANG_NEWEST;
	char here[32], why[64];

	snprintf(here, sizeof(here), "%" PRIu32 "0",
		 is_newer ? DEVICE_TARGET_CLANG_NEWEST : q->target);
	snprintf(why, sizeof(why), is_newer ? "in %%%%cuda cells %" PRIu32 "0" : "in all cells",
		 q->target);
	add_row(t, "__CUDA_ARCH__", here, why);
}

static void add_flags(const struct question *q, struct text_table *t)
{
	const char *flags = flags_get(&q->session->flags, FLAGS_DEVICE);

	add_row(t, "%nvflags", *flags ? flags : "none",
		"changes arithmetic, macros and folders, not the target: -arch has no effect");
}

static void add_feature(const struct question *q, const struct feature *f, struct text_table *t)
{
	bool differs = q->facts.emulated && *f->emulated;
	char here[64], why[256];

	if (f->is_specific)
		snprintf(here, sizeof(here), "no: sm_%" PRIu32 "a only", f->target);
	else if (q->target < f->target)
		snprintf(here, sizeof(here), "no: sm_%" PRIu32 " has it", f->target);
	else if (f->version > DEVICE_TARGET_CLANG_PTX)
		snprintf(here, sizeof(here), "in %%%%cuda cells, PTX %d.%d", f->version / 10,
			 f->version % 10);
	else
		snprintf(here, sizeof(here), "yes");
	snprintf(why, sizeof(why), "%s%s%s%s", f->what,
		 f->is_specific ? "; no cell is compiled for an architecture-specific target" : "",
		 differs ? "; emulated: " : "", differs ? f->emulated : "");
	add_row(t, f->name, here, why);
}

static int show(const struct question *q, const struct cell *c, struct error *err)
{
	struct presenter_view view = { 0 };
	struct text_table t;
	int failed;

	text_table_init(&t, columns, sizeof(columns) / sizeof(columns[0]));
	add_capability(q, &t);
	add_clang(q, &t);
	add_nvcc(q, &t);
	add_macro(q, &t);
	add_flags(q, &t);
	text_table_note(&t, "What it may use:");
	for (size_t i = 0; i < sizeof(features) / sizeof(features[0]); i++)
		add_feature(q, &features[i], &t);
	text_table_note(&t, "%%ptx --arch sm_90 above a cell shows what it is for another target.");
	text_table_text(&t, &view.text);
	text_table_html(&t, &view.html);
	failed = buffer_check(&view.text, err) || buffer_check(&view.html, err) ||
		 view_display(q->session, c, &view, err);
	presenter_view_release(&view);
	text_table_release(&t);
	return failed ? -1 : 0;
}

static int arch(struct session *s, struct cell *c, const struct magic_call *call, struct error *err)
{
	struct question q = { .session = s, .own = worker_pool_device_sm(s->supervisor) };

	if (!HAVE_CUDA)
		return error_set(err, ERROR_UNSUPPORTED, "%%arch: %s", BUILT_WITHOUT_CUDA);
	q.target = q.own;
	if (*call->args && !look_parse_target(call->args, &q.target))
		return error_set(err, ERROR_INPUT,
				 "%%arch: \"%s\" is no compute capability; write %%arch sm_90, or "
				 "%%arch for the device's",
				 call->args);
	if (q.target < DEVICE_TARGET_OLDEST)
		return error_set(err, ERROR_INPUT,
				 "%%arch: CUDA 13 compiles for no GPU as old as sm_%" PRIu32
				 "; the oldest is sm_%d",
				 q.target, DEVICE_TARGET_OLDEST);
	version_watch_facts(s->supervisor, &q.facts);
	return show(&q, c, err);
}

const struct magic magic_arch = {
	.name = "arch",
	.alias = "",
	.forms = MAGIC_LINE | MAGIC_PARKED,
	.usage = "%arch [sm_90]",
	.help = "Shows for which GPU the device code of cells is compiled, and why.\n\n"
		"Target, version of PTX, what drivers take it, and what it may use "
		"there, as bf16, cp.async and clusters. `%arch sm_90` tells it for "
		"another GPU. The target is the device's.",
	.run = arch,
	.words = "sm_75 sm_80 sm_86 sm_89 sm_90 sm_100 sm_120",
};
