# SPDX-License-Identifier: Apache-2.0
# The prebuilt extension of JupyterLab that `cgpu-kernel --install` takes.
labextensiondir = $(pkgdatadir)/labextension
dist_labextension_DATA = %reldir%/install.json
nodist_labextension_DATA = %reldir%/package.json
labextension_staticdir = $(labextensiondir)/static
dist_labextension_static_DATA = %reldir%/static/cgpu.js
EXTRA_DIST += %reldir%/README.md %reldir%/package.json.in
CLEANFILES += %reldir%/package.json

%reldir%/package.json: $(srcdir)/%reldir%/package.json.in Makefile
	$(AM_V_GEN)$(MKDIR_P) $(@D) && sed -e 's|@version[@]|$(PACKAGE_VERSION)|' \
		$(srcdir)/labextension/package.json.in >$@.part && mv $@.part $@
