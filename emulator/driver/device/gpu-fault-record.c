/* SPDX-License-Identifier: Apache-2.0 */
/* The fault that has broken the devices: the first one counts. */
#include "emulator/driver/device/gpu.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "common/base/buffer.h"
#include "emulator/driver/device/core-dump.h"
#include "emulator/report/gpu-fault.h"

static pthread_mutex_t fault_lock = PTHREAD_MUTEX_INITIALIZER;
static struct emulator_fault last_fault;
static bool has_fault;

void gpu_record_fault(const struct gpu_fault *f, const struct machine_launch *l)
{
	cleanup_buffer struct buffer text = BUFFER_INIT;

	gpu_fault_print(f, &text);
	pthread_mutex_lock(&fault_lock);
	/* The first one counts: others end because of it. */
	if (gpu.pending) {
		pthread_mutex_unlock(&fault_lock);
		return;
	}
	core_dump_write(f, l);
	last_fault = (struct emulator_fault){ .code = gpu_fault_code(f->kind) };
	if (f->access != GPU_ACCESS_NONE)
		last_fault.address = f->address;
	memcpy(last_fault.block, f->block, sizeof(last_fault.block));
	memcpy(last_fault.thread, f->thread, sizeof(last_fault.thread));
	snprintf(last_fault.kernel, sizeof(last_fault.kernel), "%s", f->kernel);
	if (f->frame_count) {
		snprintf(last_fault.file, sizeof(last_fault.file), "%s", f->frames[0].file);
		last_fault.line = f->frames[0].line;
	}
	snprintf(last_fault.text, sizeof(last_fault.text), "%s", buffer_text(&text));
	has_fault = true;
	gpu.pending = last_fault.code;
	gpu.halt = 1;
	pthread_mutex_unlock(&fault_lock);
	/* Who listens for output asks for the report, too; a program that takes us for its driver
	 * does not. */
	if (!gpu.print)
		gpu_print(true, buffer_text(&text), text.len);
	core_dump_abort(f);
}

void gpu_break(int code, const char *text)
{
	pthread_mutex_lock(&fault_lock);
	last_fault = (struct emulator_fault){ .code = code };
	snprintf(last_fault.text, sizeof(last_fault.text), "========= %s\n", text);
	has_fault = true;
	gpu.pending = code;
	pthread_mutex_unlock(&fault_lock);
}

int gpu_last_fault(struct emulator_fault *ret)
{
	bool found;

	pthread_mutex_lock(&fault_lock);
	found = has_fault;
	if (found)
		*ret = last_fault;
	pthread_mutex_unlock(&fault_lock);
	return found;
}
