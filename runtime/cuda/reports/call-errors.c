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

static _Thread_local cudaError_t last_error;
static _Thread_local char explained[sizeof(((struct unchecked *)0)->why)];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct unchecked unchecked[UNCHECKED_MAX];
static unsigned n_unchecked, n_more, last_serial;
static _Thread_local unsigned of_last_call; /* the serial of what it left; 0: nothing */
static struct unchecked first; /* the call that has brought the device's fault; .error 0: none */

void call_errors_explain(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(explained, sizeof(explained), format, args);
	va_end(args);
}

void call_errors_record(const char *what, cudaError_t error, unsigned line)
{
	last_error = error;
	of_last_call = 0;
	if (error == cudaErrorNotReady)
		return;
	pthread_mutex_lock(&lock);
	of_last_call = ++last_serial;
	if (device.sticky && !first.error) {
		snprintf(first.what, sizeof(first.what), "%s", what);
		first.error = error;
		first.line = line;
	}
	if (n_unchecked == UNCHECKED_MAX) {
		n_more++;
	} else {
		struct unchecked *u = &unchecked[n_unchecked++];

		snprintf(u->what, sizeof(u->what), "%s", what);
		u->error = error;
		u->line = line;
		u->serial = of_last_call;
		memcpy(u->why, explained, sizeof(u->why));
	}
	explained[0] = '\0';
	pthread_mutex_unlock(&lock);
}

void call_errors_checked(cudaError_t error)
{
	unsigned kept = 0;

	if (!error || error == cudaErrorMemoryAllocation)
		ledger_refusal_checked();
	pthread_mutex_lock(&lock);
	for (unsigned i = 0; i < n_unchecked; i++)
		if (error && unchecked[i].error != error)
			unchecked[kept++] = unchecked[i];
	n_unchecked = kept;
	if (!error)
		n_more = 0;
	pthread_mutex_unlock(&lock);
}

void call_errors_looked_at(cudaError_t result)
{
	unsigned kept = 0;

	if (!result || !of_last_call)
		return;
	if (result == cudaErrorMemoryAllocation)
		ledger_refusal_looked_at();
	pthread_mutex_lock(&lock);
	for (unsigned i = 0; i < n_unchecked; i++)
		if (unchecked[i].serial != of_last_call)
			unchecked[kept++] = unchecked[i];
	/* Too many to be told one by one. */
	if (kept == n_unchecked && n_more)
		n_more--;
	n_unchecked = kept;
	pthread_mutex_unlock(&lock);
	of_last_call = 0;
}

void call_errors_put_first(struct buffer *out)
{
	pthread_mutex_lock(&lock);
	if (first.error) {
		buffer_printf(out, "The first call that returned it was %s", first.what);
		if (first.line)
			buffer_printf(out, " in line %u", first.line);
		buffer_puts(out, "; the cause is that call, or device code that ran before it.\n");
	}
	pthread_mutex_unlock(&lock);
}

void call_errors_cell_begin(void)
{
	call_errors_checked(cudaSuccess);
	last_error = cudaSuccess;
}

void call_errors_warnings(struct buffer *out)
{
	pthread_mutex_lock(&lock);
	for (unsigned i = 0; i < n_unchecked; i++) {
		const struct unchecked *u = &unchecked[i];

		buffer_printf(out, "%s returned %s (%s)", u->what, cuda_error_name(u->error),
			      cuda_error_text(u->error));
		if (u->line)
			buffer_printf(out, " in line %u", u->line);
		buffer_puts(out, ", and nobody looked at it\n");
		if (u->why[0] || *cuda_fault_meaning((int)u->error))
			buffer_printf(out, "    %s%s\n", u->why[0] ? "" : "it means that ",
				      u->why[0] ? u->why : cuda_fault_meaning((int)u->error));
	}
	if (n_unchecked && !device.usable)
		buffer_printf(out, "there is no usable CUDA device: %s\n", device.info.problem);
	if (n_more)
		buffer_printf(out, "and %u more CUDA errors that nobody looked at\n", n_more);
	pthread_mutex_unlock(&lock);
	call_errors_checked(cudaSuccess);
	last_error = cudaSuccess;
}

cudaError_t call_errors_last(void)
{
	return last_error;
}

void call_errors_forget_last(void)
{
	last_error = cudaSuccess;
}
