/* SPDX-License-Identifier: Apache-2.0 */
/* Errors of the runtime API in a cell: the last one of each thread, and those that nobody has
 * looked at, for a warning at the end of the cell. */
#ifndef CGPU_RUNTIME_CUDA_REPORTS_CALL_ERRORS_H
#define CGPU_RUNTIME_CUDA_REPORTS_CALL_ERRORS_H

#include <driver_types.h>

struct buffer;

/* Record an error at a line of the cell, as a launch that cannot start does. */
void call_errors_record(const char *what, cudaError_t error, unsigned line);
/* Why the call at work in this thread is about to fail, a clause with the numbers: for the warning
 * about it. */
void call_errors_explain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The cell has used this result of the last call of this thread. */
void call_errors_looked_at(cudaError_t result);
/* The cell has seen this error; cudaSuccess: all of them. */
void call_errors_checked(cudaError_t error);
/* The last error of this thread; cudaSuccess: none. */
cudaError_t call_errors_last(void);
void call_errors_forget_last(void);

void call_errors_cell_begin(void);
/* A line for each error of this cell that nobody asked about; they are forgotten. */
void call_errors_warnings(struct buffer *out);
/* A line that says which call of this cell was the first that a broken device answered; nothing
 * when there was none. */
void call_errors_put_first(struct buffer *out);

#endif
