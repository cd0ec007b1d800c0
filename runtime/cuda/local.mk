# SPDX-License-Identifier: Apache-2.0
# The CUDA side of the worker, built once for all that have it: the worker, which exports nothing of it, the unit tests,
# and the library for programs that know nothing of cgpu, which exports the runtime API.
noinst_LIBRARIES += libcudaside.a
libcudaside_a_SOURCES = \
	%reldir%/buffer-kinds.def \
	%reldir%/certify.c %reldir%/certify.h \
	%reldir%/chunk-message.c %reldir%/chunk-message.h \
	%reldir%/core-dump.c %reldir%/core-dump.def %reldir%/core-dump.h \
	%reldir%/cubin-lines.c %reldir%/cubin-lines.h \
	%reldir%/cudart.c %reldir%/cudart.def %reldir%/cudart.h \
	%reldir%/advice.h %reldir%/cudart-advice.c \
	%reldir%/cudart-array.c %reldir%/cudart-texture.c \
	%reldir%/cudart-code-library.c \
	%reldir%/cudart-copy.c %reldir%/cudart-copy-3d.c \
	%reldir%/cudart-device.c %reldir%/device-properties.def \
	%reldir%/cudart-entry-point.c \
	%reldir%/cudart-error.c %reldir%/cudart-errors.def \
	%reldir%/cudart-graph-attribute.c %reldir%/cudart-graph.c %reldir%/cudart-graph-capture.c \
	%reldir%/cudart-graph-node.c %reldir%/cudart-graph-query.c \
	%reldir%/graph-conditions.c %reldir%/graph-run.c %reldir%/graphs.c %reldir%/graphs.h \
	%reldir%/cudart-launch.c \
	%reldir%/cudart-memory.c \
	%reldir%/cudart-per-thread.c %reldir%/cudart-per-thread.def \
	%reldir%/cudart-pool.c \
	%reldir%/cudart-stream.c \
	%reldir%/cudart-user-object.c \
	%reldir%/cudart-unsupported.c %reldir%/cudart-unsupported.def %reldir%/cudart-unsupported.h \
	%reldir%/device-audit.c %reldir%/device-audit.h \
	%reldir%/device-node.c %reldir%/device-node.h \
	%reldir%/device-wait.c %reldir%/device-wait.h \
	%reldir%/device-traits.c %reldir%/device-traits.h \
	%reldir%/device-window.c %reldir%/device-window.h \
	%reldir%/device-profile.c \
	%reldir%/device-attach.c \
	%reldir%/device.c %reldir%/device.h %reldir%/device-state.h \
	%reldir%/device-code.c %reldir%/device-code.h \
	%reldir%/device-module.c %reldir%/device-module.h \
	%reldir%/device-dump.c %reldir%/device-dump.h \
	%reldir%/device-exceptions.def \
	%reldir%/device-fault.c %reldir%/device-fault.h \
	%reldir%/digest.c %reldir%/digest.h %reldir%/digest-entry.h \
	%reldir%/driver.c %reldir%/driver.def %reldir%/driver.h \
	%reldir%/driver-trace.c \
	%reldir%/handles.c %reldir%/handles.h \
	%reldir%/held.c %reldir%/held.h \
	%reldir%/host-chunk.c %reldir%/host-chunk.h \
	%reldir%/hmm.c %reldir%/hmm.h %reldir%/host-mapping.c %reldir%/host-mapping.h \
	%reldir%/images.c %reldir%/images.h \
	%reldir%/ledger.c %reldir%/ledger.h \
	%reldir%/ledger-cap.c \
	%reldir%/library-handles.c %reldir%/library-handles.h \
	%reldir%/libcuda.c %reldir%/libcuda.def %reldir%/libcuda.h %reldir%/libcuda-find.c \
	%reldir%/libcuda-graph.c %reldir%/libcuda-handles.c %reldir%/libcuda-launch.c %reldir%/libcuda-memory.c %reldir%/libcuda-vmm.c \
	%reldir%/nvml.c %reldir%/nvml.def %reldir%/nvml.h %reldir%/nvml-answers.c \
	%reldir%/peers.c %reldir%/peers.h \
	%reldir%/pinning.c %reldir%/pinning.h \
	%reldir%/preimage.c %reldir%/preimage.h \
	%reldir%/ptx-condition.c %reldir%/ptx-condition.h \
	%reldir%/ptx-flow.c %reldir%/ptx-flow.h \
	%reldir%/ptx-writes.c %reldir%/ptx-writes.h %reldir%/ptx-effects.def \
	%reldir%/ptx-variables.c %reldir%/ptx-variables.h \
	%reldir%/range-report.c %reldir%/range-report.h \
	%reldir%/registration.c %reldir%/registration.h \
	%reldir%/session.c %reldir%/session.h \
	%reldir%/source-text.c %reldir%/source-text.h \
	%reldir%/trace.c %reldir%/trace.h \
	%reldir%/vmm-pool.c %reldir%/vmm-pool.h \
	%reldir%/watch.c %reldir%/watch.h
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
libcgpu_shim_so_SOURCES = %reldir%/libcuda-shim.c %reldir%/libcuda-shim.h %reldir%/libcuda-words.h
libcgpu_shim_so_CFLAGS = $(SHIM_CFLAGS)
libcgpu_shim_so_LDFLAGS = -shared -Wl,-soname,libcuda.so.1 -Wl,-Bsymbolic
libcgpu_shim_link_so_SOURCES = %reldir%/libcuda-alias.c
libcgpu_shim_link_so_CFLAGS = $(SHIM_CFLAGS)
libcgpu_shim_link_so_LDFLAGS = -shared -Wl,-soname,libcuda.so -Wl,--no-as-needed
libcgpu_shim_link_so_LDADD = libcgpu-shim.so
# And libnvidia-ml.so.1.
pkglibexec_PROGRAMS += libcgpu-nvml.so
libcgpu_nvml_so_SOURCES = %reldir%/nvml-shim.c %reldir%/nvml-shim.h
libcgpu_nvml_so_CFLAGS = $(SHIM_CFLAGS)
libcgpu_nvml_so_LDFLAGS = -shared -Wl,-soname,libnvidia-ml.so.1 -Wl,-Bsymbolic

check_PROGRAMS += test-ptx-condition
TESTS += test-ptx-condition
test_ptx_condition_SOURCES = tests/unit/test-ptx-condition.c %reldir%/ptx-condition.c
test_ptx_condition_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_ptx_condition_LDADD = libcommon.a $(CMOCKA_LIBS)
check_PROGRAMS += test-ptx-writes
TESTS += test-ptx-writes
test_ptx_writes_SOURCES = \
	tests/unit/test-ptx-writes.c \
	%reldir%/ptx-flow.c %reldir%/ptx-flow.h %reldir%/ptx-writes.c %reldir%/ptx-writes.h
test_ptx_writes_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_ptx_writes_LDADD = libcommon.a $(CMOCKA_LIBS)
check_PROGRAMS += test-ptx-variables
TESTS += test-ptx-variables
test_ptx_variables_SOURCES = \
	tests/unit/test-ptx-variables.c \
	%reldir%/ptx-variables.c %reldir%/ptx-variables.h
test_ptx_variables_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_ptx_variables_LDADD = libcommon.a $(CMOCKA_LIBS)

# Dumps are written by the built libcgpu-emulator.so.
check_PROGRAMS += test-core-dump
TESTS += test-core-dump
test_core_dump_SOURCES = tests/unit/test-core-dump.c tests/unit/emulator.h tests/unit/core-dump-lines.h \
	%reldir%/core-dump.c %reldir%/core-dump.h %reldir%/cubin-lines.c %reldir%/cubin-lines.h \
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
test_cudart_SOURCES = tests/unit/test-cudart.c tests/unit/cudart-used.def tests/unit/device-host.c tests/unit/device-host.h
test_cudart_CFLAGS = $(CUDASIDE_TEST_CFLAGS)
test_cudart_LDADD = $(CUDASIDE_LIBS)
test_device_rollback_SOURCES = tests/unit/test-device-rollback.c tests/unit/device-host.c tests/unit/device-host.h
test_device_rollback_CFLAGS = $(CUDASIDE_TEST_CFLAGS)
test_device_rollback_LDADD = $(CUDASIDE_LIBS)
test_digest_SOURCES = tests/unit/test-digest.c tests/unit/device-host.c tests/unit/device-host.h
test_digest_CFLAGS = $(CUDASIDE_TEST_CFLAGS)
test_digest_LDADD = $(CUDASIDE_LIBS)
test_device_code_SOURCES = \
	tests/unit/test-device-code.c tests/unit/device-code-units.h \
	tests/unit/device-host.c tests/unit/device-host.h
test_device_code_CFLAGS = $(CUDASIDE_TEST_CFLAGS)
test_device_code_LDADD = $(CUDASIDE_LIBS)
test_several_devices_SOURCES = \
	tests/unit/test-several-devices.c tests/unit/device-code-units.h \
	tests/unit/device-host.c tests/unit/device-host.h
test_several_devices_CFLAGS = $(CUDASIDE_TEST_CFLAGS)
test_several_devices_LDADD = $(CUDASIDE_LIBS)
test_libcuda_SOURCES = tests/unit/test-libcuda.c tests/unit/device-host.c tests/unit/device-host.h
test_libcuda_CFLAGS = $(CUDASIDE_TEST_CFLAGS)
test_libcuda_LDADD = $(CUDASIDE_LIBS)
EXTRA_test_libcuda_DEPENDENCIES = libcgpu-shim.so libcgpu-shim-link.so
test_nvml_SOURCES = tests/unit/test-nvml.c tests/unit/device-host.c tests/unit/device-host.h
test_nvml_CPPFLAGS = $(AM_CPPFLAGS) -DCC='"$(CC)"'
test_nvml_CFLAGS = $(CUDASIDE_TEST_CFLAGS)
test_nvml_LDADD = $(CUDASIDE_LIBS)
EXTRA_test_nvml_DEPENDENCIES = libcgpu-nvml.so
test_device_node_SOURCES = tests/unit/test-device-node.c
test_device_node_CFLAGS = $(CUDASIDE_TEST_CFLAGS)
test_device_node_LDADD = $(CUDASIDE_LIBS)
test_device_failures_SOURCES = tests/unit/test-device-failures.c tests/unit/device-code-units.h \
	tests/unit/device-host.c tests/unit/device-host.h
test_device_failures_CFLAGS = $(CUDASIDE_TEST_CFLAGS)
test_device_failures_LDADD = $(CUDASIDE_LIBS)
