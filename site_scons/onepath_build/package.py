"""The target `package`: the addon as the zip that a developer downloads, the same bytes for the same build."""

import tomllib
import zipfile
from pathlib import Path

from .failure import BuildStop
from .godot import SIZE_LIMIT_MB
from .godot_bundle import BIN, addon_files
from .godot_compile import PLATFORM
from .places import BUILD, ROOT
from .targets import Targets

#: The earliest date that a zip can hold.
_DATE = (1980, 1, 1, 0, 0, 0)
_UNIX = 3
_FILE, _LIBRARY = 0o100644, 0o100755


def register(targets: Targets) -> None:
    targets.add("package", "make the zip of the addon that is unpacked into a project, in build/", package, ["addon"])


def package() -> int:
    target = BUILD / f"onepath-{_version()}-{PLATFORM}.zip"
    size = write_package(target) / 1e6
    if size > SIZE_LIMIT_MB:
        raise BuildStop(f"The packed addon holds {size:.1f} MB, more than the {SIZE_LIMIT_MB} MB that it may take.")
    packed = target.stat().st_size / 1e6
    print(f"Built {target.relative_to(ROOT)} ({packed:.1f} MB, {size:.1f} MB unpacked)", flush=True)
    return 0


def write_package(target: Path, built: Path = BIN) -> int:
    """Write the zip; returns the number of bytes in it before compression.

    Order, dates and permissions are the same whoever builds it: by name, the earliest date, libraries executable.
    target: the file to write; its folder is made. built: the bin folder of this platform.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    total = 0
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for path, place in addon_files(built):
            entry = zipfile.ZipInfo(f"addons/onepath/{place}", _DATE)
            entry.create_system = _UNIX
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (_LIBRARY if ".so" in path.suffixes else _FILE) << 16
            content = path.read_bytes()
            archive.writestr(entry, content, compresslevel=9)
            total += len(content)
    return total


def _version() -> str:
    with (ROOT / "pyproject.toml").open("rb") as handle:
        return tomllib.load(handle)["project"]["version"]
