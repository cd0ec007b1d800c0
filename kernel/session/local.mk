# SPDX-License-Identifier: Apache-2.0
# cgpu-kernel: protocol, session and magics in a library that unit tests link too, and the program.
noinst_LIBRARIES += libsession.a
libsession_a_SOURCES = \
	kernel/doctor.c kernel/doctor.h \
	kernel/install.c kernel/install.h \
	kernel/language.c kernel/language.def kernel/language.h \
	kernel/options.c kernel/options.def kernel/options.h \
	kernel/protocol/channels.c kernel/protocol/channels.def kernel/protocol/channels.h \
	kernel/protocol/connection-file.c kernel/protocol/connection-file.h \
	kernel/protocol/ports.c kernel/protocol/ports.h \
	kernel/protocol/publish.c kernel/protocol/publish.h \
	kernel/protocol/requests.def \
	kernel/protocol/signature.c kernel/protocol/signature.h \
	kernel/protocol/wire.c kernel/protocol/wire.h \
	%reldir%/abort-window.c %reldir%/abort-window.h \
	%reldir%/cell.c %reldir%/cell.h \
	%reldir%/character-format.c %reldir%/character-format.h \
	%reldir%/look.c %reldir%/look.h \
	%reldir%/profile-html.c %reldir%/profile-text.c %reldir%/profile-timeline.c \
	%reldir%/profile-table.c %reldir%/profile-table.h \
	%reldir%/profile-view.c %reldir%/profile-view.h \
	%reldir%/comm.c %reldir%/comm.h \
	%reldir%/control.c %reldir%/control.h \
	%reldir%/declaration-list.c %reldir%/declaration-list.h \
	%reldir%/declarations.c %reldir%/declarations.h \
	%reldir%/declarations-state.c \
	%reldir%/execute.c %reldir%/execute.h \
	%reldir%/cuda-groups.c %reldir%/cuda-groups.h \
	%reldir%/flags.c %reldir%/flags.h \
	%reldir%/gpu-card.c %reldir%/gpu-card.h \
	%reldir%/gpu-meter.c %reldir%/gpu-meter.h \
	%reldir%/history.c %reldir%/history.h \
	%reldir%/info.c %reldir%/info.h \
	%reldir%/input.c %reldir%/input.h \
	%reldir%/introspect.c %reldir%/introspect.h \
	%reldir%/output.c %reldir%/output.h \
	%reldir%/packages.c %reldir%/packages.h \
	%reldir%/request.c %reldir%/request.h \
	%reldir%/result.c %reldir%/result.h \
	%reldir%/session.c %reldir%/session.h \
	%reldir%/session-state.c %reldir%/session-state.h \
	%reldir%/setup.c %reldir%/setup.h \
	%reldir%/snapshot-diff.c %reldir%/snapshot-diff.h \
	%reldir%/stream.c %reldir%/stream.h \
	%reldir%/trace-table.c %reldir%/trace-table.h \
	%reldir%/trace-view.c %reldir%/trace-view.h \
	%reldir%/undo.c %reldir%/undo.h \
	%reldir%/usage.c %reldir%/usage.h \
	%reldir%/utf8.c %reldir%/utf8.h \
	%reldir%/value-format.c %reldir%/value-format.h \
	kernel/magics/magic.c kernel/magics/magic.h kernel/magics/magics.def \
	kernel/magics/magic-cd.c \
	kernel/magics/magic-cflags.c \
	kernel/magics/magic-cpp.c \
	kernel/magics/magic-cuda.c kernel/magics/magic-cuda.h \
	kernel/magics/magic-cuda-group.c \
	kernel/magics/magic-display.c \
	kernel/magics/magic-doctor.c \
	kernel/magics/magic-env.c \
	kernel/magics/magic-exit.c \
	kernel/magics/magic-gpu.c \
	kernel/magics/magic-help.c \
	kernel/magics/magic-inspect.c \
	kernel/magics/magic-limit.c \
	kernel/magics/magic-park.c \
	kernel/magics/magic-load-ext.c \
	kernel/magics/magic-pkg.c \
	kernel/magics/magic-mem.c \
	kernel/magics/magic-nosnapshot.c \
	kernel/magics/magic-on-restart.c \
	kernel/magics/magic-reset.c \
	kernel/magics/magic-run.c \
	kernel/magics/magic-memcheck.c \
	kernel/magics/magic-profile.c kernel/magics/magic-ptx.c kernel/magics/magic-regs.c kernel/magics/magic-sass.c \
	kernel/magics/magic-racecheck.c \
	kernel/magics/magic-shell.c \
	kernel/magics/magic-snapshot.c \
	kernel/magics/magic-time.c \
	kernel/magics/magic-trace.c \
	kernel/magics/magic-undo.c \
	kernel/magics/gpu-use.c kernel/magics/gpu-use.h \
	kernel/magics/magic-who.c \
	kernel/magics/magic-writefile.c
nodist_libsession_a_SOURCES = kernel/paths.h
BUILT_SOURCES += kernel/paths.h
CLEANFILES += kernel/paths.h
SESSION_CPPFLAGS = $(AM_CPPFLAGS) $(ZMQ_CFLAGS) $(CRYPTO_CFLAGS) $(JANSSON_CFLAGS) $(UUID_CFLAGS) \
	$(SQLITE_CFLAGS) $(UTF8PROC_CFLAGS) $(XXHASH_CFLAGS)
libsession_a_CPPFLAGS = $(SESSION_CPPFLAGS)
libsession_a_CFLAGS = $(AM_CFLAGS) $(SANITIZE_CFLAGS)
SESSION_LIBS = libsession.a $(SUPERVISOR_LIBS) $(CRYPTO_LIBS) $(JANSSON_LIBS) $(UUID_LIBS) $(SQLITE_LIBS) \
	$(UTF8PROC_LIBS) -lpthread -lm

# Where the installation will be; the program looks beside itself first.
kernel/paths.h: Makefile
	$(AM_V_GEN)$(MKDIR_P) $(@D) && { \
		echo '#define PATHS_PKGDATA "$(pkgdatadir)"'; \
		echo '#define PATHS_PKGLIBEXEC "$(pkglibexecdir)"'; \
		echo '#define PATHS_SYSCONF "$(sysconfdir)"'; \
		echo '#define PATHS_KERNEL "$(bindir)/cgpu-kernel"'; \
	} >$@.part && mv $@.part $@

bin_PROGRAMS += cgpu-kernel
cgpu_kernel_SOURCES = kernel/main.c
cgpu_kernel_CPPFLAGS = $(SESSION_CPPFLAGS)
cgpu_kernel_CFLAGS = $(AM_CFLAGS) $(SANITIZE_CFLAGS)
cgpu_kernel_LDADD = $(SESSION_LIBS)

# No library but the one that reads the connection file: it must be there at once.
pkglibexec_PROGRAMS += cgpu-listen
cgpu_listen_SOURCES = kernel/listen.c kernel/protocol/connection-file.c kernel/protocol/connection-file.h \
	kernel/protocol/ports.c kernel/protocol/ports.h
cgpu_listen_CPPFLAGS = $(SESSION_CPPFLAGS)
cgpu_listen_CFLAGS = $(AM_CFLAGS) $(SANITIZE_CFLAGS)
cgpu_listen_LDFLAGS = -Wl,--as-needed
cgpu_listen_LDADD = libcommon.a $(JANSSON_LIBS)

session_tests = \
	test-abort-window test-connection-file test-declarations test-history test-magic test-options test-ports test-profile-table test-trace-table test-gpu-meter \
	test-session-out-of-memory test-signature test-stream \
	test-utf8 test-value-format test-wire
check_PROGRAMS += $(session_tests)
TESTS += $(session_tests)
test_abort_window_SOURCES = tests/unit/test-abort-window.c
test_abort_window_CPPFLAGS = $(SESSION_CPPFLAGS)
test_abort_window_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_abort_window_LDADD = $(SESSION_LIBS) $(CMOCKA_LIBS)
test_connection_file_SOURCES = tests/unit/test-connection-file.c
test_connection_file_CPPFLAGS = $(SESSION_CPPFLAGS)
test_connection_file_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_connection_file_LDADD = $(SESSION_LIBS) $(CMOCKA_LIBS)
test_declarations_SOURCES = tests/unit/test-declarations.c
test_declarations_CPPFLAGS = $(SESSION_CPPFLAGS)
test_declarations_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_declarations_LDADD = $(SESSION_LIBS) $(CMOCKA_LIBS)
test_history_SOURCES = tests/unit/test-history.c
test_history_CPPFLAGS = $(SESSION_CPPFLAGS)
test_history_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_history_LDADD = $(SESSION_LIBS) $(CMOCKA_LIBS)
test_magic_SOURCES = tests/unit/test-magic.c
test_magic_CPPFLAGS = $(SESSION_CPPFLAGS)
test_magic_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_magic_LDADD = $(SESSION_LIBS) $(CMOCKA_LIBS)
test_options_SOURCES = tests/unit/test-options.c
test_options_CPPFLAGS = $(SESSION_CPPFLAGS)
test_options_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_options_LDADD = $(SESSION_LIBS) $(CMOCKA_LIBS)
test_ports_SOURCES = tests/unit/test-ports.c
test_ports_CPPFLAGS = $(SESSION_CPPFLAGS)
test_ports_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_ports_LDADD = $(SESSION_LIBS) $(CMOCKA_LIBS)
test_session_out_of_memory_SOURCES = tests/unit/test-session-out-of-memory.c \
	tests/unit/failing-malloc.c tests/unit/failing-malloc.h
test_session_out_of_memory_CPPFLAGS = $(SESSION_CPPFLAGS)
test_session_out_of_memory_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_session_out_of_memory_LDFLAGS = -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc
test_session_out_of_memory_LDADD = $(SESSION_LIBS) $(CMOCKA_LIBS)
test_signature_SOURCES = tests/unit/test-signature.c
test_signature_CPPFLAGS = $(SESSION_CPPFLAGS)
test_signature_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_signature_LDADD = $(SESSION_LIBS) $(CMOCKA_LIBS)
test_stream_SOURCES = tests/unit/test-stream.c
test_stream_CPPFLAGS = $(SESSION_CPPFLAGS)
test_stream_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_stream_LDADD = $(SESSION_LIBS) $(CMOCKA_LIBS)
test_utf8_SOURCES = tests/unit/test-utf8.c
test_utf8_CPPFLAGS = $(SESSION_CPPFLAGS)
test_utf8_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_utf8_LDADD = $(SESSION_LIBS) $(CMOCKA_LIBS)
test_profile_table_SOURCES = tests/unit/test-profile-table.c
test_profile_table_CPPFLAGS = $(SESSION_CPPFLAGS)
test_profile_table_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_profile_table_LDADD = $(SESSION_LIBS) $(CMOCKA_LIBS)
test_gpu_meter_SOURCES = tests/unit/test-gpu-meter.c
test_gpu_meter_CPPFLAGS = $(SESSION_CPPFLAGS)
test_gpu_meter_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_gpu_meter_LDADD = $(SESSION_LIBS) $(CMOCKA_LIBS)
test_trace_table_SOURCES = tests/unit/test-trace-table.c
test_trace_table_CPPFLAGS = $(SESSION_CPPFLAGS)
test_trace_table_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_trace_table_LDADD = $(SESSION_LIBS) $(CMOCKA_LIBS)
test_value_format_SOURCES = tests/unit/test-value-format.c
test_value_format_CPPFLAGS = $(SESSION_CPPFLAGS)
test_value_format_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_value_format_LDADD = $(SESSION_LIBS) $(CMOCKA_LIBS)
test_wire_SOURCES = tests/unit/test-wire.c
test_wire_CPPFLAGS = $(SESSION_CPPFLAGS)
test_wire_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_wire_LDADD = $(SESSION_LIBS) $(CMOCKA_LIBS)
EXTRA_DIST += tests/protocol
