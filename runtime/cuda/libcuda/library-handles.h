/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Handles of CUDA's libraries (common/cuda/cuda-libraries.def) belong to the process that has made
 * them, so they end with a worker. The functions that make and destroy them are ours for cells, and
 * call the library's: what was made is noted in the session. A worker that has taken the session
 * over makes it again before the next cell, and puts the new handle where the old one stands; what
 * cannot be made again is named. A function that fails says by which name, and why where that is
 * known.
 */
#ifndef CGPU_RUNTIME_CUDA_LIBCUDA_LIBRARY_HANDLES_H
#define CGPU_RUNTIME_CUDA_LIBCUDA_LIBRARY_HANDLES_H

#include <stdbool.h>

struct buffer;

/* Ours for a function that makes or destroys a handle of a loaded library; NULL otherwise. */
void *library_handles_symbol(const char *name);
/* Are there handles that another worker has made? */
bool library_handles_due(void);
/* Makes them again; what goes wrong is a warning of the cell. */
void library_handles_renew(void);

/* A worker has taken the session over: a line for each handle. */
void library_handles_report(struct buffer *out);

/* A cell begins; it is over: what failed, a line each. */
void library_handles_cell_begin(void);
void library_handles_warnings(struct buffer *out);

#endif
