/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A driver is chosen, initialised and asked what there is. The machine's own is preferred; why it
 * is not used is told, and a device that cannot be used is no error.
 */
#include "runtime/cuda/device-open.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <driver_types.h>

#include "common/base/error.h"
#include "common/base/log.h"
#include "common/protocol/device-watch.h"
#include "runtime/cuda/device.h"
#include "runtime/cuda/driver/cuda-error.h"
#include "runtime/cuda/driver/device-state.h"
#include "runtime/cuda/driver/device-traits.h"
#include "runtime/cuda/driver/device-window.h"
#include "runtime/cuda/driver/libcuda-find.h"
#include "runtime/cuda/libcuda/libcuda.h"
#include "runtime/cuda/libcuda/nvml.h"
#include "runtime/cuda/memory/ledger.h"
#include "runtime/cuda/memory/vmm-pool.h"
#include "runtime/cuda/reports/device-dump.h"
#include "runtime/cuda/reports/device-fault.h"
#include "runtime/cuda/reports/hmm.h"
#include "runtime/cuda/reports/trace.h"
#include "runtime/cuda/rollback/preimage.h"
#include "runtime/cuda/session/source-text.h"

/* Code of cells is made by the tools of this version. */
#define NEEDED_VERSION 13000
#define NEEDED_TEXT "13.0"
#define NEEDED_DRIVER "580"
#define VERSION_TEXT_MAX 24

static void print(void *data, int to_stderr, const char *text, size_t len)
{
	(void)data;
	device.host->print(to_stderr, text, len);
}

/* libcgpu-emulator.so lies beside the worker; CGPU_EMULATOR names another one. */
static const char *emulator_path(void)
{
	const char *given = getenv("CGPU_EMULATOR");
	char *path = device.driver_path;
	ssize_t n;
	char *slash;

	if (given)
		return given;
	n = readlink("/proc/self/exe", path, LIBCUDA_PATH_MAX - sizeof("libcgpu-emulator.so"));
	if (n <= 0)
		return "libcgpu-emulator.so";
	path[n] = '\0';
	slash = strrchr(path, '/');
	strcpy(slash ? slash + 1 : path, "libcgpu-emulator.so");
	return path;
}

/* "12.4" of 12040. */
static void put_version(int version, char ret[VERSION_TEXT_MAX])
{
	snprintf(ret, VERSION_TEXT_MAX, "%d.%d", version / 1000, version % 1000 / 10);
}

/* Load and initialise a driver with at least one device. */
static int try_driver(const char *path, struct error *err)
{
	char present[VERSION_TEXT_MAX];
	int count = 0, version = 0;
	CUresult result;
	bool lacks;

	device.unusable = CUDA_ERROR_NO_DEVICE;
	lacks = driver_open(path, &device.chosen, err);
	/* One that is too old is asked, too: where no device is, a newer one is of no use. */
	if (lacks && (!device.chosen.cuInit || !device.chosen.cuDriverGetVersion))
		return -1;
	result = device.chosen.cuInit(0);
	if (!result && !device.chosen.cuDriverGetVersion(&version) && version < NEEDED_VERSION)
		result = (CUresult)cudaErrorInsufficientDriver;
	if (!result && lacks)
		return -1;
	if (!result)
		result = device.chosen.cuDeviceGetCount(&count);
	if (!result && !count)
		result = CUDA_ERROR_NO_DEVICE;
	device.unusable = result ? result : CUDA_ERROR_NOT_SUPPORTED;
	if (!result)
		return device_window_open(&device.chosen, device.host->window, err);
	/* One that fails in all it is asked does not tell its version. */
	if (device.chosen.cuDriverGetVersion(&version) || version >= NEEDED_VERSION)
		return error_set(err, ERROR_UNSUPPORTED, "%s cannot be initialised: %s (%d)", path,
				 cuda_error_text(result), (int)result);
	put_version(version, present);
	return error_set(
		err, ERROR_UNSUPPORTED,
		"%s cannot be initialised: %s (%d). The driver is for CUDA %s; CUDA " NEEDED_TEXT
		" is needed, which driver " NEEDED_DRIVER " and later have",
		path, cuda_error_text(result), (int)result, present);
}

/* The machine's own driver, also when another library has its name. */
static int try_native(struct error *err)
{
	char *path = device.driver_path;
	int ret;

	strcpy(path, LIBCUDA_NAME);
	if (libcuda_is_loaded() && !libcuda_find(path))
		return error_set(err, ERROR_NOT_FOUND,
				 "cannot load the CUDA driver: there is no " LIBCUDA_NAME);
	/* Code is loaded when it is used first: a context of the libraries takes a quarter of the
	 * memory then. */
	setenv("CUDA_MODULE_LOADING", "LAZY", 0);
	device_traits_choose_mps(nvml_open);
	device_window_vacate();
	libcuda_thread.opens_driver = true;
	ret = try_driver(path, err);
	libcuda_thread.opens_driver = false;
	return ret;
}

/* A machine without a driver needs no explanation why it is not used. */
static void pass_over(const char *why)
{
	char path[LIBCUDA_PATH_MAX];

	if (libcuda_find(path))
		snprintf(device.info.passed_over, sizeof(device.info.passed_over), "%.*s",
			 (int)sizeof(device.info.passed_over) - 1, why);
}

static int choose(struct error *err)
{
	const char *want = device.host->driver ? device.host->driver : getenv("CGPU_DEVICE");
	struct error why = ERROR_INIT;

	if (want && !strcmp(want, "native"))
		return try_native(err);
	if (want && strcmp(want, "emulated"))
		return error_set(err, ERROR_INPUT,
				 "CGPU_DEVICE is \"%s\"; it can be \"native\" or \"emulated\"",
				 want);
	if (want && device.host->passed_over)
		snprintf(device.info.passed_over, sizeof(device.info.passed_over), "%s",
			 device.host->passed_over);
	if (!want && !try_native(&why))
		return 0;
	if (!want)
		pass_over(why.text);
	return try_driver(emulator_path(), err);
}

static CUresult make_ready(void)
{
	CUresult result = device_enter();

	if (!result)
		result = vmm_pool_init();
	return result;
}

/* Code of cells is for every device of the session. */
static int lowest_capability(void)
{
	int lowest = 0;

	for (int i = 0; i < device.count; i++) {
		int major, minor;

		if (device.driver->cuDeviceGetAttribute(
			    &major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, i) ||
		    device.driver->cuDeviceGetAttribute(
			    &minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, i))
			return 0;
		if (!lowest || 10 * major + minor < lowest)
			lowest = 10 * major + minor;
	}
	return lowest;
}

static void describe(struct device_info *info)
{
	size_t total;

	device.driver->cuDeviceGetCount(&device.count);
	if (device.count > DEVICES_MAX)
		device.count = DEVICES_MAX;
	device.driver->cuDeviceGetName(info->name, sizeof(info->name), 0);
	device.driver->cuDriverGetVersion(&info->driver_version);
	info->devices = device.count;
	for (int i = 0; i < device.count; i++) {
		if (device.driver->cuDeviceTotalMem(&total, i))
			total = 0;
		info->memory += total;
		if (total > info->most_memory)
			info->most_memory = total;
		device.driver->cuDeviceGetUuid((CUuuid *)info->uuids[i], i);
	}
	info->capability = lowest_capability();
	info->traits = device_traits(device.driver);
	info->emulated = device.driver->extension;
}

static void use_extension(void)
{
	if (device.host->watch)
		device.driver->extension->count_busy(&device.host->watch->busy);
	if (device.host->print)
		device.driver->extension->set_print(print, NULL);
	device.driver->extension->set_source(source_text_line, NULL);
	if (device.host->thread_count)
		device.driver->extension->set_threads(device.host->thread_count,
						      device.host->hold_thread,
						      device.host->release_thread);
	if (device.host->describe)
		device.driver->extension->reach_host(hmm_find_host);
	if (device.host->debugger)
		device.driver->extension->debug(device.host->debugger);
}

void device_open_take(void)
{
	CUresult result = make_ready();

	if (result) {
		device_set_unusable(result);
		return;
	}
	device.usable = true;
	device.info.window = device_window_size();
	device.info.problem[0] = '\0';
	if (device.driver->extension)
		use_extension();
}

void device_stand_before_driver(const char *folder)
{
	struct error err = ERROR_INIT;

	if (libcuda_load(folder, &err))
		log_error("%s: what libraries take of a device is not counted", err.text);
	err = (struct error)ERROR_INIT;
	if (nvml_load(folder, &err))
		log_error("%s: it shows cells the whole device, not their limit", err.text);
}

static bool try_without_dumps(CUresult why)
{
	return device_dump_give_up(&device.chosen, why);
}

static const struct device_callbacks callbacks = { .ended = device_fault_note,
						   .context_refused = try_without_dumps };

static const struct ledger_callbacks ledger_callbacks = { .save = preimage_save,
							  .allocated = trace_allocation,
							  .freed = trace_free,
							  .refused = trace_refusal };

/* From here on the driver is the one that is chosen. */
static void begin(const struct device_host *host)
{
	device.host = host;
	device.driver = &device.chosen;
	device.callbacks = &callbacks;
	device.ledger_callbacks = &ledger_callbacks;
}

void device_leave_alone(const struct device_host *host, struct device_info *ret_info)
{
	begin(host);
	device_set_out_of_reach("the device is left alone: a process that was to use it has hung "
				"in its driver. `%%gpu reset` tries it again");
	*ret_info = device.info;
}

/*
 * device_attach() takes the context then. In exclusive mode the worker that has the session has the
 * only one that there can be. A driver that gives no addresses without one cannot be waited with.
 */
static bool waits(void)
{
	bool alone = (device.info.traits & (DEVICE_EXCLUSIVE | DEVICE_MPS)) == DEVICE_EXCLUSIVE;

	return (alone || device.host->waits) && device.info.window;
}

static void use(int (*find)(struct error *err), const struct device_host *host,
		struct device_info *ret_info)
{
	struct error why = ERROR_INIT;

	begin(host);
	device.unusable = CUDA_ERROR_NO_DEVICE;
	if (find(&why)) {
		snprintf(device.info.problem, sizeof(device.info.problem), "%.*s",
			 (int)sizeof(device.info.problem) - 1, why.text);
		*ret_info = device.info;
		nvml_attach();
		return;
	}
	libcuda_attach(device.chosen.handle);
	if (getenv("CGPU_TRACE_DRIVER"))
		device.driver = driver_trace(&device.chosen);
	describe(&device.info);
	nvml_attach();
	device_dump_ask(&device.chosen, host->dump_folder);
	device.info.window = device_window_size();
	if (!waits())
		device_open_take();
	*ret_info = device.info;
}

int device_init(const struct device_host *host, struct device_info *ret_info, struct error *err)
{
	(void)err;
	use(choose, host, ret_info);
	return 0;
}

static int choose_emulated(struct error *err)
{
	return try_driver(emulator_path(), err);
}

void device_init_checks(const struct device_host *host, const struct worker_device *as,
			struct device_info *ret_info)
{
	char count[16], memory[24];

	snprintf(count, sizeof(count), "%u", as->count);
	snprintf(memory, sizeof(memory), "%llu", (unsigned long long)as->memory);
	setenv("CGPU_EMULATED_DEVICES", count, 1);
	setenv("CGPU_EMULATED_MEMORY", memory, 1);
	setenv("CGPU_EMULATED_HMM", as->has_hmm ? "1" : "0", 1);
	unsetenv("CGPU_EMULATED_FAIL");
	use(choose_emulated, host, ret_info);
}
