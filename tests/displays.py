# SPDX-License-Identifier: Apache-2.0
"""Displays of cells, as another program reads them."""
import struct
import zlib


def one(result):
    """The one display of a cell that says nothing else."""
    assert len(result.ok().displays) == 1 and not result.stderr and not result.stdout, result.shown
    return result.displays[0]


def complaint(result):
    """What a cell that shows nothing is told."""
    assert not result.ok().displays, result.displays
    return result.stderr


def png_chunks(data):
    """[(type, content)] of a file in PNG."""
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    chunks, at = [], 8
    while at < len(data):
        n, kind = struct.unpack(">I4s", data[at:at + 8])
        chunks.append((kind, data[at + 8:at + 8 + n]))
        assert zlib.crc32(data[at + 4:at + 8 + n]) == struct.unpack(">I", data[at + 8 + n:at + 12 + n])[0]
        at += 12 + n
    return chunks


def png_rows(packed, height):
    """Rows of pixels."""
    raw = zlib.decompress(packed)
    row = len(raw) // height
    rows, above = [], bytes(row - 1)
    for y in range(height):
        assert raw[y * row] == 2  # the filter "up"
        above = bytes((a + b) % 256 for a, b in zip(raw[y * row + 1:(y + 1) * row], above))
        rows.append(above)
    return rows
