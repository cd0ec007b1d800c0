# SPDX-License-Identifier: Apache-2.0
# The parts below the Jupyter protocol: event loop, supervisor, sandbox policy.
noinst_LIBRARIES += libsupervisor.a
libsupervisor_a_SOURCES = \
	%reldir%/loop.c %reldir%/loop.h \
	%reldir%/supervisor/commit.c %reldir%/supervisor/commit.h %reldir%/supervisor/commit-steps.def \
	%reldir%/supervisor/dirty-pages.c %reldir%/supervisor/dirty-pages.h \
	%reldir%/supervisor/journal.c %reldir%/supervisor/journal.h \
	%reldir%/supervisor/snapshot.c %reldir%/supervisor/snapshot.h \
	%reldir%/supervisor/supervisor.h
libsupervisor_a_CPPFLAGS = $(AM_CPPFLAGS) $(ZMQ_CFLAGS) $(SECCOMP_CFLAGS)
libsupervisor_a_CFLAGS = $(AM_CFLAGS) $(SANITIZE_CFLAGS)
SUPERVISOR_LIBS = libsupervisor.a libcommon.a $(ZMQ_LIBS) $(SECCOMP_LIBS)

supervisor_tests = test-loop test-dirty-pages test-journal test-commit
check_PROGRAMS += $(supervisor_tests)
TESTS += $(supervisor_tests)
test_loop_SOURCES = tests/unit/test-loop.c
test_loop_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_loop_LDADD = $(SUPERVISOR_LIBS) $(CMOCKA_LIBS)
test_dirty_pages_SOURCES = tests/unit/test-dirty-pages.c
test_dirty_pages_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_dirty_pages_LDADD = $(SUPERVISOR_LIBS) $(CMOCKA_LIBS)
test_journal_SOURCES = tests/unit/test-journal.c
test_journal_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_journal_LDADD = $(SUPERVISOR_LIBS) $(CMOCKA_LIBS)
test_commit_SOURCES = tests/unit/test-commit.c
test_commit_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_commit_LDADD = $(SUPERVISOR_LIBS) $(CMOCKA_LIBS)
