"""Which C compiler builds the core, and the flags that keep its arithmetic the same everywhere."""

import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Sequence
from pathlib import Path

from .failure import BuildStop

# What a Python's own build or the caller's CFLAGS would add against our wishes: another optimisation level, relaxed
# arithmetic, instructions that not every machine has, debug information, link-time optimisation (slow, no gain here),
# this machine's library folders.
_UNWANTED = re.compile(
    r"-O(\d|s|z|g|fast)?$|-g(\d|gdb\d?|dwarf.*)?$|-f(no-)?(fast-math|unsafe-math-optimizations|associative-math|"
    r"reciprocal-math|finite-math-only|signed-zeros|rounding-math|lto)\b.*|-ffp-(contract|model)=.*|"
    r"-fexcess-precision=.*|-m(arch|tune|cpu|fma\d?|fpmath)\b.*|-Wl,-rpath.*"
)


def find_compiler(requested: str | None = None) -> str:
    """The command that compiles C, with its arguments if it has any ("ccache gcc").

    requested: the command asked for; None for the caller's CC if that is set, else the compiler that built this Python,
    else cc, gcc or clang, whichever is there. On Windows setuptools finds Microsoft's compiler by itself, named "msvc".
    Raises BuildStop when there is none, or when Python's headers are missing.
    """
    _require_headers()
    if uses_msvc():
        return "msvc"
    requested = requested or os.environ.get("CC")
    candidates = [requested] if requested else [sysconfig.get_config_var("CC") or "cc", "cc", "gcc", "clang"]
    for command in candidates:
        if shutil.which(shlex.split(command)[0]):
            return command
    raise BuildStop(
        f"No C compiler was found (looked for {', '.join(dict.fromkeys(c.split()[0] for c in candidates))}):"
        " install one (Debian and Ubuntu: apt install build-essential; macOS: xcode-select --install)"
        " and run scons again."
    )


def check_compiler(compiler: str) -> None:
    """Compile one small file.

    Raises BuildStop when that fails, with the first line of what the compiler said.
    """
    if compiler == "msvc":
        return
    with tempfile.TemporaryDirectory() as folder:
        source, result = Path(folder, "try.c"), Path(folder, "try.so")
        source.write_text("#include <Python.h>\nint answer(void) { return 42; }\n", encoding="utf-8")
        headers = sysconfig.get_path("include")
        command = [*shlex.split(compiler), "-fPIC", "-c", "-I", headers, str(source), "-o", str(result)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
            words = (done.stderr or done.stdout).strip().partition("\n")[0]
        except OSError as problem:
            words = str(problem)
        if not result.is_file():
            raise BuildStop(
                f"The C compiler '{compiler}' does not compile even an empty program ({words or 'it said nothing'}):"
                " install or repair it, or set CC to another one (such as CC=gcc), and run scons again."
            )


def uses_msvc() -> bool:
    return sysconfig.get_platform().startswith("win")


def describe(compiler: str) -> str:
    """The first line of what the compiler says of itself; it tells gcc from clang and one version from another."""
    if compiler == "msvc":
        return "msvc"
    answer = subprocess.run([*shlex.split(compiler), "--version"], capture_output=True, text=True, check=False)
    return (answer.stdout or answer.stderr).partition("\n")[0]


def compile_flags(compiler: str, optimize: int) -> list[str]:
    """The flags of every C compilation of the core, for this compiler and optimisation level (0 to 3)."""
    if compiler == "msvc":
        # /fp:precise neither contracts nor reorders; from Visual Studio 2022 on it is what forbids contraction too.
        return ["/O2" if optimize else "/Od", "/fp:precise", "/W0"]
    flags = [f"-O{optimize}", "-ffp-contract=off", "-fno-fast-math", "-fno-strict-aliasing", "-fvisibility=hidden"]
    # Python's usual build has the next two already, but a caller's CFLAGS would take them away.
    flags += ["-fwrapv", "-DNDEBUG", "-fno-plt", "-g0", "-w"]
    if "clang" not in describe(compiler).lower():
        flags.append("-fexcess-precision=standard")
    if re.fullmatch(r"i[3-6]86|x86", platform.machine()) or (sys.maxsize < 2**32 and "86" in platform.machine()):
        flags += ["-msse2", "-mfpmath=sse"]  # the x87 unit would compute with more than 53 bits
    return flags


def link_flags() -> list[str]:
    """The flags of every link: the symbols that only a debugger reads are left out."""
    if uses_msvc():
        return []
    return ["-Wl,-x"] if sys.platform == "darwin" else ["-Wl,-s"]


def without_unwanted(command: Sequence[str]) -> list[str]:
    """A compiler's or linker's command without the flags that would override ours; the program itself is kept."""
    return [*command[:1], *(part for part in command[1:] if not _UNWANTED.match(part))]


def _require_headers() -> None:
    if not Path(sysconfig.get_path("include"), "Python.h").exists():
        raise BuildStop(
            f"Python.h of Python {sys.version_info.major}.{sys.version_info.minor} is missing:"
            " install Python's development files (Debian and Ubuntu: apt install python3-dev) and run scons again."
        )
