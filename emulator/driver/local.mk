# SPDX-License-Identifier: Apache-2.0
libcgpu_emulator_so_SOURCES += \
	%reldir%/check.c %reldir%/check.h \
	%reldir%/cu-array.c %reldir%/cu-array.h \
	%reldir%/cu-attribute.c \
	%reldir%/cu-batch.c \
	%reldir%/cu-busy.c %reldir%/cu-busy.h \
	%reldir%/cu-capture.c %reldir%/cu-capture.h \
	%reldir%/cu-context.c %reldir%/cu-context.h \
	%reldir%/cu-copy.c %reldir%/cu-coredump.c %reldir%/cu-coredump.h \
	%reldir%/cu-device.c %reldir%/cu-device-attributes.def \
	%reldir%/cu-error.c %reldir%/cu-errors.def \
	%reldir%/cu-export.c \
	%reldir%/cu-fill.c \
	%reldir%/cu-function.c \
	%reldir%/cu-graph.c %reldir%/cu-graph-node.c \
	%reldir%/cu-launch.c %reldir%/cu-launch.h \
	%reldir%/cu-library.c \
	%reldir%/cu-link.c \
	%reldir%/cu-memory.c \
	%reldir%/cu-module.c %reldir%/cu-module.h \
	%reldir%/cu-older.c %reldir%/cu-older.h %reldir%/cu-older-launch.c \
	%reldir%/cu-per-thread.c %reldir%/cu-per-thread.def %reldir%/cu-per-thread.h \
	%reldir%/cu-pool.c %reldir%/cu-pool.h \
	%reldir%/cu-proc.c \
	%reldir%/cu-profile.c %reldir%/cu-profile.h \
	%reldir%/cu-profiler.c %reldir%/cu-profiler.h \
	%reldir%/cu-stream.c %reldir%/cu-stream.h \
	%reldir%/cu-stream-memory.c \
	%reldir%/cu-texture.c \
	%reldir%/cu-unsupported.c %reldir%/cu-unsupported.def %reldir%/cu-unsupported.h \
	%reldir%/cu-vmm.c \
	%reldir%/driver-api.def \
	%reldir%/dump-writer.c %reldir%/dump-writer.h \
	%reldir%/findings.c %reldir%/findings.h \
	%reldir%/fat-binary-text.c %reldir%/fat-binary-text.h \
	%reldir%/frames.c %reldir%/frames.h \
	%reldir%/gpu.c %reldir%/gpu.h \
	%reldir%/graph.c %reldir%/graph.h \
	%reldir%/graph-condition.c %reldir%/graph-condition.h \
	%reldir%/graph-content.c %reldir%/graph-content.h \
	%reldir%/graph-memory.c %reldir%/graph-memory.h \
	%reldir%/graph-object.c %reldir%/graph-object.h \
	%reldir%/graph-run.c \
	%reldir%/handle-memory.c %reldir%/handle-memory.h \
	%reldir%/inject.c %reldir%/inject.h \
	%reldir%/memory.c %reldir%/memory.h \
	%reldir%/memory-buffers.c \
	%reldir%/memory-shadows.c \
	%reldir%/memory-table.c %reldir%/memory-table.h \
	%reldir%/queue.c %reldir%/queue.h

EMULATOR_TESTS = test-cu-batch test-cu-devices test-cu-driver test-cu-faults test-cu-graph test-cu-graph-condition test-cu-guard test-cu-heap \
	test-cu-library test-cu-link test-cu-stream test-cu-texture
check_PROGRAMS += $(EMULATOR_TESTS)
TESTS += $(EMULATOR_TESTS)
test_cu_batch_SOURCES = tests/unit/test-cu-batch.c tests/unit/emulator.h
test_cu_batch_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(CUDA_CPPFLAGS) $(SANITIZE_CFLAGS)
test_cu_batch_LDADD = $(CMOCKA_LIBS)
test_cu_devices_SOURCES = tests/unit/test-cu-devices.c tests/unit/emulator.h
test_cu_devices_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(CUDA_CPPFLAGS) $(SANITIZE_CFLAGS)
test_cu_devices_LDADD = $(CMOCKA_LIBS)
test_cu_driver_SOURCES = tests/unit/test-cu-driver.c tests/unit/emulator.h
test_cu_driver_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(CUDA_CPPFLAGS) $(SANITIZE_CFLAGS)
test_cu_driver_LDADD = $(CMOCKA_LIBS)
test_cu_guard_SOURCES = tests/unit/test-cu-guard.c tests/unit/device-code-units.h tests/unit/emulator.h
test_cu_guard_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(CUDA_CPPFLAGS) $(SANITIZE_CFLAGS)
test_cu_guard_LDADD = $(CMOCKA_LIBS)
test_cu_faults_SOURCES = tests/unit/test-cu-faults.c tests/unit/device-code-units.h tests/unit/emulator.h
test_cu_faults_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(CUDA_CPPFLAGS) $(SANITIZE_CFLAGS)
test_cu_faults_LDADD = $(CMOCKA_LIBS)
test_cu_graph_SOURCES = tests/unit/test-cu-graph.c tests/unit/emulator.h
test_cu_graph_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(CUDA_CPPFLAGS) $(SANITIZE_CFLAGS)
test_cu_graph_LDADD = $(CMOCKA_LIBS)
test_cu_graph_condition_SOURCES = tests/unit/test-cu-graph-condition.c tests/unit/emulator.h
test_cu_graph_condition_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(CUDA_CPPFLAGS) $(SANITIZE_CFLAGS)
test_cu_graph_condition_LDADD = $(CMOCKA_LIBS)
test_cu_heap_SOURCES = tests/unit/test-cu-heap.c tests/unit/emulator.h
test_cu_heap_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(CUDA_CPPFLAGS) $(SANITIZE_CFLAGS)
test_cu_heap_LDADD = $(CMOCKA_LIBS)
test_cu_library_SOURCES = tests/unit/test-cu-library.c tests/unit/emulator.h
test_cu_library_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(CUDA_CPPFLAGS) $(ZSTD_CFLAGS) $(LZ4_CFLAGS) $(SANITIZE_CFLAGS)
test_cu_library_LDADD = $(CMOCKA_LIBS) $(ZSTD_LIBS) $(LZ4_LIBS)
test_cu_link_SOURCES = tests/unit/test-cu-link.c tests/unit/emulator.h
test_cu_link_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(CUDA_CPPFLAGS) $(SANITIZE_CFLAGS)
test_cu_link_LDADD = $(CMOCKA_LIBS)
test_cu_texture_SOURCES = tests/unit/test-cu-texture.c tests/unit/emulator.h
test_cu_texture_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(CUDA_CPPFLAGS) $(SANITIZE_CFLAGS)
test_cu_texture_LDADD = $(CMOCKA_LIBS) -lm
test_cu_stream_SOURCES = tests/unit/test-cu-stream.c tests/unit/emulator.h
test_cu_stream_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(CUDA_CPPFLAGS) $(SANITIZE_CFLAGS)
test_cu_stream_LDADD = $(CMOCKA_LIBS) -lpthread
