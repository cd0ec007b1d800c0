# SPDX-License-Identifier: Apache-2.0
"""An array without a size, in place of one that an earlier cell has."""


def test_an_array_takes_the_size_of_its_own_values(fresh_kernel):
    session = fresh_kernel
    session.run("%%cpp\nint a[5] = { 1, 2, 3, 4, 5 };").ok()
    session.run("%%cpp\nint a[] = { 7, 8 };").ok()
    assert session.run("%%cpp\nsizeof(a) / sizeof(*a)").ok().text == "2"
    session.run("%%cpp\nint a[] = { 1, 2, 3, 4 };").ok()
    assert session.run("a").ok().text == "{1, 2, 3, 4}"
