"""The part of Python's standard library that an embedded program uses, found by following its imports."""

from __future__ import annotations

import importlib.util
import struct
import subprocess
import sys
import sysconfig
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass
from modulefinder import ModuleFinder
from pathlib import Path

# Imported by the interpreter itself or by name at run time, so no import statement shows them.
ALWAYS = (
    *("encodings", "encodings.aliases", "encodings.utf_8", "encodings.latin_1", "encodings.ascii", "codecs", "io"),
    *("os", "posixpath", "stat", "abc", "importlib", "importlib.machinery", "importlib.util", "warnings"),
    *("linecache", "traceback", "tokenize", "threading", "atexit", "weakref", "types", "enum", "functools"),
    *("collections.abc", "keyword", "operator", "reprlib", "contextlib", "copyreg", "signal", "queue"),
    *("struct", "math", "array", "time"),
)
# Reached only through optional imports of modules that are used for something else.
LEFT_OUT = (
    *("tkinter", "unittest", "pydoc", "doctest", "pdb", "distutils", "lib2to3", "idlelib", "ensurepip", "turtledemo"),
    *("multiprocessing", "asyncio", "ssl", "http", "email", "urllib", "xml", "ctypes", "curses", "sqlite3", "socket"),
    *("lzma", "bz2", "zlib", "tarfile", "zipfile", "shutil", "subprocess", "tempfile", "pickle", "decimal", "numpy"),
    *("unicodedata", "csv", "importlib.metadata", "importlib.resources", "zoneinfo"),
    *("cython", "Cython", "hashlib", "logging", "argparse", "gettext", "locale", "getopt", "optparse", "site", "test"),
)
# Compiles the files named in the arguments, each followed by the name that its code shall show. Run in a process of its
# own, as the bytes depend on which strings happen to be known to the process by then.
_COMPILE = """
import marshal, sys
for path, shown in zip(sys.argv[1::2], sys.argv[2::2]):
    with open(path, "rb") as file:
        code = marshal.dumps(compile(file.read(), shown, "exec", dont_inherit=True, optimize=2))
    sys.stdout.buffer.write(len(code).to_bytes(4, "little") + code)
"""


@dataclass(frozen=True)
class Library:
    """Modules to ship: compiled Python for the zip by archive name, and C modules as files."""

    archive: dict[str, bytes]
    native: list[Path]


def used_library(roots: Iterable[str], folders: Iterable[Path]) -> Library:
    """Follow the imports of the modules named `roots`, which lie in `folders`, through the standard library."""
    standard = Path(sysconfig.get_path("stdlib"))
    dynamic = standard / "lib-dynload"
    own = [str(folder) for folder in folders]
    finder = ModuleFinder([*own, str(standard), str(dynamic)], excludes=list(LEFT_OUT))
    for name in (*ALWAYS, *roots):
        finder.import_hook(name, fromlist=["*"] if "." not in name and name in roots else None)
    sources: dict[str, tuple[Path, str]] = {}
    native: list[Path] = []
    for name, module in sorted(finder.modules.items()):
        file = getattr(module, "__file__", None)
        if file is None or not Path(file).is_relative_to(standard):
            continue
        if file.endswith(".py"):
            ending = "/__init__.pyc" if getattr(module, "__path__", None) else ".pyc"
            sources[name.replace(".", "/") + ending] = (Path(file), f"{name}.py")
        else:
            native.append(Path(file))
    return Library(dict(zip(sources, compiled(sources.values()), strict=True)), native)


def compiled(sources: Iterable[tuple[Path, str]]) -> list[bytes]:
    """Modules, each given by its file and the name that its code shall show, as .pyc that are never checked.

    The bytes are the same for the same sources and Python, whatever this process has loaded.
    """
    names = [str(part) for source in sources for part in source]
    command = [sys.executable, "-I", "-S", "-B", "-c", _COMPILE, *names]
    written = subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout
    # The flag word 1 says "by hash, unchecked": no clock and no folder of this machine gets into the file.
    header = importlib.util.MAGIC_NUMBER + struct.pack("<I", 1) + importlib.util.source_hash(b"")
    found: list[bytes] = []
    place = 0
    while place < len(written):
        size = int.from_bytes(written[place : place + 4], "little")
        found.append(header + written[place + 4 : place + 4 + size])
        place += 4 + size
    return found


def write_archive(path: Path, members: dict[str, bytes]) -> None:
    """A zip without compression (no zlib is needed to read it) that is the same for the same members."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        for name, data in sorted(members.items()):
            archive.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), data)


def without_search_path(library: bytes) -> bytes:
    """A shared library with its recorded library folders (of the machine that built Python) taken out."""
    data = bytearray(library)
    if data[:6] != b"\x7fELF\x02\x01":
        return library
    sections = struct.unpack_from("<Q", data, 40)[0]
    size, count = struct.unpack_from("<HH", data, 58)
    headers = [struct.unpack_from("<IIQQQQIIQQ", data, sections + size * index) for index in range(count)]
    for header in headers:
        if header[1] != 6:  # SHT_DYNAMIC
            continue
        strings = headers[header[6]][4]
        for place in range(header[4], header[4] + header[5], 16):
            tag, value = struct.unpack_from("<qQ", data, place)
            if tag in (15, 29):  # DT_RPATH, DT_RUNPATH
                end = data.index(0, strings + value)
                data[strings + value : end] = bytes(end - strings - value)
    return bytes(data)
