/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Device code of the session: units of PTX, the CUDA kernels that cells launch by name, the
 * variables that outlive cells. A module of the driver is made from the text when it is first
 * needed in a worker.
 */
#ifndef CGPU_RUNTIME_CUDA_CODE_DEVICE_CODE_H
#define CGPU_RUNTIME_CUDA_CODE_DEVICE_CODE_H

#include <cuda.h>

#include "runtime/cuda/session/session.h"

struct error;
struct unit;

/* A kernel or a variable of device code, and what stands for it on the host. */
struct device_code_name {
	const char *name;
	void *address;
	bool is_pointer; /* of a managed variable: the address is that of a pointer to it, which is
			    set */
};

struct device_code_names {
	const struct device_code_name *at;
	size_t n;
};

/*
 * Variables get their places and initial bytes, kernels replace those of the same name.
 * ERROR_COMPILE with the driver's text when it refuses the module.
 */
int device_code_load(const struct unit *u, struct error *err);
/* The same, where the unit's object itself says what stands for what. */
int device_code_load_registered(const struct unit *u, const struct device_code_names *names,
				struct error *err);

/* The object that stands for a kernel or a variable of device_code_load_registered() goes; the
 * device does nothing with it any more. */
void device_code_forget(const void *address);

/* NULL when there is none. */
struct session_kernel *device_code_kernel(const char *name);
struct session_kernel *device_code_kernel_at(const void *stub);
struct session_variable *device_code_variable_at(const void *stand_in);

/* The address on a device of the byte that this byte of a host object stands in for; 0: the object
 * stands for no variable of device code. *ret_size: bytes from there to the variable's end. */
uint64_t device_code_stand_in(uint64_t stand_in, uint64_t *ret_size);

/* The address of the variable on the thread's device, which may use it for the first time; 0: there
 * is no memory for it. */
uint64_t device_code_variable_address(struct session_variable *v);

/* The bytes of a variable that is in_module, from the thread's device. */
CUresult device_code_read(const struct session_variable *v, void *to, size_t size, size_t offset);

/* The driver's function on the thread's device; loads the module there in this worker. */
CUresult device_code_function(struct session_kernel *kernel, CUfunction *ret);
/* The writes of a kernel on the thread's device, when device_code_function() was called; valid
 * until the kernel is defined anew. NULL: out of memory. */
const struct ptx_writes *device_code_writes(struct session_kernel *kernel);

#endif
