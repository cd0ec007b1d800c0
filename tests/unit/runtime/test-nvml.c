/* SPDX-License-Identifier: Apache-2.0 */
/*
 * NVML as programs use it that open libnvidia-ml.so.1: our answers for the emulated device, and
 * those of a library of the machine, one that the test has made, seen through the cap. That one is
 * found by LD_LIBRARY_PATH, so the test starts itself again.
 */
#include <dlfcn.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/base/error.h"
#include "runtime/cuda/driver/device-state.h"
#include "runtime/cuda/libcuda/nvml.h"
#include "runtime/cuda/session/session.h"
#include "tests/unit/runtime/device-host.h"

#include <cuda_runtime_api.h>

#define MIB (1024ull * 1024)
#define CAP (64 * MIB)
#define DEVICE (256 * MIB)

/* As <nvml.h> has them. */
struct memory {
	unsigned long long total, free, used;
};

struct memory_v2 {
	unsigned version;
	unsigned long long total, reserved, free, used;
};

struct process {
	unsigned pid;
	unsigned long long used;
	unsigned gpu_instance, compute_instance;
};

struct pci {
	char short_id[16];
	unsigned domain, bus, device, device_id, subsystem_id;
	char id[32];
};

/* What a machine with a card has. Another process is on it, and of this one more is there than the
 * session's memory. */
static const char machine[] =
	"#include <stdio.h>\n#include <string.h>\n#include <unistd.h>\n"
	"struct memory { unsigned long long total, free, used; };\n"
	"struct memory_v2 { unsigned version; unsigned long long total, reserved, free, used; };\n"
	"struct process { unsigned pid; unsigned long long used; unsigned gi, ci; };\n"
	"static int card, begun;\n"
	"#define MIB (1ull << 20)\n"
	"#define NEED if (!begun) return 1\n"
	"int nvmlInit_v2(void) { begun++; return 0; }\n"
	"int nvmlShutdown(void) { NEED; begun--; return 0; }\n"
	"int nvmlDeviceGetHandleByIndex_v2(unsigned i, void **ret) { NEED; *ret = &card; return i "
	"? 2 : 0; }\n"
	"int nvmlDeviceGetUUID(void *d, char *ret, unsigned n)\n"
	"{ NEED; snprintf(ret, n, \"GPU-63677075-2d65-6d75-6c61-7465642d3030\"); return 0; }\n"
	"int nvmlDeviceGetMemoryInfo(void *d, struct memory *m)\n"
	"{ NEED; *m = (struct memory){ 1000 * MIB, 700 * MIB, 300 * MIB }; return 0; }\n"
	"int nvmlDeviceGetMemoryInfo_v2(void *d, struct memory_v2 *m)\n"
	"{ NEED; if (m->version != 0x2000028) return 25;\n"
	"  *m = (struct memory_v2){ m->version, 1000 * MIB, 50 * MIB, 700 * MIB, 250 * MIB }; "
	"return 0; }\n"
	"int nvmlDeviceGetComputeRunningProcesses_v3(void *d, unsigned *n, struct process *ret)\n"
	"{ NEED; unsigned room = *n; *n = 2; if (room < 2) return 7;\n"
	"  ret[0] = (struct process){ 1, 10 * MIB, -1, -1 }; ret[1] = (struct process){ getpid(), "
	"400 * MIB, -1, -1 }; return 0; }\n"
	"int nvmlDeviceGetTemperature(void *d, int sensor, unsigned *ret) { NEED; *ret = 42 + "
	"sensor; return d == &card ? 0 : 2; }\n";

static void *library;

/* What the arguments are, NVML says; there is no prototype to say it here. */
#pragma GCC diagnostic ignored "-Wstrict-prototypes"
#define CALL(name, ...) ((int (*)())dlsym(library, #name))(__VA_ARGS__)

static void open_library(void)
{
	library = dlopen("libnvidia-ml.so.1", RTLD_NOW);
	WORKER_NEED(library && dlsym(library, NVML_SHIM_SYMBOL));
	device_host_begin(1);
}

static void *first_device(void)
{
	void *d = NULL;

	WORKER_NEED(!CALL(nvmlDeviceGetHandleByIndex_v2, 0, &d) && d);
	return d;
}

/* As cudaMemGetInfo() has it. */
static void need_same_memory(void *d)
{
	struct memory_v2 two = { .version = 0x2000028 };
	struct memory one;
	size_t free_bytes, total;

	WORKER_NEED(!cudaMemGetInfo(&free_bytes, &total));
	WORKER_NEED(!CALL(nvmlDeviceGetMemoryInfo, d, &one));
	WORKER_NEED(one.total == total && one.free == free_bytes && one.used == total - free_bytes);
	WORKER_NEED(!CALL(nvmlDeviceGetMemoryInfo_v2, d, &two));
	WORKER_NEED(two.total == total && two.free == free_bytes &&
		    two.used == total - free_bytes && !two.reserved);
	two.version = 1;
	WORKER_NEED(CALL(nvmlDeviceGetMemoryInfo_v2, d, &two) ==
		    NVML_ERROR_ARGUMENT_VERSION_MISMATCH);
}

/* ---- the emulated device ---- */

static void look_at_memory(void *data)
{
	struct memory m;
	void *d, *p;

	(void)data;
	open_library();
	WORKER_NEED(CALL(nvmlDeviceGetMemoryInfo, NULL, &m) == NVML_ERROR_UNINITIALIZED);
	WORKER_NEED(!CALL(nvmlInit_v2));
	d = first_device();
	need_same_memory(d);
	WORKER_NEED(!CALL(nvmlDeviceGetMemoryInfo, d, &m) && m.total == DEVICE);
	device_set_limit(CAP);
	need_same_memory(d);
	WORKER_NEED(!CALL(nvmlDeviceGetMemoryInfo, d, &m) && m.total == CAP && !m.used);
	WORKER_NEED(!cudaMalloc(&p, 16 * MIB));
	need_same_memory(d);
	WORKER_NEED(!CALL(nvmlDeviceGetMemoryInfo, d, &m) && m.used == 16 * MIB);
	WORKER_NEED(!cudaFree(p));
	WORKER_NEED(!CALL(nvmlDeviceGetMemoryInfo, d, &m) && !m.used);
	device_host_commit();
}

static void memory_is_as_the_runtime_shows_it(void **state)
{
	(void)state;
	assert_int_equal(device_host_worker(look_at_memory, NULL), 0);
}

static void look_around(void *data)
{
	struct pci pci;
	struct {
		unsigned gpu, memory;
	} rates;
	unsigned n = 0;
	int major = 0, minor = 0, version = 0;
	char text[96];
	void *d, *same = NULL;
	struct cudaDeviceProp p;

	(void)data;
	open_library();
	WORKER_NEED(!CALL(nvmlSystemGetCudaDriverVersion, &version) &&
		    version == device.info.driver_version);
	WORKER_NEED(!CALL(nvmlInitWithFlags, 0));
	WORKER_NEED(!cudaGetDeviceProperties(&p, 0));
	d = first_device();
	WORKER_NEED(!CALL(nvmlDeviceGetCount_v2, &n) && n == 1);
	WORKER_NEED(!CALL(nvmlDeviceGetIndex, d, &n) && n == 0);
	WORKER_NEED(!CALL(nvmlDeviceGetName, d, text, 96u) && !strcmp(text, p.name));
	WORKER_NEED(CALL(nvmlDeviceGetName, d, text, 4u) == NVML_ERROR_INSUFFICIENT_SIZE);
	/* The bytes of cuDeviceGetUuid(): cgpu-emulated-00. */
	WORKER_NEED(!CALL(nvmlDeviceGetUUID, d, text, 96u) &&
		    !strcmp(text, "GPU-63677075-2d65-6d75-6c61-7465642d3030"));
	WORKER_NEED(!CALL(nvmlDeviceGetHandleByUUID, text, &same) && same == d);
	WORKER_NEED(CALL(nvmlDeviceGetHandleByUUID, "GPU-0", &same) == NVML_ERROR_NOT_FOUND);
	WORKER_NEED(!CALL(nvmlDeviceGetPciInfo_v3, d, &pci) && (int)pci.bus == p.pciBusID);
	same = NULL;
	WORKER_NEED(!CALL(nvmlDeviceGetHandleByPciBusId_v2, pci.id, &same) && same == d);
	WORKER_NEED(!CALL(nvmlDeviceGetHandleByPciBusId_v2, pci.short_id, &same) && same == d);
	WORKER_NEED(!CALL(nvmlDeviceGetCudaComputeCapability, d, &major, &minor) &&
		    major == p.major && minor == p.minor);
	WORKER_NEED(!CALL(nvmlSystemGetDriverVersion, text, 80u) && *text);
	WORKER_NEED(CALL(nvmlDeviceGetTemperature, d, 0, &n) == NVML_ERROR_NOT_SUPPORTED);
	/* Nobody here counts how long launches run. */
	WORKER_NEED(CALL(nvmlDeviceGetUtilizationRates, d, &rates) == NVML_ERROR_NOT_SUPPORTED);
	WORKER_NEED(CALL(nvmlDeviceGetName, &n, text, 96u) == NVML_ERROR_INVALID_ARGUMENT);
	WORKER_NEED(CALL(nvmlDeviceGetHandleByIndex_v2, 1, &same) == NVML_ERROR_INVALID_ARGUMENT);
	WORKER_NEED(!strcmp(((const char *(*)(int))dlsym(library, "nvmlErrorString"))(3),
			    "Not supported"));
	WORKER_NEED(!CALL(nvmlShutdown) && CALL(nvmlShutdown) == NVML_ERROR_UNINITIALIZED);
	device_host_commit();
}

static void the_emulated_device_has_answers(void **state)
{
	(void)state;
	assert_int_equal(device_host_worker(look_around, NULL), 0);
}

static void begin(void *data)
{
	(void)data;
	open_library();
	WORKER_NEED(!CALL(nvmlInit_v2));
	device_host_commit();
	/* Not committed: */
	device_host_begin(2);
	WORKER_NEED(!CALL(nvmlShutdown));
	device_host_die();
}

static void go_on(void *data)
{
	struct process list[2];
	void *d, *p;
	unsigned n = 0;

	(void)data;
	open_library();
	d = first_device();
	need_same_memory(d);
	WORKER_NEED(!cudaMalloc(&p, 4 * MIB));
	WORKER_NEED(CALL(nvmlDeviceGetComputeRunningProcesses_v3, d, &n, NULL) ==
			    NVML_ERROR_INSUFFICIENT_SIZE &&
		    n == 1);
	n = 2;
	WORKER_NEED(!CALL(nvmlDeviceGetComputeRunningProcesses_v3, d, &n, list));
	WORKER_NEED(n == 1 && list[0].pid == (unsigned)getpid() && list[0].used == 4 * MIB);
	device_host_commit();
}

static void what_was_begun_is_session_state(void **state)
{
	(void)state;
	assert_int_equal(device_host_worker(begin, NULL), 0);
	assert_int_equal(device_host_worker(go_on, NULL), 0);
}

static void ask_in_child(void *data)
{
	struct memory m;
	void *p;
	int status;
	pid_t pid;

	(void)data;
	open_library();
	device_set_limit(CAP);
	WORKER_NEED(!cudaMalloc(&p, 16 * MIB));
	pid = fork();
	if (!pid) {
		WORKER_NEED(CALL(nvmlDeviceGetMemoryInfo, NULL, &m) == NVML_ERROR_UNINITIALIZED);
		WORKER_NEED(!CALL(nvmlInit_v2));
		WORKER_NEED(!CALL(nvmlDeviceGetMemoryInfo, first_device(), &m));
		_exit(m.total == CAP && m.used == 16 * MIB ? 42 : 1);
	}
	WORKER_NEED(waitpid(pid, &status, 0) == pid && WIFEXITED(status) &&
		    WEXITSTATUS(status) == 42);
	device_host_commit();
}

static void a_forked_child_is_told_the_same(void **state)
{
	(void)state;
	assert_int_equal(device_host_worker(ask_in_child, NULL), 0);
}

/* ---- a machine with its own ---- */

static void look_at_machine(void *data)
{
	static struct cuda_driver real;
	struct memory_v2 two = { .version = 0x2000028 };
	struct process list[4];
	struct memory m;
	unsigned n = 4;
	void *d, *p;

	(void)data;
	/* A real driver says nothing beyond the driver API. */
	real = *device.driver;
	real.extension = NULL;
	open_library();
	device.driver = &real;
	WORKER_NEED(CALL(nvmlShutdown) == NVML_ERROR_UNINITIALIZED);
	WORKER_NEED(!CALL(nvmlInit_v2));
	d = first_device();
	WORKER_NEED(!CALL(nvmlDeviceGetTemperature, d, 0, &n) && n == 42);
	WORKER_NEED(CALL(nvmlDeviceGetPowerUsage, d, &n) == NVML_ERROR_FUNCTION_NOT_FOUND);
	WORKER_NEED(!CALL(nvmlDeviceGetMemoryInfo, d, &m) && m.total == 1000 * MIB &&
		    m.used == 300 * MIB);
	WORKER_NEED(!cudaMalloc(&p, 16 * MIB));
	device_set_limit(CAP);
	WORKER_NEED(!CALL(nvmlDeviceGetMemoryInfo, d, &m));
	WORKER_NEED(m.total == CAP && m.used == 16 * MIB && m.free == CAP - 16 * MIB);
	WORKER_NEED(!CALL(nvmlDeviceGetMemoryInfo_v2, d, &two));
	WORKER_NEED(two.total == CAP && two.used == 16 * MIB && two.free == CAP - 16 * MIB &&
		    !two.reserved);
	n = 1;
	WORKER_NEED(CALL(nvmlDeviceGetComputeRunningProcesses_v3, d, &n, list) ==
			    NVML_ERROR_INSUFFICIENT_SIZE &&
		    n == 2);
	WORKER_NEED(!CALL(nvmlDeviceGetComputeRunningProcesses_v3, d, &n, list) && n == 2);
	WORKER_NEED(list[0].pid == 1 && list[0].used == 10 * MIB);
	WORKER_NEED(list[1].pid == (unsigned)getpid() && list[1].used == 16 * MIB);
	WORKER_NEED(device.session->nvml_inits == 1);
	device_host_die();
}

static void the_machines_own_is_asked_and_capped(void **state)
{
	(void)state;
	assert_int_equal(device_host_worker(look_at_machine, NULL), 0);
}

static void by_whatever_name_it_is_ours(void **state)
{
	(void)state;
	assert_true(nvml_is_library("libnvidia-ml.so.1"));
	assert_true(nvml_is_library("/usr/lib/x86_64-linux-gnu/libnvidia-ml.so"));
	assert_true(nvml_is_library("/usr/lib/libnvidia-ml.so.580.95.05"));
	assert_false(nvml_is_library("libnvidia-nvvm.so.4"));
}

static void every_function_is_there(void **state)
{
	void *handle = dlopen("libnvidia-ml.so.1", RTLD_NOW);
	unsigned n = 0;

	(void)state;
	assert_non_null(handle);
#define NVML(name, kind)                                                                           \
	if (!dlsym(handle, #name))                                                                 \
		fail_msg("%s is not there", #name);                                                \
	n++;
#include "runtime/cuda/libcuda/nvml.def"
	assert_true(n > 400);
}

static int fresh_session(void **state)
{
	(void)state;
	setenv("CGPU_EMULATED_MEMORY", "256M", 1);
	device_host_init();
	return 0;
}

/* This program again, where the dynamic linker finds a library of the machine. */
static void start_again(char *self)
{
	char folder[] = "/tmp/test-nvml-XXXXXX", command[PATH_MAX];
	FILE *f;

	if (!mkdtemp(folder))
		abort();
	snprintf(command, sizeof(command),
		 "cd %s && " CC " -w -shared -fPIC -o libnvidia-ml.so.1 -x c -", folder);
	f = popen(command, "w");
	if (!f || fputs(machine, f) < 0 || pclose(f))
		abort();
	setenv("TEST_NVML_FOLDER", folder, 1);
	setenv("LD_LIBRARY_PATH", folder, 1);
	execl("/proc/self/exe", self, (char *)NULL);
	abort();
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(memory_is_as_the_runtime_shows_it, fresh_session),
		cmocka_unit_test_setup(the_emulated_device_has_answers, fresh_session),
		cmocka_unit_test_setup(what_was_begun_is_session_state, fresh_session),
		cmocka_unit_test_setup(a_forked_child_is_told_the_same, fresh_session),
		cmocka_unit_test_setup(the_machines_own_is_asked_and_capped, fresh_session),
		cmocka_unit_test(by_whatever_name_it_is_ours),
		cmocka_unit_test(every_function_is_there),
	};
	const char *folder = getenv("TEST_NVML_FOLDER");
	struct error err = ERROR_INIT;
	char path[PATH_MAX];
	int failed;

	(void)argc;
	if (!folder)
		start_again(argv[0]);
	/* Before the workers, as the zygote does it. */
	if (nvml_load(".", &err))
		device_host_fail(__FILE__, __LINE__, err.text);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	snprintf(path, sizeof(path), "%s/libnvidia-ml.so.1", folder);
	unlink(path);
	rmdir(folder);
	return failed;
}
