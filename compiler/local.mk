# SPDX-License-Identifier: Apache-2.0
# All but main() is a library, so that the unit tests can link it.
noinst_LIBRARIES += libcompiler.a
libcompiler_a_SOURCES = $(compiler_cache_sources) $(compiler_text_sources) $(compiler_packages_sources) $(compiler_clang_job_sources) \
	$(compiler_clang_tree_sources) $(compiler_clang_expression_sources) $(compiler_clang_cells_sources) $(compiler_clang_code_sources) \
	$(compiler_clang_headers_sources) $(compiler_clang_device_sources) $(compiler_session_sources) $(compiler_units_sources) $(compiler_device_sources) $(compiler_frontend_sources) \
	$(compiler_inspect_sources)
if CPP_TREE
libcompiler_a_LIBADD = $(cpp_objects)
else
nodist_libcompiler_a_SOURCES = $(cpp_rooms)
endif
EXTRA_DIST += $(cpp_sources)
libcompiler_a_CPPFLAGS = $(AM_CPPFLAGS) $(LLVM_CPPFLAGS) $(PKGCONF_CFLAGS) $(ELF_CFLAGS) $(XXHASH_CFLAGS) \
	-DCGPU_LLVM_LIBDIR='"$(LLVM_LIBDIR)"' -DCGPU_LLVM_MAJOR='"$(LLVM_VERSION_MAJOR)"' \
	-DCGPU_PRELUDE_DIR='"$(pkgdatadir)/include"' \
	-DCGPU_CLANG_RESOURCE_DIR='"$(CLANG_RESOURCE_DIR)"' \
	-DCGPU_CLANG_PROGRAM='"$(LLVM_LIBDIR)/../bin/clang"'
libcompiler_a_CFLAGS = $(AM_CFLAGS) $(SANITIZE_CFLAGS)
libcompiler_a_CXXFLAGS = $(AM_CXXFLAGS) $(LLVM_CXXFLAGS) -Wno-unused-parameter -Wno-deprecated-declarations
$(cpp_rooms): $(top_srcdir)/sources.mk
	$(AM_V_GEN)rm -f $@ && $(MKDIR_P) $(@D) && \
	for f in $(top_srcdir)/$(@D)/*.cc; do echo "#include \"$(@D)/$${f##*/}\""; done >$@.new && mv $@.new $@
CLEANFILES += $(cpp_rooms)
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
	%reldir%/prelude/cgpu-device.h %reldir%/prelude/cgpu-display.h \
	%reldir%/prelude/cgpu-legacy.h %reldir%/prelude/cgpu-show.h %reldir%/prelude/cgpu-surface.h \
	%reldir%/prelude/cgpu-widgets.h \
	%reldir%/prelude/cuda_bf16.h %reldir%/prelude/curand_kernel.h \
	%reldir%/prelude/cuda_fp16.h %reldir%/prelude/cuda_runtime.h \
	%reldir%/prelude/device_launch_parameters.h
preludeabsentdir = $(pkgdatadir)/include/absent
preludeabsent_HEADERS = %reldir%/prelude/absent/curand_mtgp32_kernel.h %reldir%/prelude/absent/texture_fetch_functions.h
preludecommondir = $(pkgdatadir)/include/common
preludecommon_HEADERS = common/cell-display.h common/cell-timing.h common/cell-widgets.h common/launch-glue.h
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
	for f in $(preludecommon_HEADERS); do cp $(top_srcdir)/$$f %reldir%/include/common/ || exit 1; done && touch $@
clean-local:
	rm -rf %reldir%/include

# Here, too, those that take longest come first.
compiler_tests = test-compile-ahead test-cpp-instances test-unit-cache test-instances \
	test-cell-tokens test-header-names test-c-linkage test-pragma-state test-launch-syntax test-line-table test-effort \
	test-compile test-header-ahead test-listing test-tool-folder test-diagnostics test-unit-text
check_PROGRAMS += $(compiler_tests)
TESTS += $(compiler_tests)
test_cell_tokens_SOURCES = tests/unit/compiler/test-cell-tokens.c
test_cell_tokens_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_cell_tokens_LDADD = libcompiler.a libcommon.a $(CMOCKA_LIBS)
test_header_names_SOURCES = tests/unit/compiler/test-header-names.c
test_header_names_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_header_names_LDADD = libcompiler.a libcommon.a $(CMOCKA_LIBS)
test_c_linkage_SOURCES = tests/unit/compiler/test-c-linkage.c
test_c_linkage_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_c_linkage_LDADD = libcompiler.a libcommon.a $(XXHASH_LIBS) $(CMOCKA_LIBS)
test_pragma_state_SOURCES = tests/unit/compiler/test-pragma-state.c
test_pragma_state_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_pragma_state_LDADD = libcompiler.a libcommon.a $(XXHASH_LIBS) $(CMOCKA_LIBS)
test_launch_syntax_SOURCES = tests/unit/compiler/test-launch-syntax.c
test_launch_syntax_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_launch_syntax_LDADD = libcompiler.a libcommon.a $(XXHASH_LIBS) $(CMOCKA_LIBS)
test_line_table_SOURCES = tests/unit/compiler/test-line-table.c
test_line_table_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_line_table_LDADD = libcompiler.a libcommon.a $(CMOCKA_LIBS)
test_listing_SOURCES = tests/unit/compiler/test-listing.c
nodist_EXTRA_test_listing_SOURCES = linked-by-c++.cc
test_listing_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_listing_LDADD = libcompiler.a libcommon.a $(CMOCKA_LIBS)
test_tool_folder_SOURCES = tests/unit/compiler/test-tool-folder.c
test_tool_folder_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_tool_folder_LDADD = libcompiler.a libcommon.a $(CMOCKA_LIBS)
test_header_ahead_SOURCES = tests/unit/compiler/test-header-ahead.c
test_header_ahead_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_header_ahead_LDADD = libcompiler.a libcommon.a $(CMOCKA_LIBS)
test_unit_text_SOURCES = tests/unit/compiler/test-unit-text.c
test_unit_text_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_unit_text_LDADD = libcompiler.a libcommon.a $(CMOCKA_LIBS)
test_effort_SOURCES = tests/unit/compiler/test-effort.c
test_effort_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_effort_LDADD = libcompiler.a libcommon.a $(CMOCKA_LIBS)
test_diagnostics_SOURCES = tests/unit/compiler/test-diagnostics.c
nodist_EXTRA_test_diagnostics_SOURCES = linked-by-c++.cc
test_diagnostics_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_diagnostics_LDFLAGS = $(cgpu_compiler_LDFLAGS)
test_diagnostics_LDADD = $(COMPILER_LIBS) $(CMOCKA_LIBS)
test_compile_SOURCES = tests/unit/compiler/test-compile.c tests/unit/compiler/compiler-client.c tests/unit/compiler/compiler-client.h
test_compile_CPPFLAGS = $(AM_CPPFLAGS) -DCELLS_DIR='"$(abs_top_srcdir)/tests/cells"' \
	-DCOMPILER_PROGRAM='"$(abs_top_builddir)/cgpu-compiler"' -DPRELUDE_DIR='"$(abs_top_builddir)/%reldir%/include"'
test_compile_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_compile_LDADD = libcommon.a $(CMOCKA_LIBS)
test_unit_cache_SOURCES = tests/unit/compiler/test-unit-cache.c tests/unit/compiler/compiler-fixture.c tests/unit/compiler/compiler-fixture.h
nodist_EXTRA_test_unit_cache_SOURCES = linked-by-c++.cc
test_unit_cache_CPPFLAGS = $(AM_CPPFLAGS) -DPRELUDE='"$(abs_top_builddir)/%reldir%/include"'
test_unit_cache_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_unit_cache_LDFLAGS = $(cgpu_compiler_LDFLAGS)
test_unit_cache_LDADD = $(COMPILER_LIBS) $(CMOCKA_LIBS)
test_instances_SOURCES = tests/unit/compiler/test-instances.c tests/unit/compiler/compiler-fixture.c tests/unit/compiler/compiler-fixture.h
nodist_EXTRA_test_instances_SOURCES = linked-by-c++.cc
test_instances_CPPFLAGS = $(AM_CPPFLAGS) -DPRELUDE='"$(abs_top_builddir)/%reldir%/include"'
test_instances_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_instances_LDFLAGS = $(cgpu_compiler_LDFLAGS)
test_instances_LDADD = $(COMPILER_LIBS) $(CMOCKA_LIBS)
test_cpp_instances_SOURCES = tests/unit/compiler/test-cpp-instances.c tests/unit/compiler/compiler-fixture.c tests/unit/compiler/compiler-fixture.h
nodist_EXTRA_test_cpp_instances_SOURCES = linked-by-c++.cc
test_cpp_instances_CPPFLAGS = $(AM_CPPFLAGS) -DPRELUDE='"$(abs_top_builddir)/%reldir%/include"'
test_cpp_instances_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_cpp_instances_LDFLAGS = $(cgpu_compiler_LDFLAGS)
test_cpp_instances_LDADD = $(COMPILER_LIBS) $(CMOCKA_LIBS)
test_compile_ahead_SOURCES = tests/unit/compiler/test-compile-ahead.c
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
