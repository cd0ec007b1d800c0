/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Our answers in the place of NVML. A handle of a device is its number in the driver's order and
 * stays good after a fault; that nvmlInit() was called is session state. A forked child of a cell
 * has no driver, so what is asked of it is looked at beforehand, and of memory it is told what the
 * session holds.
 *
 * <nvml.h> need not be there to build this: the structs are those of its documentation.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/protocol/device-watch.h"
#include "runtime/cuda/driver/device-state.h"
#include "runtime/cuda/libcuda/nvml.h"
#include "runtime/cuda/memory/ledger.h"
#include "runtime/cuda/memory/vmm-pool.h"

#define UUID_TEXT_MAX 48
#define DRIVER_OF_CUDA_13                                                                          \
	"580.0" /* the first that has it; the emulated driver has no number of its own */
#define HANDLE_BASE 0x6e766d6c00ul
#define SAMPLE_NS 100000000u
#define NO_INSTANCE 0xffffffffu

struct memory_v1 {
	unsigned long long total, free, used;
};

struct memory_v2 {
	unsigned version;
	unsigned long long total, reserved, free, used;
};
#define MEMORY_V2 (sizeof(struct memory_v2) | 2u << 24)

struct pci {
	char short_id[16];
	unsigned domain, bus, device, device_id; /* so far version 1 */
	unsigned subsystem_id;                   /* version 2 */
	char id[32];
};

struct process_v1 {
	unsigned pid;
	unsigned long long used;
};

struct process_v2 {
	unsigned pid;
	unsigned long long used;
	unsigned gpu_instance, compute_instance;
};

struct rates {
	unsigned gpu, memory;
};

/* Properties of a device, which do not change. */
struct known {
	char name[96], uuid[UUID_TEXT_MAX];
	unsigned domain, bus, slot;
	int major, minor;
	size_t total;
};

static struct {
	struct known known[DEVICES_MAX];
	pid_t owner;          /* the worker; a child that it forks has no driver */
	uint32_t child_inits; /* of a child: nvmlInit() without nvmlShutdown() */
	/* The last answer about the use of the device; under device.lock. */
	struct sample {
		uint64_t at_ns, busy_ns;
		unsigned percent;
	} sample;
} answers;

static void put_uuid(const uint8_t uuid[16], char ret[UUID_TEXT_MAX])
{
	char *at = ret + sprintf(ret, "GPU");

	for (int i = 0; i < 16; i++)
		at += sprintf(at, "%s%02x", !i || i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "",
			      uuid[i]);
}

void nvml_answers_begin(void)
{
	const struct cuda_driver *d = device.driver;

	answers.owner = getpid();
	for (int i = 0; i < device.count; i++) {
		struct known *k = &answers.known[i];
		CUuuid uuid = { 0 };
		char id[32] = "";

		d->cuDeviceGetName(k->name, sizeof(k->name), i);
		d->cuDeviceGetUuid(&uuid, i);
		put_uuid((const uint8_t *)uuid.bytes, k->uuid);
		d->cuDeviceGetPCIBusId(id, sizeof(id), i);
		sscanf(id, "%x:%x:%x", &k->domain, &k->bus, &k->slot);
		d->cuDeviceGetAttribute(&k->major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, i);
		d->cuDeviceGetAttribute(&k->minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, i);
		d->cuDeviceTotalMem(&k->total, i);
	}
}

/* ---- to begin and to end ---- */

static uint32_t *inits(void)
{
	return device.session && getpid() == answers.owner ? &device.session->nvml_inits
							   : &answers.child_inits;
}

static int begin(int result)
{
	if (!result) {
		device_lock();
		++*inits();
		device_unlock();
	}
	return result;
}

static int end(int result)
{
	if (!result) {
		device_lock();
		if (*inits())
			--*inits();
		device_unlock();
	}
	return result;
}

#define REAL(name, ...)                                                                            \
	(nvml.real[NVML_##name]                                                                    \
		 ? ((__typeof__(answer_##name) *)nvml.real[NVML_##name])(__VA_ARGS__)              \
		 : 0)

static int answer_nvmlInit(void)
{
	return begin(REAL(nvmlInit));
}

static int answer_nvmlInit_v2(void)
{
	return begin(REAL(nvmlInit_v2));
}

static int answer_nvmlInitWithFlags(unsigned flags)
{
	return begin(REAL(nvmlInitWithFlags, flags));
}

static int answer_nvmlShutdown(void)
{
	return end(REAL(nvmlShutdown));
}

/* ---- which device ---- */

static void *handle_of(int i)
{
	return (void *)(HANDLE_BASE + 1 + (unsigned)i);
}

/* -1: it is none of ours. */
static int own_number(const void *handle)
{
	uintptr_t i = (uintptr_t)handle - HANDLE_BASE - 1;

	return i < (uintptr_t)device.count ? (int)i : -1;
}

/* The number that a device of the machine's NVML has for cells; -1: they do not use it. Those of
 * MIG have the same bytes behind other letters. */
static int real_number(void *handle)
{
	int (*get_uuid)(void *handle, char *ret, unsigned size) = nvml.real[NVML_nvmlDeviceGetUUID];
	char uuid[96] = "";

	if (get_uuid && !get_uuid(handle, uuid, sizeof(uuid)) && strchr(uuid, '-'))
		for (int i = 0; i < device.count; i++)
			if (!strcasecmp(strchr(uuid, '-'), strchr(answers.known[i].uuid, '-')))
				return i;
	return -1;
}

#define NEED_DEVICE(i, handle, ret)                                                                \
	int i = own_number(handle);                                                                \
                                                                                                   \
	if (i < 0 || !(ret))                                                                       \
	return NVML_ERROR_INVALID_ARGUMENT

static int put_text(const char *text, char *ret, unsigned size)
{
	if (strlen(text) >= size)
		return NVML_ERROR_INSUFFICIENT_SIZE;
	strcpy(ret, text);
	return NVML_SUCCESS;
}

static int answer_nvmlDeviceGetCount_v2(unsigned *ret)
{
	if (!ret)
		return NVML_ERROR_INVALID_ARGUMENT;
	*ret = (unsigned)device.count;
	return NVML_SUCCESS;
}

static int answer_nvmlDeviceGetHandleByIndex_v2(unsigned index, void **ret)
{
	if (!ret || index >= (unsigned)device.count)
		return NVML_ERROR_INVALID_ARGUMENT;
	*ret = handle_of((int)index);
	return NVML_SUCCESS;
}

static int answer_nvmlDeviceGetHandleByUUID(const char *uuid, void **ret)
{
	if (!uuid || !ret)
		return NVML_ERROR_INVALID_ARGUMENT;
	for (int i = 0; i < device.count; i++)
		if (!strcasecmp(uuid, answers.known[i].uuid)) {
			*ret = handle_of(i);
			return NVML_SUCCESS;
		}
	return NVML_ERROR_NOT_FOUND;
}

/* The domain has four digits or eight. */
static int answer_nvmlDeviceGetHandleByPciBusId_v2(const char *id, void **ret)
{
	unsigned domain, bus, slot;

	if (!id || !ret || sscanf(id, "%x:%x:%x", &domain, &bus, &slot) != 3)
		return NVML_ERROR_INVALID_ARGUMENT;
	for (int i = 0; i < device.count; i++)
		if (domain == answers.known[i].domain && bus == answers.known[i].bus &&
		    slot == answers.known[i].slot) {
			*ret = handle_of(i);
			return NVML_SUCCESS;
		}
	return NVML_ERROR_NOT_FOUND;
}

#define answer_nvmlDeviceGetCount answer_nvmlDeviceGetCount_v2
#define answer_nvmlDeviceGetHandleByIndex answer_nvmlDeviceGetHandleByIndex_v2
#define answer_nvmlDeviceGetHandleByPciBusId answer_nvmlDeviceGetHandleByPciBusId_v2

static int answer_nvmlDeviceGetIndex(void *handle, unsigned *ret)
{
	NEED_DEVICE(i, handle, ret);
	*ret = (unsigned)i;
	return NVML_SUCCESS;
}

#define answer_nvmlDeviceGetMinorNumber answer_nvmlDeviceGetIndex

static int answer_nvmlDeviceGetName(void *handle, char *ret, unsigned size)
{
	NEED_DEVICE(i, handle, ret);
	return put_text(answers.known[i].name, ret, size);
}

static int answer_nvmlDeviceGetUUID(void *handle, char *ret, unsigned size)
{
	NEED_DEVICE(i, handle, ret);
	return put_text(answers.known[i].uuid, ret, size);
}

static int answer_nvmlDeviceGetCudaComputeCapability(void *handle, int *ret_major, int *ret_minor)
{
	NEED_DEVICE(i, handle, ret_major && ret_minor);
	*ret_major = answers.known[i].major;
	*ret_minor = answers.known[i].minor;
	return NVML_SUCCESS;
}

static int put_pci(void *handle, void *ret, size_t size)
{
	struct pci p = { 0 };

	NEED_DEVICE(i, handle, ret);
	p.domain = answers.known[i].domain;
	p.bus = answers.known[i].bus;
	p.device = answers.known[i].slot;
	snprintf(p.short_id, sizeof(p.short_id), "%04x:%02x:%02x.0", p.domain & 0xffff,
		 p.bus & 0xff, p.device & 0xff);
	snprintf(p.id, sizeof(p.id), "%08x:%02x:%02x.0", p.domain, p.bus & 0xff, p.device & 0xff);
	memcpy(ret, &p, size);
	return NVML_SUCCESS;
}

static int answer_nvmlDeviceGetPciInfo(void *handle, void *ret)
{
	return put_pci(handle, ret, offsetof(struct pci, subsystem_id));
}

static int answer_nvmlDeviceGetPciInfo_v2(void *handle, void *ret)
{
	return put_pci(handle, ret, offsetof(struct pci, id));
}

static int answer_nvmlDeviceGetPciInfo_v3(void *handle, void *ret)
{
	return put_pci(handle, ret, sizeof(struct pci));
}

/* ---- memory ---- */

/* Memory of a device of the machine, seen through the cap. False: it stays as it is. */
static bool cap(int i, unsigned long long *total, unsigned long long *free_bytes)
{
	size_t t = *total, f = *free_bytes;

	if (i < 0 || !device.session || !device.limit || device.limit >= device.info.memory)
		return false;
	device_lock();
	f += vmm_pool_spare(i);
	ledger_cap_view(&f, &t);
	device_unlock();
	*total = t;
	*free_bytes = f;
	return true;
}

static int memory_of(void *handle, struct memory_v1 *ret)
{
	size_t free_bytes, total;
	CUresult result = CUDA_SUCCESS;

	NEED_DEVICE(i, handle, ret);
	device_lock();
	if (getpid() == answers.owner) {
		result = ledger_room(i, &free_bytes, &total);
	} else {
		total = answers.known[i].total;
		free_bytes = device.session ? total - ledger_used_on(i) : total;
	}
	if (!result && device.session)
		ledger_cap_view(&free_bytes, &total);
	device_unlock();
	if (result)
		return NVML_ERROR_UNKNOWN;
	*ret = (struct memory_v1){ total, free_bytes, total - free_bytes };
	return NVML_SUCCESS;
}

static int answer_nvmlDeviceGetMemoryInfo(void *handle, struct memory_v1 *ret)
{
	int result;

	if (!nvml.real[NVML_nvmlDeviceGetMemoryInfo])
		return memory_of(handle, ret);
	result = REAL(nvmlDeviceGetMemoryInfo, handle, ret);
	if (!result && cap(real_number(handle), &ret->total, &ret->free))
		ret->used = ret->total - ret->free;
	return result;
}

static int answer_nvmlDeviceGetMemoryInfo_v2(void *handle, struct memory_v2 *ret)
{
	struct memory_v1 plain;
	int result;

	if (nvml.real[NVML_nvmlDeviceGetMemoryInfo_v2]) {
		result = REAL(nvmlDeviceGetMemoryInfo_v2, handle, ret);
		if (!result && cap(real_number(handle), &ret->total, &ret->free)) {
			ret->reserved = 0;
			ret->used = ret->total - ret->free;
		}
		return result;
	}
	if (ret && ret->version != MEMORY_V2)
		return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
	result = ret ? memory_of(handle, &plain) : NVML_ERROR_INVALID_ARGUMENT;
	if (!result)
		*ret = (struct memory_v2){ MEMORY_V2, plain.total, 0, plain.free, plain.used };
	return result;
}

/* ---- processes ---- */

static uint64_t used_on(int i)
{
	uint64_t used = 0;

	device_lock();
	if (device.session)
		used = ledger_used_on(i);
	device_unlock();
	return used;
}

/* Ours is the only one that the emulated device is known to have. */
static int own_process(void *handle, unsigned *n, struct process_v2 *ret)
{
	NEED_DEVICE(i, handle, n);
	if (!device.contexts[i].handle) {
		*n = 0;
		return NVML_SUCCESS;
	}
	if (!*n) {
		*n = 1;
		return NVML_ERROR_INSUFFICIENT_SIZE;
	}
	*n = 1;
	*ret = (struct process_v2){ (unsigned)answers.owner, used_on(i), NO_INSTANCE, NO_INSTANCE };
	return NVML_SUCCESS;
}

typedef int list_fn(void *handle, unsigned *n, void *ret);

/* In both versions the first two members are the same. Of this process the session's memory is
 * told, not that of its context. */
static int list_processes(unsigned number, void *handle, unsigned *n, void *ret, size_t size)
{
	list_fn *real = (list_fn *)nvml.real[number];
	struct process_v2 own;
	int result, i;

	if (n && *n && !ret)
		return NVML_ERROR_INVALID_ARGUMENT;
	if (!real) {
		result = own_process(handle, n, &own);
		if (!result && *n)
			memcpy(ret, &own, size);
		return result;
	}
	result = real(handle, n, ret);
	i = result ? -1 : real_number(handle);
	for (unsigned p = 0; i >= 0 && p < *n; p++) {
		struct process_v1 *at = (struct process_v1 *)((char *)ret + p * size);

		if (at->pid == (unsigned)answers.owner)
			at->used = used_on(i);
	}
	return result;
}

#define PROCESSES(name, type)                                                                      \
	static int answer_##name(void *handle, unsigned *n, void *ret)                             \
	{                                                                                          \
		return list_processes(NVML_##name, handle, n, ret, sizeof(struct type));           \
	}
PROCESSES(nvmlDeviceGetComputeRunningProcesses, process_v1)
PROCESSES(nvmlDeviceGetComputeRunningProcesses_v2, process_v2)
PROCESSES(nvmlDeviceGetComputeRunningProcesses_v3, process_v2)

/* Nobody draws there, and there is no MPS. */
static int answer_nvmlDeviceGetGraphicsRunningProcesses(void *handle, unsigned *n, void *ret)
{
	(void)ret;
	NEED_DEVICE(i, handle, n);
	*n = 0;
	return NVML_SUCCESS;
}

#define answer_nvmlDeviceGetGraphicsRunningProcesses_v2 answer_nvmlDeviceGetGraphicsRunningProcesses
#define answer_nvmlDeviceGetGraphicsRunningProcesses_v3 answer_nvmlDeviceGetGraphicsRunningProcesses
#define answer_nvmlDeviceGetMPSComputeRunningProcesses answer_nvmlDeviceGetGraphicsRunningProcesses
#define answer_nvmlDeviceGetMPSComputeRunningProcesses_v2                                          \
	answer_nvmlDeviceGetGraphicsRunningProcesses
#define answer_nvmlDeviceGetMPSComputeRunningProcesses_v3                                          \
	answer_nvmlDeviceGetGraphicsRunningProcesses

/* ---- what it does, and versions ---- */

/* Percent of the time since the last sample, at least a tenth of a second ago. Memory is used only
 * while a launch runs. */
static int answer_nvmlDeviceGetUtilizationRates(void *handle, struct rates *ret)
{
	struct sample *sample = &answers.sample;
	struct device_watch *w = device.host->watch;

	NEED_DEVICE(i, handle, ret);
	if (!w || !device.driver->extension)
		return NVML_ERROR_NOT_SUPPORTED;
	device_lock();
	if (clock_now_ns() - sample->at_ns >= SAMPLE_NS) {
		uint64_t now = clock_now_ns(), busy = device_busy_ns(&w->busy, now),
			 span = now - sample->at_ns;

		sample->percent = sample->at_ns && busy > sample->busy_ns
					  ? (unsigned)((busy - sample->busy_ns) * 100 / span)
					  : 0;
		sample->percent = sample->percent > 100 ? 100 : sample->percent;
		sample->at_ns = now;
		sample->busy_ns = busy;
	}
	*ret = (struct rates){ sample->percent, sample->percent };
	device_unlock();
	return NVML_SUCCESS;
}

static int answer_nvmlSystemGetDriverVersion(char *ret, unsigned size)
{
	return device.driver->extension ? put_text(DRIVER_OF_CUDA_13, ret, size)
					: NVML_ERROR_NOT_SUPPORTED;
}

static int answer_nvmlSystemGetNVMLVersion(char *ret, unsigned size)
{
	return put_text("13." DRIVER_OF_CUDA_13, ret, size);
}

static int answer_nvmlSystemGetCudaDriverVersion(int *ret)
{
	if (!ret)
		return NVML_ERROR_INVALID_ARGUMENT;
	*ret = device.info.driver_version;
	return NVML_SUCCESS;
}

#define answer_nvmlSystemGetCudaDriverVersion_v2 answer_nvmlSystemGetCudaDriverVersion

/* ---- by number ---- */

enum kind { OURS, KNOWN, OTHER };

#define ANSWER_OURS(name) (void *)answer_##name
#define ANSWER_KNOWN(name) (void *)answer_##name
#define ANSWER_OTHER(name) NULL

static const struct {
	enum kind kind;
	void *answer;
} rows[] = {
#define NVML(name, kind) { kind, ANSWER_##kind(name) },
#include "runtime/cuda/libcuda/nvml.def"
};

void *nvml_answer(unsigned number)
{
	return rows[number].answer;
}

bool nvml_answer_always(unsigned number)
{
	return rows[number].kind == OURS;
}

bool nvml_answer_early(unsigned number)
{
	switch (number) {
	case NVML_nvmlInit:
	case NVML_nvmlInit_v2:
	case NVML_nvmlInitWithFlags:
	case NVML_nvmlSystemGetCudaDriverVersion:
	case NVML_nvmlSystemGetCudaDriverVersion_v2:
		return true;
	default:
		return *inits();
	}
}
