# SPDX-License-Identifier: Apache-2.0
noinst_LIBRARIES += libcommon.a
libcommon_a_SOURCES = $(common_base_sources) $(common_text_sources) $(common_memory_sources) $(common_code_sources) \
	$(common_cuda_sources) $(common_protocol_sources) $(common_sandbox_sources) $(common_sources)
libcommon_a_CFLAGS = $(AM_CFLAGS) -fPIC $(SANITIZE_CFLAGS)

check_PROGRAMS += test-error test-buffer test-record test-ipc test-unit test-output-ring test-type-code test-expression test-fault-questions \
	test-cuda-folders test-fat-binary test-graph-order test-ptx-link test-regular-file test-whole-io test-allowed-flags test-landlock
TESTS += test-error test-buffer test-record test-ipc test-unit test-output-ring test-type-code test-expression test-fault-questions \
	test-cuda-folders test-fat-binary test-graph-order test-ptx-link test-regular-file test-whole-io test-allowed-flags test-landlock
test_landlock_SOURCES = tests/unit/common/test-landlock.c
test_landlock_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_landlock_LDADD = libcommon.a $(CMOCKA_LIBS)
test_allowed_flags_SOURCES = tests/unit/common/test-allowed-flags.c
test_allowed_flags_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_allowed_flags_LDADD = libcommon.a $(CMOCKA_LIBS)
test_cuda_folders_SOURCES = tests/unit/common/test-cuda-folders.c
test_cuda_folders_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_cuda_folders_LDADD = libcommon.a $(CMOCKA_LIBS)
test_fat_binary_SOURCES = tests/unit/common/test-fat-binary.c
test_fat_binary_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_fat_binary_LDADD = libcommon.a $(CMOCKA_LIBS)
test_graph_order_SOURCES = tests/unit/common/test-graph-order.c
test_graph_order_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_graph_order_LDADD = libcommon.a $(CMOCKA_LIBS)
test_ptx_link_SOURCES = tests/unit/common/test-ptx-link.c
test_ptx_link_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_ptx_link_LDADD = libcommon.a $(CMOCKA_LIBS)
test_regular_file_SOURCES = tests/unit/common/test-regular-file.c
test_regular_file_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_regular_file_LDADD = libcommon.a $(CMOCKA_LIBS)
test_whole_io_SOURCES = tests/unit/common/test-whole-io.c
test_whole_io_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_whole_io_LDADD = libcommon.a $(CMOCKA_LIBS)
test_fault_questions_SOURCES = tests/unit/common/test-fault-questions.c
test_fault_questions_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_fault_questions_LDADD = libcommon.a $(CMOCKA_LIBS)
test_error_SOURCES = tests/unit/common/test-error.c
test_error_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_error_LDADD = libcommon.a $(CMOCKA_LIBS)
test_buffer_SOURCES = tests/unit/common/test-buffer.c
test_buffer_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_buffer_LDADD = libcommon.a $(CMOCKA_LIBS)
test_record_SOURCES = tests/unit/common/test-record.c
test_record_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_record_LDADD = libcommon.a $(CMOCKA_LIBS)
test_ipc_SOURCES = tests/unit/common/test-ipc.c
test_ipc_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_ipc_LDADD = libcommon.a $(CMOCKA_LIBS)
test_unit_SOURCES = tests/unit/common/test-unit.c
test_unit_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_unit_LDADD = libcommon.a $(CMOCKA_LIBS)
test_output_ring_SOURCES = tests/unit/common/test-output-ring.c
test_output_ring_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_output_ring_LDADD = libcommon.a $(CMOCKA_LIBS)
test_expression_SOURCES = tests/unit/common/test-expression.c
test_expression_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_expression_LDADD = libcommon.a $(CMOCKA_LIBS)
test_type_code_SOURCES = tests/unit/common/test-type-code.c
test_type_code_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_type_code_LDADD = libcommon.a $(CMOCKA_LIBS)

check_PROGRAMS += test-out-of-memory
TESTS += test-out-of-memory
test_out_of_memory_SOURCES = \
	tests/unit/common/test-out-of-memory.c \
	tests/unit/failing-malloc.c tests/unit/failing-malloc.h
test_out_of_memory_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_out_of_memory_LDFLAGS = -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc
test_out_of_memory_LDADD = libcommon.a $(CMOCKA_LIBS)

check_PROGRAMS += test-array
TESTS += test-array
test_array_SOURCES = tests/unit/common/test-array.c tests/unit/failing-malloc.c tests/unit/failing-malloc.h
test_array_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_array_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc
test_array_LDADD = libcommon.a $(CMOCKA_LIBS)
