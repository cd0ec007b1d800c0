/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counting, as an observer of one launch: what each operation did, in tables that blocks take turns
 * with, so that host threads do not meet while they count. tally_instructions() gives it by PTX
 * instruction.
 */
#ifndef CGPU_EMULATOR_TALLY_H
#define CGPU_EMULATOR_TALLY_H

#include <pthread.h>

#include "common/protocol/launch-profile.h"
#include "emulator/warp/observer.h"

struct tally_table;

struct tally {
	struct observer observer; /* for machine_launch.observers */
	pthread_mutex_t lock;     /* of the lists */
	struct tally_table *all, *idle;
};

void tally_init(struct tally *t);
void tally_release(struct tally *t);

/* Did memory run out? Then something is missing. */
bool tally_failed(const struct tally *t);

/*
 * Told of every instruction of every function that the launch ran. An instruction that the decoder
 * has made no operation of counts as its neighbours do.
 */
struct ptx_program;
struct ptx_instruction;
typedef void tally_instruction_fn(void *data, const struct ptx_program *p,
				  const struct ptx_instruction *in,
				  const struct profile_counts *counts);
/* 0; -1: memory is out. The launch is over. */
int tally_instructions(struct tally *t, tally_instruction_fn *fn, void *data);

/* 32-byte pieces of global memory that these lanes touch. */
uint32_t tally_sectors(const uint64_t *address, uint32_t mask, uint32_t size);
/* Passes over the banks of shared memory, and the fewest that there could be. */
uint32_t tally_passes(const uint64_t *address, uint32_t mask, uint32_t size, uint32_t *ret_ideal);

#endif
