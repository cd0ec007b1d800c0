/* SPDX-License-Identifier: Apache-2.0 */
/*
 * %gpu -l: a card with the device's memory by variable, other notebooks and how busy the device is.
 * It is a display that is renewed in place, twice a second while a cell runs and more seldom
 * otherwise, and only when what it says has changed. It asks nobody: a cell that runs is not
 * disturbed.
 */
#ifndef CGPU_KERNEL_SESSION_GPU_CARD_H
#define CGPU_KERNEL_SESSION_GPU_CARD_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/device/device-glance.h"
#include "kernel/protocol/wire.h"
#include "kernel/show/gpu-meter.h"

struct cell;
struct error;
struct loop_source;
struct session;

struct gpu_card {
	bool live;
	char id[80];           /* of the display: the same for the life of the kernel process */
	char *cell;            /* of the notebook, that shows it; "" unknown */
	struct message parent; /* its request: the header only */
	struct loop_source *tick;
	char *shown; /* the text that stands there */
	struct device_glance last;
	unsigned busy_percent;  /* between the last two glances, of an emulated device */
	struct gpu_meter meter; /* of a real one */
	uint64_t metered_ms;    /* when it was started last, 0: never */
};

/* The cell shows it from here on. */
int gpu_card_start(struct session *s, const struct cell *c, struct error *err);
/* It stays as it is, and says so. */
void gpu_card_stop(struct session *s);
/* A cell begins: the output of the same cell of the notebook, and what stood there, is gone. */
void gpu_card_on_begin(struct session *s, const struct cell *c);
/* A cell is over, and its output may still follow. */
void gpu_card_on_end(struct session *s);
void gpu_card_release(struct session *s);

#endif
