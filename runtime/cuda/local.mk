# SPDX-License-Identifier: Apache-2.0
# The CUDA side of the worker, built once for all that have it: the worker, which exports nothing of it, the unit tests,
# and the library for programs that know nothing of cgpu, which exports the runtime API.
noinst_LIBRARIES += libcudaside.a
libcudaside_a_SOURCES = %reldir%/device.c %reldir%/device.h %reldir%/device-attach.c %reldir%/device-open.c \
	%reldir%/device-open.h %reldir%/device-profile.c $(runtime_cuda_ptx_sources) $(runtime_cuda_driver_sources) \
	$(runtime_cuda_session_sources) $(runtime_cuda_memory_sources) $(runtime_cuda_reports_sources) \
	$(runtime_cuda_rollback_sources) $(runtime_cuda_code_sources) $(runtime_cuda_graphs_sources) \
	$(runtime_cuda_cudart_sources) $(runtime_cuda_cudart_graph_sources) %reldir%/libcuda/libcuda.c \
	%reldir%/libcuda/libcuda.def %reldir%/libcuda/libcuda.h %reldir%/libcuda/libcuda-graph.c \
	%reldir%/libcuda/libcuda-handles.c %reldir%/libcuda/libcuda-launch.c %reldir%/libcuda/libcuda-memory.c \
	%reldir%/libcuda/libcuda-real.c %reldir%/libcuda/libcuda-real.h %reldir%/libcuda/libcuda-vmm.c \
	%reldir%/libcuda/library-handles.c %reldir%/libcuda/library-handles.h %reldir%/libcuda/nvml.c \
	%reldir%/libcuda/nvml.def %reldir%/libcuda/nvml.h %reldir%/libcuda/nvml-answers.c $(runtime_cuda_exports_sources)
CUDASIDE_CFLAGS = $(AM_CFLAGS) -fPIC -fvisibility=default -fno-semantic-interposition $(CUDA_CPPFLAGS) $(SANITIZE_CFLAGS) \
	-pthread
libcudaside_a_CFLAGS = $(CUDASIDE_CFLAGS)

# emulator/local.mk installs it under NVIDIA's name.
pkglibexec_PROGRAMS += libcgpu-cudart.so
libcgpu_cudart_so_SOURCES = %reldir%/cudart-library.c
EXTRA_libcgpu_cudart_so_DEPENDENCIES = %reldir%/cudart-library.map libcudaside.a
EXTRA_DIST += %reldir%/cudart-library.map
libcgpu_cudart_so_CFLAGS = $(CUDASIDE_CFLAGS)
libcgpu_cudart_so_LDFLAGS = -shared -Wl,-soname,libcudart.so.13 -pthread \
	-Wl,--version-script=$(srcdir)/%reldir%/cudart-library.map \
	-Wl,--whole-archive libcudaside.a -Wl,--no-whole-archive
libcgpu_cudart_so_LDADD = libcommon.a -ldl

# What is called libcuda.so.1, and libcuda.so, where cells run.
pkglibexec_PROGRAMS += libcgpu-shim.so libcgpu-shim-link.so
SHIM_CFLAGS = $(AM_CFLAGS) -fPIC
libcgpu_shim_so_SOURCES = %reldir%/libcuda/libcuda-shim.c %reldir%/libcuda/libcuda-shim.h %reldir%/libcuda/libcuda-words.h
libcgpu_shim_so_CFLAGS = $(SHIM_CFLAGS)
libcgpu_shim_so_LDFLAGS = -shared -Wl,-soname,libcuda.so.1 -Wl,-Bsymbolic
libcgpu_shim_link_so_SOURCES = %reldir%/libcuda/libcuda-alias.c
libcgpu_shim_link_so_CFLAGS = $(SHIM_CFLAGS)
libcgpu_shim_link_so_LDFLAGS = -shared -Wl,-soname,libcuda.so -Wl,--no-as-needed
libcgpu_shim_link_so_LDADD = libcgpu-shim.so
# And libnvidia-ml.so.1.
pkglibexec_PROGRAMS += libcgpu-nvml.so
libcgpu_nvml_so_SOURCES = %reldir%/libcuda/nvml-shim.c %reldir%/libcuda/nvml-shim.h
libcgpu_nvml_so_CFLAGS = $(SHIM_CFLAGS)
libcgpu_nvml_so_LDFLAGS = -shared -Wl,-soname,libnvidia-ml.so.1 -Wl,-Bsymbolic

check_PROGRAMS += test-ptx-condition
TESTS += test-ptx-condition
test_ptx_condition_SOURCES = tests/unit/runtime/test-ptx-condition.c %reldir%/ptx/ptx-condition.c
test_ptx_condition_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_ptx_condition_LDADD = libcommon.a $(CMOCKA_LIBS)
check_PROGRAMS += test-ptx-writes
TESTS += test-ptx-writes
test_ptx_writes_SOURCES = \
	tests/unit/runtime/test-ptx-writes.c \
	%reldir%/ptx/ptx-flow.c %reldir%/ptx/ptx-flow.h %reldir%/ptx/ptx-writes.c %reldir%/ptx/ptx-writes.h
test_ptx_writes_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_ptx_writes_LDADD = libcommon.a $(CMOCKA_LIBS)
check_PROGRAMS += test-ptx-variables
TESTS += test-ptx-variables
test_ptx_variables_SOURCES = \
	tests/unit/runtime/test-ptx-variables.c \
	%reldir%/ptx/ptx-variables.c %reldir%/ptx/ptx-variables.h
test_ptx_variables_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_ptx_variables_LDADD = libcommon.a $(CMOCKA_LIBS)

# Dumps are written by the built libcgpu-emulator.so.
check_PROGRAMS += test-core-dump
TESTS += test-core-dump
test_core_dump_SOURCES = tests/unit/runtime/test-core-dump.c tests/unit/emulator.h tests/unit/runtime/core-dump-lines.h \
	%reldir%/reports/core-dump.c %reldir%/reports/core-dump.h %reldir%/reports/cubin-lines.c %reldir%/reports/cubin-lines.h \
	emulator/report/elf-writer.c emulator/report/elf-writer.h
test_core_dump_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(CUDA_CPPFLAGS) $(SANITIZE_CFLAGS)
test_core_dump_LDADD = libcommon.a $(CMOCKA_LIBS)

# Tests of the CUDA side run over the built libcgpu-emulator.so.
cudaside_tests = test-cudart test-device-code test-device-failures test-device-node test-device-rollback test-digest \
	test-libcuda test-nvml test-several-devices
check_PROGRAMS += $(cudaside_tests)
TESTS += $(cudaside_tests)
CUDASIDE_TEST_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(CUDA_CPPFLAGS) $(SANITIZE_CFLAGS)
CUDASIDE_LIBS = libcudaside.a libcommon.a $(CMOCKA_LIBS) -ldl -lpthread
test_cudart_SOURCES = tests/unit/runtime/test-cudart.c tests/unit/runtime/cudart-used.def tests/unit/runtime/device-host.c tests/unit/runtime/device-host.h
test_cudart_CFLAGS = $(CUDASIDE_TEST_CFLAGS)
test_cudart_LDADD = $(CUDASIDE_LIBS)
test_device_rollback_SOURCES = tests/unit/runtime/test-device-rollback.c tests/unit/runtime/device-host.c tests/unit/runtime/device-host.h
test_device_rollback_CFLAGS = $(CUDASIDE_TEST_CFLAGS)
test_device_rollback_LDADD = $(CUDASIDE_LIBS)
test_digest_SOURCES = tests/unit/runtime/test-digest.c tests/unit/runtime/device-host.c tests/unit/runtime/device-host.h
test_digest_CFLAGS = $(CUDASIDE_TEST_CFLAGS)
test_digest_LDADD = $(CUDASIDE_LIBS)
test_device_code_SOURCES = \
	tests/unit/runtime/test-device-code.c tests/unit/device-code-units.h \
	tests/unit/runtime/device-host.c tests/unit/runtime/device-host.h
test_device_code_CFLAGS = $(CUDASIDE_TEST_CFLAGS)
test_device_code_LDADD = $(CUDASIDE_LIBS)
test_several_devices_SOURCES = \
	tests/unit/runtime/test-several-devices.c tests/unit/device-code-units.h \
	tests/unit/runtime/device-host.c tests/unit/runtime/device-host.h
test_several_devices_CFLAGS = $(CUDASIDE_TEST_CFLAGS)
test_several_devices_LDADD = $(CUDASIDE_LIBS)
test_libcuda_SOURCES = tests/unit/runtime/test-libcuda.c tests/unit/runtime/device-host.c tests/unit/runtime/device-host.h
test_libcuda_CFLAGS = $(CUDASIDE_TEST_CFLAGS)
test_libcuda_LDADD = $(CUDASIDE_LIBS)
EXTRA_test_libcuda_DEPENDENCIES = libcgpu-shim.so libcgpu-shim-link.so
test_nvml_SOURCES = tests/unit/runtime/test-nvml.c tests/unit/runtime/device-host.c tests/unit/runtime/device-host.h
test_nvml_CPPFLAGS = $(AM_CPPFLAGS) -DCC='"$(CC)"'
test_nvml_CFLAGS = $(CUDASIDE_TEST_CFLAGS)
test_nvml_LDADD = $(CUDASIDE_LIBS)
EXTRA_test_nvml_DEPENDENCIES = libcgpu-nvml.so
test_device_node_SOURCES = tests/unit/runtime/test-device-node.c
test_device_node_CFLAGS = $(CUDASIDE_TEST_CFLAGS)
test_device_node_LDADD = $(CUDASIDE_LIBS)
test_device_failures_SOURCES = tests/unit/runtime/test-device-failures.c tests/unit/device-code-units.h \
	tests/unit/runtime/device-host.c tests/unit/runtime/device-host.h
test_device_failures_CFLAGS = $(CUDASIDE_TEST_CFLAGS)
test_device_failures_LDADD = $(CUDASIDE_LIBS)
