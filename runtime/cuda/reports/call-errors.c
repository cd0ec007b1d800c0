/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An error counts as looked at when the code uses the result of the call, which the compiler of
 * cells tells (cgpu_looked_at), or when the cell has asked for the last error, or for the name or
 * text of this code, after it happened.
 */
#include "runtime/cuda/reports/call-errors.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/cuda/cuda-fault.h"
#include "runtime/cuda/driver/cuda-error.h"
#include "runtime/cuda/driver/device-state.h"
#include "runtime/cuda/memory/ledger.h"

#define UNCHECKED_MAX 16

struct unchecked {
	char what[64];
	cudaError_t error;
	unsigned line;
	unsigned serial;
	char why[400]; /* "": not known */
};

static _Thread_local struct {
	cudaError_t last;      /* what cudaGetLastError() tells */
	unsigned of_last_call; /* the serial of what the last call left; 0: nothing */
	char explained[sizeof(((struct unchecked *)0)->why)]; /* of the error that comes next */
} thread;

/* Errors of all threads of the cell that nobody has looked at. */
static struct call_errors {
	pthread_mutex_t lock;
	struct unchecked rows[UNCHECKED_MAX];
	unsigned n, n_more, last_serial;
	struct unchecked first; /* the call that has brought the device's fault; .error 0: none */
} errors = { .lock = PTHREAD_MUTEX_INITIALIZER };

void call_errors_explain(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(thread.explained, sizeof(thread.explained), format, args);
	va_end(args);
}

void call_errors_record(const char *what, cudaError_t error, unsigned line)
{
	thread.last = error;
	thread.of_last_call = 0;
	if (error == cudaErrorNotReady)
		return;
	pthread_mutex_lock(&errors.lock);
	thread.of_last_call = ++errors.last_serial;
	if (device.sticky && !errors.first.error) {
		snprintf(errors.first.what, sizeof(errors.first.what), "%s", what);
		errors.first.error = error;
		errors.first.line = line;
	}
	if (errors.n == UNCHECKED_MAX) {
		errors.n_more++;
	} else {
		struct unchecked *u = &errors.rows[errors.n++];

		snprintf(u->what, sizeof(u->what), "%s", what);
		u->error = error;
		u->line = line;
		u->serial = thread.of_last_call;
		memcpy(u->why, thread.explained, sizeof(u->why));
	}
	thread.explained[0] = '\0';
	pthread_mutex_unlock(&errors.lock);
}

void call_errors_checked(cudaError_t error)
{
	unsigned kept = 0;

	if (!error || error == cudaErrorMemoryAllocation)
		ledger_refusal_checked();
	pthread_mutex_lock(&errors.lock);
	for (unsigned i = 0; i < errors.n; i++)
		if (error && errors.rows[i].error != error)
			errors.rows[kept++] = errors.rows[i];
	errors.n = kept;
	if (!error)
		errors.n_more = 0;
	pthread_mutex_unlock(&errors.lock);
}

void call_errors_looked_at(cudaError_t result)
{
	unsigned kept = 0;

	if (!result || !thread.of_last_call)
		return;
	if (result == cudaErrorMemoryAllocation)
		ledger_refusal_looked_at();
	pthread_mutex_lock(&errors.lock);
	for (unsigned i = 0; i < errors.n; i++)
		if (errors.rows[i].serial != thread.of_last_call)
			errors.rows[kept++] = errors.rows[i];
	/* Too many to be told one by one. */
	if (kept == errors.n && errors.n_more)
		errors.n_more--;
	errors.n = kept;
	pthread_mutex_unlock(&errors.lock);
	thread.of_last_call = 0;
}

void call_errors_put_first(struct buffer *out)
{
	pthread_mutex_lock(&errors.lock);
	if (errors.first.error) {
		buffer_printf(out, "The first call that returned it was %s", errors.first.what);
		if (errors.first.line)
			buffer_printf(out, " in line %u", errors.first.line);
		buffer_puts(out, "; the cause is that call, or device code that ran before it.\n");
	}
	pthread_mutex_unlock(&errors.lock);
}

void call_errors_cell_begin(void)
{
	call_errors_checked(cudaSuccess);
	thread.last = cudaSuccess;
}

void call_errors_warnings(struct buffer *out)
{
	pthread_mutex_lock(&errors.lock);
	for (unsigned i = 0; i < errors.n; i++) {
		const struct unchecked *u = &errors.rows[i];

		buffer_printf(out, "%s returned %s (%s)", u->what, cuda_error_name(u->error),
			      cuda_error_text(u->error));
		if (u->line)
			buffer_printf(out, " in line %u", u->line);
		buffer_puts(out, ", and nobody looked at it\n");
		if (u->why[0] || *cuda_fault_meaning((int)u->error))
			buffer_printf(out, "    %s%s\n", u->why[0] ? "" : "it means that ",
				      u->why[0] ? u->why : cuda_fault_meaning((int)u->error));
	}
	if (errors.n && !device.usable)
		buffer_printf(out, "there is no usable CUDA device: %s\n", device.info.problem);
	if (errors.n_more)
		buffer_printf(out, "and %u more CUDA errors that nobody looked at\n",
			      errors.n_more);
	pthread_mutex_unlock(&errors.lock);
	call_errors_checked(cudaSuccess);
	thread.last = cudaSuccess;
}

cudaError_t call_errors_last(void)
{
	return thread.last;
}

void call_errors_forget_last(void)
{
	thread.last = cudaSuccess;
}
