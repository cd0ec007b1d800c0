# SPDX-License-Identifier: Apache-2.0
libcgpu_emulator_so_SOURCES += $(emulator_driver_graph_run_sources)

EMULATOR_TESTS += test-cu-graph test-cu-graph-condition
test_cu_graph_SOURCES = tests/unit/emulator/test-cu-graph.c tests/unit/emulator.h
test_cu_graph_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(CUDA_CPPFLAGS) $(SANITIZE_CFLAGS)
test_cu_graph_LDADD = $(CMOCKA_LIBS)
test_cu_graph_condition_SOURCES = tests/unit/emulator/test-cu-graph-condition.c tests/unit/emulator.h
test_cu_graph_condition_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(CUDA_CPPFLAGS) $(SANITIZE_CFLAGS)
test_cu_graph_condition_LDADD = $(CMOCKA_LIBS)
