# SPDX-License-Identifier: Apache-2.0
# All but main() is a library, so that the unit tests can link it.
noinst_LIBRARIES += libcompiler.a
libcompiler_a_SOURCES = \
	%reldir%/c-linkage.c %reldir%/c-linkage.h \
	%reldir%/cell-names.c %reldir%/cell-names.h \
	%reldir%/cell-stamp.c %reldir%/cell-stamp.h \
	%reldir%/clang-complaints.hh \
	%reldir%/clang-complete.cc \
	%reldir%/clang-annotations.cc %reldir%/clang-annotations.hh \
	%reldir%/clang-captures.cc %reldir%/clang-captures.hh %reldir%/clang-diagnostics.def \
	%reldir%/clang-device.cc \
	%reldir%/clang-display.cc %reldir%/clang-display.hh \
	%reldir%/clang-hints.cc %reldir%/clang-hints.hh \
	%reldir%/clang-std.cc %reldir%/clang-std.hh \
	%reldir%/clang-statements.cc %reldir%/clang-statements.hh \
	%reldir%/clang-includes.cc %reldir%/clang-includes.hh \
	%reldir%/clang-inlined.cc %reldir%/clang-inlined.hh \
	%reldir%/clang-job.hh %reldir%/clang-header.hh \
	%reldir%/clang-launches.cc %reldir%/clang-launches.hh \
	%reldir%/clang-own.cc %reldir%/clang-own.hh \
	%reldir%/clang-pieces.cc %reldir%/clang-pieces.hh \
	%reldir%/clang-cuda.cc %reldir%/clang-cuda.hh \
	%reldir%/clang-publish.cc %reldir%/clang-publish.hh \
	%reldir%/clang-shim.cc %reldir%/clang-shim.h \
	%reldir%/clang-symbols.cc %reldir%/clang-symbols.hh \
	%reldir%/clang-types.cc %reldir%/clang-types.hh \
	%reldir%/effort.c %reldir%/effort.h \
	%reldir%/object-code.cc %reldir%/object-code.hh \
	%reldir%/compile.c %reldir%/compile.h \
	%reldir%/compile-cpp.c %reldir%/compile-cpp.h \
	%reldir%/compile-cuda.c %reldir%/compile-cuda.h \
	%reldir%/device-flags.c %reldir%/device-flags.h %reldir%/device-flags.def \
	%reldir%/cuda-flags.c %reldir%/cuda-flags.h \
	%reldir%/device-edits.c %reldir%/device-edits.h \
	%reldir%/composition.c %reldir%/composition.h \
	%reldir%/completion.c %reldir%/completion.h \
	%reldir%/cpp-bundle.c %reldir%/cpp-bundle.def %reldir%/cpp-bundle.h \
	%reldir%/cpp-cell.c %reldir%/cpp-cell.h \
	%reldir%/cpp-diagnostics.c %reldir%/cpp-diagnostics.h \
	%reldir%/cpp-header.c %reldir%/cpp-header.h \
	%reldir%/beyond-c.c %reldir%/beyond-c.h \
	%reldir%/cpp-names.c %reldir%/cpp-names.h \
	%reldir%/cpp-own.c %reldir%/cpp-own.h \
	%reldir%/cpp-pieces.c %reldir%/cpp-pieces.h \
	%reldir%/declarator.c %reldir%/declarator.h \
	%reldir%/declare.c %reldir%/declare.h \
	%reldir%/directives.c %reldir%/directives.h \
	%reldir%/diagnostics.c %reldir%/diagnostics.h \
	%reldir%/header-names.c %reldir%/header-names.h \
	%reldir%/host-text.c %reldir%/host-text.h \
	%reldir%/in-the-way.c %reldir%/in-the-way.h \
	%reldir%/in-turn.c %reldir%/in-turn.h \
	%reldir%/is-complete.c %reldir%/is-complete.h \
	%reldir%/launch-syntax.c %reldir%/launch-syntax.h \
	%reldir%/link-libraries.c %reldir%/link-libraries.h \
	%reldir%/line-table.c %reldir%/line-table.h \
	%reldir%/listing.c %reldir%/listing.h %reldir%/listing-ptx.c %reldir%/listing-sass.c %reldir%/listing-show.c \
	%reldir%/look.c %reldir%/look.h \
	%reldir%/macro-text.c %reldir%/macro-text.h \
	%reldir%/local-include.c %reldir%/local-include.h \
	%reldir%/nvcc.c %reldir%/nvcc.h \
	%reldir%/object-ptx.c %reldir%/object-ptx.h \
	%reldir%/occupancy.c %reldir%/occupancy.h %reldir%/multiprocessors.def \
	%reldir%/options.c %reldir%/options.h \
	%reldir%/own-names.c %reldir%/own-names.h \
	%reldir%/package-index.c %reldir%/package-index.h \
	%reldir%/packages.c %reldir%/packages.def %reldir%/packages.h \
	%reldir%/pragma-state.c %reldir%/pragma-state.h %reldir%/pragmas.def \
	%reldir%/resources.c %reldir%/resources.h \
	%reldir%/session-entry.c %reldir%/session-entry.h \
	%reldir%/session-header.c %reldir%/session-header.h \
	%reldir%/session.c %reldir%/session.h \
	%reldir%/split.c %reldir%/split.h \
	%reldir%/statement-text.c %reldir%/statement-text.h \
	%reldir%/token.c %reldir%/token.h \
	%reldir%/tool-folder.c %reldir%/tool-folder.h \
	%reldir%/tool.c %reldir%/tool.h \
	%reldir%/unit-cache.c %reldir%/unit-cache.h \
	%reldir%/unit-text.c %reldir%/unit-text.h \
	%reldir%/words.def
libcompiler_a_CPPFLAGS = $(AM_CPPFLAGS) $(LLVM_CPPFLAGS) $(PKGCONF_CFLAGS) $(ELF_CFLAGS) $(XXHASH_CFLAGS) \
	-DCGPU_LLVM_LIBDIR='"$(LLVM_LIBDIR)"' -DCGPU_LLVM_MAJOR='"$(LLVM_VERSION_MAJOR)"' \
	-DCGPU_PRELUDE_DIR='"$(pkgdatadir)/include"' \
	-DCGPU_CLANG_RESOURCE_DIR='"$(CLANG_RESOURCE_DIR)"' \
	-DCGPU_CLANG_PROGRAM='"$(LLVM_LIBDIR)/../bin/clang"'
libcompiler_a_CFLAGS = $(AM_CFLAGS) $(SANITIZE_CFLAGS)
libcompiler_a_CXXFLAGS = $(AM_CXXFLAGS) $(LLVM_CXXFLAGS) -Wno-unused-parameter -Wno-deprecated-declarations
COMPILER_LIBS = libcompiler.a libcommon.a $(LLVM_LIBS) $(PKGCONF_LIBS) $(ELF_LIBS) $(XXHASH_LIBS) -ldl -lm -lpthread

pkglibexec_PROGRAMS += cgpu-compiler
cgpu_compiler_SOURCES = %reldir%/compiler-main.c
# Makes automake link with the C++ compiler.
nodist_EXTRA_cgpu_compiler_SOURCES = linked-by-c++.cc
cgpu_compiler_CFLAGS = $(AM_CFLAGS) $(SANITIZE_CFLAGS)
cgpu_compiler_LDFLAGS = $(AM_LDFLAGS) -Wl,-rpath,$(LLVM_LIBDIR)
cgpu_compiler_LDADD = $(COMPILER_LIBS)

# Headers that cells see; launch-glue.h keeps its folder.
preludedir = $(pkgdatadir)/include
prelude_HEADERS = %reldir%/prelude/cgpu.h %reldir%/prelude/cgpu-cuda.h \
	%reldir%/prelude/cgpu-device.h %reldir%/prelude/cgpu-legacy.h %reldir%/prelude/cgpu-show.h %reldir%/prelude/cgpu-surface.h \
	%reldir%/prelude/cuda_bf16.h %reldir%/prelude/curand_kernel.h \
	%reldir%/prelude/cuda_fp16.h %reldir%/prelude/cuda_runtime.h \
	%reldir%/prelude/device_launch_parameters.h
preludeabsentdir = $(pkgdatadir)/include/absent
preludeabsent_HEADERS = %reldir%/prelude/absent/curand_mtgp32_kernel.h %reldir%/prelude/absent/texture_fetch_functions.h
preludecommondir = $(pkgdatadir)/include/common
preludecommon_HEADERS = common/launch-glue.h
# Headers for device code alone, found before the toolkit's.
preludecubdir = $(pkgdatadir)/include/device/cub
preludecub_HEADERS = %reldir%/prelude/device/cub/cub.cuh

# The same folder in the build tree, for tests and for running without installing: CGPU_PRELUDE=compiler/include.
build_prelude = %reldir%/include/.stamp
noinst_DATA = $(build_prelude)
$(build_prelude): Makefile $(prelude_HEADERS) $(preludeabsent_HEADERS) $(preludecommon_HEADERS) $(preludecub_HEADERS)
	$(AM_V_GEN)$(MKDIR_P) %reldir%/include/absent %reldir%/include/common %reldir%/include/device/cub && \
	cp $(top_srcdir)/%reldir%/prelude/device/cub/cub.cuh %reldir%/include/device/cub/ && \
	for f in $(prelude_HEADERS); do cp $(top_srcdir)/$$f %reldir%/include/ || exit 1; done && \
	for f in $(preludeabsent_HEADERS); do cp $(top_srcdir)/$$f %reldir%/include/absent/ || exit 1; done && \
	cp $(top_srcdir)/$(preludecommon_HEADERS) %reldir%/include/common/ && touch $@
clean-local:
	rm -rf %reldir%/include

compiler_tests = test-split test-c-linkage test-pragma-state test-launch-syntax test-line-table test-effort \
	test-compile test-compile-ahead test-unit-cache test-listing test-tool-folder \
	test-diagnostics
check_PROGRAMS += $(compiler_tests)
TESTS += $(compiler_tests)
test_split_SOURCES = tests/unit/test-split.c
test_split_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_split_LDADD = libcompiler.a libcommon.a $(CMOCKA_LIBS)
test_c_linkage_SOURCES = tests/unit/test-c-linkage.c
test_c_linkage_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_c_linkage_LDADD = libcompiler.a libcommon.a $(XXHASH_LIBS) $(CMOCKA_LIBS)
test_pragma_state_SOURCES = tests/unit/test-pragma-state.c
test_pragma_state_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_pragma_state_LDADD = libcompiler.a libcommon.a $(XXHASH_LIBS) $(CMOCKA_LIBS)
test_launch_syntax_SOURCES = tests/unit/test-launch-syntax.c
test_launch_syntax_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_launch_syntax_LDADD = libcompiler.a libcommon.a $(XXHASH_LIBS) $(CMOCKA_LIBS)
test_line_table_SOURCES = tests/unit/test-line-table.c
test_line_table_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_line_table_LDADD = libcompiler.a libcommon.a $(CMOCKA_LIBS)
test_listing_SOURCES = tests/unit/test-listing.c
nodist_EXTRA_test_listing_SOURCES = linked-by-c++.cc
test_listing_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_listing_LDADD = libcompiler.a libcommon.a $(CMOCKA_LIBS)
test_tool_folder_SOURCES = tests/unit/test-tool-folder.c
test_tool_folder_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_tool_folder_LDADD = libcompiler.a libcommon.a $(CMOCKA_LIBS)
test_effort_SOURCES = tests/unit/test-effort.c
test_effort_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_effort_LDADD = libcompiler.a libcommon.a $(CMOCKA_LIBS)
test_diagnostics_SOURCES = tests/unit/test-diagnostics.c
nodist_EXTRA_test_diagnostics_SOURCES = linked-by-c++.cc
test_diagnostics_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_diagnostics_LDFLAGS = $(cgpu_compiler_LDFLAGS)
test_diagnostics_LDADD = $(COMPILER_LIBS) $(CMOCKA_LIBS)
test_compile_SOURCES = tests/unit/test-compile.c tests/unit/compiler-client.c tests/unit/compiler-client.h
test_compile_CPPFLAGS = $(AM_CPPFLAGS) -DCELLS_DIR='"$(abs_top_srcdir)/tests/cells"' \
	-DCOMPILER_PROGRAM='"$(abs_top_builddir)/cgpu-compiler"' -DPRELUDE_DIR='"$(abs_top_builddir)/%reldir%/include"'
test_compile_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_compile_LDADD = libcommon.a $(CMOCKA_LIBS)
test_unit_cache_SOURCES = tests/unit/test-unit-cache.c
nodist_EXTRA_test_unit_cache_SOURCES = linked-by-c++.cc
test_unit_cache_CPPFLAGS = $(AM_CPPFLAGS) -DPRELUDE='"$(abs_top_builddir)/%reldir%/include"'
test_unit_cache_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_unit_cache_LDFLAGS = $(cgpu_compiler_LDFLAGS)
test_unit_cache_LDADD = $(COMPILER_LIBS) $(CMOCKA_LIBS)
test_compile_ahead_SOURCES = tests/unit/test-compile-ahead.c
nodist_EXTRA_test_compile_ahead_SOURCES = linked-by-c++.cc
test_compile_ahead_CPPFLAGS = $(AM_CPPFLAGS) -DPRELUDE='"$(abs_top_builddir)/%reldir%/include"'
test_compile_ahead_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_compile_ahead_LDFLAGS = $(cgpu_compiler_LDFLAGS)
test_compile_ahead_LDADD = $(COMPILER_LIBS) $(CMOCKA_LIBS)
# By hand, see its first lines.
EXTRA_PROGRAMS += benchmarks/compile-time
benchmarks_compile_time_SOURCES = benchmarks/compile-time.c
nodist_EXTRA_benchmarks_compile_time_SOURCES = linked-by-c++.cc
benchmarks_compile_time_LDFLAGS = $(cgpu_compiler_LDFLAGS)
benchmarks_compile_time_LDADD = $(COMPILER_LIBS)
EXTRA_DIST += tests/cells
