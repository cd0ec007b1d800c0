# SPDX-License-Identifier: Apache-2.0
# What `pip install PREFIX/share/cgpu/papermill` takes: see docs/front-ends.md.
papermilldir = $(pkgdatadir)/papermill
dist_papermill_DATA = %reldir%/cgpu_papermill.py %reldir%/pyproject.toml %reldir%/README.md
