/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The protocol between cgpu-kernel and cgpu-worker.
 *
 * Zygote. The kernel execs `cgpu-worker` before it reads the signing key; descriptor
 * ZYGOTE_SOCKET_FD is its socket. The zygote is single-threaded, reserves the address map, loads
 * libraries and forks workers with CLONE_PARENT, so that the kernel is their parent: what a cell's
 * children leave behind comes to the kernel too, which must be a child subreaper (prctl
 * PR_SET_CHILD_SUBREAPER). All of them carry CGPU_SESSION=token in their initial environment; the
 * kernel sets it when it execs the zygote. When the socket closes the zygote kills every worker's
 * process group and whatever else carries the token, and ends.
 *
 * Worker. One ordered SOCK_SEQPACKET channel for requests and descriptors, and one shared control
 * area (a memfd) with what must be readable after the worker died: the fault record, what it is
 * doing, and the ring of output records.
 *
 *	kernel                                   worker
 *	ZYGOTE_FORK (to the zygote)       ->     forked as a spare: device initialised, WORKER_HELLO
 *	WORKER_ATTACH                     ->     maps arena and device memory, restores pre-images,
 *	                                         WORKER_ATTACHED
 *	WORKER_RUN                        ->     loads the unit, runs it, settles the device,
 *	                                         WORKER_CELL_END
 *	  (stopped: commits host and device)
 *	WORKER_COMMITTED                  ->     turns what was committed into private mappings
 *
 * After WORKER_CELL_END the worker touches no session memory until WORKER_COMMITTED. A failed cell
 * is never continued: the kernel kills the worker's process group and attaches the spare.
 *
 * All payloads are records (common/base/record.h).
 */
#ifndef CGPU_COMMON_PROTOCOL_WORKER_PROTOCOL_H
#define CGPU_COMMON_PROTOCOL_WORKER_PROTOCOL_H

#include <stdatomic.h>
#include <stdint.h>

#include "common/protocol/debug-stop.h"
#include "common/protocol/device-watch.h"

#define WORKER_PROTOCOL_VERSION 21

#define ZYGOTE_SOCKET_FD 3

/*
 * Descriptors of a worker after the fork, in the order in which ZYGOTE_FORK passes them. 0 is
 * /dev/null, 1 and 2 are pipes to the kernel for raw writes and for children; stdio of the cell
 * itself goes through the ring.
 */
#define WORKER_CHANNEL_FD 3
#define WORKER_CONTROL_FD 4
#define WORKER_ARENA_FD 5 /* for reading */
#define WORKER_LIVE_FD 6
#define WORKER_FDS 6

enum zygote_message {
	/* kernel -> zygote; u32 version, bytes seccomp program (struct sock_filter[], may be
	 * empty), u32 flags (enum sandbox_flag), the connection file (hidden-path.h); fd: the view
	 * of struct sandbox_policy, or none */
	ZYGOTE_SETUP = 1,
	/* zygote -> kernel; u32 version, [str name, str what could not be applied and why] */
	ZYGOTE_READY = 2,
	/* kernel -> zygote; u32 worker id, the connection file (hidden-path.h), which may have been
	 * moved since; fds: channel, control, arena for reading, live memfd, stdout pipe, stderr
	 * pipe */
	ZYGOTE_FORK = 3,
	/* zygote -> kernel; u32 worker id, u32 pid (0: fork failed, then u32 errno) */
	ZYGOTE_FORKED = 4,
	/* kernel -> zygote; a record of hidden-path.h: no worker may open or connect to this file.
	 * It needs the mount namespace of SANDBOX_HIDE_FILE, and does nothing without it. */
	ZYGOTE_HIDE = 7,
	/* kernel -> zygote; u32 id, [str path of a shared library]: to be loaded, for workers that
	 * are forked from here on. */
	ZYGOTE_LOAD = 8,
	/* zygote -> kernel; u32 id, [str path, str error or "", u64 base, str build id] */
	ZYGOTE_LOADED = 9,
};

/*
 * Placeholders in the seccomp program (the k of its BPF_JEQ instructions). A worker replaces them
 * by its own pid, by minus that, and by the pid of its parent, before it installs the program,
 * since only it knows them.
 */
#define SECCOMP_OWN_PID 0x7c61700du
#define SECCOMP_KERNEL_PID 0x7c61700fu
#define SECCOMP_OWN_GROUP 0x839e8ff3u

/* Containment steps of zygote and worker. The kernel chooses them; a step that fails is reported in
 * ZYGOTE_READY or HELLO. */
enum sandbox_flag {
	SANDBOX_HIDE_FILE = 1 << 0, /* mount namespace that hides argv[1] */
	/* Scoping of signals and abstract sockets; denies reading argv[1] where there is no
	 * namespace. */
	SANDBOX_LANDLOCK = 1 << 1,
	SANDBOX_SECCOMP = 1 << 2,
	SANDBOX_LIMITS = 1 << 3, /* rlimits, oom_score_adj */
	SANDBOX_CAPABILITIES =
		1 << 4, /* drop the capabilities that reach other processes and mounts */
	/* Files are changed below the notebook's folder and the temporary ones only. */
	SANDBOX_WORKSPACE = 1 << 5,
};

enum worker_message {
	/* kernel -> worker */
	/*
	 * u64 session epoch (grows with each attach), u64 host limit in bytes (0: none), u64 device
	 * limit in bytes, u32 cell, u8 the content of device memory without a chunk follows later
	 * (WORKER_DEVICE_FILL), u8 memory that cannot be mapped is given up and replaced by empty
	 * memory, u8 enum device_rollback, [u32 number of a device that the session has memory of,
	 * 16 bytes its UUID], [u64 address, u64 size]: content that is kept, by
	 * WORKER_DEVICE_PREIMAGE, before the pre-images are restored, [preimage: u64 address, u64
	 * size, u64 chunk id, u64 chunk offset], [checksums, as in WORKER_DEVICE_CHECKSUMS]; device
	 * chunks follow as WORKER_CHUNK messages, then WORKER_ATTACH_END
	 */
	WORKER_ATTACH = 1,
	WORKER_CHUNK = 2,      /* u64 chunk id, u64 size, u64 address or 0 for a pre-image; fd */
	WORKER_ATTACH_END = 3, /* empty */
	/*
	 * u64 random number, bytes unit, [str name] of symbols that end when the cell has run to
	 * its end, u64 the notebook's cell (0: not known), str text of the cell, struct
	 * run_options, bytes message of a front end for a comm (common/protocol/comm-message.h), or
	 * none, [bytes unit]: for a checked cell, checked functions of earlier cells, to be
	 * loaded before. With the arena memfd for writing for a cell that is not journalled;
	 * WORKER_UNSAVED_ARE is the answer before it runs. A worker that has run a checked cell is
	 * ended
	 */
	WORKER_RUN = 4,
	/*
	 * u32 oldest cell that can be undone, [u64 chunk id]: pre-images that nobody needs. Their
	 * memory is for the pre-images of the next cell; WORKER_DEVICE_DROP gives back what is not
	 * wanted. [u64 address, u64 size] of fresh memory that stays in the live memfd, as after
	 * WORKER_IN_PLACE_BEGIN. With a new live memfd, which takes the place of the one before, if
	 * the worker has forked
	 */
	WORKER_COMMITTED = 5,
	WORKER_INPUT = 6,    /* u8 end of file, str line without newline */
	WORKER_DESCRIBE = 7, /* u32 id, [u64 address]; only while no cell runs */
	/* u64 host limit, u64 device limit, u8 enum device_rollback; only while no cell runs */
	WORKER_LIMITS = 8,
	WORKER_DEVICE_INFO = 9, /* u32 id; only while no cell runs */
	/* u32 id, [u32 cell]: rows of these cells, or of the largest holders when there are none;
	 * only while no cell runs */
	WORKER_MEMORY = 12,

	WORKER_LIBRARIES = 40,   /* u32 id; only while no cell runs, as the next two */
	WORKER_DEVICE_READ = 41, /* u64 address, u64 size */
	/* u32 id, u64 address, u64 size; only while no cell runs. The address is that of the host
	 * stand-in of a device variable, or of device memory, of which what lies in no live buffer
	 * is zero */
	WORKER_DEVICE_VALUE = 43,
	WORKER_DEVICE_FILL = 42, /* u64 address, u64 size, u64 offset in the file; fd */
	/*
	 * u64 address, u64 size: the live memfd has a copy of these committed pages, so cells write
	 * them there, until WORKER_IN_PLACE_END, a checkpoint or a fork. Only while no cell runs,
	 * like the next one
	 */
	WORKER_IN_PLACE_BEGIN = 45,
	WORKER_IN_PLACE_END = 46, /* u64 address, u64 size of a WORKER_IN_PLACE_BEGIN */

	/* empty: give back memory that waits for pre-images. Only while no cell runs */
	WORKER_SCRATCH_UNWANTED = 74,
	/* empty: take digests of device memory and send WORKER_DEVICE_CHECKSUMS. Only while
	 * neither a cell nor a thread of one runs */
	WORKER_EXPECT_SUSPEND = 75,
	/* empty; fd: the file for the content of parked chunks. Between cells, or behind
	 * WORKER_ATTACH */
	WORKER_EVICTION_FILE = 70,
	/*
	 * u32 number, u64 chunk id, u64 its size, u64 its address, or 0 with its fd: it is not
	 * mapped; u64 first byte, u64 bytes, u64 offset in the file: copy these bytes there. Only
	 * while no cell runs; WORKER_EVICTED is the answer
	 */
	WORKER_EVICT = 71,
	/* u64 chunk id, u64 size, u64 address or 0, u64 offset in the file: as WORKER_CHUNK, for
	 * a parked chunk. It is made anew, and WORKER_DEVICE_CHUNK follows when its content is
	 * there */
	WORKER_CHUNK_PARKED = 72,

	/* worker -> kernel */
	/*
	 * u32 version, str device name, u8 emulated, u32 driver version (13000), u32 lowest compute
	 * capability (75), u64 device memory, [str step, str why it was not applied], str what is
	 * wrong with the device or "", [16 bytes UUID of a device], str why a driver of the machine
	 * is not used, or "", u64 bytes of addresses for session memory, u32 traits (enum
	 * device_trait), u64 memory of the device that has most
	 */
	WORKER_HELLO = 20,
	/* u8 enum attach_outcome, str error, [str what could not be restored], u8 there is a
	 * device, with all memory that the session needs, u8 all that was to be kept was kept */
	WORKER_ATTACHED = 21,
	/* u64 chunk id, u64 size, u64 address (0: pre-image or not mapped); fd. Sent before the
	   chunk is first written */
	WORKER_DEVICE_CHUNK = 22,
	/* u64 address, u64 size, u64 chunk id, u64 chunk offset. Sent when the copy is complete and
	   before the first write */
	WORKER_DEVICE_PREIMAGE = 23,
	/* [checksum, as in common/protocol/buffer-checksum.h]. Sent before device code runs that
	 * might change these buffers, unless their pre-images were saved */
	WORKER_DEVICE_CHECKSUMS = 64,
	/* u64 chunk id: not needed once this cell is committed; when the chunk waits for
	 * pre-images, not needed at all */
	WORKER_DEVICE_DROP = 24,
	WORKER_DEVICE_NODE = 63,   /* empty; fd of a device file, to be kept open */
	WORKER_INPUT_REQUEST = 25, /* str prompt, u8 password */
	/*
	 * u64 number of the WORKER_RUN, without which the message says nothing; u8 outcome (enum
	 * cell_outcome); for OUTCOME_FAULT the fault record has the rest. u64
	 * nanoseconds run, u64 nanoseconds loading, [str warning] (unchecked CUDA errors and the
	 * like, with the line), u64 bytes of device memory that were copied for a rollback, u64
	 * nanoseconds for that; the same two for what was read for digests; u8 a thread of a cell
	 * lives; u8 the worker has forked since the live memfd was new; [u64 address, u64 size] of
	 * heap that no state that can be returned to uses: the commit takes it out of the arena
	 */
	WORKER_CELL_END = 26,
	/* u32 id, [u8 owner (enum address_owner), u64 base, u64 size, u32 cell, u32 freed cell, str
	   name] */
	WORKER_DESCRIBED = 27,
	/*
	 * u32 id, str name of the first device, for all devices together: u64 total, u64 used by
	 * the session, u64 limit; u64 largest free, [u64 address, u64 size, u32 cell, str name or
	 * "", str kind, u32 device], [str name of a device, str PCI bus id, u64 total, u64 used by
	 * the session], str why cells cannot use it or ""
	 */
	WORKER_DEVICE_REPORT = 28,
	/*
	 * [str symbol, u64 address, u64 size], [u32 section of the object, u64 address]: the places
	 * of the unit's symbols and of its sections with variables; u32 cell whose machine code
	 * this cell takes over, 0: none; u8 the unit has machine code. Sent before the unit runs,
	 * so that they are known however the cell ends
	 */
	WORKER_LOADED = 29,
	/*
	 * The fault record is complete and the process waits to be killed, so that its memory can
	 * be read. It ends by itself after FAULT_WAIT_SECONDS. Not sent by a worker that dies
	 * without a record
	 */
	WORKER_FAULTED = 30,
	/*
	 * u8 enum debug_reason, u32 condition of the breakpoint, 0: none: a debugged cell stands,
	 * and its fault record has the calls. It goes on by debug_stop_resume()
	 */
	WORKER_STOPPED = 31,
	/*
	 * u32 id, u64 heap: top, live, blocks, free, largest free run, free slots; u8 the search
	 * for lost blocks is complete; u32 cells left out, u64 bytes that they hold, [u32 cell, u64
	 * heap bytes made, u64 live, u64 live blocks, u64 lost, u64 lost blocks, u64 device bytes
	 * made, u64 live, u64 lost, u64 size of the largest lost block, u32 cell, u32 line, str
	 * function that asked for it, u64 size of the largest lost buffer, u32 line, str variables
	 * that the live blocks are reached by]
	 */
	WORKER_MEMORY_REPORT = 34,
	/* u32 id, u64 session_layout(), [str path, str build id or "", u64 start, u64 end]; the
	   first is the worker itself */
	WORKER_LIBRARIES_ARE = 50,
	WORKER_DEVICE_BYTES = 51,  /* u64 address, u8 ok, str error; fd of a copy when ok */
	WORKER_DEVICE_FILLED = 52, /* u64 address, u8 ok, str error */
	/* u32 id, u8 ok, bytes; not ok: it is not on the device, or cannot be read */
	WORKER_DEVICE_VALUE_IS = 53,
	/* u32 line, both u8 and [u64 address, u64 size] as in WORKER_CELL_END: commit the cell's
	 * changes so far, then send WORKER_COMMITTED */
	WORKER_CHECKPOINT = 54,
	/* [u64 address, u64 size, u32 cell, str variable that points there or ""]: blocks that a
	 * rollback cannot restore */
	WORKER_UNSAVED_ARE = 55,
	/* str why there is none or "", bytes profile (common/protocol/launch-profile.h): before
	 * WORKER_CELL_END of a cell that succeeds */
	WORKER_PROFILE_IS = 59,
	/* str why there is none or "", bytes trace (common/protocol/device-trace.h): before
	 * WORKER_CELL_END, also for a cell whose device code has failed */
	WORKER_TRACE_IS = 61,
	/*
	 * u32 number, u32 device, u64 bytes that all kernels together may have of it, u64 bytes:
	 * asks for permission to take them. The answer comes later, in the control area
	 * (common/protocol/memory-permit.h)
	 */
	WORKER_DEVICE_ASK = 60,
	/* u32 number, u64 bytes: the device has no room for them, and other processes of the
	 * session should give some back. Answered in the same place */
	WORKER_DEVICE_SHORT = 65,
	/* u32 count, [u64 bytes of each device that libraries hold]: at the end of a cell, if they
	 * have changed */
	WORKER_LIBRARY_MEMORY = 62,
	WORKER_EVICTED = 73, /* u32 number of the WORKER_EVICT, u8 ok, str error */
	/* u64 address, u64 size of a WORKER_IN_PLACE_BEGIN that the worker has refused, or given up
	 * in the cell that ends with the next WORKER_CELL_END or WORKER_CHECKPOINT */
	WORKER_IN_PLACE_REFUSED = 56,
};

enum attach_outcome {
	ATTACH_FAILED,
	ATTACH_OK,
	ATTACH_NO_ROOM, /* the device has not enough memory for parked chunks */
};

/* The place for the old content of device buffers that a cell writes. */
enum device_rollback {
	DEVICE_ROLLBACK_FULL, /* on the device, or on the host when that is full */
	DEVICE_ROLLBACK_HOST, /* on the host, so that the cell has all of the device's memory */
	/* None: a failed cell leaves the buffers as they are, and they are named. */
	DEVICE_ROLLBACK_OFF,
	/* As full, for all buffers that device code can reach, whether it is known to write them or
	 * not. */
	DEVICE_ROLLBACK_WHOLE,
	DEVICE_ROLLBACKS,
};

enum cell_outcome { OUTCOME_OK, OUTCOME_FAULT, OUTCOME_INTERRUPTED };

enum fault_kind {
	FAULT_NONE,
#define FAULT(symbol, ename) FAULT_##symbol,
#include "common/protocol/faults.def"
#undef FAULT
	FAULT_KINDS
};

/* The owner of an address. */
enum address_owner {
	OWNER_UNKNOWN,
	OWNER_NULL,       /* in the first 64 KiB */
	OWNER_HEAP,       /* inside a live block: base, size, cell */
	OWNER_HEAP_FREED, /* inside a freed block: freed_cell too */
	OWNER_HEAP_NEAR,  /* near a block, outside of it: base and size are that block's */
	OWNER_VARIABLE,   /* a variable of a unit: name, base, size, cell */
	OWNER_CODE,       /* a function of a unit */
	OWNER_CONSTANT,   /* a string literal or another constant of a unit */
	OWNER_DEVICE,     /* device memory: a device pointer was used on the host */
	OWNER_DEVICE_FREED,
	OWNER_STACK,
	OWNER_STACK_GUARD,
	OWNER_LIBRARY,
	OWNER_FILE, /* a mapping of the file `name` */
};

/* A place in the code of a unit. */
struct code_site {
	uint32_t cell;   /* 0: not known */
	uint32_t offset; /* from the start of the function */
	char function[48];
};

struct address_description {
	uint32_t owner; /* enum address_owner */
	uint32_t cell;
	uint32_t freed_cell;
	uint32_t pad;
	uint64_t base;
	uint64_t size;
	char name[64];
	struct code_site allocated, freed; /* of a heap block */
};

#define FAULT_FRAMES_MAX 64
#define FAULT_TEXT_MAX 8192
#define FAULT_WAIT_SECONDS 60
/* Registers are indexed by DWARF number: x86-64 0 to 16, AArch64 0 to 32. */
#define FAULT_REGISTERS 33
#define FAULT_REGISTER_FRAMES 16

#define FAULT_FRAME_SHOWS                                                                          \
	"_ZN9cgpu_show"        /* what begins so is of the header that shows a value of C++ */
#define FAULT_FRAME_HIDDEN "-" /* name of a frame that says nothing to a user */

struct fault_frame {
	uint64_t pc;   /* innermost: of the instruction; others: the return address, not adjusted */
	uint32_t cell; /* of the unit, 0: not in a unit */
	/* Of the instruction, or of the call's last byte, from the start of the function named
	 * below. */
	uint32_t offset;
	/* The `cycle` frames that start here occurred `times` times one after the other
	 * (recursion); 0: once. */
	uint32_t cycle;
	uint32_t times;
	/* Symbol of a library or unit function, "" if unknown; C++ symbols are long. */
	char name[256];
};

/* The record of a fault. The dying worker writes `kind` last, so with FAULT_NONE nothing else is
 * valid. */
struct fault_record {
	_Atomic uint32_t kind; /* enum fault_kind */
	int32_t signal;
	int32_t si_code;
	int32_t sender_pid; /* of a signal sent by kill() */
	int32_t exit_status;
	uint32_t n_frames;
	uint64_t address;                            /* si_addr */
	struct fault_frame frames[FAULT_FRAMES_MAX]; /* innermost first */
	uint64_t n_omitted; /* frames left out in front of frames[omitted_at] */
	uint32_t omitted_at;
	uint32_t n_registers; /* number of rows of `registers` that are filled */
	/* Bit n: registers[i][n] has the value of frames[i]. */
	uint64_t known[FAULT_REGISTER_FRAMES];
	uint64_t registers[FAULT_REGISTER_FRAMES][FAULT_REGISTERS];
	struct address_description what; /* what `address` belongs to */
	/* Address of a struct device_stop (common/cuda/device-stop.h) when a thread of device code
	 * stands; the frames are then those of the launch. 0: the host stands. */
	uint64_t device;
	uint64_t access_size; /* of a finding in a checked cell, in bytes */
	uint32_t access_write;
	/* For FAULT_CUDA: "CudaIllegalAddress"; for a finding: "heap-buffer-overflow". */
	char ename[64];
	/* For FAULT_LINK: names that nobody defines, with a blank behind each. */
	char missing[256];
	char text[FAULT_TEXT_MAX]; /* UTF-8 lines with further facts from the worker */
};

/* Questions to a worker that waits at its fault: see common/protocol/fault-questions.h. */
struct fault_questions {
	_Atomic uint32_t asked;
	_Atomic uint32_t answered;
	uint64_t address;
	struct address_description answer;
};

#define MEMORY_PERMIT_WHY_MAX 2048

/* See common/protocol/memory-permit.h. */
struct memory_permit {
	_Atomic uint32_t asked;
	_Atomic uint32_t answered;
	uint32_t granted;
	char why[MEMORY_PERMIT_WHY_MAX]; /* the reason for a refusal, lines */
};

/* A chunk's id encodes the epoch of the session in which it was made, its device, and the kind of
 * its memory. */
#define CHUNK_DEVICE_SHIFT 28
#define CHUNK_DEVICES_MAX 16
/* The chunk is a memfd that no driver has made: see runtime/cuda/memory/host-chunk.h. */
#define CHUNK_ON_HOST (1u << 27)
#define CHUNK_ID(epoch, ordinal, n)                                                                \
	((uint64_t)(epoch) << 32 | (uint64_t)(ordinal) << CHUNK_DEVICE_SHIFT | (n))
#define CHUNK_IS_ON_HOST(id) (((id) & CHUNK_ON_HOST) != 0)
#define CHUNK_DEVICE(id) ((uint32_t)((id) >> CHUNK_DEVICE_SHIFT & (CHUNK_DEVICES_MAX - 1)))
#define DEVICE_UUID_SIZE 16

#define MEMCHECK_FINDINGS_MAX 8

/* The errors of a checked cell, in the order of finding. `kind` of the records is not used.
 */
struct memcheck_findings {
	uint32_t n;
	uint64_t total; /* including findings without a record */
	uint64_t pcs[MEMCHECK_FINDINGS_MAX];
	struct fault_record at[MEMCHECK_FINDINGS_MAX];
};

/* The activity of the worker, for interrupts and the watchdog. */
enum worker_phase {
	PHASE_IDLE,
	PHASE_ATTACHING,
	PHASE_LOADING,
	PHASE_RUNNING, /* in the cell's own code or in code that it called */
	PHASE_DEVICE,  /* inside a CUDA call that may wait for the device */
	PHASE_INPUT,   /* waits for WORKER_INPUT */
	PHASE_ENDING,  /* the cell is over, and the device is being settled */
};

#define OUTPUT_RING_SIZE (4u * 1024 * 1024)

/* The driver of a worker. */
enum worker_driver {
	DRIVER_CHOSEN, /* chosen by the machine and CGPU_DEVICE */
	DRIVER_NATIVE, /* the machine's own, or none */
	DRIVER_EMULATED,
	DRIVER_NONE, /* the device is not touched */
	/* The emulated one, for a checked cell: nothing of the worker is ever kept. */
	DRIVER_CHECKS,
};

/* How the device is shared with other processes, as bits of `traits` in WORKER_HELLO. */
enum device_trait {
	/* Only one process at a time may have a context: compute mode EXCLUSIVE_PROCESS. */
	DEVICE_EXCLUSIVE = 1 << 0,
	DEVICE_MPS = 1 << 1, /* shared by NVIDIA's Multi-Process Service, which cells use */
	DEVICE_HMM = 1 << 2, /* device code can access all host memory */
};

#define PASSED_OVER_MAX 512

struct worker_device {
	uint32_t driver; /* enum worker_driver */
	uint32_t count;  /* DRIVER_CHECKS: number of devices */
	uint64_t memory; /* and bytes of each: those of the GPU with most memory */
	bool has_hmm;    /* likewise: its code can access all host memory */
	/* Size of the address range of the session's device memory in bytes, 0: not known yet. */
	uint64_t window;
	bool waits; /* makes no context before it gets the session */
	/* Why an earlier worker did not use the machine's driver, "" for nothing. */
	char passed_over[PASSED_OVER_MAX];
};

#define WORKER_DUMP_FOLDER_MAX 256
#define WORKER_DUMP_FILE "dump" /* file in that folder */

struct worker_control {
	uint32_t version;
	/* The folder that the driver may write to; the kernel sets it before the fork, and removes
	 * the folder when the worker is gone. */
	char dump_folder[WORKER_DUMP_FOLDER_MAX];
	struct worker_device device; /* set by the kernel before the fork */
	_Atomic uint32_t phase;      /* enum worker_phase */
	/* The number of WORKER_COMMITTED messages that the worker has completely
	 * handled. */
	_Atomic uint32_t committed;
	/* The kernel sets 1, then sends SIGUSR1; the worker clears it when it has unwound. */
	_Atomic uint32_t interrupt;
	/* Above 0 while a thread is inside the arena's allocator or tables. */
	_Atomic uint32_t allocator_busy;
	struct fault_record fault;
	struct fault_questions questions;
	struct debug_stop debug;
	struct memory_permit permit;
	struct device_watch watch;
	struct memcheck_findings findings;
	/* Output ring: see common/protocol/output-ring.h. Positions only grow; index is position %
	 * OUTPUT_RING_SIZE. */
	_Alignas(64) _Atomic uint64_t ring_head; /* written by the worker */
	_Alignas(64) _Atomic uint64_t ring_tail; /* written by the kernel */
	/* The worker sleeps (futex) until the kernel has made room. */
	_Atomic uint32_t ring_waiting;
	_Alignas(4096) char ring[OUTPUT_RING_SIZE];
};

#endif
