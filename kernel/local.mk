# SPDX-License-Identifier: Apache-2.0
# The parts below the Jupyter protocol: event loop, supervisor, sandbox policy.
noinst_LIBRARIES += libsupervisor.a
libsupervisor_a_SOURCES = \
	%reldir%/folders.c \
	%reldir%/folders.h \
	%reldir%/limits.c \
	%reldir%/limits.h \
	%reldir%/loop.c \
	%reldir%/loop.h \
	%reldir%/share/share-file.c %reldir%/share/share-file.h \
	%reldir%/share/share.c %reldir%/share/share.h \
	%reldir%/size-text.c \
	%reldir%/size-text.h \
	%reldir%/closer.c %reldir%/closer.h \
	%reldir%/thread.c \
	%reldir%/time-text.c \
	%reldir%/time-text.h \
	%reldir%/thread.h \
	%reldir%/supervisor/aside.c \
	%reldir%/supervisor/aside.h \
	%reldir%/supervisor/cap-watch.c %reldir%/supervisor/cap-watch.h \
	%reldir%/supervisor/device-choice.c %reldir%/supervisor/device-choice.h \
	%reldir%/supervisor/device-home.c %reldir%/supervisor/device-home.h \
	%reldir%/supervisor/closings.c %reldir%/supervisor/closings.h \
	%reldir%/supervisor/rest.c %reldir%/supervisor/rest.h \
	%reldir%/supervisor/scratch.c %reldir%/supervisor/scratch.h \
	%reldir%/supervisor/spare-context.c %reldir%/supervisor/spare-context.h \
	%reldir%/supervisor/cell-run.c \
	%reldir%/supervisor/cell-run.h \
	%reldir%/supervisor/checker.c \
	%reldir%/supervisor/checker.h \
	%reldir%/supervisor/commit-steps.def \
	%reldir%/supervisor/commit.c \
	%reldir%/supervisor/commit.h \
	%reldir%/supervisor/compiler-client.c \
	%reldir%/supervisor/compiler-client.h \
	%reldir%/supervisor/debug-value.c \
	%reldir%/supervisor/debug-value.h \
	%reldir%/supervisor/crew.c \
	%reldir%/supervisor/crew.h \
	%reldir%/supervisor/device-memory.c \
	%reldir%/supervisor/device-memory.h \
	%reldir%/supervisor/device-nodes.c \
	%reldir%/supervisor/device-nodes.h \
	%reldir%/supervisor/device-glance.c \
	%reldir%/supervisor/device-glance.h \
	%reldir%/supervisor/device-share.c \
	%reldir%/supervisor/device-share.h \
	%reldir%/supervisor/dirty-pages.c \
	%reldir%/supervisor/dirty-pages.h \
	%reldir%/supervisor/doctor-rows.c \
	%reldir%/supervisor/doctor-rows.h \
	%reldir%/supervisor/version-rules.c %reldir%/supervisor/version-rules.def %reldir%/supervisor/version-rules.h \
	%reldir%/supervisor/version-watch.c %reldir%/supervisor/version-watch.h \
	%reldir%/supervisor/fault-frames.c \
	%reldir%/supervisor/fault-frames.h \
	%reldir%/supervisor/fault-record.c \
	%reldir%/supervisor/fault-record.h \
	%reldir%/supervisor/fault-report.c \
	%reldir%/supervisor/fault-report.h \
	%reldir%/supervisor/fault-values.c \
	%reldir%/supervisor/fault-values.h \
	%reldir%/supervisor/interrupt.c \
	%reldir%/supervisor/interrupt.h \
	%reldir%/supervisor/journal.c \
	%reldir%/supervisor/journal.h \
	%reldir%/supervisor/kept-memory.c \
	%reldir%/supervisor/kept-memory.h \
	%reldir%/supervisor/lending.c \
	%reldir%/supervisor/lending.h \
	%reldir%/supervisor/libraries.c \
	%reldir%/supervisor/look.c \
	%reldir%/supervisor/libraries.h \
	%reldir%/supervisor/leak-watch.c \
	%reldir%/supervisor/leak-watch.h \
	%reldir%/supervisor/memory-report.c \
	%reldir%/supervisor/memory-report.h \
	%reldir%/supervisor/memory-use.c \
	%reldir%/supervisor/memory-use.h \
	%reldir%/supervisor/memcheck.c \
	%reldir%/supervisor/memcheck.h \
	%reldir%/supervisor/output-drain.c \
	%reldir%/supervisor/output-drain.h \
	%reldir%/supervisor/parking.c \
	%reldir%/supervisor/parking.h \
	%reldir%/supervisor/patience.c \
	%reldir%/supervisor/patience.h \
	%reldir%/supervisor/pressure.c \
	%reldir%/supervisor/pressure.h \
	%reldir%/supervisor/process.c \
	%reldir%/supervisor/process.h \
	%reldir%/supervisor/autosave.c \
	%reldir%/supervisor/autosave.h \
	%reldir%/supervisor/block-store.c \
	%reldir%/supervisor/block-store.h \
	%reldir%/supervisor/save-steps.def \
	%reldir%/supervisor/session-swap.c \
	%reldir%/supervisor/session-swap.h \
	%reldir%/supervisor/snapshot-file.c \
	%reldir%/supervisor/snapshot-file.h \
	%reldir%/supervisor/snapshot-job.c \
	%reldir%/supervisor/snapshot-job.h \
	%reldir%/supervisor/snapshot-libraries.c \
	%reldir%/supervisor/snapshot-libraries.h \
	%reldir%/supervisor/snapshots.c \
	%reldir%/supervisor/tracked-list.c \
	%reldir%/supervisor/tracked-list.h \
	%reldir%/supervisor/snapshots.h \
	%reldir%/supervisor/snapshot.c \
	%reldir%/supervisor/snapshot.h \
	%reldir%/supervisor/snapshot-view.c \
	%reldir%/supervisor/snapshot-view.h \
	%reldir%/supervisor/strays.c \
	%reldir%/supervisor/strays.h \
	%reldir%/supervisor/supervisor-state.h \
	%reldir%/supervisor/supervisor.c \
	%reldir%/supervisor/supervisor.h \
	%reldir%/supervisor/twin.c \
	%reldir%/supervisor/twin.h \
	%reldir%/supervisor/undo-log.c \
	%reldir%/supervisor/undo-log.h \
	%reldir%/supervisor/unit-debug.c \
	%reldir%/supervisor/unit-debug.h \
	%reldir%/supervisor/unit-table-tidy.c \
	%reldir%/supervisor/unit-table.c \
	%reldir%/supervisor/unit-table.h \
	%reldir%/supervisor/watchdog.c \
	%reldir%/supervisor/watchdog.h \
	%reldir%/supervisor/worker-pool.c \
	%reldir%/supervisor/worker-pool.h \
	%reldir%/supervisor/worker.c \
	%reldir%/supervisor/worker.h \
	%reldir%/supervisor/zygote-client.c \
	%reldir%/supervisor/zygote-client.h \
	%reldir%/sandbox/cgroup.c \
	%reldir%/sandbox/cgroup.h \
	%reldir%/sandbox/nvidia-nodes.c \
	%reldir%/sandbox/nvidia-nodes.h \
	%reldir%/sandbox/sandbox.c \
	%reldir%/sandbox/sandbox.h \
	%reldir%/sandbox/seccomp.c \
	%reldir%/sandbox/seccomp.h \
	%reldir%/sandbox/steps.def \
	%reldir%/sandbox/syscalls.def
libsupervisor_a_CPPFLAGS = $(AM_CPPFLAGS) $(ZMQ_CFLAGS) $(SECCOMP_CFLAGS) $(DW_CFLAGS) $(ZSTD_CFLAGS) $(XXHASH_CFLAGS)
libsupervisor_a_CFLAGS = $(AM_CFLAGS) $(SANITIZE_CFLAGS)
SUPERVISOR_LIBS = libsupervisor.a libcommon.a $(ZMQ_LIBS) $(SECCOMP_LIBS) $(DW_LIBS) $(ZSTD_LIBS)

supervisor_tests = test-loop test-dirty-pages test-kept-memory test-twin test-journal test-commit test-device-memory \
	test-device-nodes test-snapshot-job test-snapshot-view test-unit-table \
	test-fault-record test-pressure test-patience test-share test-supervisor test-demangle test-seccomp \
	test-supervisor-out-of-memory
if CUDA
supervisor_tests += test-checker test-parking test-snapshots
endif
check_PROGRAMS += $(supervisor_tests) try-escapes
TESTS += $(supervisor_tests) try-escapes
test_loop_SOURCES = tests/unit/test-loop.c
test_loop_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_loop_LDADD = $(SUPERVISOR_LIBS) $(CMOCKA_LIBS)
test_dirty_pages_SOURCES = tests/unit/test-dirty-pages.c
test_dirty_pages_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_dirty_pages_LDADD = $(SUPERVISOR_LIBS) $(CMOCKA_LIBS)
test_demangle_SOURCES = tests/unit/test-demangle.c
test_demangle_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_demangle_LDADD = $(SUPERVISOR_LIBS) $(CMOCKA_LIBS)
test_journal_SOURCES = tests/unit/test-journal.c
test_journal_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_journal_LDADD = $(SUPERVISOR_LIBS) $(CMOCKA_LIBS)
test_kept_memory_SOURCES = tests/unit/test-kept-memory.c
test_kept_memory_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_kept_memory_LDADD = $(SUPERVISOR_LIBS) $(CMOCKA_LIBS)
test_twin_SOURCES = tests/unit/test-twin.c
test_twin_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_twin_LDADD = $(SUPERVISOR_LIBS) $(CMOCKA_LIBS)
test_commit_SOURCES = tests/unit/test-commit.c
test_commit_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_commit_LDADD = $(SUPERVISOR_LIBS) $(CMOCKA_LIBS)
test_seccomp_SOURCES = tests/unit/test-seccomp.c
test_seccomp_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_seccomp_LDADD = $(SUPERVISOR_LIBS) $(CMOCKA_LIBS)
check_PROGRAMS += test-nvidia-nodes
TESTS += test-nvidia-nodes
test_nvidia_nodes_SOURCES = tests/unit/test-nvidia-nodes.c
test_nvidia_nodes_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_nvidia_nodes_LDADD = $(SUPERVISOR_LIBS) $(CMOCKA_LIBS)
check_PROGRAMS += test-version-rules
TESTS += test-version-rules
test_version_rules_SOURCES = tests/unit/test-version-rules.c %reldir%/supervisor/version-rules.c
test_version_rules_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_version_rules_LDADD = $(CMOCKA_LIBS)
test_patience_SOURCES = tests/unit/test-patience.c
test_patience_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_patience_LDADD = $(SUPERVISOR_LIBS) $(CMOCKA_LIBS)
test_share_SOURCES = tests/unit/test-share.c
test_share_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_share_LDADD = $(SUPERVISOR_LIBS) $(CMOCKA_LIBS)
test_pressure_SOURCES = tests/unit/test-pressure.c
test_pressure_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_pressure_LDADD = $(SUPERVISOR_LIBS) $(CMOCKA_LIBS)
test_unit_table_SOURCES = tests/unit/test-unit-table.c
test_unit_table_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_unit_table_LDADD = $(SUPERVISOR_LIBS) $(CMOCKA_LIBS)
test_snapshot_job_SOURCES = tests/unit/test-snapshot-job.c
test_snapshot_job_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_snapshot_job_LDADD = $(SUPERVISOR_LIBS) $(CMOCKA_LIBS) -lpthread
test_snapshot_view_SOURCES = tests/unit/test-snapshot-view.c
test_snapshot_view_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_snapshot_view_LDADD = $(SUPERVISOR_LIBS) $(CMOCKA_LIBS) -lpthread
test_fault_record_SOURCES = tests/unit/test-fault-record.c
test_fault_record_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_fault_record_LDADD = $(SUPERVISOR_LIBS) $(CMOCKA_LIBS)
test_device_nodes_SOURCES = tests/unit/test-device-nodes.c
test_device_nodes_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_device_nodes_LDADD = $(SUPERVISOR_LIBS) $(CMOCKA_LIBS)
test_device_memory_SOURCES = tests/unit/test-device-memory.c
test_device_memory_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_device_memory_LDADD = $(SUPERVISOR_LIBS) $(CMOCKA_LIBS)
test_supervisor_out_of_memory_SOURCES = tests/unit/test-supervisor-out-of-memory.c \
	tests/unit/failing-malloc.c tests/unit/failing-malloc.h
test_supervisor_out_of_memory_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_supervisor_out_of_memory_LDFLAGS = -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc
test_supervisor_out_of_memory_LDADD = $(SUPERVISOR_LIBS) $(CMOCKA_LIBS)
test_supervisor_SOURCES = tests/unit/test-supervisor.c tests/unit/supervisor-harness.c tests/unit/supervisor-harness.h
test_supervisor_CPPFLAGS = $(AM_CPPFLAGS) -DLIBEXEC='"$(TEST_LIBEXEC)"' \
	-DPRELUDE='"$(abs_top_builddir)/compiler/include"'
test_supervisor_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_supervisor_LDADD = $(SUPERVISOR_LIBS) $(CMOCKA_LIBS)
EXTRA_test_supervisor_DEPENDENCIES = $(test_worker_programs) $(build_prelude)

# The emulated driver under the name of the machine's own, without what tells it from a GPU's. It is for the worker that tests
# take, see runtime/local.mk.
if CUDA
if !SANITIZERS
noinst_PROGRAMS += tests/played-gpu/libcuda.so.1
played_gpu = tests/played-gpu/libcuda.so.1
tests_played_gpu_libcuda_so_1_SOURCES = tests/unit/played-gpu.c
tests_played_gpu_libcuda_so_1_CFLAGS = $(AM_CFLAGS) -fPIC
tests_played_gpu_libcuda_so_1_LDFLAGS = -shared -Wl,--no-as-needed -Wl,-rpath,'$$ORIGIN/../..' \
	-Wl,--defsym=cgpu_emulator_extension=0
tests_played_gpu_libcuda_so_1_LDADD = libcgpu-emulator.so
endif
endif

test_checker_SOURCES = tests/unit/test-checker.c tests/unit/supervisor-harness.c tests/unit/supervisor-harness.h
test_checker_CPPFLAGS = $(test_supervisor_CPPFLAGS) -DPLAYED_GPU='"$(TEST_LIBEXEC)/tests/played-gpu"'
test_checker_CFLAGS = $(test_supervisor_CFLAGS)
test_checker_LDADD = $(test_supervisor_LDADD)
EXTRA_test_checker_DEPENDENCIES = $(EXTRA_test_supervisor_DEPENDENCIES) $(played_gpu)

test_parking_SOURCES = tests/unit/test-parking.c tests/unit/supervisor-harness.c tests/unit/supervisor-harness.h
test_parking_CPPFLAGS = $(test_supervisor_CPPFLAGS)
test_parking_CFLAGS = $(test_supervisor_CFLAGS)
test_parking_LDADD = $(test_supervisor_LDADD)
EXTRA_test_parking_DEPENDENCIES = $(EXTRA_test_supervisor_DEPENDENCIES)
test_snapshots_SOURCES = tests/unit/test-snapshots.c tests/unit/supervisor-harness.c tests/unit/supervisor-harness.h
test_snapshots_CPPFLAGS = $(test_supervisor_CPPFLAGS)
test_snapshots_CFLAGS = $(test_supervisor_CFLAGS)
test_snapshots_LDADD = $(test_supervisor_LDADD)
EXTRA_test_snapshots_DEPENDENCIES = $(EXTRA_test_supervisor_DEPENDENCIES)

try_escapes_SOURCES = tests/sandbox/try-escapes.c tests/unit/supervisor-harness.c tests/unit/supervisor-harness.h
try_escapes_CPPFLAGS = $(test_supervisor_CPPFLAGS)
try_escapes_CFLAGS = $(test_supervisor_CFLAGS)
try_escapes_LDADD = $(test_supervisor_LDADD)
EXTRA_try_escapes_DEPENDENCIES = $(EXTRA_test_supervisor_DEPENDENCIES)
