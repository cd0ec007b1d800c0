/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The driver of a GPU that is played: that of the emulated device, to which this is linked, without
 * the extension by which the runtime knows it. As on hardware, a stray access inside of mapped
 * memory is no fault, and registered host memory is that of the pages that were mapped when it was
 * registered: what uses the device after they were exchanged finds an illegal address here, where
 * hardware would go on with pages that nobody else sees. As in containers, there is no memory of a
 * node of the host.
 *
 * Each function of libcuda.def is here and passes its words on (see libcuda-shim.c); those that are
 * to differ have a function of their own in `own`. The environment variable CGPU_PLAYED_GPU, a list
 * with commas, makes it as unkind as hardware can be:
 *	lock=US   one lock for the driver, as NVIDIA's has; each call has it for so many
 *	          microseconds longer. Calls that wait for the device wait without it
 *	stuck=PATH while this file exists, calls that give memory back (cuMemUnmap,
 *	           cuMemHostUnregister) do not return
 *	window=MIB greater ranges of addresses are refused, as under WSL2
 *	elsewhere=PATH while this file exists, ranges of addresses are not where they are wished
 *	taken=PATH while this file exists, a file is mapped where they are wished
 *	ptx=90    device code in PTX of a later version than 9.0 is refused, as by a driver that is
 *	          older than the compiler
 *	devrt=library
 *	          functions of CUDA's device runtime (__cudaCDP2...) are in libcudadevrt.a only:
 *	          device code that calls them is refused, unless it comes out of a link that was
 *	          given this library. Drivers answer INVALID_PTX, as reports of others have it ("a
 *	          PTX JIT compilation failed": kunzmi/managedCuda#38, Rust-GPU/rust-cuda#96 on
 *	          GitHub)
 *	failing=N one of N calls that bring memory of a session back fails:
 *	          cuMemImportFromShareableHandle, and cuMemMap of what it has brought
 *	asleep=N  one of N processes finds no driver that starts (cuInit)
 *	init=MS, create=MS, jit=MS, unmap=US
 *	          cuInit, a GiB of cuMemCreate, loading code and a call that gives memory back take
 *	          so long
 *	late=MS   an error that ends the context is told MS milliseconds later: until then calls
 *	          return success, and an event that is waited for takes half of that time, as with
 *	          NVIDIA's driver when it writes core dumps (580.159 on an H200)
 *	exclusive=PATH
 *	          one process at a time may have a context: the one that has locked this file
 *	footprint=MIB:FOLDER
 *	          each context takes so much of the device; those that there are have a locked file
 *	          in the folder
 *	memory=MIB:MIB...
 *	          the cards have so much memory each; what the emulated driver gives each of them
 *	          has to be more
 *	mps=PATH  a process that finds the pipe of an MPS daemon is its client, and from the time on
 *	          that this file exists each of its calls fails, as after a fault of another client
 *	hmm=1     device code reaches all memory of the host, as it is mapped when a launch begins;
 *	          the launch has ended when its call returns. An atomic operation on a shared
 *	          mapping works here, where hardware ends the context
 *	descriptors=attribute or descriptors=call: memory cannot be exported, and who asks is told,
 *	                      or the call fails
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "common/memory/address-map.h"
#include "runtime/cuda/libcuda/libcuda-shim.h"
#include "runtime/cuda/libcuda/libcuda-words.h"

#define PAGE 4096u
#define INVALID_VALUE 1
#define OUT_OF_MEMORY 2
#define INVALID_DEVICE 101
#define OPERATING_SYSTEM 304
#define DEVICE_UNAVAILABLE 46
#define SYSTEM_NOT_READY 802
#define INVALID_PTX 218
#define UNSUPPORTED_PTX_VERSION 222
#define NOT_SUPPORTED 801
#define ILLEGAL_ADDRESS 700
#define LAUNCH_FAILED 719
#define MPS_CLIENT_TERMINATED 810
#define PAGE_IS_FILE (1ull << 61)
#define PAGE_IS_PRESENT (1ull << 63)
#define PINS_MAX 256
#define LOCATION_TYPE_HOST_NUMA 3
#define COMPUTE_MODE 20
#define COMPUTE_MODE_EXCLUSIVE_PROCESS 3
#define PAGEABLE_MEMORY_ACCESS 88
#define HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED 103
#define INPUT_LIBRARY 4
#define LINKS_MAX 16
#define REACHED_MAX 4096
#define CARDS_MAX 16
#define IMPORTS_MAX 4096

enum { SHARED = 1, FILE_BACKED = 2, PRESENT = 4 };

static struct pin {
	uintptr_t start;
	size_t pages;
	uint8_t *state; /* of each page */
} pins[PINS_MAX];
static unsigned n_pins;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Which pages of [start, end) are mapped shared. */
static void add_shared(uintptr_t start, size_t pages, uint8_t *state)
{
	FILE *f = fopen("/proc/self/maps", "re");
	char line[512], mode[8];
	unsigned long from, to;

	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%lx-%lx %7s", &from, &to, mode) != 3 || mode[3] != 's')
			continue;
		for (size_t i = 0; i < pages; i++)
			if (start + i * PAGE >= from && start + i * PAGE < to)
				state[i] |= SHARED;
	}
	if (f)
		fclose(f);
}

static void read_state(uintptr_t start, size_t pages, uint8_t *ret)
{
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);

	memset(ret, 0, pages);
	for (size_t i = 0; i < pages; i++) {
		uint64_t entry = 0;

		if (pread(fd, &entry, sizeof(entry), (off_t)((start / PAGE + i) * sizeof(entry))) !=
		    sizeof(entry))
			abort();
		ret[i] = (entry & PAGE_IS_FILE ? FILE_BACKED : 0) |
			 (entry & PAGE_IS_PRESENT ? PRESENT : 0);
	}
	close(fd);
	add_shared(start, pages, ret);
}

static struct pin *find(const void *p)
{
	for (unsigned i = 0; i < n_pins; i++)
		if (pins[i].start == ((uintptr_t)p & -(uintptr_t)PAGE))
			return &pins[i];
	return NULL;
}

static int pages_changed(void)
{
	int result = 0;

	pthread_mutex_lock(&lock);
	for (unsigned i = 0; i < n_pins && !result; i++) {
		uint8_t *state = malloc(pins[i].pages);

		read_state(pins[i].start, pins[i].pages, state);
		if (memcmp(state, pins[i].state, pins[i].pages)) {
			fprintf(stderr,
				"played GPU: the pages of host memory at %#lx were exchanged after "
				"it was registered\n",
				(unsigned long)pins[i].start);
			result = ILLEGAL_ADDRESS;
		}
		free(state);
	}
	pthread_mutex_unlock(&lock);
	return result;
}

enum kind { OTHER, COUNTED, OLD, FOREIGN, RESET, WRITES, LAUNCHES, ASKS, WAITS, FLOATS };

static const char *const names[] = {
#define LIBCUDA(name, kind, words, handles) #name,
#include "runtime/cuda/libcuda/libcuda.def"
#undef LIBCUDA
};

static const enum kind kinds[] = {
#define LIBCUDA(name, kind, words, handles) kind,
#include "runtime/cuda/libcuda/libcuda.def"
#undef LIBCUDA
};

static pthread_mutex_t driver_lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static long locked_us = -1; /* -1: there is no such lock */
static char *stuck_path, *elsewhere_path, *taken_path;
static size_t window;        /* bytes, 0: whatever is wished */
static long failing, asleep; /* one of so many; 0: none */
static long init_us, create_us, jit_us, unmap_us, late_us;
static char *exclusive_path, *mps_path;
static bool is_mps_client, has_hmm;
static size_t footprint;
static char *footprint_folder;
static size_t memories[CARDS_MAX]; /* of each card, 0: what the emulated driver has */
static long newest_ptx;            /* 10 * major + minor; 0: all are taken */
static bool told_of_descriptors, refuses_descriptors, has_no_device_runtime;

/* What stands behind NAME=, for free(); NULL: there is no such setting. */
static char *setting(const char *name)
{
	const char *at = getenv("CGPU_PLAYED_GPU");
	size_t len = strlen(name);

	for (; at && *at; at += strcspn(at, ","), at += *at == ',')
		if (!strncmp(at, name, len) && at[len] == '=')
			return strndup(at + len + 1, strcspn(at + len + 1, ","));
	return NULL;
}

static long number(const char *name, long otherwise)
{
	char *text = setting(name);
	long value = text ? strtol(text, NULL, 0) : otherwise;

	free(text);
	return value;
}

static bool is_set_to(const char *name, const char *value)
{
	char *text = setting(name);
	bool is = text && !strcmp(text, value);

	free(text);
	return is;
}

static void read_memories(void)
{
	char *text = setting("memory"), *at = text;

	for (int i = 0; i < CARDS_MAX && at && *at; i++) {
		memories[i] = strtoul(at, &at, 0) << 20;
		at += *at == ':';
	}
	free(text);
}

__attribute__((constructor)) static void read_settings(void)
{
	read_memories();
	locked_us = number("lock", -1);
	stuck_path = setting("stuck");
	elsewhere_path = setting("elsewhere");
	taken_path = setting("taken");
	window = (size_t)number("window", 0) << 20;
	newest_ptx = number("ptx", 0);
	failing = number("failing", 0);
	asleep = number("asleep", 0);
	init_us = 1000 * number("init", 0);
	create_us = 1000 * number("create", 0);
	jit_us = 1000 * number("jit", 0);
	unmap_us = number("unmap", 0);
	late_us = 1000 * number("late", 0);
	exclusive_path = setting("exclusive");
	mps_path = setting("mps");
	footprint_folder = setting("footprint");
	footprint = footprint_folder ? strtoul(footprint_folder, &footprint_folder, 0) << 20 : 0;
	footprint_folder += footprint_folder != NULL;
	has_hmm = number("hmm", 0);
	told_of_descriptors = is_set_to("descriptors", "attribute");
	refuses_descriptors = is_set_to("descriptors", "call");
	has_no_device_runtime = is_set_to("devrt", "library");
}

static bool exists(const char *path)
{
	return path && !access(path, F_OK);
}

static void stay(long us)
{
	const struct timespec pause = { us / 1000000, us % 1000000 * 1000 };

	if (us > 0)
		nanosleep(&pause, NULL);
}

/* One of n; each process has numbers of its own. */
static bool falls_on(long n)
{
	unsigned random;

	return n && getrandom(&random, sizeof(random), 0) == sizeof(random) &&
	       !(random % (unsigned long)n);
}

/* The emulated driver's function of that number. */
static void *real(unsigned number)
{
	static void *found[LIBCUDA_COUNT];

	if (!found[number])
		found[number] = dlsym(RTLD_NEXT, names[number]);
	return found[number];
}

typedef int six_words(P6);
#define REAL(name) ((six_words *)real(LIBCUDA_##name))

/* As pinning does, a page of its own is made of each that would be copied at the first write. */
static int host_register(P6)
{
	struct pin pin = { .start = (uintptr_t)a & -(uintptr_t)PAGE };
	int result;

	pin.pages = ((uintptr_t)a + (size_t)b - pin.start + PAGE - 1) / PAGE;
	pin.state = malloc(pin.pages);
	/* Not all of it is mapped? */
	result = mincore((void *)pin.start, pin.pages * PAGE, pin.state)
			 ? INVALID_VALUE
			 : REAL(cuMemHostRegister_v2)(A6);
	if (result) {
		free(pin.state);
		return result;
	}
	for (size_t i = 0; i < pin.pages; i++)
		__atomic_fetch_or((uint8_t *)pin.start + i * PAGE, 0, __ATOMIC_RELAXED);
	read_state(pin.start, pin.pages, pin.state);
	pthread_mutex_lock(&lock);
	if (n_pins == PINS_MAX)
		abort();
	pins[n_pins++] = pin;
	pthread_mutex_unlock(&lock);
	return 0;
}

static int host_unregister(P6)
{
	struct pin *pin;

	pthread_mutex_lock(&lock);
	pin = find((void *)a);
	if (pin) {
		free(pin->state);
		*pin = pins[--n_pins];
	}
	pthread_mutex_unlock(&lock);
	return REAL(cuMemHostUnregister)(A6);
}

/* NVIDIA's driver gives no addresses that were mapped when it started, also when they are free by
 * then (580.159 on an H200). */
static bool taken_at_start;

static bool is_mapped(uintptr_t start, uintptr_t end)
{
	FILE *f = fopen("/proc/self/maps", "re");
	unsigned long from, to;
	char line[512];
	bool found = false;

	while (f && fgets(line, sizeof(line), f))
		found |= sscanf(line, "%lx-%lx", &from, &to) == 2 && from < end && to > start;
	if (f)
		fclose(f);
	return found;
}

/* (ret, size, align, hint, flags) */
static int address_reserve(P6)
{
	if (window && (size_t)b > window)
		return OUT_OF_MEMORY;
	if (exists(taken_path)) {
		int fd = open(taken_path, O_RDONLY | O_CLOEXEC);

		mmap((void *)d, PAGE, PROT_READ, MAP_PRIVATE | MAP_FIXED, fd, 0);
		close(fd);
	}
	if (taken_at_start || exists(elsewhere_path) || exists(taken_path))
		d = 0;
	return REAL(cuMemAddressReserve)(A6);
}

/* (ret, device): another card than the emulated one. */
static int device_uuid(P6)
{
	int result = REAL(cuDeviceGetUuid_v2)(A6);

	if (!result)
		*(unsigned char *)a ^= 0xff;
	return result;
}

/* (ret, attribute, device) */
static int device_attribute(P6)
{
	int result = REAL(cuDeviceGetAttribute)(A6);

	if (has_hmm && (int)b == PAGEABLE_MEMORY_ACCESS)
		*(int *)a = 1;
	if (exclusive_path && (int)b == COMPUTE_MODE)
		*(int *)a = COMPUTE_MODE_EXCLUSIVE_PROCESS;
	if (told_of_descriptors && (int)b == HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED)
		*(int *)a = 0;
	return result;
}

/* (ret, size, properties, flags), of which this much is looked at */
struct properties {
	int type;
	int handle_types;
	int location_type;
	int location_id;
};

/* Of all processes. */
static size_t in_contexts(void)
{
	DIR *d = footprint ? opendir(footprint_folder) : NULL;
	size_t n = 0;

	for (struct dirent *e; d && (e = readdir(d));) {
		int fd = openat(dirfd(d), e->d_name, O_RDWR | O_CLOEXEC);

		n += fd >= 0 && flock(fd, LOCK_EX | LOCK_NB);
		if (fd >= 0)
			close(fd);
	}
	if (d)
		closedir(d);
	return n * footprint;
}

/* (ret, device) */
static int total_memory(P6)
{
	int result = REAL(cuDeviceTotalMem_v2)(A6);

	if (!result && b >= 0 && b < CARDS_MAX && memories[b])
		*(size_t *)a = memories[b];
	return result;
}

/* (ret free, ret total) */
static int memory_info(P6)
{
	int result = REAL(cuMemGetInfo_v2)(A6), card = 0;
	size_t *left = (size_t *)a, *total = (size_t *)b, taken = in_contexts();

	if (result)
		return result;
	if (!REAL(cuCtxGetDevice)((word)&card, 0, 0, 0, 0, 0) && card < CARDS_MAX &&
	    memories[card]) {
		taken += *total - *left;
		*left = *total = memories[card];
	}
	*left = *left > taken ? *left - taken : 0;
	return 0;
}

static bool is_full(int card, size_t size)
{
	size_t left = 0, total;
	word context, unused;
	bool full;

	if ((!footprint && !memories[card % CARDS_MAX]) ||
	    REAL(cuDevicePrimaryCtxRetain)((word)&context, card, 0, 0, 0, 0))
		return false;
	REAL(cuCtxPushCurrent_v2)(context, 0, 0, 0, 0, 0);
	full = !memory_info((uintptr_t)&left, (uintptr_t)&total, 0, 0, 0, 0) && size > left;
	REAL(cuCtxPopCurrent_v2)((word)&unused, 0, 0, 0, 0, 0);
	REAL(cuDevicePrimaryCtxRelease_v2)(card, 0, 0, 0, 0, 0);
	return full;
}

static int create(P6)
{
	const struct properties *p = (const struct properties *)c;

	if (is_full(p->location_id, (size_t)b))
		return OUT_OF_MEMORY;
	if (p->location_type == LOCATION_TYPE_HOST_NUMA)
		return NOT_SUPPORTED;
	if (refuses_descriptors && p->handle_types)
		return INVALID_DEVICE;
	stay((long)((double)create_us * (double)b / (1 << 30)));
	return REAL(cuMemCreate)(A6);
}

static word imports[IMPORTS_MAX]; /* handles, the newest ones */
static unsigned n_imports;

/* (ret handle, descriptor, type) */
static int import(P6)
{
	int result =
		falls_on(failing) ? OPERATING_SYSTEM : REAL(cuMemImportFromShareableHandle)(A6);

	if (result)
		return result;
	pthread_mutex_lock(&lock);
	imports[n_imports++ % IMPORTS_MAX] = *(word *)a;
	pthread_mutex_unlock(&lock);
	return 0;
}

static bool is_imported(word handle)
{
	bool found = false;

	pthread_mutex_lock(&lock);
	for (unsigned i = 0; i < n_imports && i < IMPORTS_MAX && !found; i++)
		found = imports[i] == handle;
	pthread_mutex_unlock(&lock);
	return found;
}

/* (address, size, offset, handle, flags) */
static int map(P6)
{
	return failing && is_imported(d) && falls_on(failing) ? OPERATING_SYSTEM
							      : REAL(cuMemMap)(A6);
}

static bool has_mps_daemon(void)
{
	const char *folder = getenv("CUDA_MPS_PIPE_DIRECTORY");
	char path[4096];

	snprintf(path, sizeof(path), "%s/control", folder ? folder : "/tmp/nvidia-mps");
	return exists(path);
}

/* As one that has no driver, a process that is refused stays so. */
static int init(P6)
{
	static int result = -1;

	if (result < 0) {
		stay(init_us);
		is_mps_client = mps_path && has_mps_daemon();
		taken_at_start = is_mapped(DEVICE_BASE, DEVICE_BASE + DEVICE_SIZE);
		result = falls_on(asleep) ? SYSTEM_NOT_READY : REAL(cuInit)(A6);
		/* The emulated driver keeps its range from others; this one takes it as it is. */
		munmap((void *)DEVICE_BASE, DEVICE_SIZE);
	}
	return result;
}

/* Until the process ends. */
static void note_context(void)
{
	static int fd = -1;
	char path[4096];

	if (!footprint || fd >= 0)
		return;
	snprintf(path, sizeof(path), "%s/%d", footprint_folder, (int)getpid());
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB))
		abort();
}

static int retain_context(P6)
{
	static int fd = -1;

	if (exclusive_path && fd < 0)
		fd = open(exclusive_path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (exclusive_path && (fd < 0 || flock(fd, LOCK_EX | LOCK_NB)))
		return DEVICE_UNAVAILABLE;
	note_context();
	return REAL(cuDevicePrimaryCtxRetain)(A6);
}

/* Links that were given the device runtime, and the image that each has made, which is there until
 * it is destroyed. */
static struct link {
	word state; /* 0: a free place */
	const char *image;
} links[LINKS_MAX];

static struct link *find_link(word state)
{
	for (unsigned i = 0; i < LINKS_MAX; i++)
		if (links[i].state == state)
			return &links[i];
	return NULL;
}

static bool is_device_runtime(const char *path)
{
	const char *slash = strrchr(path, '/');

	return !strcmp(slash ? slash + 1 : path, "libcudadevrt.a");
}

/* (state, type, path, ...) */
static int link_file(P6)
{
	int result = REAL(cuLinkAddFile_v2)(A6);
	struct link *link;

	if (result || (int)b != INPUT_LIBRARY || !is_device_runtime((const char *)c))
		return result;
	pthread_mutex_lock(&lock);
	link = find_link(0);
	if (!link)
		abort();
	link->state = a;
	pthread_mutex_unlock(&lock);
	return 0;
}

/* (state, image, size) */
static int link_complete(P6)
{
	int result = REAL(cuLinkComplete)(A6);
	struct link *link;

	pthread_mutex_lock(&lock);
	link = result ? NULL : find_link(a);
	if (link)
		link->image = *(const char **)b;
	pthread_mutex_unlock(&lock);
	return result;
}

static int link_destroy(P6)
{
	struct link *link;

	pthread_mutex_lock(&lock);
	link = find_link(a);
	if (link)
		*link = (struct link){ 0 };
	pthread_mutex_unlock(&lock);
	return REAL(cuLinkDestroy)(A6);
}

static bool is_linked(const char *image)
{
	bool found = false;

	pthread_mutex_lock(&lock);
	for (unsigned i = 0; i < LINKS_MAX && !found; i++)
		found = links[i].state && links[i].image == image;
	pthread_mutex_unlock(&lock);
	return found;
}

/* Text in PTX says its version in its first directive. Anything else is of no version. */
static bool is_too_new(const char *ptx)
{
	const char *at = newest_ptx ? strstr(ptx, ".version") : NULL;
	long major, minor;

	return at && sscanf(at, ".version %ld.%ld", &major, &minor) == 2 &&
	       10 * major + minor > newest_ptx;
}

/* Drivers refuse code that calls what nobody defines, but for what they have themselves. */
static bool is_unresolved(const char *image)
{
	static const char own[] = " vprintf malloc free __assertfail ";
	const char *at = image;
	char name[256], word_of[260];

	while ((at = strstr(at, ".extern .func"))) {
		at += strlen(".extern .func");
		at += strspn(at, " \t\n");
		if (*at == '(')
			at = strchr(at, ')') + 1;
		if (sscanf(at, " %255[A-Za-z0-9_$]", name) != 1)
			continue;
		snprintf(word_of, sizeof(word_of), " %s ", name);
		if (!strstr(own, word_of) && !strstr(name, "cuda"))
			return true;
	}
	return false;
}

/* What the driver has against an image; 0: nothing. */
static int refusal(const char *image)
{
	if (!strncmp(image, "\177ELF", 4))
		return 0;
	if (is_too_new(image))
		return UNSUPPORTED_PTX_VERSION;
	if (has_no_device_runtime && strstr(image, "__cudaCDP2") && !is_linked(image))
		return INVALID_PTX;
	return is_unresolved(image) ? INVALID_PTX : 0;
}

static int load(const char *image)
{
	stay(jit_us);
	return refusal(image);
}

/* (ret, image, ...), as the other two that load */
static int load_module(P6)
{
	int refused = load((const char *)b);

	return refused ? refused : REAL(cuModuleLoadDataEx)(A6);
}

static int load_plainly(P6)
{
	int refused = load((const char *)b);

	return refused ? refused : REAL(cuModuleLoadData)(A6);
}

static int load_library(P8)
{
	int refused = load((const char *)b);

	return refused ? refused : ((int (*)(P8))real(LIBCUDA_cuLibraryLoadData))(A8);
}

/* Where the pages of one are, the emulated driver knows of them already. */
static const struct pin *first_pin_in(uintptr_t start, uintptr_t end)
{
	const struct pin *first = NULL;

	for (unsigned i = 0; i < n_pins; i++)
		if (pins[i].start >= start && pins[i].start < end &&
		    (!first || pins[i].start < first->start))
			first = &pins[i];
	return first;
}

struct reached {
	uintptr_t start[REACHED_MAX];
	unsigned n;
};

static void reach_range(struct reached *r, uintptr_t start, uintptr_t end)
{
	while (start < end) {
		const struct pin *pin = first_pin_in(start, end);
		uintptr_t until = pin ? pin->start : end;

		if (until > start && r->n < REACHED_MAX &&
		    !REAL(cuMemHostRegister_v2)((word)start, (word)(until - start), 0, 0, 0, 0))
			r->start[r->n++] = start;
		start = pin ? pin->start + pin->pages * PAGE : end;
	}
}

/* All that can be written, but for the addresses of the device and those at which the emulated
 * driver has its bytes. */
static void reach_host(struct reached *r)
{
	FILE *f = fopen("/proc/self/maps", "re");
	char line[512], mode[8];
	unsigned long from, to;

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "%lx-%lx %7s", &from, &to, mode) == 3 && !strncmp(mode, "rw", 2) &&
		    from >> 44 != DEVICE_BASE >> 44)
			reach_range(r, from, to);
	if (f)
		fclose(f);
}

/* (function, grid, block, shared, stream, parameters, extra) */
static int launch(P11)
{
	static pthread_mutex_t reaching = PTHREAD_MUTEX_INITIALIZER;
	static struct reached r;
	int result;

	if (!has_hmm)
		return ((int (*)(P11))real(LIBCUDA_cuLaunchKernel))(A11);
	pthread_mutex_lock(&reaching);
	r.n = 0;
	pthread_mutex_lock(&lock);
	reach_host(&r);
	pthread_mutex_unlock(&lock);
	result = ((int (*)(P11))real(LIBCUDA_cuLaunchKernel))(A11);
	REAL(cuStreamSynchronize)(i, 0, 0, 0, 0, 0);
	while (r.n)
		REAL(cuMemHostUnregister)((word)r.start[--r.n], 0, 0, 0, 0, 0);
	pthread_mutex_unlock(&reaching);
	return result;
}

static six_words *const own[LIBCUDA_COUNT] = {
	[LIBCUDA_cuDeviceGetAttribute] = device_attribute,
	[LIBCUDA_cuDeviceTotalMem_v2] = total_memory,
	[LIBCUDA_cuDeviceGetUuid_v2] = device_uuid,
	[LIBCUDA_cuMemAddressReserve] = address_reserve,
	[LIBCUDA_cuMemCreate] = create,
	[LIBCUDA_cuMemGetInfo_v2] = memory_info,
	[LIBCUDA_cuMemImportFromShareableHandle] = import,
	[LIBCUDA_cuMemMap] = map,
	[LIBCUDA_cuInit] = init,
	[LIBCUDA_cuDevicePrimaryCtxRetain] = retain_context,
	[LIBCUDA_cuLaunchKernel] = (six_words *)launch,
	[LIBCUDA_cuLinkAddFile_v2] = link_file,
	[LIBCUDA_cuLinkComplete] = link_complete,
	[LIBCUDA_cuLinkDestroy] = link_destroy,
	[LIBCUDA_cuModuleLoadData] = load_plainly,
	[LIBCUDA_cuModuleLoadDataEx] = load_module,
	[LIBCUDA_cuLibraryLoadData] = (six_words *)load_library,
	[LIBCUDA_cuMemHostRegister_v2] = host_register,
	[LIBCUDA_cuMemHostUnregister] = host_unregister,
};

/* Not in calls that wait: a thread may be stopped for a commit while it waits, and would be stopped
 * with the lock. */
static bool looks_at_pages(unsigned number)
{
	return number == LIBCUDA_cuLaunchKernel || number == LIBCUDA_cuMemcpyAsync;
}

static bool gives_back(unsigned number)
{
	return number == LIBCUDA_cuMemUnmap || number == LIBCUDA_cuMemHostUnregister;
}

static bool is_stuck(unsigned number)
{
	return gives_back(number) && exists(stuck_path);
}

/* Once it is, it stays so. */
static bool is_terminated(void)
{
	static _Atomic bool terminated;

	if (is_mps_client && exists(mps_path))
		terminated = true;
	return terminated;
}

/* 0, or what the call returns at once. */
static int begin(unsigned number)
{
	if (!real(number))
		return NOT_SUPPORTED;
	if (is_terminated())
		return MPS_CLIENT_TERMINATED;
	while (is_stuck(number))
		usleep(1000);
	if (gives_back(number))
		stay(unmap_us);
	if (locked_us >= 0) {
		pthread_mutex_lock(&driver_lock);
		stay(locked_us);
		if (kinds[number] == WAITS)
			pthread_mutex_unlock(&driver_lock);
	}
	return looks_at_pages(number) ? pages_changed() : 0;
}

static void end(unsigned number)
{
	if (locked_us >= 0 && kinds[number] != WAITS)
		pthread_mutex_unlock(&driver_lock);
}

static int64_t now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000ll + t.tv_nsec / 1000;
}

/* What a call says that has had this result: see late=MS. */
static int told(unsigned number, int result)
{
	static _Atomic int64_t since;
	int64_t first = 0;

	if (!late_us || (result != ILLEGAL_ADDRESS && result != LAUNCH_FAILED))
		return result;
	if (atomic_compare_exchange_strong(&since, &first, now_us()))
		first = since;
	if (number == LIBCUDA_cuEventSynchronize && now_us() - first < late_us / 2)
		stay(late_us / 2);
	return now_us() - first < late_us ? 0 : result;
}

#define FUNCTION(name, words)                                                                      \
	int name(P##words);                                                                        \
	int name(P##words)                                                                         \
	{                                                                                          \
		typedef int target(P##words);                                                      \
		target *to = own[LIBCUDA_##name] ? (target *)own[LIBCUDA_##name]                   \
						 : (target *)real(LIBCUDA_##name);                 \
		int result = begin(LIBCUDA_##name);                                                \
                                                                                                   \
		result = result ? result : to(A##words);                                           \
		if (to)                                                                            \
			end(LIBCUDA_##name);                                                       \
		return told(LIBCUDA_##name, result);                                               \
	}
#define LIBCUDA(name, kind, words, handles) FUNCTION(name, words)
#include "runtime/cuda/libcuda/libcuda.def"
