/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Extensions of the emulated driver to the CUDA driver API. A user of libcgpu-emulator.so looks
 * up EMULATOR_EXTENSION_SYMBOL, an emulator_extension_fn, by dlsym(); a driver without it is a real
 * one. Results of the calls are CUresult values.
 *
 * Buffers. To the driver a mapping of cuMemMap() is one piece of memory. A caller that divides
 * mappings into buffers of its own annotates them: from the first annotation on, device code may
 * touch only annotated bytes of that mapping, and reports name the buffer. The same holds for host
 * memory of cuMemHostRegister().
 *
 * Memory. What cuMemImportFromShareableHandle() takes is a memfd, of the size of the memory. Its
 * name, EMULATOR_MEMORY_NAME and a number, says which device it is of.
 *
 * Failures. inject() and the environment variable CGPU_EMULATED_FAIL take a comma-separated list of
 *	CALL=CODE          the next call of CALL fails with the CUresult CODE (a number), and so
 *	                   does every later call if common/cuda/cuda-faults.def says that it is
 *	                   sticky
 *	CALL=CODE:N        the N-th call from now fails, N >= 1
 *	CALL=CODE:while:PATH  every call fails while the file PATH exists, in every process that is
 *	                   told so
 *	CALL=CODE:once:PATH   the call that finds the file PATH and removes it fails, in one of
 *	                   these processes
 *	launch=CODE        the next launch faults: sticky CODE at the next synchronising call
 *	launch=hang        the next launch never ends: its stream stays busy until stop() or the end
 *	                   of the process
 *	init=slow:MS       cuInit takes that long
 *	context=slow:MS    making a primary context does
 *	memory=held:SIZE   others have so much of each device's memory, such as 512M; 0: nothing, as
 *	                   before
 *	driver=VERSION     cuDriverGetVersion says so, such as 12040
 *	device=lost:PATH   while the file PATH exists every call fails with 999, in every process
 *	                   that is told so, and a process that has met it is not cured by the end of
 *	                   the file
 * CALL is the driver API name without a version suffix, such as cuMemCreate.
 */
#ifndef CGPU_COMMON_CUDA_EMULATOR_EXTENSION_H
#define CGPU_COMMON_CUDA_EMULATOR_EXTENSION_H

#include <stddef.h>
#include <stdint.h>

#define EMULATOR_EXTENSION_VERSION 8
#define EMULATOR_EXTENSION_SYMBOL "cgpu_emulator_extension"

#define EMULATOR_MEMORY_NAME "cgpu-device-"

#define EMULATOR_FAULT_TEXT_MAX 6144

#define EMULATOR_CHECK_RACES 1u

struct device_busy;
struct device_debugger;

struct emulator_annotation {
	uint64_t address;
	/* Exact bytes; 0: no byte of the mapping that holds `address` may be accessed. */
	uint64_t size;
	const char *name;   /* "" or NULL unknown; copied */
	uint32_t cell;      /* the cell that made it, 0 unknown */
	uint32_t read_only; /* device code may not write (a __constant__ variable) */
	/* It was just allocated, so reads of bytes that nobody has written since are reported. */
	uint32_t unwritten;
};

/* An object of the program at a host address: a block, a variable, or a whole mapping. */
struct emulator_host_memory {
	uint64_t address;
	uint64_t size;
	uint32_t freed;
	uint32_t read_only;
	uint32_t cell;       /* the cell that made it, 0 unknown */
	uint32_t freed_cell; /* the cell that freed it */
	char name[64];       /* "" unknown */
};

/* Describes the object at, or next to, a host address. 0: there is none. Called from any thread. */
typedef int (*emulator_host_fn)(uint64_t address, struct emulator_host_memory *ret);

/* The last fault of device code in this process. */
struct emulator_fault {
	int code; /* CUresult, such as 700 */
	char kernel[128];
	uint32_t block[3];
	uint32_t thread[3];
	uint64_t address; /* of the access, 0 when the fault is of another kind */
	char file[160];   /* source place, "" unknown */
	uint32_t line;
	char text[EMULATOR_FAULT_TEXT_MAX]; /* the whole report, lines beginning with "========= "
					     */
};

/* A buffer that device code is about to write for the first time. Pointers are valid during the
 * call. */
struct emulator_guarded {
	uint64_t address;
	uint64_t size;
	const void *bytes; /* host address of its bytes */
	const char *name;  /* from the annotation */
	uint32_t cell;
	int device; /* the device that has the memory */
};

typedef void (*emulator_print_fn)(void *data, int to_stderr, const char *text, size_t len);
/* Writes line `line` of `file`, named as in line information, to ret, cut to size, and returns 1;
 * 0: it is not known. */
typedef int (*emulator_source_fn)(void *data, const char *file, uint32_t line, char *ret,
				  size_t size);

struct emulator_extension {
	uint32_t version;
	/* Registers a buffer; an earlier one that it overlaps is forgotten, also a freed one. */
	int (*annotate)(const struct emulator_annotation *a);
	/* Marks the buffer at this address as freed by `cell`: access is a fault that names it. */
	int (*annotate_freed)(uint64_t address, uint32_t cell);
	/* Sends device printf to print(data, 0, ...) and the text of a failed device assert to
	 * print(data, 1, ...). NULL: to the process's stdout and stderr. */
	void (*set_print)(emulator_print_fn print, void *data);
	/* Returns 1 and *ret when device code has faulted in this process, else 0. */
	int (*last_fault)(struct emulator_fault *ret);
	/* With 1, every launch, running or later, ends with CUDA_ERROR_LAUNCH_TIMEOUT; 0 clears it.
	 * Async-signal-safe. */
	void (*stop)(int on);
	/* Sets failures, see above; CUDA_ERROR_INVALID_VALUE for a malformed list. */
	int (*inject)(const char *spec);
	/* Returns the host address of the bytes of a device address, for dumps and tests. NULL when
	 * nothing is mapped there. */
	void *(*bytes)(uint64_t address);
	/* A cell begins: findings such as uninitialised reads, which are reported once, may be
	 * reported again. */
	void (*begin)(void);
	/* With 1, copies to the host by this thread are not used by anybody, so they are no
	 * findings; 0 ends that. */
	void (*quiet)(int on);
	/* Returns the PTX of a fat binary, unpacked if necessary, for free(); NULL when it has
	 * none, or memory is out. */
	char *(*unpack)(const void *image, size_t *ret_len);
	/* With 1, no thread of the driver begins work of a stream until 0; it returns when none is
	 * at work. Calls that wait go on. */
	void (*pause)(int on);
	/*
	 * Sets callbacks about the program's threads. count: how many do not wait for another
	 * thread, in a futex, so that they could free a launch. Between hold and release the
	 * calling thread must not be stopped. NULL: the driver counts the process's threads itself,
	 * and nobody stops threads.
	 */
	void (*set_threads)(int (*count)(void), void (*hold)(void), void (*release)(void));
	/* Excludes a CUstream, whose work is not the program's, from profiles. */
	void (*profile_hide)(void *stream);
	/* Starts to count launches and to record the work of streams; an earlier profile is
	 * dropped. */
	int (*profile_begin)(void);
	/* Ends profiling and returns a record (common/protocol/launch-profile.h), for free(); NULL
	 * when there is no profile, or memory is out. */
	void *(*profile_take)(size_t *ret_len);
	/*
	 * A cell begins. Reports of checks of its launches go to print(data, 1, ...) when a launch
	 * ends, each once per cell. what: EMULATOR_CHECK_RACES: all checks, and a summary at
	 * check_end(); 0: errors that are cheap to find.
	 */
	void (*check_begin)(uint32_t what);
	void (*check_end)(void);
	/* Returns the bytes of the device's memory that this process holds. */
	uint64_t (*used)(int device);
	/* Sets the source of text lines for reports; NULL: only files with an absolute path are
	 * read. `read` is called from any thread. */
	void (*set_source)(emulator_source_fn read, void *data);
	/* Sets the function of another API by which this thread calls the driver, for reports; the
	 * name must stay valid. NULL: none. */
	void (*set_call)(const char *name);
	/* Sets the place where busy time is counted, which must stay valid; NULL: none. */
	void (*count_busy)(struct device_busy *busy);
	/*
	 * Guards all buffers that are annotated by now, except host memory: before device code
	 * writes to one, before_write() is called, in any thread and maybe more than once. 0: the
	 * write is allowed; otherwise the launch faults. It must not wait for the device. NULL ends
	 * guarding. No launch may run during this call.
	 */
	void (*guard)(int (*before_write)(const struct emulator_guarded *g));
	/* Ends guarding of the buffer that begins here. */
	void (*guard_lift)(uint64_t address);
	/* Returns 1 if the buffer is still guarded. */
	int (*guard_holds)(uint64_t address);
	/* Sets find(), which is asked for host memory when CGPU_EMULATED_HMM=1 lets device code
	 * access all of it. */
	void (*reach_host)(emulator_host_fn find);
	/*
	 * Sets the debugger of launches from here on, see common/cuda/device-stop.h; NULL: none. It
	 * stays the caller's, must stay valid, and is read at the beginning of a launch and behind
	 * each stop. Launches that may stop are over when their call returns. Async-signal-safe.
	 */
	void (*debug)(const struct device_debugger *d);
};

/* Returns the extension; NULL when this version is not known. */
typedef const struct emulator_extension *(*emulator_extension_fn)(uint32_t version);

#endif
