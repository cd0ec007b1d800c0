/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A context is a slot that is in use or not, of one device; each thread has a stack of them.
 * Destroying the primary context frees nothing of the device: its owner frees what it made.
 */
#include "emulator/driver/device/context.h"

#include <pthread.h>

#define STACK_MAX 32

#define SLOTS (GPU_DEVICES_MAX + GPU_CONTEXTS_MAX)

static struct context_table {
	pthread_mutex_t lock;
	struct CUctx_st slots[SLOTS]; /* the primary ones of the devices come first */
} contexts = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* The contexts of the calling thread. */
static _Thread_local struct context_stack {
	CUcontext entries[STACK_MAX];
	int depth; /* entries in use; the last one is current */
} stack;

static bool is_context(CUcontext c)
{
	return c >= contexts.slots && c < contexts.slots + SLOTS && c->alive;
}

CUcontext context_current(void)
{
	CUcontext c = stack.depth ? stack.entries[stack.depth - 1] : NULL;

	return c && is_context(c) ? c : NULL;
}

int context_device(void)
{
	CUcontext c = context_current();

	return c ? c->device : 0;
}

bool context_valid(CUcontext c)
{
	return is_context(c);
}

CUcontext context_primary(int device)
{
	return is_context(&contexts.slots[device]) ? &contexts.slots[device] : NULL;
}

int context_device_of(CUcontext c)
{
	return c->device;
}

CUcontext context_primary_slot(int device)
{
	return &contexts.slots[device];
}

void context_retain(int device)
{
	pthread_mutex_lock(&contexts.lock);
	contexts.slots[device].alive = true;
	contexts.slots[device].device = device;
	contexts.slots[device].references++;
	pthread_mutex_unlock(&contexts.lock);
}

CUresult context_release(int device)
{
	CUresult result = CUDA_SUCCESS;

	pthread_mutex_lock(&contexts.lock);
	if (!contexts.slots[device].references)
		result = CUDA_ERROR_INVALID_CONTEXT;
	else if (!--contexts.slots[device].references)
		contexts.slots[device].alive = false;
	pthread_mutex_unlock(&contexts.lock);
	return result;
}

CUresult context_push(CUcontext c)
{
	if (stack.depth == STACK_MAX)
		return CUDA_ERROR_OUT_OF_MEMORY;
	stack.entries[stack.depth++] = c;
	return CUDA_SUCCESS;
}

CUresult context_pop(CUcontext *ret)
{
	if (!stack.depth)
		return CUDA_ERROR_INVALID_CONTEXT;
	stack.depth--;
	if (ret)
		*ret = stack.entries[stack.depth];
	return CUDA_SUCCESS;
}

CUresult context_set(CUcontext c)
{
	if (stack.depth)
		stack.depth--;
	return c ? context_push(c) : CUDA_SUCCESS;
}

CUresult context_new(int device, unsigned flags, CUcontext *ret)
{
	CUresult result = CUDA_ERROR_OUT_OF_MEMORY;

	pthread_mutex_lock(&contexts.lock);
	for (int i = GPU_DEVICES_MAX; i < SLOTS && result; i++) {
		if (contexts.slots[i].alive)
			continue;
		result = context_push(&contexts.slots[i]);
		if (result)
			break;
		contexts.slots[i] =
			(struct CUctx_st){ .alive = true, .device = device, .flags = flags };
		*ret = &contexts.slots[i];
	}
	pthread_mutex_unlock(&contexts.lock);
	return result;
}

CUresult context_destroy(CUcontext c)
{
	if (!is_context(c) || c < contexts.slots + GPU_DEVICES_MAX)
		return CUDA_ERROR_INVALID_CONTEXT;
	pthread_mutex_lock(&contexts.lock);
	c->alive = false;
	if (stack.depth && stack.entries[stack.depth - 1] == c)
		stack.depth--;
	pthread_mutex_unlock(&contexts.lock);
	return CUDA_SUCCESS;
}
