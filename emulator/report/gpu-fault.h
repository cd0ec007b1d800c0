/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A fault of device code is a value: what went wrong, which lane, which address, what lies near it,
 * which source line with the functions inlined there. It owns no memory, so it can outlive module
 * and launch and be copied.
 */
#ifndef CGPU_EMULATOR_GPU_FAULT_H
#define CGPU_EMULATOR_GPU_FAULT_H

#include <stdbool.h>
#include <stdint.h>

#include "emulator/ptx/ptx-lines.h"
#include "emulator/ptx/ptx-module.h"

struct buffer;

enum gpu_fault_kind {
	GPU_FAULT_NONE,
#define FAULT(symbol, code, exception, text) GPU_FAULT_##symbol,
#include "emulator/report/gpu-faults.def"
#undef FAULT
};

enum gpu_access { GPU_ACCESS_NONE, GPU_ACCESS_READ, GPU_ACCESS_WRITE, GPU_ACCESS_ATOMIC };

/* Uses of a value that nobody had written. */
enum taint_use {
	TAINT_USE_NONE,
	TAINT_USE_BRANCH,
	TAINT_USE_ADDRESS,
	TAINT_USE_ATOMIC,
	TAINT_USE_LANE,
	TAINT_USE_PRINT,
	TAINT_USE_HOST,
};

#define GPU_FAULT_FRAMES 12
#define GPU_FAULT_WAITS 8
#define GPU_FAULT_VALUES 6
#define GPU_FAULT_CALLERS 7

/* Threads of a block that wait at one place. */
struct gpu_fault_wait {
	const void *where;
	bool spins;             /* in a loop, else at a barrier or an operation between lanes */
	uint32_t threads, line; /* line 0: unknown */
	char instruction[80], file[160];
};

/* A call that a thread was in: where it goes on in the function that has called. */
struct gpu_fault_caller {
	char function[128];
	uint32_t offset;
};

/* "%r1 = 1024: blockIdx.x * blockDim.x + threadIdx.x = 4 * 256 + 0" */
struct gpu_fault_value {
	char text[200];
};

struct gpu_fault {
	enum gpu_fault_kind kind;
	char kernel[128];
	char function[128];    /* device function that holds the instruction; the kernel's name
				  otherwise */
	char instruction[160]; /* its PTX text */
	char note[200];        /* one more sentence for the reader, or "" */
	uint32_t offset; /* of the instruction in its function, 16 bytes each as in SASS listings */
	uint32_t block[3], thread[3];
	uint32_t lanes; /* lanes of the warp that fault in the same way */
	enum gpu_access access;
	enum ptx_space space;
	uint32_t size;        /* bytes of the access */
	uint64_t address;     /* generic for global, offset in the window for shared and local */
	uint64_t window;      /* size of the shared or local window */
	char formula[120];    /* how the address was made: "%rd4 + 4 * %r1", "" unknown */
	uint32_t value_count; /* of its parts */
	struct gpu_fault_value values[GPU_FAULT_VALUES];
	bool has_array; /* the array of shared memory that is nearest is known */
	char array_name[64];
	uint64_t array_offset, array_size;
	bool has_buffer; /* the nearest buffer is known */
	bool freed;      /* and it was freed already */
	bool read_only;
	char buffer_name[64];
	uint64_t buffer_address, buffer_size;
	uint32_t buffer_tag, buffer_freed_tag; /* cell numbers, 0 unknown */
	bool unreachable;                      /* it is live, but memory of another device */
	bool reaches_host;                     /* memory of the host would have been found, too */
	int device, buffer_device;
	uint32_t frame_count; /* frames[0] is the innermost inlined function */
	struct ptx_lines_frame frames[GPU_FAULT_FRAMES];
	uint32_t caller_count; /* of the innermost calls that were not inlined, innermost first */
	struct gpu_fault_caller callers[GPU_FAULT_CALLERS];
	/* The use of the value, for GPU_FAULT_UNINITIALIZED, which is no fault: the launch goes on.
	 */
	enum taint_use use;
	struct ptx_lines_frame use_place;
	bool computed;       /* the memory held what was worked out from such memory */
	uint32_t wait_count; /* of a deadlock: where the threads of the block are */
	struct gpu_fault_wait waits[GPU_FAULT_WAITS];
};

/* CUresult value, e.g. 700. */
int gpu_fault_code(enum gpu_fault_kind kind);
/* The number of a GPU's exception; 0: none. */
uint32_t gpu_fault_exception(enum gpu_fault_kind kind);
/* "illegal-address", for logs and tests. */
const char *gpu_fault_name(enum gpu_fault_kind kind);

/*
 * Append the report in compute-sanitizer's shape:
 *	========= Invalid __global__ write of size 4 bytes
 *	=========     at saxpy(int, float, float *)+0x70 in In[3]:31
 *	=========         31 | x[i] *= a;
 *	=========     by thread (255,0,0) in block (4095,0,0)
 *	=========     Address 0x... is out of bounds
 *	=========     and is 1 bytes after the nearest allocation `d_x` at 0x... of size 4,194,300
 *	bytes (cell 2)
 *	=========     The address is %rd2 + 4 * %r1
 *	=========         %rd2 = 0x...: parameter 3
 *	=========         %r1 = 1048575: blockIdx.x * blockDim.x + threadIdx.x = 4095 * 256 + 255
 */
void gpu_fault_print(const struct gpu_fault *f, struct buffer *out);

/*
 * The place of it: HEAD "saxpy(int, float, float *)+0x70 in In[3]:31" TAIL, the callers below it,
 * each with its line of source where that is at hand. function: the PTX name, for lack of frames.
 */
void gpu_fault_print_frames(const char *head, const struct ptx_lines_frame *frames, uint32_t count,
			    const char *function, uint32_t offset, const char *tail,
			    struct buffer *out);

#endif
