"""Which parts of a growing column are in use."""

from bisect import insort


class RangeAllocator:
    """Hands out ranges of a growing column: first fit among the freed ones, else at the end."""

    def __init__(self):
        self.end = 0
        self._free: list[tuple[int, int]] = []

    def take(self, length: int) -> int:
        """Return the start of a range of ``length`` elements."""
        for position, (start, free) in enumerate(self._free):
            if free >= length:
                del self._free[position]
                if free > length:
                    insort(self._free, (start + length, free - length))
                return start
        start = self.end
        self.end += length
        return start

    def give_back(self, start: int, length: int) -> None:
        """Free a range and join it with free neighbours."""
        if length == 0:
            return
        insort(self._free, (start, length))
        joined: list[tuple[int, int]] = []
        for piece in self._free:
            if joined and joined[-1][0] + joined[-1][1] == piece[0]:
                joined[-1] = (joined[-1][0], joined[-1][1] + piece[1])
            else:
                joined.append(piece)
        if joined and sum(joined[-1]) == self.end:
            self.end = joined.pop()[0]
        self._free = joined
