# SPDX-License-Identifier: Apache-2.0
# All but main() is a library, so that the unit tests can link it.
noinst_LIBRARIES += libcompiler.a
libcompiler_a_SOURCES = \
	%reldir%/text/cell-tokens.c %reldir%/text/cell-tokens.h %reldir%/text/cpp-cell.c %reldir%/text/cpp-cell.h \
	%reldir%/text/header-names.c %reldir%/text/header-names.h \
	%reldir%/text/launch-syntax.c %reldir%/text/launch-syntax.h \
	%reldir%/text/local-include.c %reldir%/text/local-include.h %reldir%/text/macro-text.c %reldir%/text/macro-text.h \
	%reldir%/text/own-names.c %reldir%/text/own-names.h \
	%reldir%/text/token.c %reldir%/text/token.h %reldir%/text/unit-text.c %reldir%/text/unit-text.h \
	%reldir%/text/words.c %reldir%/text/words.def %reldir%/text/words.h \
	%reldir%/packages/link-libraries.c %reldir%/packages/link-libraries.h \
	%reldir%/packages/package-index.c %reldir%/packages/package-index.h \
	%reldir%/packages/packages.c %reldir%/packages/packages.def %reldir%/packages/packages.h \
	%reldir%/clang/clang-annotations.cc %reldir%/clang/clang-annotations.hh \
	%reldir%/clang/clang-bindings.cc %reldir%/clang/clang-bindings.hh \
	%reldir%/clang/clang-build.cc %reldir%/clang/clang-build.hh \
	%reldir%/clang/clang-captures.cc %reldir%/clang/clang-captures.hh %reldir%/clang/clang-complaints.hh \
	%reldir%/clang/clang-complete.cc %reldir%/clang/clang-constants.cc %reldir%/clang/clang-constants.hh \
	%reldir%/clang/clang-cuda.cc %reldir%/clang/clang-cuda.hh \
	%reldir%/clang/clang-device.cc %reldir%/clang/clang-diagnostic.cc %reldir%/clang/clang-diagnostic.hh \
	%reldir%/clang/clang-diagnostics.def \
	%reldir%/clang/clang-display.cc %reldir%/clang/clang-display.hh %reldir%/clang/clang-header.cc %reldir%/clang/clang-header.hh \
	%reldir%/clang/clang-hints.cc %reldir%/clang/clang-hints.hh \
	%reldir%/clang/clang-includes.cc %reldir%/clang/clang-includes.hh \
	%reldir%/clang/clang-inlined.cc %reldir%/clang/clang-inlined.hh \
	%reldir%/clang/clang-instances.cc %reldir%/clang/clang-instances.hh %reldir%/clang/clang-job.hh \
	%reldir%/clang/clang-launches.cc %reldir%/clang/clang-launches.hh \
	%reldir%/clang/clang-members.cc %reldir%/clang/clang-members.hh \
	%reldir%/clang/clang-instance-keys.cc %reldir%/clang/clang-instance-keys.hh \
	%reldir%/clang/clang-reads.cc %reldir%/clang/clang-reads.hh \
	%reldir%/clang/clang-nodebug.cc %reldir%/clang/clang-nodebug.hh \
	%reldir%/clang/clang-own.cc %reldir%/clang/clang-own.hh %reldir%/clang/clang-parser.cc %reldir%/clang/clang-parser.hh \
	%reldir%/clang/clang-pass.hh \
	%reldir%/clang/clang-pieces.cc %reldir%/clang/clang-pieces.hh \
	%reldir%/clang/clang-publish.cc %reldir%/clang/clang-publish.hh \
	%reldir%/clang/clang-refused.cc %reldir%/clang/clang-refused.hh \
	%reldir%/clang/clang-shim.cc %reldir%/clang/clang-shim.h \
	%reldir%/clang/clang-statements.cc %reldir%/clang/clang-statements.hh \
	%reldir%/clang/clang-std.cc %reldir%/clang/clang-std.hh \
	%reldir%/clang/clang-symbols.cc %reldir%/clang/clang-symbols.hh \
	%reldir%/clang/clang-turns.cc %reldir%/clang/clang-turns.hh %reldir%/clang/clang-types.cc %reldir%/clang/clang-types.hh \
	%reldir%/clang/object-code.cc %reldir%/clang/object-code.hh \
	%reldir%/clang/short-loops.cc %reldir%/clang/short-loops.hh \
	%reldir%/session/composition.c %reldir%/session/composition.h \
	%reldir%/session/cpp-bundle.c %reldir%/session/cpp-bundle.def %reldir%/session/cpp-bundle.h \
	%reldir%/session/cpp-header.c %reldir%/session/cpp-header.h \
	%reldir%/session/cpp-dependents.c %reldir%/session/cpp-dependents.h \
	%reldir%/session/cpp-names.c %reldir%/session/cpp-names.h %reldir%/session/cpp-own.c %reldir%/session/cpp-own.h \
	%reldir%/session/cpp-pieces.c %reldir%/session/cpp-pieces.h \
	%reldir%/session/cpp-instances.c %reldir%/session/cpp-instances.h \
	%reldir%/session/header-ahead.c %reldir%/session/header-ahead.h \
	%reldir%/session/in-the-way.c %reldir%/session/in-the-way.h %reldir%/session/options.c %reldir%/session/options.h \
	%reldir%/session/pragma-state.c %reldir%/session/pragma-state.h %reldir%/session/pragmas.def \
	%reldir%/session/session.c %reldir%/session/session.h \
	%reldir%/session/session-entry.c %reldir%/session/session-entry.h \
	%reldir%/session/session-header.c %reldir%/session/session-header.h \
	%reldir%/units/effort.c %reldir%/units/effort.h %reldir%/units/instances.c %reldir%/units/instances.h \
	%reldir%/units/line-table.c %reldir%/units/line-table.h \
	%reldir%/units/object-symbols.c %reldir%/units/object-symbols.h \
	%reldir%/units/unit-cache.c %reldir%/units/unit-cache.h \
	%reldir%/device/c-linkage.c %reldir%/device/c-linkage.h %reldir%/device/cell-stamp.c %reldir%/device/cell-stamp.h \
	%reldir%/device/cuda-flags.c %reldir%/device/cuda-flags.h \
	%reldir%/device/device-edits.c %reldir%/device/device-edits.h \
	%reldir%/device/device-flags.c %reldir%/device/device-flags.def %reldir%/device/device-flags.h \
	%reldir%/device/nvcc.c %reldir%/device/nvcc.h %reldir%/device/object-ptx.c %reldir%/device/object-ptx.h \
	%reldir%/device/tool.c %reldir%/device/tool.h %reldir%/device/tool-folder.c %reldir%/device/tool-folder.h \
	%reldir%/frontend/beyond-c.c %reldir%/frontend/beyond-c.h \
	%reldir%/frontend/cell-names.c %reldir%/frontend/cell-names.h \
	%reldir%/frontend/cell-pieces.c %reldir%/frontend/cell-pieces.h \
	%reldir%/frontend/compile.c %reldir%/frontend/compile.h \
	%reldir%/frontend/compile-cpp.c %reldir%/frontend/compile-cpp.h \
	%reldir%/frontend/compile-cuda.c %reldir%/frontend/compile-cuda.h \
	%reldir%/frontend/cpp-diagnostics.c %reldir%/frontend/cpp-diagnostics.h \
	%reldir%/frontend/cpp-tries.c %reldir%/frontend/cpp-tries.h \
	%reldir%/frontend/declare.c %reldir%/frontend/declare.h \
	%reldir%/frontend/device-half.c %reldir%/frontend/device-half.h \
	%reldir%/frontend/diagnostics.c %reldir%/frontend/diagnostics.h \
	%reldir%/frontend/host-text.c %reldir%/frontend/host-text.h \
	%reldir%/inspect/completion.c %reldir%/inspect/completion.h \
	%reldir%/inspect/is-complete.c %reldir%/inspect/is-complete.h %reldir%/inspect/listing.c %reldir%/inspect/listing.h \
	%reldir%/inspect/listing-ptx.c %reldir%/inspect/listing-sass.c %reldir%/inspect/listing-show.c \
	%reldir%/inspect/look.c %reldir%/inspect/look.h %reldir%/inspect/multiprocessors.def \
	%reldir%/inspect/occupancy.c %reldir%/inspect/occupancy.h %reldir%/inspect/resources.c %reldir%/inspect/resources.h
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

compiler_tests = test-cell-tokens test-header-names test-c-linkage test-pragma-state test-launch-syntax test-line-table test-effort \
	test-compile test-compile-ahead test-header-ahead test-unit-cache test-instances test-cpp-instances test-listing \
	test-tool-folder test-diagnostics
check_PROGRAMS += $(compiler_tests)
TESTS += $(compiler_tests)
test_cell_tokens_SOURCES = tests/unit/test-cell-tokens.c
test_cell_tokens_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_cell_tokens_LDADD = libcompiler.a libcommon.a $(CMOCKA_LIBS)
test_header_names_SOURCES = tests/unit/test-header-names.c
test_header_names_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_header_names_LDADD = libcompiler.a libcommon.a $(CMOCKA_LIBS)
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
test_header_ahead_SOURCES = tests/unit/test-header-ahead.c
test_header_ahead_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_header_ahead_LDADD = libcompiler.a libcommon.a $(CMOCKA_LIBS)
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
test_unit_cache_SOURCES = tests/unit/test-unit-cache.c tests/unit/compiler-fixture.c tests/unit/compiler-fixture.h
nodist_EXTRA_test_unit_cache_SOURCES = linked-by-c++.cc
test_unit_cache_CPPFLAGS = $(AM_CPPFLAGS) -DPRELUDE='"$(abs_top_builddir)/%reldir%/include"'
test_unit_cache_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_unit_cache_LDFLAGS = $(cgpu_compiler_LDFLAGS)
test_unit_cache_LDADD = $(COMPILER_LIBS) $(CMOCKA_LIBS)
test_instances_SOURCES = tests/unit/test-instances.c tests/unit/compiler-fixture.c tests/unit/compiler-fixture.h
nodist_EXTRA_test_instances_SOURCES = linked-by-c++.cc
test_instances_CPPFLAGS = $(AM_CPPFLAGS) -DPRELUDE='"$(abs_top_builddir)/%reldir%/include"'
test_instances_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_instances_LDFLAGS = $(cgpu_compiler_LDFLAGS)
test_instances_LDADD = $(COMPILER_LIBS) $(CMOCKA_LIBS)
test_cpp_instances_SOURCES = tests/unit/test-cpp-instances.c tests/unit/compiler-fixture.c tests/unit/compiler-fixture.h
nodist_EXTRA_test_cpp_instances_SOURCES = linked-by-c++.cc
test_cpp_instances_CPPFLAGS = $(AM_CPPFLAGS) -DPRELUDE='"$(abs_top_builddir)/%reldir%/include"'
test_cpp_instances_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_cpp_instances_LDFLAGS = $(cgpu_compiler_LDFLAGS)
test_cpp_instances_LDADD = $(COMPILER_LIBS) $(CMOCKA_LIBS)
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
