/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The text of a device fault is made twice: when the fault is first seen, for a signal handler that
 * may come to need it and can ask nobody then, and at the end of the cell.
 */
#include "runtime/cuda/reports/device-fault.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/cuda/cuda-fault.h"
#include "common/protocol/worker-protocol.h"
#include "runtime/cuda/driver/cuda-error.h"
#include "runtime/cuda/driver/device-state.h"
#include "runtime/cuda/memory/ledger.h"
#include "runtime/cuda/reports/call-errors.h"
#include "runtime/cuda/reports/core-dump.h"
#include "runtime/cuda/reports/device-dump.h"
#include "runtime/cuda/reports/hmm.h"
#include "runtime/cuda/reports/kernel-name.h"
#include "runtime/cuda/session/source-text.h"

#define SOURCE_LINE_MAX 200

/* The fault that was noted. A signal handler reads the cause. */
static struct device_fault {
	struct core_dump dump;
	_Atomic bool has_dump;
	char cause[FAULT_TEXT_MAX];
	_Atomic bool has_cause;
} fault;

static void put_source(const struct cubin_frame *f, const char *indent, struct buffer *out)
{
	char text[SOURCE_LINE_MAX];
	size_t skip;

	if (!source_text_line(NULL, f->file, f->line, text, sizeof(text)))
		return;
	skip = strspn(text, " \t");
	if (text[skip])
		buffer_printf(out, "=========%s%u | %s\n", indent, f->line, text + skip);
}

static void put_thread(const char *words, const uint32_t thread[3], struct buffer *out)
{
	buffer_printf(out, "%s(%u,%u,%u)", words, thread[0], thread[1], thread[2]);
}

static void put_threads(const struct core_dump *d, struct buffer *out)
{
	if (!d->n_threads)
		return;
	if (d->n_threads == 1) {
		put_thread("=========     by thread ", d->first, out);
	} else {
		buffer_printf(out, "=========     by one or more of %u threads", d->n_threads);
		put_thread(", ", d->first, out);
		put_thread(" to ", d->last, out);
	}
	put_thread(" in block ", d->block, out);
	buffer_putc(out, '\n');
	if (d->n_warps > 1)
		buffer_printf(out, "=========     and by threads of %u other warps\n",
			      d->n_warps - 1);
}

/* The shape is that of emulator/report/gpu-fault.c. */
static void put_dump(const struct core_dump *d, struct buffer *out)
{
	const struct cubin_place *p = &d->place;
	const char *name = core_dump_exception_name(d->exception);

	buffer_printf(out, "========= %s\n", name ? name : "Device code was stopped");
	if (*p->function) {
		buffer_puts(out, "=========     at ");
		kernel_name_put(p->n_frames ? p->frames[0].function : p->function, out);
		buffer_printf(out, "+0x%llx", (unsigned long long)p->offset);
		if (p->n_frames)
			buffer_printf(out, " in %s:%u", p->frames[0].file, p->frames[0].line);
		buffer_putc(out, '\n');
	}
	for (uint32_t i = 0; i < p->n_frames; i++) {
		if (i) {
			buffer_puts(out, "=========         called from ");
			kernel_name_put(p->frames[i].function, out);
			buffer_printf(out, " in %s:%u\n", p->frames[i].file, p->frames[i].line);
		}
		put_source(&p->frames[i], i ? "             " : "         ", out);
	}
	put_threads(d, out);
}

/* No report of the machine explains the error: this says what is known of it. */
static void put_what_is_known(CUresult code, struct buffer *out)
{
	if (*cuda_fault_meaning((int)code))
		buffer_printf(out, "It means that %s.\n", cuda_fault_meaning((int)code));
	hmm_put_fault(code, out);
	call_errors_put_first(out);
	if (fault.has_dump && code != CUDA_ERROR_ASSERT)
		buffer_puts(out,
			    "Which address and buffer it was this device does not say. Run the "
			    "cell again with `%%memcheck` as its first line:\nit then runs on the "
			    "emulated device, which does, and nothing of that run is kept.\n");
	else if (!fault.has_dump && !device.driver->extension && cuda_fault_is_of_code((int)code))
		buffer_puts(out,
			    "Which thread and line it was this device does not say. Run the cell "
			    "again with `%%memcheck` as its first line:\nit then runs on the "
			    "emulated device, which does, and nothing of that run is kept.\n");
}

void device_fault_ename(CUresult code, char *ret, size_t size)
{
	const char *name = cuda_error_name(code);

	snprintf(ret, size, "Cuda%s", strncmp(name, "cudaError", 9) ? name : name + 9);
}

static void put_place(const char *kernel, const char *file, uint32_t line, struct buffer *text)
{
	if (*kernel) {
		buffer_puts(text, ", in the CUDA kernel ");
		kernel_name_put(kernel, text);
	}
	if (line)
		buffer_printf(text, ", line %u of %s", line, file);
	buffer_putc(text, '\n');
}

static void put_fault(CUresult code, struct buffer *text)
{
	struct emulator_fault report;
	bool placed = false;

	buffer_printf(text, "%s: %s", cuda_error_name(code), cuda_error_text(code));
	if (device.driver->extension && device.driver->extension->last_fault(&report)) {
		put_place(report.kernel, report.file, report.line, text);
		placed = report.kernel[0];
		buffer_puts(text, report.text);
	} else if (fault.has_dump) {
		put_place(fault.dump.place.kernel,
			  fault.dump.place.n_frames ? fault.dump.place.frames[0].file : "",
			  fault.dump.place.n_frames ? fault.dump.place.frames[0].line : 0, text);
		put_dump(&fault.dump, text);
	} else {
		buffer_puts(text, "\n");
	}
	if (!placed)
		put_what_is_known(code, text);
}

/* With dumps the driver has no code of its own for a failed assertion. */
static CUresult named_by_dump(CUresult code)
{
	return fault.has_dump && code == CUDA_ERROR_LAUNCH_FAILED &&
			       fault.dump.exception == CORE_DUMP_ASSERT
		       ? CUDA_ERROR_ASSERT
		       : code;
}

static void tell_cause(CUresult code)
{
	cleanup_buffer struct buffer out = BUFFER_INIT;

	buffer_puts(&out,
		    "Before that the device had failed, and all calls after it failed, too:\n");
	put_fault(named_by_dump(code), &out);
	snprintf(fault.cause, sizeof(fault.cause), "%s", buffer_text(&out));
	atomic_store(&fault.has_cause, true);
}

/* A dump is read when the cause is told already: should that end the process, it is not lost. */
void device_fault_note(CUresult code)
{
	tell_cause(code);
	if (!cuda_fault_is_of_code((int)code) || !device_dump_take(&fault.dump))
		return;
	fault.has_dump = true;
	tell_cause(code);
}

const char *device_fault_told(void)
{
	return atomic_load(&fault.has_cause) ? fault.cause : ledger_refusal();
}

void device_fault_fill(CUresult code, struct fault_record *f)
{
	cleanup_buffer struct buffer text = BUFFER_INIT;

	code = named_by_dump(code);
	device_fault_ename(code, f->ename, sizeof(f->ename));
	put_fault(code, &text);
	if (ledger_refusal()[0])
		buffer_printf(&text, "Before that, %s", ledger_refusal());
	buffer_puts(&text,
		    "\nAfter this error the process of the cell cannot use the device. Another "
		    "process goes on with the session: nothing must be restarted.\n");
	snprintf(f->text, sizeof(f->text), "%s", buffer_text(&text));
	f->kind = FAULT_CUDA;
}

void device_fault_fill_refusal(struct fault_record *f)
{
	snprintf(f->ename, sizeof(f->ename), "CudaOutOfMemory");
	snprintf(f->text, sizeof(f->text), "%s", ledger_refusal());
	f->kind = FAULT_CUDA_OUT_OF_MEMORY;
}
