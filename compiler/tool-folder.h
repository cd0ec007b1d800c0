/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A folder below $TMPDIR for the programs that the compiler process runs. It is locked as long as this process lives, so that
 * what one that was killed has left can be told from what is in use, and is removed by the next.
 */
#ifndef CGPU_COMPILER_TOOL_FOLDER_H
#define CGPU_COMPILER_TOOL_FOLDER_H

struct error;

struct tool_folder {
	char path[256]; /* "": there is none */
	int lock; /* unless there is none */
};

/* For the program `name`. Removes those of processes that are gone, too. */
int tool_folder_make(struct tool_folder *f, const char *name, struct error *err);
/* With all that lies in it. Accepts a zeroed struct. */
void tool_folder_remove(struct tool_folder *f);
/* Removes those of processes that are gone. */
void tool_folder_tidy(void);

#endif
