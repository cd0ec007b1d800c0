/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs programs for the compiler process: nvcc, ptxas, nvdisasm of the CUDA toolkit, man. Each
 * works in a folder of its own that is removed, writes its output to a log, and gets SIGTERM when
 * this process ends. The kernel process ends those that ignore it.
 */
#ifndef CGPU_COMPILER_TOOL_H
#define CGPU_COMPILER_TOOL_H

#include "common/base/buffer.h"

struct error;
struct tool_folder;

/*
 * Returns the path of the program `name`, to be freed; NULL: there is none. If the environment
 * variable `given` names one, only that counts; else it is searched in $CUDA_HOME, $CUDA_PATH,
 * cuda_root (may be NULL), /usr/local/cuda and $PATH.
 */
char *tool_find(const char *name, const char *given, const char *cuda_root);

/*
 * Runs argv (up to a NULL) to its end; its output is appended to the file `log`, its temporary
 * files are in the folder. 0; 1: it has failed, and said why; -1: it could not be started.
 */
int tool_run(const struct tool_folder *f, const char *log, const char *const *argv,
	     struct error *err);
/* Does the same for ms milliseconds at most: then it is ended, and has failed. */
int tool_run_within(const struct tool_folder *f, const char *log, const char *const *argv, int ms,
		    struct error *err);

int tool_read_file(const char *path, struct buffer *ret, struct error *err);
int tool_write_file(const char *path, const void *bytes, size_t len, struct error *err);

#endif
