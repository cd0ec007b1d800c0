/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libcgpu-shim.so: the library that is called libcuda.so.1 where cells run. Libraries that open the
 * driver, or are linked to it, get this one, since it was there before. It has no code of a driver:
 * each function passes its arguments on.
 *
 * What the arguments are, only a few functions of the worker need to know. So all are declared here
 * with integers: by the calling conventions of x86-64 and of aarch64 each word reaches the target
 * in the place in which it came, and words in registers behind the last argument are looked at by
 * nobody. <cuda.h>, which knows better, is not included. Functions with floating-point arguments
 * are declared as they are.
 */
#include <stddef.h>

#include "runtime/cuda/libcuda/libcuda-shim.h"
#include "runtime/cuda/libcuda/libcuda-words.h"

#define NOT_INITIALIZED 3
#define NO_DEVICE 100
#define PUBLIC __attribute__((visibility("default")))

static void *targets[LIBCUDA_COUNT];
PUBLIC extern struct libcuda_shim cgpu_libcuda_shim;

static int enter(unsigned number)
{
	const struct libcuda_hooks *hooks = cgpu_libcuda_shim.hooks;

	if (hooks && targets[number])
		return hooks->enter(number);
	/* There is no driver, or it does not have this. */
	return number == LIBCUDA_cuInit ? NO_DEVICE : NOT_INITIALIZED;
}

#define NONE
#define STREAM(argument) HANDLE(stream, argument)
#define EVENT(argument) HANDLE(event, argument)
#define CONFIG(argument) HANDLE(config, argument)
#define HANDLE(kind, argument)                                                                     \
	if (!result_)                                                                              \
		result_ = cgpu_libcuda_shim.hooks->kind(&(argument));

#define CALL(name, type, handles, ...)                                                             \
	({                                                                                         \
		int result_ = enter(LIBCUDA_##name);                                               \
                                                                                                   \
		if (!result_) {                                                                    \
			handles if (!result_) result_ =                                            \
				((type *)targets[LIBCUDA_##name])(__VA_ARGS__);                    \
			cgpu_libcuda_shim.hooks->leave(LIBCUDA_##name);                            \
		}                                                                                  \
		result_;                                                                           \
	})

#define FUNCTION(name, words, handles)                                                             \
	PUBLIC int name(P##words);                                                                 \
	int name(P##words)                                                                         \
	{                                                                                          \
		typedef int target(P##words);                                                      \
                                                                                                   \
		return CALL(name, target, handles, A##words);                                      \
	}

#define COUNTED FUNCTION
#define OLD FUNCTION
#define FOREIGN FUNCTION
#define RESET FUNCTION
#define WRITES FUNCTION
#define LAUNCHES FUNCTION
#define ASKS FUNCTION
#define WAITS FUNCTION
#define OTHER FUNCTION
#define FLOATS(name, words, handles)
#define LIBCUDA(name, kind, words, handles) kind(name, words, handles)
#include "runtime/cuda/libcuda/libcuda.def"
#undef LIBCUDA

typedef int set_float(void *function, int offset, float value);
typedef int set_bias(void *reference, float bias);
typedef int set_clamp(void *reference, float low, float high);
PUBLIC set_float cuParamSetf;
PUBLIC set_bias cuTexRefSetMipmapLevelBias;
PUBLIC set_clamp cuTexRefSetMipmapLevelClamp;

int cuParamSetf(void *function, int offset, float value)
{
	return CALL(cuParamSetf, set_float, NONE, function, offset, value);
}

int cuTexRefSetMipmapLevelBias(void *reference, float bias)
{
	return CALL(cuTexRefSetMipmapLevelBias, set_bias, NONE, reference, bias);
}

int cuTexRefSetMipmapLevelClamp(void *reference, float low, float high)
{
	return CALL(cuTexRefSetMipmapLevelClamp, set_clamp, NONE, reference, low, high);
}

static const char *const names[] = {
#define LIBCUDA(name, kind, words, handles) #name,
#include "runtime/cuda/libcuda/libcuda.def"
#undef LIBCUDA
};

static void *const functions[] = {
#define LIBCUDA(name, kind, words, handles) (void *)name,
#include "runtime/cuda/libcuda/libcuda.def"
#undef LIBCUDA
};

struct libcuda_shim cgpu_libcuda_shim = {
	.version = LIBCUDA_SHIM_VERSION,
	.names = names,
	.functions = functions,
	.targets = targets,
};
