/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A context is a slot that is in use or not, of one device; each thread has a stack of them.
 * Destroying the primary context frees nothing of the device: its owner frees what it made.
 */
#include "emulator/driver/device/context.h"

#include <pthread.h>

#define STACK_MAX 32

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* The primary ones of the devices come first. */
static struct CUctx_st contexts[GPU_DEVICES_MAX + GPU_CONTEXTS_MAX];
static _Thread_local CUcontext stack[STACK_MAX];
static _Thread_local int depth; /* entries in use; the last one is current */

static bool is_context(CUcontext c)
{
	return c >= contexts && c < contexts + GPU_DEVICES_MAX + GPU_CONTEXTS_MAX && c->alive;
}

CUcontext context_current(void)
{
	return depth && is_context(stack[depth - 1]) ? stack[depth - 1] : NULL;
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
	return is_context(&contexts[device]) ? &contexts[device] : NULL;
}

int context_device_of(CUcontext c)
{
	return c->device;
}

CUcontext context_primary_slot(int device)
{
	return &contexts[device];
}

void context_retain(int device)
{
	pthread_mutex_lock(&lock);
	contexts[device].alive = true;
	contexts[device].device = device;
	contexts[device].references++;
	pthread_mutex_unlock(&lock);
}

CUresult context_release(int device)
{
	CUresult result = CUDA_SUCCESS;

	pthread_mutex_lock(&lock);
	if (!contexts[device].references)
		result = CUDA_ERROR_INVALID_CONTEXT;
	else if (!--contexts[device].references)
		contexts[device].alive = false;
	pthread_mutex_unlock(&lock);
	return result;
}

CUresult context_push(CUcontext c)
{
	if (depth == STACK_MAX)
		return CUDA_ERROR_OUT_OF_MEMORY;
	stack[depth++] = c;
	return CUDA_SUCCESS;
}

CUresult context_pop(CUcontext *ret)
{
	if (!depth)
		return CUDA_ERROR_INVALID_CONTEXT;
	depth--;
	if (ret)
		*ret = stack[depth];
	return CUDA_SUCCESS;
}

CUresult context_set(CUcontext c)
{
	if (depth)
		depth--;
	return c ? context_push(c) : CUDA_SUCCESS;
}

CUresult context_new(int device, unsigned flags, CUcontext *ret)
{
	CUresult result = CUDA_ERROR_OUT_OF_MEMORY;

	pthread_mutex_lock(&lock);
	for (int i = GPU_DEVICES_MAX; i < GPU_DEVICES_MAX + GPU_CONTEXTS_MAX && result; i++) {
		if (contexts[i].alive)
			continue;
		result = context_push(&contexts[i]);
		if (result)
			break;
		contexts[i] = (struct CUctx_st){ .alive = true, .device = device, .flags = flags };
		*ret = &contexts[i];
	}
	pthread_mutex_unlock(&lock);
	return result;
}

CUresult context_destroy(CUcontext c)
{
	if (!is_context(c) || c < contexts + GPU_DEVICES_MAX)
		return CUDA_ERROR_INVALID_CONTEXT;
	pthread_mutex_lock(&lock);
	c->alive = false;
	if (depth && stack[depth - 1] == c)
		depth--;
	pthread_mutex_unlock(&lock);
	return CUDA_SUCCESS;
}
