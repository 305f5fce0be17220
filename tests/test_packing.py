"""Hashing of bytes, against published values and against the definition."""

import random
from array import array

import pytest

from onepath.packing import fnv1a_64


def by_definition(content):
    value = 0xCBF29CE484222325
    for byte in content:
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return value


def test_known_values_of_fnv1a_64():
    assert fnv1a_64(b"") == 0xCBF29CE484222325
    assert fnv1a_64(b"a") == 0xAF63DC4C8601EC8C
    assert fnv1a_64(b"foobar") == 0x85944171F73967E8


def test_every_bytes_like_object_hashes_as_its_bytes():
    content = random.Random(1).randbytes(1000)
    expected = by_definition(content)
    for form in (content, bytearray(content), memoryview(content), array("B", content), memoryview(content * 2)[1000:]):
        assert fnv1a_64(form) == expected
    assert fnv1a_64(array("d", [1.5])) == by_definition(array("d", [1.5]).tobytes())


def test_text_is_not_bytes():
    with pytest.raises(TypeError):
        fnv1a_64("text")
