# SPDX-License-Identifier: Apache-2.0
# The folder that `jupyter kernelspec install` and `cgpu-kernel --install` take. The PNG files are the SVG at 32 and 64 pixels.
kernelspecdir = $(pkgdatadir)/kernelspec
dist_kernelspec_DATA = %reldir%/logo-32x32.png %reldir%/logo-64x64.png %reldir%/logo-svg.svg
nodist_kernelspec_DATA = %reldir%/kernel.json
EXTRA_DIST += %reldir%/kernel.json.in
CLEANFILES += %reldir%/kernel.json

%reldir%/kernel.json: $(srcdir)/%reldir%/kernel.json.in Makefile
	$(AM_V_GEN)$(MKDIR_P) $(@D) && sed 's|@bindir[@]|$(bindir)|' $(srcdir)/kernelspec/kernel.json.in >$@.part && mv $@.part $@
