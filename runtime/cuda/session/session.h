/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the CUDA side knows of the session, in the arena's META region: it is kept and rolled back
 * with the host memory. Only tables of plain structs; the rules are in the files named at each
 * struct. Under `device.lock`, but for reading by a signal handler.
 *
 * Driver handles in here are valid while their `epoch` is device.epoch and are made again
 * otherwise.
 */
#ifndef CGPU_RUNTIME_CUDA_SESSION_SESSION_H
#define CGPU_RUNTIME_CUDA_SESSION_SESSION_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cuda.h>
#include <driver_types.h>
#include <texture_types.h>
#include <vector_types.h>

#include "runtime/cuda/driver/device-state.h"

struct ptx_writes;

#define SESSION_FREED_MAX 128
#define SESSION_LEVELS_MAX 17

/* A growing array in session memory. */
struct session_array {
	void *items;
	uint32_t n, cap;
};

/* Physical device memory mapped at a fixed address: vmm-pool.c. */
struct session_chunk {
	uint64_t address;
	uint64_t size;
	uint64_t id;
	uint64_t next;              /* pool: no free place lies below this offset */
	uint64_t born;              /* serial of the cell that made it */
	struct session_pool *owner; /* all its buffers are of this one; NULL: of none */
	uint8_t device;             /* whose memory it is */
	bool pool;                  /* shared by small buffers */
	bool empty; /* its buffer was freed; goes with the commit, or is used again */
};

enum buffer_kind {
#define BUFFER_KIND(symbol, name) BUFFER_##symbol,
#include "runtime/cuda/session/buffer-kinds.def"
#undef BUFFER_KIND
};

/* A buffer: ledger.c. Sorted by address. */
struct session_buffer {
	uint64_t address;
	uint64_t size;    /* bytes asked for */
	uint64_t charged; /* bytes counted against the cap */
	uint32_t cell;    /* that made it */
	uint32_t line;
	uint32_t freed;        /* cell that freed it */
	uint64_t born;         /* serial of the cell that made it */
	uint64_t saved;        /* serial of the cell that has its pre-image */
	uint64_t digest;       /* of the content: checksum-audit.c */
	uint64_t suspended_ns; /* clock_suspended_ns() when that was taken */
	uint32_t digested;     /* cell that took it; 0: there is none, or the buffer was written to
				  since */
	bool dead;             /* freed, its place is kept until the commit */
	uint8_t kind;          /* enum buffer_kind */
	uint8_t device; /* whose memory it is; of host memory: which was current when it was made */
	struct session_pool *pool; /* that it was taken from, NULL: none */
	char name[48];
};

/* The addresses of a variable in the PTX of a unit: 0 on devices that have not used the unit. */
struct session_place {
	uint32_t variable; /* index of the session's variable and 1; 0: it is private to the unit */
	uint64_t address[DEVICES_MAX];
};

/* Device code of one unit: device-code.c. */
struct session_unit {
	uint32_t cell;
	uint32_t users; /* kernels and variables that still point here; 0: source is NULL */
	char *source;   /* PTX as it was compiled, NUL-terminated */
	struct session_array places; /* struct session_place, in the order of the source */
	bool holds_code;             /* variables of it hold addresses of its functions */
	uint32_t filled; /* a bit for each device where the variables have places and initial values
			  */
	struct {
		char *text; /* rewritten for that device; NULL: the source is what is loaded */
		uint32_t epoch;
		CUmodule module;
	} on[DEVICES_MAX];
};

/* Text that device code was compiled from: source-text.c. */
struct session_source {
	uint32_t cell;
	char *text;
};

struct session_kernel {
	char *name; /* C name; "": only its stub is known */
	char *ptx_name;
	void *stub;         /* address of the host stub, may be NULL */
	uint32_t unit;      /* index */
	int dynamic_shared; /* attribute set by cudaFuncSetAttribute, -1: default */
	struct {
		uint32_t epoch;
		CUfunction function;
		int threads;               /* that a block of it may have, as its registers allow */
		struct ptx_writes *writes; /* what it writes there; of malloc() */
	} on[DEVICES_MAX];
};

struct session_variable {
	char *name;                    /* C name; "": only its stand-in is known */
	void *stand_in;                /* address of the host object, may be NULL */
	uint32_t unit;                 /* index: that has its initial value */
	uint64_t address[DEVICES_MAX]; /* 0: not there yet */
	uint64_t size;
	bool constant;
	bool managed;
	bool in_module; /* it holds addresses of functions, and is where the driver has put it */
};

/* A cudaStream_t and a cudaEvent_t point at these: handles.c. */
struct session_graph;

struct session_stream {
	uint32_t flags;
	int32_t priority;
	int32_t device;
	uint32_t epoch;
	CUstream handle;
	struct session_graph *capture; /* that calls are added to, NULL: they run */
	struct session_array last;     /* struct session_node *, that the next one depends on */
	bool origin;                   /* the capture began here */
	bool into_graph;               /* which was there before */
};

struct session_event {
	uint32_t flags;
	int32_t device;
	uint32_t epoch;
	CUevent handle;
	struct session_graph *capture; /* in which it was recorded */
	struct session_array last;     /* struct session_node *, that it stands behind */
};

/* A cudaArray_t points at this: images.c. */
struct session_image {
	CUDA_ARRAY3D_DESCRIPTOR shape;
	struct cudaChannelFormatDesc format;
	uint64_t content; /* device address of the committed content, rows without gaps */
	bool written;     /* the driver's array is ahead of `content` */
	int32_t device;
	struct session_mipmap *mipmap; /* that this is a level of; NULL: none */
	CUarray handle;
};

/* A cudaMipmappedArray_t points at this. */
struct session_mipmap {
	CUDA_ARRAY3D_DESCRIPTOR shape;
	uint32_t n_levels;
	int32_t device;
	CUmipmappedArray handle;
	struct session_image *level[SESSION_LEVELS_MAX];
};

/* A texture or surface object: what it was made from, by the handles that cells hold. */
struct session_object {
	uint64_t handle; /* the driver's; device code has it by value, so it is made again with this
			    number */
	bool surface;
	bool has_view;
	int32_t device;
	struct cudaResourceDesc resource;
	struct cudaTextureDesc texture;
	struct cudaResourceViewDesc view;
};

/* A cudaMemPool_t points at this: cudart-pool.c. */
struct session_pool {
	int32_t device;
	uint32_t access;   /* a bit for each other device that reaches its memory */
	uint64_t max_size; /* 0: none */
	uint64_t used_high, reserved_high;
	uint64_t release_threshold;
	int reuse[3]; /* the three attributes cudaMemPoolReuse... */
};

struct session_launch {
	char *name; /* C name of the kernel; "": it is known by its stub */
	void *stub;
	dim3 grid, block;
	size_t shared;
	bool cooperative;
	int32_t priority; /* of a node; advice, as the window is */
	struct cudaAccessPolicyWindow window;
	uint32_t n_args;
	char *args;      /* at the offsets of the kernel's parameters */
	void **pointers; /* to each of them, for who has asked; NULL: nobody */
};

enum session_node_kind {
	NODE_LAUNCH,
	NODE_COPY,
	NODE_COPY_3D,
	NODE_FILL,
	NODE_HOST,
	NODE_EMPTY,
	NODE_CHILD,
	NODE_RECORD,
	NODE_WAIT,
	NODE_ALLOC,
	NODE_FREE,
	NODE_CONDITIONAL,
};

/* A value that device code sets and a conditional node looks at. Its handle is the address of its
 * device memory. */
struct session_condition {
	cudaGraphConditionalHandle handle;
	uint32_t preset; /* for each run of its graph, where the flags say so */
	uint32_t flags;
};

/* A cudaGraphNode_t points at this. */
struct session_node {
	enum session_node_kind kind;
	bool disabled;
	int32_t device;  /* where it runs */
	uint32_t number; /* place in its graph */
	struct session_graph *graph;
	struct session_array deps;         /* struct session_node *, of the same graph */
	const struct session_node *origin; /* of a copy; may be gone */
	union {
		struct session_launch launch;
		struct {
			void *dst;
			const void *src;
			size_t size;
			enum cudaMemcpyKind kind;
		} copy;
		struct cudaMemcpy3DParms copy_3d;
		struct cudaMemsetParams fill;
		struct cudaHostNodeParams host;
		struct session_graph *child; /* the node's own copy */
		struct {
			cudaGraphConditionalHandle handle;
			enum cudaGraphConditionalNodeType type;
			uint32_t size;
			struct session_graph **bodies; /* the node's own */
		} conditional;
		cudaEvent_t event;
		struct {
			void *address;
			size_t size;
			bool freed; /* by the program */
		} memory;
	};
};

/* A cudaUserObject_t points at this: cudart-user-object.c. */
struct session_user_object {
	uint64_t references; /* 0: the cell's function is to be called */
	cudaHostFn_t destroy;
	void *data;
};

struct session_object_reference {
	struct session_user_object *object;
	uint32_t count;
};

/* A cudaGraph_t or a cudaGraphExec_t points at this: graphs.h. */
struct session_graph {
	bool executable;
	bool owned;  /* by a node */
	bool spoilt; /* the capture into it has gone wrong */
	enum cudaStreamCaptureMode mode;
	pthread_t thread;           /* that the capture began in */
	unsigned long long flags;   /* of instantiation */
	struct session_array nodes; /* struct session_node * */
	struct session_array
		steps; /* struct graph_step: the order in which they run; of executable ones */
	struct session_array lanes; /* cudaStream_t, of the steps; NULL where none was needed */
	struct session_array conditions;    /* struct session_condition */
	struct session_array objects;       /* struct session_object_reference */
	const struct session_graph *origin; /* of a copy; may be gone */
};

/* A kernel or a variable of a library; its address stands for it on the host, and is its handle. */
struct session_library_name {
	char *name;
	bool is_kernel;
	void *managed; /* of a managed variable: where it lies */
	uint64_t size; /* of a variable */
};

/* A cudaLibrary_t points at this: cudart-code-library.c. */
struct session_library {
	struct session_array names; /* struct session_library_name * */
};

/* Advice of a cell about a range of managed memory: advice.c. */
enum session_advice_about {
	ADVICE_READ_MOSTLY,
	ADVICE_PREFERRED,
	ADVICE_ACCESSED_BY,
	ADVICE_PREFETCH
};

struct session_advice {
	uint64_t begin, end;
	enum session_advice_about about;
	struct cudaMemLocation location; /* cudaMemLocationTypeInvalid: it was taken back */
};

/* A limit of a device that a cell has set. */
struct session_limit {
	int32_t device;
	CUlimit limit;
	uint64_t value;
};

/* A handle of one of CUDA's libraries: library-handles.c. */
#define SESSION_LIBRARY_WORDS 6
struct session_library_handle {
	uint32_t creator; /* index of the function that has made it */
	uint32_t epoch;   /* in which it is valid */
	uint64_t place;   /* where the cell wanted to have it */
	uint64_t value;
	uint32_t cell;
	uint32_t line;
	long words[SESSION_LIBRARY_WORDS]; /* arguments */
	char name[48];                     /* of the variable, "" unknown */
	struct session_array
		settings; /* struct session_library_setting, in the order of the last calls */
};

struct session_library_setting {
	uint32_t setter;                   /* index of the function */
	long words[SESSION_LIBRARY_WORDS]; /* arguments; the first is the handle */
};

struct device_session {
	uint32_t version;
	uint64_t serial;        /* of the cell that runs: grows with each */
	uint64_t charged;       /* against the cap */
	bool told_driver;       /* a cell has been told why the machine's driver is not used, or who
				   shares it */
	uint64_t library_bytes; /* by libraries, when the last cell ended: library-memory.h */
	uint64_t next_place;    /* where the search for addresses goes on */
	struct session_array chunks;  /* struct session_chunk, by address */
	struct session_array buffers; /* struct session_buffer, by address */
	struct session_array freed;   /* struct session_buffer, a ring */
	uint32_t freed_next;
	struct session_array units;           /* struct session_unit */
	struct session_array kernels;         /* struct session_kernel */
	struct session_array variables;       /* struct session_variable */
	struct session_array sources;         /* struct session_source, the oldest first */
	struct session_array streams;         /* struct session_stream * */
	struct session_array events;          /* struct session_event * */
	struct session_array images;          /* struct session_image * */
	struct session_array mipmaps;         /* struct session_mipmap * */
	struct session_array objects;         /* struct session_object */
	struct session_array pools;           /* struct session_pool * */
	struct session_array limits;          /* struct session_limit */
	struct session_array advice;          /* struct session_advice */
	struct session_array library_handles; /* struct session_library_handle */
	struct session_array
		graphs; /* struct session_graph *, executable ones and those of nodes, too */
	struct session_array user_objects;              /* struct session_user_object * */
	struct session_array libraries;                 /* struct session_library * */
	uint32_t captures;                              /* that have begun and not ended */
	uint64_t graph_memory_high[DEVICES_MAX];        /* bytes of memory nodes that were seen at
								   a time */
	struct session_pool *default_pool[DEVICES_MAX]; /* NULL: nobody has asked for it */
	struct session_pool *current_pool[DEVICES_MAX]; /* NULL: the default one */
	int32_t current_device;                         /* of the thread that cells run in */
	uint32_t peers[DEVICES_MAX]; /* a bit for each device whose memory this one reaches
				      */
	uint32_t images_epoch;       /* in which the handles of all three are valid */
	uint32_t nvml_inits;         /* calls of nvmlInit() without their nvmlShutdown(): nvml.c */
};

/* Find the session under the host's root, or start one. NULL: META is full. */
struct device_session *session_open(void);

/* Room for an item of `size` bytes before `index`, zeroed; NULL when META is full. */
void *session_insert(struct session_array *a, size_t size, uint32_t index);
void session_remove(struct session_array *a, size_t size, uint32_t index);
void session_array_clear(struct session_array *a);

#define session_at(a, type, i) ((type *)(a)->items + (i))
#define session_append(a, type) ((type *)session_insert((a), sizeof(type), (a)->n))

/* The index of p in an array of pointers, -1: it is not there. So a stale or wild handle is an
 * error and no crash. */
int64_t session_index_of(const struct session_array *a, const void *p);
/* NULL for default streams and for what is none. */
struct session_stream *session_find_stream(cudaStream_t stream);
struct session_event *session_find_event(cudaEvent_t event);

char *session_strdup(const char *text);

/* Name of the buffer for a report: as given when it was made, else the variable that points there;
 * "" unknown. */
const char *session_buffer_name(const struct session_buffer *b);

#endif
