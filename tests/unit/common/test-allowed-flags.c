/* SPDX-License-Identifier: Apache-2.0 */
/* Flags that make a program run other code or write files are refused in each spelling; what cells
 * and packages use is not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/error.h"
#include "common/text/allowed-flags.h"
#include "common/text/flag-words.h"

struct line {
	enum allowed_flags_tool tool;
	const char *text;
	const char *named; /* the flag that is refused; NULL: none is */
};

static const struct line lines[] = {
	{ ALLOWED_FLAGS_CLANG, "", NULL },
	{ ALLOWED_FLAGS_CLANG, "-DN=100 -D M -ffast-math -Wno-unused-value -O3", NULL },
	{ ALLOWED_FLAGS_CLANG, "-I/a -I '/b c' -isystem/d -idirafter e -iquote. -include f.h",
	  NULL },
	{ ALLOWED_FLAGS_CLANG, "-std=c++23 -fopenmp -fno-exceptions -march=native -mavx512f",
	  NULL },
	{ ALLOWED_FLAGS_CLANG, "-pthread -lm -L/x -Wall -Werror=format -W -g -nostdinc++", NULL },
	{ ALLOWED_FLAGS_CLANG, "-fsanitize=undefined,address", NULL },
	{ ALLOWED_FLAGS_CLANG, "'-DX=a b' -fplugin=x.so", "-fplugin=x.so" },
	{ ALLOWED_FLAGS_CLANG, "-fpass-plugin=x.so", "-fpass-plugin=x.so" },
	{ ALLOWED_FLAGS_CLANG, "-fplugin-arg-x-y", "-fplugin-arg-x-y" },
	{ ALLOWED_FLAGS_CLANG, "-Xclang -load -Xclang x.so", "-Xclang" },
	{ ALLOWED_FLAGS_CLANG, "-mllvm -load=x.so", "-mllvm" },
	{ ALLOWED_FLAGS_CLANG, "-B/tmp", "-B/tmp" },
	{ ALLOWED_FLAGS_CLANG, "-wrapper x", "-wrapper" },
	{ ALLOWED_FLAGS_CLANG, "--config=x", "--config=x" },
	{ ALLOWED_FLAGS_CLANG, "--config x", "--config" },
	{ ALLOWED_FLAGS_CLANG, "@x", "@x" },
	{ ALLOWED_FLAGS_CLANG, "-o x", "-o" },
	{ ALLOWED_FLAGS_CLANG, "-MD -MF x", "-MD" },
	{ ALLOWED_FLAGS_CLANG, "-Wp,-MD,x", "-Wp,-MD,x" },
	{ ALLOWED_FLAGS_CLANG, "-Wa,-I,x", "-Wa,-I,x" },
	{ ALLOWED_FLAGS_CLANG, "-dumpdir x", "-dumpdir" },
	{ ALLOWED_FLAGS_CLANG, "-save-temps=obj", "-save-temps=obj" },
	{ ALLOWED_FLAGS_CLANG, "--save-temps", "--save-temps" },
	{ ALLOWED_FLAGS_CLANG, "-specs=x", "-specs=x" },
	{ ALLOWED_FLAGS_CLANG, "-ftime-trace=x", "-ftime-trace=x" },
	{ ALLOWED_FLAGS_CLANG, "-gsplit-dwarf", "-gsplit-dwarf" },
	{ ALLOWED_FLAGS_CLANG, "-fprofile-use=x", "-fprofile-use=x" },
	{ ALLOWED_FLAGS_CLANG, "-fsave-optimization-record", "-fsave-optimization-record" },
	{ ALLOWED_FLAGS_CLANG, "-fmodules-cache-path=x", "-fmodules-cache-path=x" },
	{ ALLOWED_FLAGS_CLANG, "-fopenmp-targets=x", "-fopenmp-targets=x" },
	{ ALLOWED_FLAGS_CLANG, "-include-pch x", "-include-pch" },
	{ ALLOWED_FLAGS_CLANG, "-ivfsoverlay x", "-ivfsoverlay" },
	{ ALLOWED_FLAGS_CLANG, "-fno-integrated-as", "-fno-integrated-as" },
	{ ALLOWED_FLAGS_CLANG, "--serialize-diagnostics x", "--serialize-diagnostics" },
	{ ALLOWED_FLAGS_CLANG, "-ccc-install-dir x", "-ccc-install-dir" },
	/* A value that could become a flag when the word before it is dropped. */
	{ ALLOWED_FLAGS_CLANG, "-D -std=c++17 -I -fplugin=x.so", "-D" },
	{ ALLOWED_FLAGS_CLANG, "-I", "-I" },
	{ ALLOWED_FLAGS_CLANG, "other.c", "other.c" },
	{ ALLOWED_FLAGS_LINK, "-L. -L /x -lmine -l m ./file.so -Wl,-rpath,/x -pthread", NULL },
	{ ALLOWED_FLAGS_LINK, "-fplugin=x.so", "-fplugin=x.so" },
	{ ALLOWED_FLAGS_LINK, "-B/tmp", "-B/tmp" },
	{ ALLOWED_FLAGS_LINK, "@x", "@x" },
	{ ALLOWED_FLAGS_LINK, "-o x", "-o" },
	{ ALLOWED_FLAGS_DEVICE, "-use_fast_math --fmad=false -DX -I x -arch=sm_90 -maxrregcount=64",
	  NULL },
	{ ALLOWED_FLAGS_DEVICE, "-std=c++17 --std=c++20 -G -lineinfo", NULL },
	{ ALLOWED_FLAGS_DEVICE, "-include-pch x", "-include-pch" },
	{ ALLOWED_FLAGS_DEVICE, "-Xcompiler -fplugin=x", "-Xcompiler" },
	{ ALLOWED_FLAGS_DEVICE, "-ccbin x", "-ccbin" },
	{ ALLOWED_FLAGS_NVCC, "-O1 -rdc=true -rdc true --std=c++14 -x cu -DN=6 -I below -lz",
	  NULL },
	{ ALLOWED_FLAGS_NVCC, "--default-stream per-thread --extended-lambda -g -G -w", NULL },
	{ ALLOWED_FLAGS_NVCC, "-Xcompiler -Wshadow -Xcompiler -fopenmp,-O3 -Xcompiler '-Wall -g'",
	  NULL },
	{ ALLOWED_FLAGS_NVCC, "-Xptxas -v,-O3 -Xptxas -dlcm=ca --ptxas-options=-v", NULL },
	{ ALLOWED_FLAGS_NVCC, "-Xcudafe --diag_suppress=declared_but_not_referenced", NULL },
	{ ALLOWED_FLAGS_NVCC, "-ccbin x", "-ccbin" },
	{ ALLOWED_FLAGS_NVCC, "-ccbin=x", "-ccbin=x" },
	{ ALLOWED_FLAGS_NVCC, "--compiler-bindir=x", "--compiler-bindir=x" },
	{ ALLOWED_FLAGS_NVCC, "-Xcompiler -fplugin=x", "-Xcompiler" },
	{ ALLOWED_FLAGS_NVCC, "-Xcompiler -Wall,-wrapper,x", "-Xcompiler" },
	{ ALLOWED_FLAGS_NVCC, "-Xcompiler=-Wl,-o,x", "-Xcompiler=-Wl,-o,x" },
	{ ALLOWED_FLAGS_NVCC, "-Xlinker -o", "-Xlinker" },
	{ ALLOWED_FLAGS_NVCC, "-Xptxas --output-file=x", "-Xptxas" },
	{ ALLOWED_FLAGS_NVCC, "-Xcudafe --gen_c_file_name=x", "-Xcudafe" },
	{ ALLOWED_FLAGS_NVCC, "--keep --keep-dir x", "--keep" },
	{ ALLOWED_FLAGS_NVCC, "-time x", "-time" },
	{ ALLOWED_FLAGS_NVCC, "-MF x", "-MF" },
	{ ALLOWED_FLAGS_NVCC, "-odir x", "-odir" },
	{ ALLOWED_FLAGS_NVCC, "-optf x", "-optf" },
	{ ALLOWED_FLAGS_NVCC, "-ldir=/x", "-ldir=/x" },
	{ ALLOWED_FLAGS_NVCC, "-forward-unknown-to-host-compiler",
	  "-forward-unknown-to-host-compiler" },
	{ ALLOWED_FLAGS_NVCC, "other.cu", "other.cu" },
	{ ALLOWED_FLAGS_NVCC, "'-DX=$(touch x)'", "-DX=$(touch x)" },
	{ ALLOWED_FLAGS_NVCC, "'-DX=`touch x`'", "-DX=`touch x`" },
};

static void test_lines(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct error err = ERROR_INIT;
		int failed = allowed_flags_check_line(lines[i].tool, lines[i].text, &err);
		size_t len = lines[i].named ? strlen(lines[i].named) : 0;

		if (!lines[i].named && failed)
			fail_msg("%s: %s", lines[i].text, err.text);
		if (lines[i].named &&
		    (!failed || err.code != ERROR_INPUT || strncmp(err.text, lines[i].named, len) ||
		     strncmp(err.text + len, " is not among", 13)))
			fail_msg("%s: '%s'", lines[i].text, err.text);
	}
}

static void test_words(void **state)
{
	char text[] = " one 'two 2' th\"re \"e '' ' open";
	static const char *const words[] = { "one", "two 2", "thre e", "", " open" };
	char *at = text;

	(void)state;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		assert_string_equal(flag_words_next(&at), words[i]);
	assert_null(flag_words_next(&at));
	assert_null(flag_words_next(&at));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
