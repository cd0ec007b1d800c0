/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the emulated driver can do beyond the CUDA driver API. A user of libcgpu-emulator.so looks
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

#define EMULATOR_EXTENSION_VERSION 7
#define EMULATOR_EXTENSION_SYMBOL "cgpu_emulator_extension"

#define EMULATOR_MEMORY_NAME "cgpu-device-"

#define EMULATOR_FAULT_TEXT_MAX 6144

#define EMULATOR_CHECK_RACES 1u

struct device_busy;

struct emulator_annotation {
	uint64_t address;
	uint64_t size; /* exact bytes; 0: nothing of the mapping that holds `address` may be touched
			*/
	const char *name;   /* "" or NULL unknown; copied */
	uint32_t cell;      /* that made it, 0 unknown */
	uint32_t read_only; /* device code may not write (a __constant__ variable) */
	uint32_t unwritten; /* it was just allocated: reads of what nobody has written since are
			       told */
};

/* What a program has at an address of the host: a block, a variable, or a whole mapping. */
struct emulator_host_memory {
	uint64_t address;
	uint64_t size;
	uint32_t freed;
	uint32_t read_only;
	uint32_t cell;       /* that made it, 0 unknown */
	uint32_t freed_cell; /* that freed it */
	char name[64];       /* "" unknown */
};

/* 0: there is nothing. The memory need not hold the address: it may be what is nearest. Called from
 * any thread. */
typedef int (*emulator_host_fn)(uint64_t address, struct emulator_host_memory *ret);

/* The last fault of device code in this process. */
struct emulator_fault {
	int code; /* CUresult, such as 700 */
	char entry[128];
	uint32_t cta[3];
	uint32_t thread[3];
	uint64_t address; /* of the access, 0 when the fault is of another kind */
	char file[160];   /* source place, "" unknown */
	uint32_t line;
	char text[EMULATOR_FAULT_TEXT_MAX]; /* the whole report, lines starting with "========= " */
};

/* A buffer that device code is about to write to for the first time. Pointers are good during the
 * call. */
struct emulator_guarded {
	uint64_t address;
	uint64_t size;
	const void *bytes; /* where the host finds it */
	const char *name;  /* as it was annotated */
	uint32_t cell;
	int device; /* whose memory it is */
};

typedef void (*emulator_print_fn)(void *data, int to_stderr, const char *text, size_t len);
/* 1 and the text of a line of `file`, as line information names it, cut to size; 0: it is not
 * known. */
typedef int (*emulator_source_fn)(void *data, const char *file, uint32_t line, char *ret,
				  size_t size);

struct emulator_extension {
	uint32_t version;
	/* Make a buffer known; an earlier one that it overlaps is forgotten, a freed one too. */
	int (*annotate)(const struct emulator_annotation *a);
	/* The buffer at this address was freed by `cell`: access is a fault that names it. */
	int (*annotate_freed)(uint64_t address, uint32_t cell);
	/* Device printf goes to print(data, 0, ...), the text of a failed device assert to
	 * print(data, 1, ...). NULL: to the process's stdout and stderr. */
	void (*set_print)(emulator_print_fn print, void *data);
	/* 1 and *ret when device code has faulted in this process, else 0. */
	int (*last_fault)(struct emulator_fault *ret);
	/* 1: every launch, running or later, ends with CUDA_ERROR_LAUNCH_TIMEOUT; 0 clears it.
	 * Async-signal-safe. */
	void (*stop)(int on);
	/* See above; CUDA_ERROR_INVALID_VALUE for text that is no such list. */
	int (*inject)(const char *spec);
	/* Where the host finds the bytes of a device address: for dumps and tests. NULL when
	 * nothing is mapped there. */
	void *(*bytes)(uint64_t address);
	/* A cell begins: findings that go on, as uninitialised reads do, may be told again. */
	void (*begin)(void);
	/* 1: what this thread copies to the host is looked at by nobody, so that it is no finding;
	 * 0: as before. */
	void (*quiet)(int on);
	/* The PTX of a fat binary, however it is packed, for free(); NULL when it has none, or
	 * memory is out. */
	char *(*unpack)(const void *image, size_t *ret_len);
	/* 1: no thread of the driver begins work of a stream until 0; returns when none is at work.
	 * Calls that wait go on. */
	void (*pause)(int on);
	/* count: how many threads of the program do not wait for another one, in a futex, so that
	 * they could free a launch. Between hold and release the calling thread is not to be
	 * stopped. NULL: those of the process; and nobody stops threads. */
	void (*set_threads)(int (*count)(void), void (*hold)(void), void (*release)(void));
	/* A CUstream whose work is not the program's: profiles leave it out. */
	void (*profile_hide)(void *stream);
	/* From here on launches are counted and the work of streams is noted; an earlier profile is
	 * dropped. */
	int (*profile_begin)(void);
	/* Ends it: a record (common/protocol/launch-profile.h), for free(); NULL when there is no
	 * profile, or memory is out. */
	void *(*profile_take)(size_t *ret_len);
	/*
	 * A cell begins. Reports of checks of its launches go to print(data, 1, ...) when a launch
	 * ends, each once in a cell. what: EMULATOR_CHECK_RACES: all of them, and a summary at
	 * check_end(); 0: errors, found while checking is cheap.
	 */
	void (*check_begin)(uint32_t what);
	void (*check_end)(void);
	/* Bytes of the device's memory that this process has. */
	uint64_t (*used)(int device);
	/* Where reports get lines of source from; NULL: only from files with an absolute path.
	 * Called from any thread. */
	void (*set_source)(emulator_source_fn read, void *data);
	/* The function of another API by which this thread calls the driver, for reports; it lives
	 * on. NULL: none. */
	void (*set_call)(const char *name);
	/* Where it counts when launches run, which must stay; NULL: nowhere. */
	void (*count_busy)(struct device_busy *busy);
	/*
	 * From here on the buffers that are annotated by now are guarded, but those of host memory:
	 * before device code writes to one, before_write() is called, in any thread and maybe more
	 * than once. 0: it may be written; else the launch faults. It must not wait for the device.
	 * NULL: nothing is guarded. No launch runs meanwhile.
	 */
	void (*guard)(int (*before_write)(const struct emulator_guarded *g));
	/* The buffer that begins here need not be guarded any more. */
	void (*guard_lift)(uint64_t address);
	/* 1: it is still guarded. */
	int (*guard_holds)(uint64_t address);
	/* Where CGPU_EMULATED_HMM=1 says that device code reaches all memory of the host: it asks
	 * find() where there is some. */
	void (*reach_host)(emulator_host_fn find);
};

/* NULL when this version is not known. */
typedef const struct emulator_extension *(*emulator_extension_fn)(uint32_t version);

#endif
