# SPDX-License-Identifier: Apache-2.0
noinst_LIBRARIES += libcommon.a
libcommon_a_SOURCES = \
	%reldir%/address-map.h \
	%reldir%/arena-layout.h \
	%reldir%/array.c %reldir%/array.h \
	%reldir%/batch-starts.h \
	%reldir%/bug.h \
	%reldir%/buffer.c %reldir%/buffer.h \
	%reldir%/cleanup.h \
	%reldir%/clock.h \
	%reldir%/compiler-protocol.h \
	%reldir%/cuda-fault.c %reldir%/cuda-fault.h %reldir%/cuda-faults.def \
	%reldir%/declarations.def \
	%reldir%/cuda-folders.c %reldir%/cuda-folders.h \
	%reldir%/cuda-libraries.def \
	%reldir%/own-prefix.c %reldir%/own-prefix.h \
	%reldir%/device-watch.c %reldir%/device-watch.h \
	%reldir%/device-trace.c %reldir%/device-trace.h %reldir%/trace-kinds.def \
	%reldir%/certificate.h \
	%reldir%/demangle.c %reldir%/demangle.h \
	%reldir%/elf-file.c %reldir%/elf-file.h \
	%reldir%/emulator-extension.h \
	%reldir%/error.c %reldir%/error.h %reldir%/errors.def \
	%reldir%/fat-binary.c %reldir%/fat-binary.h \
	%reldir%/fault-questions.c %reldir%/fault-questions.h \
	%reldir%/faults.def \
	%reldir%/graph-order.c %reldir%/graph-order.h \
	%reldir%/futex.c %reldir%/futex.h \
	%reldir%/html-text.c %reldir%/html-text.h \
	%reldir%/ipc.c %reldir%/ipc.h \
	%reldir%/instruction-classes.def \
	%reldir%/launch-glue.h \
	%reldir%/launch-profile.c %reldir%/launch-profile.h %reldir%/profile-counters.def \
	%reldir%/line-program.c %reldir%/line-program.h \
	%reldir%/log.c %reldir%/log.h \
	%reldir%/lambda-name.h \
	%reldir%/mem-pool.c %reldir%/mem-pool.h \
	%reldir%/memory-permit.c %reldir%/memory-permit.h \
	%reldir%/names.c %reldir%/names.h \
	%reldir%/near-name.c %reldir%/near-name.h \
	%reldir%/output-ring.c %reldir%/output-ring.h \
	%reldir%/pagemap-scan.c %reldir%/pagemap-scan.h \
	%reldir%/ptx-lexer.c %reldir%/ptx-lexer.h \
	%reldir%/ptx-link.c %reldir%/ptx-link.h \
	%reldir%/record.c %reldir%/record.h %reldir%/run-options.c %reldir%/run-options.h \
	%reldir%/thread-awake.c %reldir%/thread-awake.h \
	%reldir%/type-code.c %reldir%/type-code.h \
	%reldir%/unit.c %reldir%/unit.h \
	%reldir%/without-cuda.h \
	%reldir%/whole-io.c %reldir%/whole-io.h \
	%reldir%/worker-protocol.h
libcommon_a_CFLAGS = $(AM_CFLAGS) -fPIC $(SANITIZE_CFLAGS)

check_PROGRAMS += test-error test-buffer test-record test-ipc test-unit test-output-ring test-type-code test-fault-questions \
	test-cuda-folders test-fat-binary test-graph-order test-ptx-link test-whole-io
TESTS += test-error test-buffer test-record test-ipc test-unit test-output-ring test-type-code test-fault-questions \
	test-cuda-folders test-fat-binary test-graph-order test-ptx-link test-whole-io
test_cuda_folders_SOURCES = tests/unit/test-cuda-folders.c
test_cuda_folders_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_cuda_folders_LDADD = libcommon.a $(CMOCKA_LIBS)
test_fat_binary_SOURCES = tests/unit/test-fat-binary.c
test_fat_binary_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_fat_binary_LDADD = libcommon.a $(CMOCKA_LIBS)
test_graph_order_SOURCES = tests/unit/test-graph-order.c
test_graph_order_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_graph_order_LDADD = libcommon.a $(CMOCKA_LIBS)
test_ptx_link_SOURCES = tests/unit/test-ptx-link.c
test_ptx_link_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_ptx_link_LDADD = libcommon.a $(CMOCKA_LIBS)
test_whole_io_SOURCES = tests/unit/test-whole-io.c
test_whole_io_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_whole_io_LDADD = libcommon.a $(CMOCKA_LIBS)
test_fault_questions_SOURCES = tests/unit/test-fault-questions.c
test_fault_questions_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_fault_questions_LDADD = libcommon.a $(CMOCKA_LIBS)
test_error_SOURCES = tests/unit/test-error.c
test_error_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_error_LDADD = libcommon.a $(CMOCKA_LIBS)
test_buffer_SOURCES = tests/unit/test-buffer.c
test_buffer_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_buffer_LDADD = libcommon.a $(CMOCKA_LIBS)
test_record_SOURCES = tests/unit/test-record.c
test_record_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_record_LDADD = libcommon.a $(CMOCKA_LIBS)
test_ipc_SOURCES = tests/unit/test-ipc.c
test_ipc_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_ipc_LDADD = libcommon.a $(CMOCKA_LIBS)
test_unit_SOURCES = tests/unit/test-unit.c
test_unit_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_unit_LDADD = libcommon.a $(CMOCKA_LIBS)
test_output_ring_SOURCES = tests/unit/test-output-ring.c
test_output_ring_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_output_ring_LDADD = libcommon.a $(CMOCKA_LIBS)
test_type_code_SOURCES = tests/unit/test-type-code.c
test_type_code_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_type_code_LDADD = libcommon.a $(CMOCKA_LIBS)

check_PROGRAMS += test-out-of-memory
TESTS += test-out-of-memory
test_out_of_memory_SOURCES = \
	tests/unit/test-out-of-memory.c \
	tests/unit/failing-malloc.c tests/unit/failing-malloc.h
test_out_of_memory_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_out_of_memory_LDFLAGS = -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc
test_out_of_memory_LDADD = libcommon.a $(CMOCKA_LIBS)

check_PROGRAMS += test-array
TESTS += test-array
test_array_SOURCES = tests/unit/test-array.c tests/unit/failing-malloc.c tests/unit/failing-malloc.h
test_array_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_array_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc
test_array_LDADD = libcommon.a $(CMOCKA_LIBS)
