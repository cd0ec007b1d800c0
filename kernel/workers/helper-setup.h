/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the programs that help the kernel process are started with: cgpu-compiler, cgpu-launcher,
 * cgpu-presenter, cgpu-history. Each contains itself as its first message orders, and says hello.
 */
#ifndef CGPU_KERNEL_WORKERS_HELPER_SETUP_H
#define CGPU_KERNEL_WORKERS_HELPER_SETUP_H

#include <stdbool.h>
#include <stdint.h>

struct buffer;
struct environment;
struct error;
struct hidden_paths;
struct process;
struct record;
struct sandbox;

/* All of it is borrowed. */
struct helper_setup {
	const char *dir;              /* folder of the programs */
	unsigned without;             /* enum sandbox_flag: orders that are not for it */
	struct sandbox *sandbox;      /* gets the reports of steps that were not applied */
	struct hidden_paths *hidden;  /* the connection file; one or none */
	struct hidden_paths *covered; /* more files that are hidden */
	const struct environment *environment;
	uint64_t memory; /* bytes that the process may have of its own; 0: no limit */
};

/* Starts a program that dies with the kernel process, and gives it the order, of this message type,
 * to contain itself with this system call filter. */
int helper_setup_start(const struct helper_setup *h, struct process *p, const char *program,
		       uint32_t order, const struct buffer *filter, struct error *err);
/* Gives a program that was started the order of helper_setup_start(). */
int helper_setup_order(const struct helper_setup *h, const struct process *p, uint32_t order,
		       const struct buffer *filter, struct error *err);
/* Appends the order to contain itself, with this system call filter, but for the view. */
void helper_setup_confine(const struct helper_setup *h, const struct buffer *filter,
			  struct buffer *out);
/* Reads the report of a hello. whose: "the compiler", for the texts. */
void helper_setup_take_report(const struct helper_setup *h, const char *whose, struct record *r);
/* Tells whether the program speaks the version of the protocol that is wanted; one that does not is
 * from another build, and is ended. */
bool helper_setup_speaks(const struct process *p, const char *program, uint32_t version,
			 uint32_t wanted);

#endif
