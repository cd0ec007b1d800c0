/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runtime API, chapter Graph Management: user objects, things of the cell that graphs keep alive.
 * Their counts are session state. With the last reference the cell's function is called as a host
 * function of a stream is, when the devices have done what they had to: a launch that is under way
 * may still use the object.
 */
#include "runtime/cuda/cudart/cudart.h"

#include <limits.h>
#include <stdlib.h>

#include "runtime/cuda/graphs/graphs.h"

static struct session_user_object *find(cudaUserObject_t handle)
{
	return session_index_of(&device.session->user_objects, handle) < 0
		       ? NULL
		       : (struct session_user_object *)handle;
}

/* One that nobody has any more, taken out of the table; NULL: there is none. */
static struct session_user_object *take_dead(void)
{
	struct session_array *a = &device.session->user_objects;
	struct session_user_object *o = NULL;

	device_lock();
	for (uint32_t i = 0; i < a->n && !o; i++) {
		o = *session_at(a, struct session_user_object *, i);
		if (o->references)
			o = NULL;
		else
			session_remove(a, sizeof(void *), i);
	}
	device_unlock();
	return o;
}

cudaError_t cudart_end_objects(void)
{
	struct session_user_object *o;
	cudaError_t result = cudaSuccess;

	while (!result && (o = take_dead())) {
		struct cudart_host_call *c = cudart_host_call(
			&(struct cudart_host_call){ .fn = o->destroy, .data = o->data });

		result = c ? cudart_error(device_synchronize_all()) : cudaErrorMemoryAllocation;
		if (!result)
			result = cudart_error(
				device.driver->cuLaunchHostFunc(NULL, cudart_call_host, c));
		if (result)
			free(c);
		device_lock();
		device.host->session_free(o);
		device_unlock();
	}
	return result;
}

static bool is_count(unsigned count)
{
	return count && count <= INT_MAX;
}

static cudaError_t create(cudaUserObject_t *ret, void *data, cudaHostFn_t destroy,
			  unsigned references, unsigned flags)
{
	struct session_user_object *o, **slot = NULL;

	if (!ret || !destroy || !is_count(references) || flags != cudaUserObjectNoDestructorSync)
		return cudaErrorInvalidValue;
	device_lock();
	o = device.host->session_alloc(sizeof(*o));
	if (o) {
		*o = (struct session_user_object){ references, destroy, data };
		slot = session_append(&device.session->user_objects, struct session_user_object *);
	}
	if (slot)
		*slot = o;
	else if (o)
		device.host->session_free(o);
	device_unlock();
	if (!slot)
		return cudaErrorMemoryAllocation;
	*ret = (cudaUserObject_t)o;
	return cudaSuccess;
}

cudaError_t cudaUserObjectCreate(cudaUserObject_t *ret, void *data, cudaHostFn_t destroy,
				 unsigned int references, unsigned int flags)
{
	return CUDART_CALL(create(ret, data, destroy, references, flags));
}

static cudaError_t retain(cudaUserObject_t object, unsigned count)
{
	struct session_user_object *o;

	device_lock();
	o = is_count(count) ? find(object) : NULL;
	if (o)
		o->references += count;
	device_unlock();
	return o ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t cudaUserObjectRetain(cudaUserObject_t object, unsigned int count)
{
	return CUDART_CALL(retain(object, count));
}

static cudaError_t release(cudaUserObject_t object, unsigned count)
{
	struct session_user_object *o;

	device_lock();
	o = is_count(count) ? find(object) : NULL;
	if (o && o->references < count)
		o = NULL;
	if (o)
		o->references -= count;
	device_unlock();
	return o ? cudart_end_objects() : cudaErrorInvalidValue;
}

cudaError_t cudaUserObjectRelease(cudaUserObject_t object, unsigned int count)
{
	return CUDART_CALL(release(object, count));
}

static cudaError_t retain_by(cudaGraph_t graph, cudaUserObject_t object, unsigned count,
			     unsigned flags)
{
	struct session_user_object *o;
	struct session_graph *g;
	cudaError_t result = cudaErrorInvalidValue;

	device_lock();
	o = is_count(count) ? find(object) : NULL;
	g = graphs_find(graph, false);
	if (o && g && !(flags & ~(unsigned)cudaGraphUserObjectMove))
		result = graphs_objects_add(g, o, count);
	if (!result && !(flags & cudaGraphUserObjectMove))
		o->references += count;
	device_unlock();
	return result;
}

cudaError_t cudaGraphRetainUserObject(cudaGraph_t graph, cudaUserObject_t object,
				      unsigned int count, unsigned int flags)
{
	return CUDART_CALL(retain_by(graph, object, count, flags));
}

static cudaError_t release_by(cudaGraph_t graph, cudaUserObject_t object, unsigned count)
{
	struct session_user_object *o;
	struct session_object_reference *h = NULL;
	const struct session_graph *g;

	device_lock();
	o = is_count(count) ? find(object) : NULL;
	g = graphs_find(graph, false);
	if (o && g)
		h = graphs_objects_find(g, o);
	if (h && h->count < count)
		h = NULL;
	if (h) {
		h->count -= count;
		o->references -= count;
	}
	device_unlock();
	return h ? cudart_end_objects() : cudaErrorInvalidValue;
}

cudaError_t cudaGraphReleaseUserObject(cudaGraph_t graph, cudaUserObject_t object,
				       unsigned int count)
{
	return CUDART_CALL(release_by(graph, object, count));
}
