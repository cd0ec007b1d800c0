/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What cgpu-kernel and cgpu-worker say to each other.
 *
 * Zygote. The kernel execs `cgpu-worker` before it reads the signing key: argv is { "cgpu-worker",
 * hidden path or "" }, descriptor ZYGOTE_SOCKET_FD is its socket. The zygote is single-threaded,
 * reserves the address map, loads libraries and forks workers with CLONE_PARENT, so that the kernel
 * is their parent: what a cell's children leave behind comes to the kernel too, which must be a
 * child subreaper (prctl PR_SET_CHILD_SUBREAPER). All of them carry CGPU_SESSION=token in their
 * initial environment; the kernel sets it when it execs the zygote. When the socket closes the
 * zygote kills every worker's process group and whatever else carries the token, and ends.
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

#include "common/protocol/device-watch.h"

#define WORKER_PROTOCOL_VERSION 16

#define ZYGOTE_SOCKET_FD 3

/* Descriptors of a worker after the fork, in the order in which ZYGOTE_FORK passes them. 0 is
 * /dev/null, 1 and 2 are pipes to the kernel for raw writes and for children; stdio of the cell
 * itself goes through the ring. */
#define WORKER_CHANNEL_FD 3
#define WORKER_CONTROL_FD 4
#define WORKER_ARENA_FD 5

enum zygote_message {
	/* kernel -> zygote; u32 version, bytes seccomp program (struct sock_filter[], may be
	 * empty), u32 flags (enum sandbox_flag) */
	ZYGOTE_SETUP = 1,
	/* zygote -> kernel; u32 version, [str name, str what could not be applied and why] */
	ZYGOTE_READY = 2,
	/* kernel -> zygote; u32 worker id; fds: channel, control, arena, stdout pipe, stderr pipe
	 */
	ZYGOTE_FORK = 3,
	/* zygote -> kernel; u32 worker id, u32 pid (0: fork failed, then u32 errno) */
	ZYGOTE_FORKED = 4,
	/* kernel -> zygote; str path: no worker may open or connect to this file. Needs the mount
	 * namespace of SANDBOX_HIDE_FILE, and does nothing without it */
	ZYGOTE_HIDE = 7,
	/* kernel -> zygote; u32 id, [str path of a shared library]: workers that are forked from
	   here on have them */
	ZYGOTE_LOAD = 8,
	/* zygote -> kernel; u32 id, [str path, str why it was not loaded or "", u64 base, str build
	   id] */
	ZYGOTE_LOADED = 9,
};

/*
 * Constants in the seccomp program (the k of its BPF_JEQ instructions) that a worker replaces by
 * its own pid, and by minus that, before it installs the program: only it knows them.
 */
#define SECCOMP_OWN_PID 0x7c61700du
#define SECCOMP_OWN_GROUP 0x839e8ff3u

/* Containment steps of zygote and worker; the kernel decides, each step that fails is reported in
 * ZYGOTE_READY or HELLO. */
enum sandbox_flag {
	SANDBOX_HIDE_FILE = 1 << 0, /* mount namespace that hides argv[1] */
	SANDBOX_LANDLOCK = 1 << 1, /* signal and abstract-socket scoping, deny reading argv[1] where
				      there is no namespace */
	SANDBOX_SECCOMP = 1 << 2,
	SANDBOX_LIMITS = 1 << 3, /* rlimits, oom_score_adj */
	SANDBOX_CAPABILITIES =
		1 << 4, /* drop the capabilities that reach other processes and mounts */
};

enum worker_message {
	/* kernel -> worker */
	/* u64 session epoch (grows with each attach), u64 host limit in bytes (0: none), u64 device
	 * limit in bytes, u32 cell, u8 the content of device memory without a chunk comes later
	 * (WORKER_DEVICE_FILL), u8 memory that does not come is given up: empty memory takes its
	 * place, u8 enum device_rollback, [u32 number of a device that the session has memory of,
	 * 16 bytes its UUID], [preimage: u64 address, u64 size, u64 chunk id, u64 chunk offset],
	 * [certificates, as WORKER_DEVICE_CERTIFICATES has them]; device chunks follow as
	 * WORKER_CHUNK messages, then WORKER_ATTACH_END */
	WORKER_ATTACH = 1,
	WORKER_CHUNK = 2,      /* u64 chunk id, u64 size, u64 address or 0 for a pre-image; fd */
	WORKER_ATTACH_END = 3, /* empty */
	/* bytes unit, [str name] of symbols that are no more when the cell has run to its end, u64
	 * which cell of the notebook it is (0: not known), str text of the cell, struct
	 * run_options, [bytes unit]: of a checked cell, checked functions of earlier cells, to be
	 * loaded before. WORKER_IN_PLACE_ARE answers before the cell runs when it is to write in
	 * place. A worker that has run a checked cell is thrown away */
	WORKER_RUN = 4,
	/* u32 oldest cell that can be undone, [u64 chunk id]: pre-images that nobody needs. Their
	 * memory is for those of the next cell, and WORKER_DEVICE_DROP gives back what is not
	 * wanted */
	WORKER_COMMITTED = 5,
	WORKER_INPUT = 6,    /* u8 end of file, str line without newline */
	WORKER_DESCRIBE = 7, /* u32 id, [u64 address]; only while no cell runs */
	/* u64 host limit, u64 device limit, u8 enum device_rollback; only while no cell runs */
	WORKER_LIMITS = 8,
	WORKER_DEVICE_INFO = 9, /* u32 id; only while no cell runs */
	/* u32 id, [u32 cell]: rows of these cells, of the largest holders when there are none; only
	   while no cell runs */
	WORKER_MEMORY = 12,

	WORKER_LIBRARIES = 40,   /* u32 id; only while no cell runs, as the next two */
	WORKER_DEVICE_READ = 41, /* u64 address, u64 size */
	/* u32 id, u64 address of a variable that stands in for one of the device, u64 size; only
	   while no cell runs */
	WORKER_DEVICE_VALUE = 43,
	WORKER_DEVICE_FILL = 42, /* u64 address, u64 size, u64 offset in the file; fd */
	/* u64 address, u64 size: the kernel has a copy of these committed pages, so cells write
	 * them where they lie, until WORKER_UNLEND, a checkpoint or a fork. Only while no cell
	 * runs, as the next one */
	WORKER_LEND = 45,
	WORKER_UNLEND = 46, /* u64 address, u64 size: as they came with WORKER_LEND */

	/* empty: memory for pre-images that waits for a cell is given back. Only while no cell runs
	 */
	WORKER_SCRATCH_UNWANTED = 74,
	/* empty: digests of device memory are taken, WORKER_DEVICE_CERTIFICATES. Only while no cell
	   runs, nor a thread of one */
	WORKER_EXPECT_SUSPEND = 75,
	/* empty; fd: where the content of parked chunks goes to and comes from. Between cells, or
	   behind WORKER_ATTACH */
	WORKER_PARK_FILE = 70,
	/* u32 number, u64 chunk id, u64 its size, u64 its address, or 0 and its fd: it is not
	 * mapped; u64 first byte, u64 bytes, u64 place in the file: copy them there. Only while no
	 * cell runs; answered by WORKER_PARKED */
	WORKER_PARK = 71,
	/* u64 chunk id, u64 size, u64 address or 0, u64 place in the file: as WORKER_CHUNK, but of
	 * a parked one. It is made anew, and told by WORKER_DEVICE_CHUNK when its content is there
	 */
	WORKER_CHUNK_PARKED = 72,

	/* worker -> kernel */
	/* u32 version, str device name, u8 emulated, u32 driver version (13000), u32 lowest compute
	 * capability (75), u64 device memory,
	 * [str step, str why it was not applied], str what is wrong with the device or "", [16
	 * bytes UUID of a device], str why a driver that the machine has is not used, or "", u64
	 * bytes of addresses for session memory, u32 traits (enum device_trait), u64 memory of the
	 * device that has most */
	WORKER_HELLO = 20,
	/* u8 enum attach_outcome, str error, [str what could not be restored], u8 there is a
	 * device, and its memory is as the session needs it */
	WORKER_ATTACHED = 21,
	/* u64 chunk id, u64 size, u64 address (0: pre-image or not mapped); fd. Sent before the
	   chunk is first written */
	WORKER_DEVICE_CHUNK = 22,
	/* u64 address, u64 size, u64 chunk id, u64 chunk offset. Sent when the copy is complete and
	   before the first write */
	WORKER_DEVICE_PREIMAGE = 23,
	/* [certificate, as common/protocol/certificate.h has it]. Sent before device code runs that
	 * might change these buffers and of whose writes there is no pre-image */
	WORKER_DEVICE_CERTIFICATES = 64,
	/* u64 chunk id: nobody needs it once this cell is committed, or at once, when it waits for
	   the pre-images of a cell */
	WORKER_DEVICE_DROP = 24,
	WORKER_DEVICE_NODE = 63,   /* empty; fd of a device, which is kept open from here on */
	WORKER_INPUT_REQUEST = 25, /* str prompt, u8 password */
	/* u8 outcome (enum cell_outcome): for OUTCOME_FAULT the fault record says all. u64
	 * nanoseconds run, u64 nanoseconds loading, [str warning] (unchecked CUDA errors and the
	 * like, with the line), u64 bytes of device memory that were copied for a rollback, u64
	 * nanoseconds that took; the same two of what was read for digests */
	WORKER_CELL_END = 26,
	/* u32 id, [u8 owner (enum address_owner), u64 base, u64 size, u32 cell, u32 freed cell, str
	   name] */
	WORKER_DESCRIBED = 27,
	/* u32 id, str name of the first device, of all together: u64 total, u64 used by the
	 * session, u64 limit; u64 largest free, [u64 address, u64 size, u32 cell, str name or "",
	 * str kind, u32 device], [str name of a device, str PCI bus id, u64 total, u64 used by the
	 * session], str why cells cannot use it or "" */
	WORKER_DEVICE_REPORT = 28,
	/* [str symbol, u64 address, u64 size], [u32 section of the object, u64 address]: where the
	 * unit's symbols and its sections with variables lie; u32 cell whose machine code is this
	 * cell's from here on, 0: none; u8 the unit has machine code. Sent before the unit runs, so
	 * that they are known however the cell ends */
	WORKER_LOADED = 29,
	/* The fault record is complete and the process waits to be killed, so that its memory can
	 * be read. It ends by itself after FAULT_WAIT_SECONDS. Not sent by a worker that dies
	 * without a record */
	WORKER_FAULTED = 30,
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
	WORKER_DEVICE_VALUE_IS =
		53, /* u32 id, u8 ok, bytes; not ok: nothing on the device, or not to be read */
	WORKER_CHECKPOINT =
		54, /* u32 line: commit what the cell has done so far, then WORKER_COMMITTED */
	/* [u64 address, u64 size, u32 cell, str variable that points there or ""]: what a rollback
	   will not bring back */
	WORKER_IN_PLACE_ARE = 55,
	/* str why there is none or "", bytes profile (common/protocol/launch-profile.h): before
	   WORKER_CELL_END of a cell that is well */
	WORKER_PROFILE_IS = 59,
	/* str why there is none or "", bytes trace (common/protocol/device-trace.h): before
	 * WORKER_CELL_END, also of a cell whose device code has failed */
	WORKER_TRACE_IS = 61,
	/* u32 number, u32 device, u64 bytes that all kernels together may have of it, u64 bytes:
	 * may they be taken? The answer is in the control area (common/protocol/memory-permit.h),
	 * and comes when there is one */
	WORKER_DEVICE_ASK = 60,
	/* u32 number, u64 bytes: the device has no room for them; can waiting processes give some
	 * back? Answered in the same place */
	WORKER_DEVICE_SHORT = 65,
	/* u32 count, [u64 bytes of each device that libraries hold], when that has changed: at the
	   end of a cell */
	WORKER_DEVICE_HELD = 62,
	WORKER_PARKED = 73,   /* u32 number of the WORKER_PARK, u8 ok, str error */
	WORKER_NOT_LENT = 56, /* u64 address, u64 size of a WORKER_LEND that the worker has refused
				 or given up */
};

enum attach_outcome {
	ATTACH_FAILED,
	ATTACH_OK,
	ATTACH_NO_ROOM, /* the device has not enough memory for parked chunks */
};

/* Where the old content of device buffers goes before a cell writes them. */
enum device_rollback {
	DEVICE_ROLLBACK_FULL, /* to the device, to the host when that is full */
	DEVICE_ROLLBACK_HOST, /* to the host: the device has its memory for the cell */
	DEVICE_ROLLBACK_OFF, /* nowhere: a cell that fails leaves what it has made of them, and they
				are named */
	DEVICE_ROLLBACK_WHOLE, /* as full, and of all that device code reaches, whatever it is known
				  to write */
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

/* Whom an address belongs to. */
enum address_owner {
	OWNER_UNKNOWN,
	OWNER_NULL,       /* in the first 64 KiB */
	OWNER_HEAP,       /* inside a live block: base, size, cell */
	OWNER_HEAP_FREED, /* inside a freed block: freed_cell too */
	OWNER_HEAP_NEAR,  /* behind or before the nearest block: base and size are that block's */
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
/* Registers by their DWARF numbers: x86-64 0 to 16, AArch64 0 to 32. */
#define FAULT_REGISTERS 33
#define FAULT_REGISTER_FRAMES 16

#define FAULT_FRAME_SHOWS                                                                          \
	"_ZN9cgpu_show"        /* what begins so is of the header that shows a value of C++ */
#define FAULT_FRAME_HIDDEN "-" /* name of a frame that says nothing to a user */

struct fault_frame {
	uint64_t pc;     /* innermost: of the instruction; others: return address, not adjusted */
	uint32_t cell;   /* of the unit, 0: not in a unit */
	uint32_t offset; /* of the instruction, or of the call's last byte, in the function named
			    below */
	/* The `cycle` frames that start here came `times` times in all, one after the other; 0:
	 * once */
	uint32_t cycle;
	uint32_t times;
	char name[256]; /* symbol of a library or unit function, "" if unknown; those of C++ are
			   long */
};

/* Written by the dying worker, in this order of trust: kind last, so FAULT_NONE means that nothing
 * else is valid. */
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
	uint32_t n_registers;                  /* rows of `registers` that are filled */
	uint64_t known[FAULT_REGISTER_FRAMES]; /* bit n: registers[i][n] is what it was in frames[i]
						*/
	uint64_t registers[FAULT_REGISTER_FRAMES][FAULT_REGISTERS];
	struct address_description what; /* what `address` belongs to */
	uint64_t access_size;            /* of a finding of a checked cell, in bytes */
	uint32_t access_write;
	char ename[64]; /* for FAULT_CUDA: "CudaIllegalAddress"; of a finding "heap-buffer-overflow"
			 */
	char missing[256]; /* for FAULT_LINK: names that nobody defines, a blank behind each */
	char text[FAULT_TEXT_MAX]; /* UTF-8, lines; what the worker can tell beyond the above */
};

/* To a worker that waits at its fault: see common/protocol/fault-questions.h. */
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
	char why[MEMORY_PERMIT_WHY_MAX]; /* it was refused, lines */
};

/* A chunk's id says in which epoch of the session it was made, for which device, and what it is
 * memory of. */
#define CHUNK_DEVICE_SHIFT 28
#define CHUNK_DEVICES_MAX 16
#define CHUNK_ON_HOST                                                                              \
	(1u << 27) /* a memfd that no driver has made: see runtime/cuda/memory/host-chunk.h */
#define CHUNK_ID(epoch, ordinal, n)                                                                \
	((uint64_t)(epoch) << 32 | (uint64_t)(ordinal) << CHUNK_DEVICE_SHIFT | (n))
#define CHUNK_IS_ON_HOST(id) (((id) & CHUNK_ON_HOST) != 0)
#define CHUNK_DEVICE(id) ((uint32_t)((id) >> CHUNK_DEVICE_SHIFT & (CHUNK_DEVICES_MAX - 1)))
#define DEVICE_UUID_SIZE 16

#define MEMCHECK_FINDINGS_MAX 8

/* What a checked cell has done wrong, in the order of finding. `kind` of the records is not used.
 */
struct memcheck_findings {
	uint32_t n;
	uint64_t total; /* also what is not told one by one */
	uint64_t pcs[MEMCHECK_FINDINGS_MAX];
	struct fault_record at[MEMCHECK_FINDINGS_MAX];
};

/* What the worker is doing; an interrupt and the watchdog read it. */
enum worker_phase {
	PHASE_IDLE,
	PHASE_ATTACHING,
	PHASE_LOADING,
	PHASE_RUNNING, /* in the cell's own code or what it called */
	PHASE_DEVICE,  /* inside a CUDA call that may wait for the device */
	PHASE_INPUT,   /* waits for WORKER_INPUT */
	PHASE_ENDING,  /* the cell is over; settling the device */
};

#define OUTPUT_RING_SIZE (4u * 1024 * 1024)

/* Which driver a worker takes. */
enum worker_driver {
	DRIVER_CHOSEN, /* as the machine and CGPU_DEVICE say */
	DRIVER_NATIVE, /* the machine's own, or none */
	DRIVER_EMULATED,
	DRIVER_NONE,   /* it is not touched */
	DRIVER_CHECKS, /* the emulated one, for a cell that is checked: nothing of the worker is
			  ever kept */
};

/* How the machine shares its device, bits of `traits` in WORKER_HELLO. */
enum device_trait {
	DEVICE_EXCLUSIVE =
		1
		<< 0, /* one process at a time may have a context: compute mode EXCLUSIVE_PROCESS */
	DEVICE_MPS = 1 << 1, /* by NVIDIA's Multi-Process Service, and cells take part in that */
	DEVICE_HMM = 1 << 2, /* device code reaches all memory of the host */
};

#define PASSED_OVER_MAX 512

struct worker_device {
	uint32_t driver; /* enum worker_driver */
	uint32_t count;  /* DRIVER_CHECKS: how many devices it has */
	uint64_t memory; /* and bytes of each, so many as the greatest of the GPUs has */
	bool has_hmm;    /* the same: its code reaches all memory of the host */
	uint64_t window; /* bytes of addresses that the session's device memory has, 0: not known
			    yet */
	bool waits;      /* it takes no context before it gets the session */
	char passed_over[PASSED_OVER_MAX]; /* why an earlier worker did not use the driver that the
					      machine has, "" for nothing */
};

#define WORKER_DUMP_FOLDER_MAX 256
#define WORKER_DUMP_FILE "dump" /* in it */

struct worker_control {
	uint32_t version;
	/* Where the worker lets a driver write; set by the kernel before the fork, and removed by
	 * it when the worker is gone. */
	char dump_folder[WORKER_DUMP_FOLDER_MAX];
	struct worker_device device; /* set by the kernel before the fork */
	_Atomic uint32_t phase;      /* enum worker_phase */
	_Atomic uint32_t
		committed; /* how many WORKER_COMMITTED it has done all that is to be done for */
	_Atomic uint32_t interrupt; /* kernel sets 1, then signals SIGUSR1; worker clears when it
				       has unwound */
	_Atomic uint32_t
		allocator_busy; /* > 0: a thread is inside the arena's allocator or tables */
	struct fault_record fault;
	struct fault_questions questions;
	struct memory_permit permit;
	struct device_watch watch;
	struct memcheck_findings findings;
	/* Output ring: see common/protocol/output-ring.h. Positions only grow; index is position %
	 * OUTPUT_RING_SIZE. */
	_Alignas(64) _Atomic uint64_t ring_head; /* written by the worker */
	_Alignas(64) _Atomic uint64_t ring_tail; /* written by the kernel */
	_Atomic uint32_t
		ring_waiting; /* the worker sleeps (futex) until the kernel has made room */
	_Alignas(4096) char ring[OUTPUT_RING_SIZE];
};

#endif
