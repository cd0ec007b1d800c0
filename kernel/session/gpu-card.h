/* SPDX-License-Identifier: Apache-2.0 */
/*
 * %gpu -l: a card with the device's memory by variable, other notebooks and the load of the device.
 * It is a display that is updated in place, twice a second while a cell runs and more seldom
 * otherwise, and only when its text has changed. It sends no questions, so a running cell is not
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
	char *cell;            /* the notebook's cell that shows it; "" unknown */
	struct message parent; /* the request of that cell: the header only */
	struct loop_source *tick;
	char *shown; /* the text that is displayed */
	struct device_glance last;
	unsigned busy_percent;  /* between the last two glances, of an emulated device */
	struct gpu_meter meter; /* of a real one */
	uint64_t metered_ms;    /* the last start of the meter, 0: never */
};

/* Shows the card in the output of this cell from here on. */
int gpu_card_start(struct session *s, const struct cell *c, struct error *err);
/* Stops updating; the card stays as it is and says so. */
void gpu_card_stop(struct session *s);
/* A cell begins: if it shows the card, its output, and with it the card, is gone. */
void gpu_card_on_begin(struct session *s, const struct cell *c);
/* A cell has ended, and its output may still follow. */
void gpu_card_on_end(struct session *s);
void gpu_card_release(struct session *s);

#endif
