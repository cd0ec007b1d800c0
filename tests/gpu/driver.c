/* SPDX-License-Identifier: Apache-2.0 */
/* What the driver and its device files are, and what it grants before and without a context. */
#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cuda/cuda-folders.h"
#include "common/memory/address-map.h"
#include "tests/gpu/experiment.h"
#include "tests/gpu/gpu.h"

static void describe(void *arg)
{
	char name[128] = "";
	int count = 0, version = 0;
	CUdevice device;
	size_t memory = 0;

	(void)arg;
	GPU_TRY(cu.cuInit(0));
	GPU_TRY(cu.cuDeviceGetCount(&count));
	if (count == 0)
		gpu_try("cuDeviceGetCount: no device", CUDA_ERROR_NO_DEVICE);
	GPU_TRY(cu.cuDeviceGet(&device, 0));
	GPU_TRY(cu.cuDeviceGetName(name, sizeof(name), device));
	GPU_TRY(cu.cuDeviceTotalMem(&memory, device));
	GPU_TRY(cu.cuDriverGetVersion(&version));
	snprintf(gpu_report->text, sizeof(gpu_report->text),
		 "%d of them, the first is %s, %.1f GiB, driver API %d.%d", count, name,
		 (double)memory / GIB, version / 1000, version % 1000 / 10);
}

struct attribute {
	const char *name;
	CUdevice_attribute number;
	int wanted; /* -1: whatever */
};

static void ask(void *arg)
{
	const struct attribute *a = arg;
	int value = -1;

	GPU_TRY(cu.cuInit(0));
	GPU_TRY(cu.cuDeviceGetAttribute(&value, a->number, 0));
	gpu_report->figure[0] = value;
}

void experiment_card(int what)
{
	static const struct attribute attributes[] = {
		{ "compute capability, major", CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, -1 },
		{ "compute capability, minor", CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, -1 },
		{ "compute mode (3: exclusive)", CU_DEVICE_ATTRIBUTE_COMPUTE_MODE, -1 },
		{ "virtual memory management",
		  CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 1 },
		{ "memory by file descriptors",
		  CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED, 1 },
		{ "host memory without registering (HMM)",
		  CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS, -1 },
		{ "managed memory at the same time", CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS,
		  -1 },
	};
	const char *mps = getenv("CUDA_MPS_PIPE_DIRECTORY");

	(void)what;
	if (!child_run("card", describe, NULL))
		exit(77);
	row("-", "card", "%s", gpu_report->text);
	for (size_t i = 0; i < sizeof(attributes) / sizeof(attributes[0]); i++)
		if (child_run(attributes[i].name, ask, (void *)&attributes[i]))
			row(attributes[i].wanted < 0
				    ? "-"
				    : ok(gpu_report->figure[0] == attributes[i].wanted),
			    attributes[i].name, "%.0f", gpu_report->figure[0]);
	row("-", "MPS", "%s",
	    !access(mps ? mps : "/tmp/nvidia-mps", F_OK) ? "there is a pipe folder" : "none");
}

void experiment_nodes(int what)
{
	DIR *d = opendir("/dev");
	char list[512] = "";
	struct stat st;

	(void)what;
	for (struct dirent *e; d && (e = readdir(d));) {
		char path[300];
		size_t n = strlen(list);

		snprintf(path, sizeof(path), "/dev/%s", e->d_name);
		if ((!strncmp(e->d_name, "nvidia", 6) || !strcmp(e->d_name, "dxg")) &&
		    !stat(path, &st))
			snprintf(list + n, sizeof(list) - n, "%s%s %o", n ? ", " : "", e->d_name,
				 (unsigned)st.st_mode & 0777);
	}
	if (d)
		closedir(d);
	row("-", "device files", "%s", *list ? list : "none");
}

/* figure: the results of reserving, making and exporting without a context. */
static void need_no_context(void *arg)
{
	CUmemAllocationProp prop = {
		.type = CU_MEM_ALLOCATION_TYPE_PINNED,
		.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
		.location = { .type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0 },
	};
	CUmemGenericAllocationHandle handle = 0;
	CUdeviceptr at;
	int fd;

	(void)arg;
	GPU_TRY(cu.cuInit(0));
	gpu_report->figure[0] = cu.cuMemAddressReserve(&at, GIB, 0, DEVICE_BASE, 0);
	gpu_report->figure[1] = cu.cuMemCreate(&handle, 2 * MIB, &prop, 0);
	gpu_report->figure[2] = cu.cuMemExportToShareableHandle(
		&fd, handle, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0);
}

void experiment_without_context(int what)
{
	const double *f = gpu_report->figure;

	(void)what;
	if (child_run("without a context", need_no_context, NULL))
		row(ok(!f[0] && !f[1] && !f[2]), "without a context",
		    "reserve %.0f, create %.0f, export %.0f", f[0], f[1], f[2]);
}

struct wish {
	size_t size;
	bool taken; /* something lies there when the driver starts, and is gone by the time of the
		       call */
};

/* The zygote's reservation lies there first. figure: result, milliseconds; count: where. */
static void reserve(void *arg)
{
	const struct wish *wish = arg;
	CUdeviceptr at = 0;
	double began;

	mmap((void *)DEVICE_BASE, DEVICE_SIZE, PROT_NONE,
	     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
	if (!wish->taken)
		munmap((void *)DEVICE_BASE, DEVICE_SIZE);
	GPU_TRY(cu.cuInit(0));
	if (wish->taken)
		munmap((void *)DEVICE_BASE, DEVICE_SIZE);
	began = gpu_now();
	gpu_report->figure[0] = cu.cuMemAddressReserve(&at, wish->size, 0, DEVICE_BASE, 0);
	gpu_report->figure[1] = gpu_now() - began;
	gpu_report->count = at;
}

static void describe_reservation(const char *verdict, const char *name)
{
	row(verdict, name, "error %.0f, at 0x%llx, %.1f ms", gpu_report->figure[0],
	    (unsigned long long)gpu_report->count, gpu_report->figure[1]);
}

void experiment_window(int what)
{
	static const size_t sizes[] = { DEVICE_SIZE / 4 * 3, DEVICE_SIZE / 8 * 3, 64 * GIB,
					6 * GIB };
	static const char taken[] = "window where something lay when the driver started";
	struct wish wish = { .size = 6 * GIB, .taken = true };
	char name[64];

	(void)what;
	if (child_run(taken, reserve, &wish))
		describe_reservation("-", taken);
	wish.taken = false;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		bool granted;

		wish.size = sizes[i];
		snprintf(name, sizeof(name), "window of %zu GiB", sizes[i] / (size_t)GIB);
		if (!child_run(name, reserve, &wish))
			continue;
		granted = !gpu_report->figure[0] && gpu_report->count == DEVICE_BASE;
		describe_reservation(i < sizeof(sizes) / sizeof(sizes[0]) - 1 ? "-" : ok(granted),
				     name);
		if (granted)
			return;
	}
}

#define STRING_OF(name) #name
#define STRING(name) STRING_OF(name)

static void compare_entry_points(void *arg)
{
	static const char *const names[] = {
#define NAME(name) STRING(name),
		GPU_FUNCTIONS(NAME)
#undef NAME
	};
	int version = 0;

	(void)arg;
	GPU_TRY(cu.cuInit(0));
	GPU_TRY(cu.cuDriverGetVersion(&version));
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char plain[64];
		CUdriverProcAddressQueryResult found;
		void *there = NULL;

		/* It wants the name without the version that cuda.h gives it. */
		snprintf(plain, sizeof(plain), "%.*s",
			 (int)(strstr(names[i], "_v") ? strstr(names[i], "_v") - names[i] : 63),
			 names[i]);
		if (cu.cuGetProcAddress(plain, &there, version, 0, &found) || !there)
			gpu_report->figure[0]++;
		else if (there != gpu_symbol(names[i]))
			gpu_report->figure[1]++;
		else
			gpu_report->figure[2]++;
	}
}

void experiment_entry_points(int what)
{
	const double *f = gpu_report->figure;

	(void)what;
	if (child_run("cuGetProcAddress beside dlsym", compare_entry_points, NULL))
		row(ok(f[0] == 0), "cuGetProcAddress beside dlsym",
		    "%.0f not there, %.0f other addresses, %.0f the same", f[0], f[1], f[2]);
}

static void load_newer(void *arg)
{
	CUmodule module;

	(void)arg;
	gpu_open();
	gpu_report->figure[2] =
		cu.cuModuleLoadData(&module, ".version 99.0\n.target sm_75\n.address_size 64\n"
					     ".visible .entry k()\n{\nret;\n}\n");
}

void experiment_newer_ptx(int what)
{
	(void)what;
	if (child_run("PTX of a later version", load_newer, NULL))
		row(ok(gpu_report->figure[2] == CUDA_ERROR_UNSUPPORTED_PTX_VERSION),
		    "PTX of a later version", "error %.0f", gpu_report->figure[2]);
}

static char calls_device_runtime[] = ".version 8.0\n.target sm_75\n.address_size 64\n"
				     ".extern .func (.param .b32 r) __cudaCDP2GetLastError();\n"
				     ".visible .entry k(.param .u64 p)\n{\n.reg .b32 %r;\n.reg "
				     ".b64 %rd;\nld.param.u64 %rd, [p];\n"
				     "{ .param .b32 a; call.uni (a), __cudaCDP2GetLastError, (); "
				     "ld.param.b32 %r, [a]; }\nst.global.u32 [%rd], %r;\nret;\n}\n";

static bool has_device_runtime(void *path, const char *folder)
{
	for (size_t i = 0; cuda_folders_libraries[i]; i++) {
		snprintf(path, PATH_MAX, "%s/%s/libcudadevrt.a", folder, cuda_folders_libraries[i]);
		if (!access(path, R_OK))
			return true;
	}
	return false;
}

/* figure[2]: of the text as it is, [3]: linked, [4]: milliseconds. */
static void load_device_runtime(void *path)
{
	double began;
	CUlinkState link;
	CUmodule module;
	void *image;

	gpu_open();
	gpu_report->figure[2] = cu.cuModuleLoadData(&module, calls_device_runtime);
	if (!*(const char *)path)
		return;
	began = gpu_now();
	GPU_TRY(cu.cuLinkCreate(0, NULL, NULL, &link));
	GPU_TRY(cu.cuLinkAddData(link, CU_JIT_INPUT_PTX, calls_device_runtime,
				 sizeof(calls_device_runtime), "k", 0, NULL, NULL));
	GPU_TRY(cu.cuLinkAddFile(link, CU_JIT_INPUT_LIBRARY, path, 0, NULL, NULL));
	GPU_TRY(cu.cuLinkComplete(link, &image, NULL));
	gpu_report->figure[3] = cu.cuModuleLoadData(&module, image);
	gpu_report->figure[4] = gpu_now() - began;
}

void experiment_device_runtime(int what)
{
	static char path[PATH_MAX];

	(void)what;
	if (!cuda_folders_find("cuda_runtime", NULL, has_device_runtime, path))
		path[0] = '\0';
	if (!child_run("PTX that calls the device runtime", load_device_runtime, path))
		return;
	row("-", "PTX that calls the device runtime", "error %.0f", gpu_report->figure[2]);
	if (path[0])
		row(ok(!gpu_report->figure[3]), "the same, linked with libcudadevrt.a",
		    "error %.0f, %.1f ms", gpu_report->figure[3], gpu_report->figure[4]);
	else
		row("-", "the same, linked with libcudadevrt.a", "the library is not installed");
}
