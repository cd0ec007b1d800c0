/* SPDX-License-Identifier: Apache-2.0 */
/* The fault that has broken the devices: the first one counts. */
#include "emulator/driver/device/gpu.h"

#include <stdio.h>
#include <string.h>

#include "common/base/buffer.h"
#include "emulator/driver/device/core-dump.h"
#include "emulator/report/gpu-fault.h"

void gpu_record_fault(const struct gpu_fault *f, const struct machine_launch *l)
{
	cleanup_buffer struct buffer text = BUFFER_INIT;

	gpu_fault_print(f, &text);
	pthread_mutex_lock(&gpu.fault_lock);
	/* The first one counts: others end because of it. */
	if (gpu.pending) {
		pthread_mutex_unlock(&gpu.fault_lock);
		return;
	}
	core_dump_write(f, l);
	gpu.fault = (struct emulator_fault){ .code = gpu_fault_code(f->kind) };
	if (f->access != GPU_ACCESS_NONE)
		gpu.fault.address = f->address;
	memcpy(gpu.fault.block, f->block, sizeof(gpu.fault.block));
	memcpy(gpu.fault.thread, f->thread, sizeof(gpu.fault.thread));
	snprintf(gpu.fault.kernel, sizeof(gpu.fault.kernel), "%s", f->kernel);
	if (f->frame_count) {
		snprintf(gpu.fault.file, sizeof(gpu.fault.file), "%s", f->frames[0].file);
		gpu.fault.line = f->frames[0].line;
	}
	snprintf(gpu.fault.text, sizeof(gpu.fault.text), "%s", buffer_text(&text));
	gpu.pending = gpu.fault.code;
	gpu.halt = 1;
	pthread_mutex_unlock(&gpu.fault_lock);
	/* Who listens for output asks for the report, too; a program that takes us for its driver
	 * does not. */
	if (!gpu.print)
		gpu_print(true, buffer_text(&text), text.len);
	core_dump_abort(f);
}

void gpu_break(int code, const char *text)
{
	pthread_mutex_lock(&gpu.fault_lock);
	gpu.fault = (struct emulator_fault){ .code = code };
	snprintf(gpu.fault.text, sizeof(gpu.fault.text), "========= %s\n", text);
	gpu.pending = code;
	pthread_mutex_unlock(&gpu.fault_lock);
}

int gpu_last_fault(struct emulator_fault *ret)
{
	bool found;

	pthread_mutex_lock(&gpu.fault_lock);
	found = gpu.fault.code;
	if (found)
		*ret = gpu.fault;
	pthread_mutex_unlock(&gpu.fault_lock);
	return found;
}
