# SPDX-License-Identifier: Apache-2.0
# cgpu-kernel: protocol, session and magics in a library that unit tests link too, and the program.
noinst_LIBRARIES += libsession.a
libsession_a_SOURCES = $(kernel_protocol_sources) $(kernel_show_sources) $(kernel_comms_sources) $(kernel_declarations_sources) $(kernel_session_sources) \
	$(kernel_reports_sources) $(kernel_debugger_sources) $(kernel_device_magics_sources) $(kernel_machine_magics_sources) $(kernel_magics_sources) $(kernel_requests_sources) \
	kernel/install.c kernel/install.h
nodist_libsession_a_SOURCES = kernel/settings/paths.h
BUILT_SOURCES += kernel/settings/paths.h
CLEANFILES += kernel/settings/paths.h
SESSION_CPPFLAGS = $(AM_CPPFLAGS) $(ZMQ_CFLAGS) $(CRYPTO_CFLAGS) $(JANSSON_CFLAGS) $(UUID_CFLAGS) \
	$(UTF8PROC_CFLAGS) $(XXHASH_CFLAGS)
libsession_a_CPPFLAGS = $(SESSION_CPPFLAGS)
libsession_a_CFLAGS = $(AM_CFLAGS) $(SANITIZE_CFLAGS)
SESSION_LIBS = libsession.a $(SUPERVISOR_LIBS) $(CRYPTO_LIBS) $(JANSSON_LIBS) $(UUID_LIBS) -lpthread -lm

# Where the installation will be; the program looks beside itself first.
kernel/settings/paths.h: Makefile
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

# The only program that is linked with SQLite.
pkglibexec_PROGRAMS += cgpu-history
cgpu_history_SOURCES = $(kernel_history_sources) kernel/settings/folders.c kernel/settings/folders.h
cgpu_history_CPPFLAGS = $(AM_CPPFLAGS) $(SQLITE_CFLAGS)
cgpu_history_CFLAGS = $(AM_CFLAGS) $(SANITIZE_CFLAGS)
cgpu_history_LDFLAGS = -Wl,--as-needed
cgpu_history_LDADD = libcommon.a $(SQLITE_LIBS)

pkglibexec_PROGRAMS += cgpu-launcher
cgpu_launcher_SOURCES = $(kernel_launcher_sources)
cgpu_launcher_CFLAGS = $(AM_CFLAGS) $(SANITIZE_CFLAGS)
cgpu_launcher_LDADD = libcommon.a

# The only program that is linked with libdw.
pkglibexec_PROGRAMS += cgpu-presenter
cgpu_presenter_SOURCES = $(kernel_presenter_sources)
cgpu_presenter_CPPFLAGS = $(AM_CPPFLAGS) $(DW_CFLAGS) $(JANSSON_CFLAGS)
cgpu_presenter_CFLAGS = $(AM_CFLAGS) $(SANITIZE_CFLAGS)
cgpu_presenter_LDFLAGS = -Wl,--as-needed
cgpu_presenter_LDADD = libsupervisor.a libcommon.a $(DW_LIBS) $(ZSTD_LIBS) $(JANSSON_LIBS) $(UTF8PROC_LIBS) -lm

session_tests = \
	test-abort-window test-comms test-connection-file test-container-walk test-debugger test-declarations test-flood-files test-history test-history-file test-magic test-markdown-html test-options test-ports test-profile-table test-replay test-text-table test-trace-table test-gpu-meter \
	test-session-out-of-memory test-signature test-stream test-subshells \
	test-utf8 test-value-format test-value-parts test-wire
check_PROGRAMS += $(session_tests)
TESTS += $(session_tests)
test_replay_SOURCES = tests/unit/kernel/test-replay.c
test_replay_CPPFLAGS = $(SESSION_CPPFLAGS)
test_replay_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_replay_LDADD = $(SESSION_LIBS) $(CMOCKA_LIBS)
test_abort_window_SOURCES = tests/unit/kernel/test-abort-window.c
test_abort_window_CPPFLAGS = $(SESSION_CPPFLAGS)
test_abort_window_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_abort_window_LDADD = $(SESSION_LIBS) $(CMOCKA_LIBS)
test_comms_SOURCES = tests/unit/kernel/test-comms.c
test_comms_CPPFLAGS = $(SESSION_CPPFLAGS)
test_comms_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_comms_LDADD = $(SESSION_LIBS) $(CMOCKA_LIBS)
test_connection_file_SOURCES = tests/unit/kernel/test-connection-file.c
test_connection_file_CPPFLAGS = $(SESSION_CPPFLAGS)
test_connection_file_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_connection_file_LDADD = $(SESSION_LIBS) $(CMOCKA_LIBS)
test_declarations_SOURCES = tests/unit/kernel/test-declarations.c
test_declarations_CPPFLAGS = $(SESSION_CPPFLAGS)
test_declarations_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_declarations_LDADD = $(SESSION_LIBS) $(CMOCKA_LIBS)
test_flood_files_SOURCES = tests/unit/kernel/test-flood-files.c
test_flood_files_CPPFLAGS = $(SESSION_CPPFLAGS)
test_flood_files_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_flood_files_LDADD = $(SESSION_LIBS) $(CMOCKA_LIBS)
test_history_SOURCES = tests/unit/kernel/test-history.c
test_history_CPPFLAGS = $(SESSION_CPPFLAGS) -DLIBEXEC='"$(abs_top_builddir)"'
test_history_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_history_LDADD = $(SESSION_LIBS) $(CMOCKA_LIBS) $(SQLITE_LIBS)
EXTRA_test_history_DEPENDENCIES = cgpu-history$(EXEEXT)
test_history_file_SOURCES = tests/unit/kernel/test-history-file.c kernel/history/history-file.c kernel/history/history-file.h
test_history_file_CPPFLAGS = $(AM_CPPFLAGS) $(SQLITE_CFLAGS)
test_history_file_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_history_file_LDADD = libsupervisor.a libcommon.a $(SQLITE_LIBS) $(CMOCKA_LIBS)
test_magic_SOURCES = tests/unit/kernel/test-magic.c
test_magic_CPPFLAGS = $(SESSION_CPPFLAGS)
test_magic_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_magic_LDADD = $(SESSION_LIBS) $(CMOCKA_LIBS)
test_options_SOURCES = tests/unit/kernel/test-options.c
test_options_CPPFLAGS = $(SESSION_CPPFLAGS)
test_options_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_options_LDADD = $(SESSION_LIBS) $(CMOCKA_LIBS)
test_ports_SOURCES = tests/unit/kernel/test-ports.c
test_ports_CPPFLAGS = $(SESSION_CPPFLAGS)
test_ports_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_ports_LDADD = $(SESSION_LIBS) $(CMOCKA_LIBS)
test_session_out_of_memory_SOURCES = tests/unit/kernel/test-session-out-of-memory.c \
	tests/unit/failing-malloc.c tests/unit/failing-malloc.h
test_session_out_of_memory_CPPFLAGS = $(SESSION_CPPFLAGS)
test_session_out_of_memory_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_session_out_of_memory_LDFLAGS = -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc
test_session_out_of_memory_LDADD = $(SESSION_LIBS) $(CMOCKA_LIBS)
test_signature_SOURCES = tests/unit/kernel/test-signature.c
test_signature_CPPFLAGS = $(SESSION_CPPFLAGS)
test_signature_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_signature_LDADD = $(SESSION_LIBS) $(CMOCKA_LIBS)
test_stream_SOURCES = tests/unit/kernel/test-stream.c
test_stream_CPPFLAGS = $(SESSION_CPPFLAGS)
test_stream_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_stream_LDADD = $(SESSION_LIBS) $(CMOCKA_LIBS)
test_subshells_SOURCES = tests/unit/kernel/test-subshells.c
test_subshells_CPPFLAGS = $(SESSION_CPPFLAGS)
test_subshells_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_subshells_LDADD = $(SESSION_LIBS) $(CMOCKA_LIBS)
test_utf8_SOURCES = tests/unit/kernel/test-utf8.c
test_utf8_CPPFLAGS = $(SESSION_CPPFLAGS)
test_utf8_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_utf8_LDADD = $(SESSION_LIBS) $(CMOCKA_LIBS)
test_profile_table_SOURCES = tests/unit/kernel/test-profile-table.c
test_profile_table_CPPFLAGS = $(SESSION_CPPFLAGS)
test_profile_table_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_profile_table_LDADD = $(SESSION_LIBS) $(CMOCKA_LIBS)
test_gpu_meter_SOURCES = tests/unit/kernel/test-gpu-meter.c
test_gpu_meter_CPPFLAGS = $(SESSION_CPPFLAGS)
test_gpu_meter_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_gpu_meter_LDADD = $(SESSION_LIBS) $(CMOCKA_LIBS)
test_markdown_html_SOURCES = tests/unit/kernel/test-markdown-html.c
test_markdown_html_CPPFLAGS = $(SESSION_CPPFLAGS)
test_markdown_html_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_markdown_html_LDADD = $(SESSION_LIBS) $(CMOCKA_LIBS)
test_text_table_SOURCES = tests/unit/kernel/test-text-table.c
test_text_table_CPPFLAGS = $(SESSION_CPPFLAGS)
test_text_table_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_text_table_LDADD = $(SESSION_LIBS) $(CMOCKA_LIBS)
test_trace_table_SOURCES = tests/unit/kernel/test-trace-table.c
test_trace_table_CPPFLAGS = $(SESSION_CPPFLAGS)
test_trace_table_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_trace_table_LDADD = $(SESSION_LIBS) $(CMOCKA_LIBS)
test_value_format_SOURCES = tests/unit/kernel/test-value-format.c
test_value_format_CPPFLAGS = $(SESSION_CPPFLAGS)
test_value_format_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_value_format_LDADD = $(SESSION_LIBS) $(CMOCKA_LIBS)
test_debugger_SOURCES = tests/unit/kernel/test-debugger.c
test_debugger_CPPFLAGS = $(SESSION_CPPFLAGS)
test_debugger_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_debugger_LDADD = $(SESSION_LIBS) $(CMOCKA_LIBS)
test_value_parts_SOURCES = tests/unit/kernel/test-value-parts.c
test_value_parts_CPPFLAGS = $(SESSION_CPPFLAGS)
test_value_parts_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_value_parts_LDADD = $(SESSION_LIBS) $(CMOCKA_LIBS)

test_container_walk_SOURCES = tests/unit/kernel/test-container-walk.c
test_container_walk_CPPFLAGS = $(SESSION_CPPFLAGS)
test_container_walk_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_container_walk_LDADD = $(SESSION_LIBS) $(CMOCKA_LIBS)
test_wire_SOURCES = tests/unit/kernel/test-wire.c
test_wire_CPPFLAGS = $(SESSION_CPPFLAGS)
test_wire_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS)
test_wire_LDADD = $(SESSION_LIBS) $(CMOCKA_LIBS)
EXTRA_DIST += tests/protocol
