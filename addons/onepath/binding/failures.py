"""How a Python exception is told to the person who runs the game or the editor."""

from __future__ import annotations


class FreedObjectError(ReferenceError):
    """The engine has freed the object that was about to be used."""


class Refused(ValueError):
    """A value that the user gave cannot be taken: shown as one error in the exception's words, without a traceback."""


def describe(where: str, error: BaseException) -> tuple[str, str, str, int]:
    """What the engine's error shows: text, function, file and line."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    code = trace.tb_frame.f_code if trace is not None else None
    function, file = (code.co_name, code.co_filename) if code else (where, "python")
    line = trace.tb_lineno if trace is not None else 0
    if isinstance(error, Refused):
        return f"{where}: {error}", function, file, line
    import traceback  # late: only a failure needs it

    story = "".join(traceback.format_exception(type(error), error, error.__traceback__)).rstrip()
    return f"{where}: {type(error).__name__}: {error}\n{story}", function, file, line
