/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cells without a device cost one comparison: the rules are asked again only when a library or the
 * compiler has come, and a cell is looked at only when a rule is broken.
 */
#define _GNU_SOURCE
#include "kernel/device/version-watch.h"

#include <ctype.h>
#include <string.h>

#include "common/base/error.h"
#include "common/code/unit.h"
#include "common/cuda/device-target.h"
#include "common/protocol/output-ring.h"
#include "kernel/core/supervisor-state.h"
#include "kernel/device/version-rules.h"
#include "kernel/units/compiled-unit.h"
#include "kernel/workers/libraries.h"
#include "kernel/workers/worker-pool.h"

void version_watch_facts(const struct supervisor *s, struct version_facts *ret)
{
	*ret = (struct version_facts){
		.emulated = s->pool->hello.emulated,
		.driver = s->pool->hello.driver_version,
		.compiler = DEVICE_TARGET_CLANG_CUDA,
		.passed_over = s->pool->hello.passed_over,
	};
	for (size_t i = 0; i < s->libraries->n; i++)
		version_rules_add_library(ret, s->libraries->at[i].path);
}

/* Tells whether a symbol, as "cudaMalloc", "cuInit", "cublasCreate_v2", belongs to CUDA. */
static bool is_of_cuda(const char *name)
{
	static const char *const starts[] = { "cublas",   "cudnn",    "cufft",         "curand",
					      "cusolver", "cusparse", "__cudaRegister" };

	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++)
		if (!strncmp(name, starts[i], strlen(starts[i])))
			return true;
	return !strncmp(name, "cu", 2) &&
	       (isupper((unsigned char)name[2]) ||
		(!strncmp(name, "cuda", 4) && isupper((unsigned char)name[4])));
}

/* Tells whether a string of the object, between two NULs, is a symbol of CUDA. */
static bool names_cuda(const char *object, size_t len)
{
	const char *end = object + len, *at = object, *stop;

	while (at < end && (at = memchr(at, '\0', (size_t)(end - at)))) {
		at++;
		stop = at < end ? memchr(at, '\0', (size_t)(end - at)) : NULL;
		if (!stop)
			return false;
		if ((*at == 'c' || *at == '_') && is_of_cuda(at))
			return true;
	}
	return false;
}

static bool uses_device(const struct unit *u)
{
	return u->ptx_len || names_cuda(u->object, u->object_len);
}

static void put_sentence(const struct version_verdict *v, struct buffer *out)
{
	bool is_name = !strncmp(v->detail, "cu", 2);
	char first = v->detail[0];

	buffer_printf(out, "%c%s. %s\n", is_name ? first : (char)toupper((unsigned char)first),
		      v->detail + 1, v->hint);
}

static void put_broken(struct supervisor *s, struct buffer *out)
{
	struct version_facts f;
	struct version_verdict v;

	version_watch_facts(s, &f);
	for (size_t i = 0; i < version_rules_count(); i++) {
		version_rules_check(i, &f, &v);
		if (!v.ok && v.teller == VERSION_TELLER_KERNEL &&
		    !strstr(buffer_text(&s->versions->said), v.detail))
			put_sentence(&v, out);
	}
}

void version_watch_cell(struct supervisor *s)
{
	size_t seen = s->libraries->n + 1;
	cleanup_buffer struct buffer text = BUFFER_INIT;

	if (seen == s->versions->seen || !s->pool->said_hello)
		return;
	put_broken(s, &text);
	if (text.len && !uses_device(&s->run.unit->unit))
		return;
	s->versions->seen = seen;
	if (!text.len)
		return;
	s->cb->on_output(s->cb_data, OUTPUT_STDERR, buffer_text(&text), text.len);
	buffer_append(&s->versions->said, text.data, text.len);
}

void version_watch_release(struct version_watch *w)
{
	buffer_release(&w->said);
}
