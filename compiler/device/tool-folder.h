/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A folder below $TMPDIR for the programs that the compiler process runs. It is locked as long as
 * this process lives, so that what one that was killed has left can be told from what is in use,
 * and is removed by the next.
 */
#ifndef CGPU_COMPILER_TOOL_FOLDER_H
#define CGPU_COMPILER_TOOL_FOLDER_H

#include <stdint.h>

struct error;

struct tool_folder {
	char path[256]; /* "": there is none */
	int lock;       /* unless there is none */
};

/*
 * For the program `name`. Removes those of processes that are gone, too. A key other than 0 gives
 * the folder the same path each time, as long as no other process has that one: for programs whose
 * output depends on where they work.
 */
int tool_folder_make(struct tool_folder *f, const char *name, uint64_t key, struct error *err);
/* With all that lies in it. Accepts a zeroed struct. */
void tool_folder_remove(struct tool_folder *f);
/* Removes those of processes that are gone. */
void tool_folder_tidy(void);

#endif
