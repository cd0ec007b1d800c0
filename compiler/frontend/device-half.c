/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The thread has all signals blocked, so that other threads handle them. Diagnostics are copied
 * into a pool of its own, since clang's texts live for the callback only. If no thread can be made,
 * the same work is done within device_half_begin(). If the includes do not compile for the device,
 * the precompiled header is made without them, so that the error is found and told where the cell
 * includes them.
 */
#include "compiler/frontend/device-half.h"

#include <signal.h>
#include <stdlib.h>

#include "compiler/frontend/diagnostics.h"
#include "compiler/session/cpp-header.h"

static void keep(void *context, const struct clang_diagnostic *d)
{
	struct device_half *h = context;
	struct clang_diagnostic copy;

	if (diagnostics_keep(d, &h->pool, &copy))
		buffer_append(&h->said, &copy, sizeof(copy));
}

/* Finds the precompiled header. A header that does not compile is reported by the cell that
 * includes it. */
static int find_header(struct device_half *h)
{
	struct error why = ERROR_INIT;

	if (!cpp_header_watch_get(h->watch, h->options, h->job.options, h->includes, &h->header,
				  &why) ||
	    (why.code == ERROR_COMPILE &&
	     !cpp_header_watch_get(h->watch, h->options, h->job.options, "", &h->header, &why)))
		return 0;
	return error_set(&h->err, why.code, "CUDA C++ headers: %s", why.text);
}

static void compile(struct device_half *h)
{
	h->failed = find_header(h);
	if (h->failed)
		return;
	h->job.header = buffer_text(&h->header);
	h->compiled = !clang_shim_compile_device(&h->job, &h->ptx, &h->ptx_len);
}

/*
 * Runs on the thread. LLVM gives a signal stack from its heap to the thread that first writes a
 * file, and AddressSanitizer takes a thread's signal stack at its end for its own, so the old one
 * is restored.
 */
static void *run(void *data)
{
	stack_t before;
	bool known = !sigaltstack(NULL, &before);

	compile(data);
	if (known)
		sigaltstack(&before, NULL);
	return NULL;
}

static bool make_thread(struct device_half *h)
{
	sigset_t all, before;
	bool made;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	made = !deep_thread_begin(&h->thread, run, h, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return made;
}

void device_half_begin(struct device_half *h, const struct options *o,
		       const struct clang_options *clang, const struct clang_job *job,
		       const char *includes, struct cpp_header_watch *watch)
{
	*h = (struct device_half){
		.options = o,
		.includes = includes,
		.watch = watch,
		.begun = true,
		.err = ERROR_INIT,
		.job = { .options = clang,
			 .name = job->name,
			 .files = job->files,
			 .n_files = job->n_files,
			 .text = job->text,
			 .len = job->len,
			 .behind = job->behind,
			 .run = job->run,
			 .statements = job->statements,
			 .effort = job->effort,
			 .context = h,
			 .diagnostic = keep },
	};
	mem_pool_init(&h->pool);
	h->has_thread = make_thread(h);
	if (!h->has_thread)
		run(h);
}

void device_half_join(struct device_half *h)
{
	if (h->has_thread)
		deep_thread_join(&h->thread);
	h->has_thread = false;
}

void device_half_tell(const struct device_half *h, void *context,
		      void (*told)(void *context, const struct clang_diagnostic *d))
{
	const struct clang_diagnostic *said = (const void *)h->said.data;

	for (size_t i = 0; i < h->said.len / sizeof(*said); i++)
		told(context, &said[i]);
}

void device_half_release(struct device_half *h)
{
	free(h->ptx);
	buffer_release(&h->said);
	buffer_release(&h->header);
	mem_pool_release(&h->pool);
	*h = (struct device_half){ 0 };
}
