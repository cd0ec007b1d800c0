/* SPDX-License-Identifier: Apache-2.0 */
/*
 * %run: main() as a program. Its exit() ends the program and not the cell, by a jump back to where
 * main was called; what it has registered with atexit() runs then. Threads and children of it that
 * exit end as they do anywhere else in a cell.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/cell-display.h"
#include "runtime/exports/at-exit.h"
#include "runtime/exports/exports.h"
#include "runtime/process/cell-mode.h"
#include "runtime/process/worker.h"

static struct {
	jmp_buf end;
	volatile pid_t thread; /* 0: no program runs */
	volatile int status;
	unsigned handlers; /* of atexit(), before it began */
	unsigned library;  /* nesting of cell_mode */
} program;

bool exports_program_runs_here(void)
{
	return program.thread == gettid() && !worker.is_child;
}

void exports_program_end(int status)
{
	program.status = status & 0xff;
	longjmp(program.end, 1);
}

unsigned exports_program_handlers(void)
{
	return program.handlers;
}

static void show_status(void)
{
	char text[40];

	snprintf(text, sizeof(text), "exit status %d", program.status);
	cgpu_display("text/plain", text, strlen(text));
}

static int run(void *start, bool gives_status, int argc, char **argv)
{
	int (*start_main)(int, char **, char **) = (int (*)(int, char **, char **))start;
	int status;

	program.handlers = at_exit_count();
	program.library = cell_mode.library;
	program.thread = gettid();
	if (!setjmp(program.end)) {
		status = start_main(argc, argv, environ);
		program.status = gives_status ? status & 0xff : 0;
		at_exit_run(program.handlers);
	} else {
		cell_mode.library = program.library;
	}
	program.thread = 0;
	return program.status;
}

int exports_program(void *start, int gives_status, int argc, char **argv)
{
	run(start, gives_status, argc, argv);
	show_status();
	return program.status;
}

int exports_program_quietly(void *start, int argc, char **argv)
{
	return run(start, true, argc, argv);
}
