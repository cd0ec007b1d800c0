/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Device memory of the emulated GPUs, all in one window of addresses. Three sorted tables under one
 * lock:
 *
 *	reservations  address ranges given out by cuMemAddressReserve(); what we allocate ourselves
 *	              comes from the top
 *	mappings      where bytes are: device memory (a memfd mapped at address +
 *	              DEVICE_ALIAS_OFFSET) or host memory (registered or pinned: the same address on
 *	              both sides)
 *	buffers       annotated parts of mappings, live or freed
 *
 * Which devices reach what. Memory of the host is reached by all. What cuMemMap() has mapped is
 * reached by the devices that cuMemSetAccess() names; other device memory by its own device and by
 * those that cuCtxEnablePeerAccess() has let in. Copies are the driver's, and go anywhere.
 *
 * The device window itself stays PROT_NONE, so the host cannot touch a device pointer, as with a
 * real GPU.
 */
#ifndef CGPU_EMULATOR_MEMORY_H
#define CGPU_EMULATOR_MEMORY_H

#include "emulator/driver/device/frames.h"
#include "emulator/driver/device/gpu.h"
#include "emulator/warp/machine.h"

/* Physical memory: behind a CUmemGenericAllocationHandle. Lives until handle and mappings are gone.
 */
struct allocation {
	int fd;
	int device; /* whose memory it is, -1: the host's */
	uint64_t size;
	uint64_t charged; /* of the device's memory; 0 for memory that lies on the host */
	struct frame_place place;
	unsigned references;
};

enum mapping_kind {
	MAPPING_VMM,    /* cuMemMap() */
	MAPPING_ALLOC,  /* cuMemAlloc(), module variables, device malloc: freed as a whole */
	MAPPING_HOST,   /* cuMemHostRegister() of the caller's memory */
	MAPPING_PINNED, /* cuMemAllocHost() and managed memory: ours */
};

struct mapping {
	uint64_t address;
	uint64_t size;
	void *bytes;
	struct allocation *allocation; /* NULL for host memory */
	enum mapping_kind kind;
	int device;     /* whose memory it is; of host memory: which was current when it was made */
	unsigned flags; /* of registration */
	int access;     /* PROT_* that copies have, and whoever reaches it */
	uint32_t readers, writers; /* of MAPPING_VMM, a bit each: devices that reach it */
	bool annotated;            /* only annotated buffers may be touched by device code */
	bool managed;
	bool device_heap;  /* made by malloc() in device code */
	CUmemoryPool pool; /* that it was taken from; NULL: none */
	char name[64];
	struct shadow *shadow; /* which bytes were written; NULL: all */
};

/* Reserve the windows. Once. */
CUresult memory_init(void);

/*
 * Physical memory, of a device or (MEMORY_HOST) of the host for devices to use; OUT_OF_MEMORY when
 * the device is full. memory_import() takes fd.
 */
#define MEMORY_HOST (-1)
CUresult memory_create(int device, uint64_t size, struct allocation **ret);
CUresult memory_import(int fd, struct allocation **ret);
void memory_release(struct allocation *a);
/* The allocation that cuMemMap() has mapped there, with a reference for the caller; NULL: none. */
struct allocation *memory_retain(uint64_t address);
void memory_usage(int device, uint64_t *ret_free, uint64_t *ret_total);
/* The part of it that is this process's, not of others: the bytes of all allocations, whatever
 * frames they take. */
uint64_t memory_used(int device);

/* hint 0: anywhere. The result can lie elsewhere than the hint. */
CUresult memory_reserve(uint64_t hint, uint64_t size, uint64_t align, uint64_t *ret);
CUresult memory_unreserve(uint64_t address, uint64_t size);

CUresult memory_map(uint64_t address, uint64_t size, struct allocation *a);
CUresult memory_set_access(uint64_t address, uint64_t size, int device, int prot);
/* Whether the device reaches the memory of another one, but for what cuMemMap() has mapped; returns
 * what was before. */
bool memory_peer(int device, int other, bool on);
CUresult memory_unmap(uint64_t address, uint64_t size);

/* Memory of our own choosing, accessible at once. name: for reports, may be "". */
CUresult memory_alloc(int device, uint64_t size, enum mapping_kind kind, const char *name,
		      uint64_t *ret);
CUresult memory_free(uint64_t address, enum mapping_kind kind);

CUresult memory_register_host(void *p, uint64_t size, unsigned flags);
CUresult memory_unregister_host(void *p);

/* Copy of the mapping that holds the address; false when nothing is mapped there. */
bool memory_find_mapping(uint64_t address, struct mapping *ret);
/* Mark the mapping that starts here as a block of the device's malloc(), or as managed. */
void memory_mark(uint64_t address, bool device_heap, bool managed);
void memory_set_pool(uint64_t address, CUmemoryPool pool);
/*
 * The address on the host of `size` bytes at a device address, all mapped and accessible; NULL
 * otherwise. Neighbouring mappings are one range.
 */
void *memory_bytes(uint64_t address, uint64_t size, bool write);

/* The memory that starts here was allocated, and nothing has been written there. */
void memory_unwritten(uint64_t address);
/* The host has written there; or copied from there, which may be host memory. */
void memory_written(uint64_t address, uint64_t size);
void memory_copied(uint64_t to, uint64_t from, uint64_t size);

enum memory_state {
	MEMORY_KNOWN,     /* written, at least a part */
	MEMORY_UNTOUCHED, /* nothing was ever written */
	MEMORY_COMPUTED,  /* a part was worked out from such memory */
};
/* ret_cause, of MEMORY_COMPUTED: a copy of the read that led to it, if that is known (kind 0: it is
 * not). */
enum memory_state memory_state(uint64_t address, uint64_t size, struct gpu_fault *ret_cause);

/* Around each launch: shadows that it may look at stay as long as it runs. */
void memory_launch_begins(void);
void memory_launch_ended(void);

/* For the extension. */
void memory_guard(int (*before_write)(const struct emulator_guarded *g));
void memory_guard_lift(uint64_t address);
int memory_guard_holds(uint64_t address);
void memory_reach_host(emulator_host_fn ask);
int memory_annotate(const struct emulator_annotation *a);
int memory_annotate_freed(uint64_t address, uint32_t cell);

/* The memory that the machine sees when it runs the code of a device. */
const struct machine_memory *memory_view(int device);
/* PROT_* that the device has to a mapping. The table's lock is held, or the mapping is a copy. */
int memory_reach(const struct mapping *m, int device);

static inline bool memory_is_device(uint64_t address)
{
	return address >> 44 == 3;
}

#endif
