/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs of the CUDA toolkit that the compiler process starts: nvcc, ptxas, nvdisasm. Each works
 * in a folder of its own that is removed, writes what it says to a log, and is told to end when
 * this process is ended. The kernel process ends what does not hear that.
 */
#ifndef CGPU_COMPILER_TOOL_H
#define CGPU_COMPILER_TOOL_H

#include "common/base/buffer.h"

struct error;
struct tool_folder;

/*
 * Path of the program `name`, to be freed; NULL: there is none. What the environment variable
 * `given` names counts alone; else it is looked for in $CUDA_HOME, $CUDA_PATH, cuda_root (may be
 * NULL), /usr/local/cuda and $PATH.
 */
char *tool_find(const char *name, const char *given, const char *cuda_root);

/*
 * Run argv (up to a NULL) to its end; what it says is appended to the file `log`, its temporary
 * files lie in the folder. 0; 1: it has failed, and said why; -1: it could not be started.
 */
int tool_run(const struct tool_folder *f, const char *log, const char *const *argv,
	     struct error *err);

int tool_read_file(const char *path, struct buffer *ret, struct error *err);
int tool_write_file(const char *path, const void *bytes, size_t len, struct error *err);

#endif
