/* SPDX-License-Identifier: Apache-2.0 */
/* dlopen and dlsym, once. <cuda.h> maps each name to the symbol of the version that this was
 * compiled for. */
#include "runtime/cuda/driver/driver.h"

#include <dlfcn.h>

#include "common/base/error.h"

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

static const struct {
	const char *symbol;
	size_t offset;
} rows[] = {
#define DRIVER(name, parameters, arguments) { TEXT(name), offsetof(struct cuda_driver, name) },
#include "runtime/cuda/driver/driver.def"
#undef DRIVER
};

int driver_open(const char *path, struct cuda_driver *ret, struct error *err)
{
	void *library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
	emulator_extension_fn extension;
	const char *lacking = NULL;

	*ret = (struct cuda_driver){ .library = path, .handle = library };
	if (!library)
		return error_set(err, ERROR_NOT_FOUND, "cannot load the CUDA driver: %s",
				 dlerror());
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		void *p = dlsym(library, rows[i].symbol);

		if (!p && !lacking)
			lacking = rows[i].symbol;
		*(void **)((char *)ret + rows[i].offset) = p;
	}
	if (lacking)
		return error_set(err, ERROR_NOT_FOUND,
				 "%s has no %s: the driver is too old, CUDA 13 is needed", path,
				 lacking);
	*(void **)&ret->cuCoredumpSetAttributeGlobal =
		dlsym(library, "cuCoredumpSetAttributeGlobal");
	extension = (emulator_extension_fn)dlsym(library, EMULATOR_EXTENSION_SYMBOL);
	if (extension) {
		ret->extension = extension(EMULATOR_EXTENSION_VERSION);
		if (!ret->extension)
			return error_set(err, ERROR_PROTOCOL, "%s is of another version of cgpu",
					 path);
	}
	return 0;
}
