/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A temporary folder below $TMPDIR for a program that the compiler process runs. It is locked as
 * long as this process lives, so that the folder of a process that was killed can be recognised,
 * and is removed by the next process.
 */
#ifndef CGPU_COMPILER_TOOL_FOLDER_H
#define CGPU_COMPILER_TOOL_FOLDER_H

#include <stdint.h>

struct error;

struct tool_folder {
	char path[256]; /* "": there is no folder */
	int lock;       /* valid if there is a folder */
};

/*
 * Makes a folder for the program `name`, and removes those of processes that are gone. A key other
 * than 0 gives the folder the same path each time, as long as no other process has that one: for
 * programs whose output depends on their folder.
 */
int tool_folder_make(struct tool_folder *f, const char *name, uint64_t key, struct error *err);
/* Removes the folder with its content. A zeroed struct is accepted. */
void tool_folder_remove(struct tool_folder *f);
/* Removes the folders of processes that are gone. */
void tool_folder_tidy(void);

#endif
