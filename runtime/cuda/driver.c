/* SPDX-License-Identifier: Apache-2.0 */
/* dlopen and dlsym, once. <cuda.h> maps each name to the symbol of the version that this was compiled for. */
#include "runtime/cuda/driver.h"

#include <dlfcn.h>

#include "common/error.h"

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

static const struct {
	const char *symbol;
	size_t offset;
} rows[] = {
#define DRIVER(name, parameters, arguments) { TEXT(name), offsetof(struct cuda_driver, name) },
#include "runtime/cuda/driver.def"
#undef DRIVER
};

int driver_open(const char *path, struct cuda_driver *ret, struct error *err)
{
	void *library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
	struct cuda_driver driver = { .library = path, .handle = library };
	emulator_extension_fn extension;

	if (!library)
		return error_set(err, ERROR_NOT_FOUND, "cannot load the CUDA driver: %s", dlerror());
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		void *p = dlsym(library, rows[i].symbol);

		if (!p)
			return error_set(err, ERROR_NOT_FOUND, "%s has no %s: the driver is too old, CUDA 13 is needed",
					 path, rows[i].symbol);
		*(void **)((char *)&driver + rows[i].offset) = p;
	}
	*(void **)&driver.cuCoredumpSetAttributeGlobal = dlsym(library, "cuCoredumpSetAttributeGlobal");
	extension = (emulator_extension_fn)dlsym(library, EMULATOR_EXTENSION_SYMBOL);
	if (extension) {
		driver.extension = extension(EMULATOR_EXTENSION_VERSION);
		if (!driver.extension)
			return error_set(err, ERROR_PROTOCOL, "%s is of another version of cgpu", path);
	}
	*ret = driver;
	return 0;
}
