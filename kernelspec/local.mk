# SPDX-License-Identifier: Apache-2.0
# The folders that `jupyter kernelspec install` and `cgpu-kernel --install` take, one for each row of kernel/settings/language.def; their
# names are the kernels'. The PNG files are the SVG at 32 and 64 pixels.
kernelspecdir = $(pkgdatadir)/kernels/cgpu
dist_kernelspec_DATA = %reldir%/cgpu/logo-32x32.png %reldir%/cgpu/logo-64x64.png %reldir%/cgpu/logo-svg.svg
nodist_kernelspec_DATA = %reldir%/cgpu/kernel.json
kernelspec_cppdir = $(pkgdatadir)/kernels/cgpu-cpp
dist_kernelspec_cpp_DATA = %reldir%/cgpu-cpp/logo-32x32.png %reldir%/cgpu-cpp/logo-64x64.png %reldir%/cgpu-cpp/logo-svg.svg
nodist_kernelspec_cpp_DATA = %reldir%/cgpu-cpp/kernel.json
EXTRA_DIST += %reldir%/kernel.json.in
CLEANFILES += %reldir%/cgpu/kernel.json %reldir%/cgpu-cpp/kernel.json

fill_kernelspec = $(AM_V_GEN)$(MKDIR_P) $(@D) && sed -e 's|@bindir[@]|$(bindir)|'

%reldir%/cgpu/kernel.json: $(srcdir)/%reldir%/kernel.json.in Makefile
	$(fill_kernelspec) -e 's|@title[@]|C GPU (safe)|; s|@language[@]|c|; s|@arguments[@]||' \
		$(srcdir)/kernelspec/kernel.json.in >$@.part && mv $@.part $@

%reldir%/cgpu-cpp/kernel.json: $(srcdir)/%reldir%/kernel.json.in Makefile
	$(fill_kernelspec) -e 's|@title[@]|C++ GPU (safe)|; s|@language[@]|c++|; s|@arguments[@]|, "--language", "cpp"|' \
		$(srcdir)/kernelspec/kernel.json.in >$@.part && mv $@.part $@
