/* SPDX-License-Identifier: Apache-2.0 */
/*
 * package_find() and link_libraries_add_file(): the file of a package that somebody has brought,
 * and a linker script in place of a library. Input: "s" and a script, or any other byte and a .pc
 * file.
 */
#include <stdio.h>
#include <stdlib.h>

#include "common/base/buffer.h"
#include "compiler/packages/packages.h"
#include "tests/fuzz/fuzz.h"

/* The leak detector asks for this. libpkgconf itself loses the text of a variable that is damaged,
 * in a process that ends with the session. */
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:pkgconf_tuple_parse\n";
}

static bool read_script(const uint8_t *data, size_t size)
{
	struct link_libraries l = { 0 };
	char path[128];
	bool is_one;

	fuzz_file("libfuzzed.so", data, size);
	snprintf(path, sizeof(path), "%s/libfuzzed.so", fuzz_path());
	is_one = !link_libraries_add_file(&l, path, NULL);
	link_libraries_release(&l);
	return is_one;
}

static bool read_package(const uint8_t *data, size_t size)
{
	struct package p;

	fuzz_file("fuzzed.pc", data, size);
	setenv("PKG_CONFIG_LIBDIR", fuzz_path(), 1);
	setenv("PKG_CONFIG_PATH", fuzz_path(), 1);
	if (package_find("fuzzed", NULL, &p, NULL))
		return false;
	package_release(&p);
	return true;
}

static bool one(const uint8_t *data, size_t size)
{
	if (!size)
		return false;
	return *data == 's' ? read_script(data + 1, size - 1) : read_package(data + 1, size - 1);
}

static bool seed(unsigned i, struct buffer *to)
{
	static const char *const seeds[] = {
		"pprefix=/usr\nlibdir=${prefix}/lib\nincludedir=${prefix}/include\n\n"
		"Name: fuzzed\nDescription: a package\nVersion: 1.2.3\n"
		"Libs: -lm\nLibs.private: -lpthread\nCflags: -I${includedir}/fuzzed "
		"-DFUZZED=\\\"1\\\"\n",
		"pName: fuzzed\nDescription: with # a comment\\\nthat goes on\nVersion: 1\n"
		"Provides: other = 2\nConflicts: other < 1\nCflags: -DA='b' -pthread\n",
		/* This program is as good as a library: it is a file of ELF. */
		"s/* GNU ld script */\nOUTPUT_FORMAT(elf64-x86-64)\n"
		"GROUP ( /proc/self/exe AS_NEEDED ( /proc/self/exe ) )\n",
		"sINPUT(/proc/self/exe, /proc/self/exe)\n",
	};

	if (i >= sizeof(seeds) / sizeof(seeds[0]))
		return false;
	buffer_puts(to, seeds[i]);
	return true;
}

const struct fuzz_target fuzz_package = { one, seed, 5000 };
