/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Nobody says when a dump is complete, so it is read until it makes sense: its section headers are
 * cut off before. A driver that has begun is given the time that it needs; one that has not begun
 * when the fault is known is not waited for long.
 */
#include "runtime/cuda/reports/device-dump.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/base/cleanup.h"
#include "common/base/clock.h"
#include "common/base/error.h"
#include "common/base/log.h"
#include "common/protocol/worker-protocol.h"
#include "runtime/cuda/driver/device-state.h"

#define BEGIN_MS 300
#define QUIET_MS 5000 /* a fault that is not told yet */
#define TOLD_MS 10000 /* the error behind a dump */
#define WRITE_MS 2000 /* without a byte more */
#define LOOK_NS 5000000

static CUresult set(const struct cuda_driver *d, CUcoredumpSettings attribute, void *value,
		    size_t size)
{
	return d->cuCoredumpSetAttributeGlobal(attribute, value, &size);
}

/* Flags first: without them a fault ends the process. */
static CUresult ask(const struct cuda_driver *d)
{
	int flags = CU_COREDUMP_LIGHTWEIGHT_FLAGS | CU_COREDUMP_SKIP_ABORT;
	bool on = true;
	CUresult result = set(d, CU_COREDUMP_GENERATION_FLAGS, &flags, sizeof(flags));

	if (!result)
		result = set(d, CU_COREDUMP_FILE, device.dump_path, strlen(device.dump_path) + 1);
	return result ? result : set(d, CU_COREDUMP_ENABLE_ON_EXCEPTION, &on, sizeof(on));
}

void device_dump_ask(const struct cuda_driver *driver, const char *folder)
{
	const char *wanted = getenv("CGPU_DEVICE_DUMP");
	CUresult result;

	/* Dumps that the environment asks for have their own place, and count more to a driver. */
	if (!folder || !*folder || driver->extension || !driver->cuCoredumpSetAttributeGlobal ||
	    getenv("CUDA_ENABLE_COREDUMP_ON_EXCEPTION") || !wanted || strcmp(wanted, "on"))
		return;
	if (mkdir(folder, 0700)) {
		log_warning("faults of the device are reported without a thread: cannot make the "
			    "folder %s: %s",
			    folder, strerror(errno));
		return;
	}
	snprintf(device.dump_path, sizeof(device.dump_path), "%s/" WORKER_DUMP_FILE, folder);
	result = ask(driver);
	if (!result)
		return;
	log_warning("faults of the device are reported without a thread: the driver writes no core "
		    "dumps (%d)",
		    (int)result);
	device.dump_path[0] = '\0';
}

bool device_dump_give_up(const struct cuda_driver *driver, CUresult why)
{
	bool off = false;

	if (!device.dump_path[0] || why == CUDA_ERROR_OUT_OF_MEMORY ||
	    why == CUDA_ERROR_DEVICE_UNAVAILABLE)
		return false;
	log_warning("faults of the device are reported without a thread: with core dumps there is "
		    "no context (%d)",
		    (int)why);
	device.dump_path[0] = '\0';
	return !set(driver, CU_COREDUMP_ENABLE_ON_EXCEPTION, &off, sizeof(off));
}

static const struct timespec look = { 0, LOOK_NS };

static bool has_file(void)
{
	struct stat st;

	return !stat(device.dump_path, &st);
}

CUresult device_dump_wait(void)
{
	int64_t now = clock_now_ms(), until = now + QUIET_MS;
	bool told = false;
	CUresult result;

	if (!device.dump_path[0] || !atomic_exchange(&device.used, false))
		return CUDA_SUCCESS;
	do {
		if (!told && has_file()) {
			told = true;
			until = now + TOLD_MS;
		}
		result = device.driver->cuCtxSynchronize();
		if (!result)
			nanosleep(&look, NULL);
		now = clock_now_ms();
	} while (!result && now < until);
	return !result && told ? CUDA_ERROR_UNKNOWN : result;
}

static int64_t size_of_file(void)
{
	struct stat st;

	return stat(device.dump_path, &st) ? 0 : st.st_size;
}

static int read_file(struct core_dump *ret, struct error *err)
{
	cleanup_fd int fd = open(device.dump_path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	void *bytes;
	int rc;

	if (fd < 0 || fstat(fd, &st))
		return error_errno(err, "cannot open it");
	if (!st.st_size)
		return error_set(err, ERROR_INPUT, "it is empty");
	bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (bytes == MAP_FAILED)
		return error_errno(err, "cannot map it");
	rc = core_dump_read(bytes, (size_t)st.st_size, ret, err);
	munmap(bytes, (size_t)st.st_size);
	return rc;
}

/* The file grows as long as the driver is at it. */
static int read_when_complete(struct core_dump *ret, struct error *err)
{
	int64_t size = 0, since = clock_now_ms();

	for (;;) {
		int64_t now = size_of_file();

		if (now != size) {
			size = now;
			since = clock_now_ms();
		}
		*err = (struct error)ERROR_INIT;
		if (!read_file(ret, err))
			return 0;
		if (err->code == ERROR_NOT_FOUND ||
		    clock_now_ms() - since > (size ? WRITE_MS : BEGIN_MS))
			return -1;
		nanosleep(&look, NULL);
	}
}

bool device_dump_take(struct core_dump *ret)
{
	struct error err = ERROR_INIT;
	int64_t began = clock_now_ms();
	bool ok;

	if (!device.dump_path[0])
		return false;
	ok = !read_when_complete(ret, &err);
	if (ok)
		log_debug("core dump of the device: %lld bytes, read %lld ms after the fault",
			  (long long)size_of_file(), (long long)(clock_now_ms() - began));
	else
		log_info("the core dump of the device is not used: %s", err.text);
	unlink(device.dump_path);
	device.dump_path[0] = '\0';
	return ok;
}
