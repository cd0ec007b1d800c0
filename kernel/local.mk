# SPDX-License-Identifier: Apache-2.0
# The parts below the Jupyter protocol: event loop, supervisor, sandbox policy.
noinst_LIBRARIES += libsupervisor.a
libsupervisor_a_SOURCES = $(kernel_settings_sources) $(kernel_base_sources) $(kernel_sandbox_sources) $(kernel_share_sources) $(kernel_units_sources) \
	$(kernel_state_sources) $(kernel_faults_sources) $(kernel_views_sources) $(kernel_core_sources) $(kernel_workers_sources) $(kernel_device_sources) \
	$(kernel_disk_sources) $(kernel_cell_run_sources) $(kernel_supervisor_sources)
libsupervisor_a_CPPFLAGS = $(AM_CPPFLAGS) $(ZMQ_CFLAGS) $(SECCOMP_CFLAGS) $(ZSTD_CFLAGS) $(XXHASH_CFLAGS) $(UTF8PROC_CFLAGS) $(JANSSON_CFLAGS)
libsupervisor_a_CFLAGS = $(AM_CFLAGS) $(SANITIZE_CFLAGS)
SUPERVISOR_LIBS = libsupervisor.a libcommon.a $(ZMQ_LIBS) $(SECCOMP_LIBS) $(ZSTD_LIBS) $(UTF8PROC_LIBS)

supervisor_tests = test-loop test-hidden-paths test-dirty-pages test-kept-memory test-shadow-copy test-journal test-commit test-device-memory \
	test-device-nodes test-snapshot-job test-snapshot-view test-unit-table \
	test-fault-record test-pressure test-cpu-deadline test-share test-supervisor test-presenter test-hostile-worker test-demangle test-seccomp \
	test-supervisor-out-of-memory
if CUDA
supervisor_tests += test-checker test-eviction test-snapshots
endif
check_PROGRAMS += $(supervisor_tests) try-escapes
TESTS += $(supervisor_tests) try-escapes
test_loop_SOURCES = tests/unit/kernel/test-loop.c
test_loop_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_loop_LDADD = $(SUPERVISOR_LIBS) $(CMOCKA_LIBS)
test_hidden_paths_SOURCES = tests/unit/kernel/test-hidden-paths.c
test_hidden_paths_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_hidden_paths_LDADD = $(SUPERVISOR_LIBS) $(CMOCKA_LIBS)
test_dirty_pages_SOURCES = tests/unit/kernel/test-dirty-pages.c
test_dirty_pages_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_dirty_pages_LDADD = $(SUPERVISOR_LIBS) $(CMOCKA_LIBS)
test_demangle_SOURCES = tests/unit/kernel/test-demangle.c
test_demangle_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_demangle_LDADD = $(SUPERVISOR_LIBS) $(CMOCKA_LIBS)
test_journal_SOURCES = tests/unit/kernel/test-journal.c
test_journal_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_journal_LDADD = $(SUPERVISOR_LIBS) $(CMOCKA_LIBS)
test_kept_memory_SOURCES = tests/unit/kernel/test-kept-memory.c
test_kept_memory_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_kept_memory_LDADD = $(SUPERVISOR_LIBS) $(CMOCKA_LIBS)
test_shadow_copy_SOURCES = tests/unit/kernel/test-shadow-copy.c
test_shadow_copy_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_shadow_copy_LDADD = $(SUPERVISOR_LIBS) $(CMOCKA_LIBS)
test_commit_SOURCES = tests/unit/kernel/test-commit.c
test_commit_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_commit_LDADD = $(SUPERVISOR_LIBS) $(CMOCKA_LIBS)
test_seccomp_SOURCES = tests/unit/kernel/test-seccomp.c
test_seccomp_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_seccomp_LDADD = $(SUPERVISOR_LIBS) $(CMOCKA_LIBS)
check_PROGRAMS += test-nvidia-nodes
TESTS += test-nvidia-nodes
test_nvidia_nodes_SOURCES = tests/unit/kernel/test-nvidia-nodes.c
test_nvidia_nodes_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_nvidia_nodes_LDADD = $(SUPERVISOR_LIBS) $(CMOCKA_LIBS)
check_PROGRAMS += test-version-rules
TESTS += test-version-rules
test_version_rules_SOURCES = tests/unit/kernel/test-version-rules.c %reldir%/device/version-rules.c
test_version_rules_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_version_rules_LDADD = libcommon.a $(CMOCKA_LIBS)
test_cpu_deadline_SOURCES = tests/unit/kernel/test-cpu-deadline.c
test_cpu_deadline_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_cpu_deadline_LDADD = $(SUPERVISOR_LIBS) $(CMOCKA_LIBS)
test_share_SOURCES = tests/unit/kernel/test-share.c
test_share_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_share_LDADD = $(SUPERVISOR_LIBS) $(CMOCKA_LIBS)
test_pressure_SOURCES = tests/unit/kernel/test-pressure.c
test_pressure_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_pressure_LDADD = $(SUPERVISOR_LIBS) $(CMOCKA_LIBS)
test_unit_table_SOURCES = tests/unit/kernel/test-unit-table.c
test_unit_table_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_unit_table_LDADD = $(SUPERVISOR_LIBS) $(CMOCKA_LIBS)
test_snapshot_job_SOURCES = tests/unit/kernel/test-snapshot-job.c
test_snapshot_job_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_snapshot_job_LDADD = $(SUPERVISOR_LIBS) $(CMOCKA_LIBS) -lpthread
test_snapshot_view_SOURCES = tests/unit/kernel/test-snapshot-view.c
test_snapshot_view_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_snapshot_view_LDADD = $(SUPERVISOR_LIBS) $(CMOCKA_LIBS) -lpthread
test_fault_record_SOURCES = tests/unit/kernel/test-fault-record.c
test_fault_record_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_fault_record_LDADD = $(SUPERVISOR_LIBS) $(CMOCKA_LIBS)
test_device_nodes_SOURCES = tests/unit/kernel/test-device-nodes.c
test_device_nodes_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_device_nodes_LDADD = $(SUPERVISOR_LIBS) $(CMOCKA_LIBS)
test_device_memory_SOURCES = tests/unit/kernel/test-device-memory.c
test_device_memory_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_device_memory_LDADD = $(SUPERVISOR_LIBS) $(CMOCKA_LIBS)
test_supervisor_out_of_memory_SOURCES = tests/unit/kernel/test-supervisor-out-of-memory.c \
	tests/unit/failing-malloc.c tests/unit/failing-malloc.h
test_supervisor_out_of_memory_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_supervisor_out_of_memory_LDFLAGS = -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc
test_supervisor_out_of_memory_LDADD = $(SUPERVISOR_LIBS) $(CMOCKA_LIBS)
test_supervisor_SOURCES = tests/unit/kernel/test-supervisor.c tests/unit/kernel/supervisor-harness.c tests/unit/kernel/supervisor-harness.h
test_supervisor_CPPFLAGS = $(AM_CPPFLAGS) -DLIBEXEC='"$(TEST_LIBEXEC)"' \
	-DPRELUDE='"$(abs_top_builddir)/compiler/include"'
test_supervisor_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_supervisor_LDADD = $(SUPERVISOR_LIBS) $(CMOCKA_LIBS)
EXTRA_test_supervisor_DEPENDENCIES = $(test_worker_programs) $(build_prelude)
test_presenter_SOURCES = tests/unit/kernel/test-presenter.c tests/unit/kernel/supervisor-harness.c tests/unit/kernel/supervisor-harness.h
test_presenter_CPPFLAGS = $(test_supervisor_CPPFLAGS)
test_presenter_CFLAGS = $(test_supervisor_CFLAGS)
test_presenter_LDADD = $(test_supervisor_LDADD)
EXTRA_test_presenter_DEPENDENCIES = $(EXTRA_test_supervisor_DEPENDENCIES)
test_hostile_worker_SOURCES = tests/unit/kernel/test-hostile-worker.c tests/unit/kernel/supervisor-harness.c tests/unit/kernel/supervisor-harness.h
test_hostile_worker_CPPFLAGS = $(test_supervisor_CPPFLAGS)
test_hostile_worker_CFLAGS = $(test_supervisor_CFLAGS)
test_hostile_worker_LDADD = $(test_supervisor_LDADD)
EXTRA_test_hostile_worker_DEPENDENCIES = $(EXTRA_test_supervisor_DEPENDENCIES)

# The emulated driver under the name of the machine's own, without what tells it from a GPU's. It is for the worker that tests
# take, see runtime/local.mk.
if CUDA
if !SANITIZERS
noinst_PROGRAMS += tests/played-gpu/libcuda.so.1
played_gpu = tests/played-gpu/libcuda.so.1
tests_played_gpu_libcuda_so_1_SOURCES = tests/unit/kernel/played-gpu.c
tests_played_gpu_libcuda_so_1_CFLAGS = $(AM_CFLAGS) -fPIC
tests_played_gpu_libcuda_so_1_LDFLAGS = -shared -Wl,--no-as-needed -Wl,-rpath,'$$ORIGIN/../..' \
	-Wl,--defsym=cgpu_emulator_extension=0
tests_played_gpu_libcuda_so_1_LDADD = libcgpu-emulator.so
endif
endif

test_checker_SOURCES = tests/unit/kernel/test-checker.c tests/unit/kernel/supervisor-harness.c tests/unit/kernel/supervisor-harness.h
test_checker_CPPFLAGS = $(test_supervisor_CPPFLAGS) -DPLAYED_GPU='"$(TEST_LIBEXEC)/tests/played-gpu"'
test_checker_CFLAGS = $(test_supervisor_CFLAGS)
test_checker_LDADD = $(test_supervisor_LDADD)
EXTRA_test_checker_DEPENDENCIES = $(EXTRA_test_supervisor_DEPENDENCIES) $(played_gpu)

test_eviction_SOURCES = tests/unit/kernel/test-eviction.c tests/unit/kernel/supervisor-harness.c tests/unit/kernel/supervisor-harness.h
test_eviction_CPPFLAGS = $(test_supervisor_CPPFLAGS)
test_eviction_CFLAGS = $(test_supervisor_CFLAGS)
test_eviction_LDADD = $(test_supervisor_LDADD)
EXTRA_test_eviction_DEPENDENCIES = $(EXTRA_test_supervisor_DEPENDENCIES)
test_snapshots_SOURCES = tests/unit/kernel/test-snapshots.c tests/unit/kernel/supervisor-harness.c tests/unit/kernel/supervisor-harness.h
test_snapshots_CPPFLAGS = $(test_supervisor_CPPFLAGS)
test_snapshots_CFLAGS = $(test_supervisor_CFLAGS)
test_snapshots_LDADD = $(test_supervisor_LDADD)
EXTRA_test_snapshots_DEPENDENCIES = $(EXTRA_test_supervisor_DEPENDENCIES)

try_escapes_SOURCES = tests/sandbox/try-escapes.c tests/unit/kernel/supervisor-harness.c tests/unit/kernel/supervisor-harness.h
try_escapes_CPPFLAGS = $(test_supervisor_CPPFLAGS)
try_escapes_CFLAGS = $(test_supervisor_CFLAGS)
try_escapes_LDADD = $(test_supervisor_LDADD)
EXTRA_try_escapes_DEPENDENCIES = $(EXTRA_test_supervisor_DEPENDENCIES)
