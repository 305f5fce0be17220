"""Saving, hashing and restoring a crowd, alone or together with its mesh."""

import cython

from onepath.buffers import zeros
from onepath.crowds.members import CrowdMembers
from onepath.crowds.reading import (
    check_header, check_state, load_header, load_slots, read_ids, slot_count_of,
)
from onepath.crowds.writing import (
    KIND_MESH_AND_CROWD, MAGIC, VERSION, fitted, hash_state, longest_slot, state_size, write_state,
)
from onepath.errors import CrowdStateError
from onepath.navmesh.store import Reading
from cython.cimports.onepath.crowds.settings import SettingsTable
from cython.cimports.onepath.crowds.store import CrowdStore

_MOST_BYTES = (1 << 31) - 1


class CrowdSnapshots(CrowdMembers):
    """The part of :class:`~onepath.crowds.crowd.Crowd` that saves and restores.

    A state holds everything that the next steps depend on besides the mesh, the options of the crowd and dt: a crowd
    that goes on from a restore does, bit for bit, what it did from the save. The wall caches are in it, as
    what an agent avoids depends on where they were filled.
    """

    def __init__(self, mesh, options=None) -> None:
        super().__init__(mesh, options)
        self._outgoing = zeros("B", 0)
        self._incoming = zeros("B", 0)
        self._slot_bytes = zeros("B", 0)
        self._incoming_ids = zeros("q", 0)

    def state_size(self) -> int:
        """Return the length of the bytes that :meth:`save_state` would return now. Allocates nothing."""
        with self._turn:
            return state_size(self._store, self._settings)

    def save_state(self) -> bytes:
        """Return the crowd's state as bytes (kind 1, version 1; the layout is in the documentation).

        Equal states give equal bytes, on every platform and for any number of threads.
        """
        with self._turn:
            size = self._write()
            return bytes(memoryview(self._outgoing)[:size])

    def save_state_into(self, buffer) -> int | None:
        """Write what :meth:`save_state` returns to the start of a writable buffer.

        Args:
            buffer: writable and contiguous, of any kind; longer than needed is fine.

        Returns:
            The number of bytes written, or ``None``, with the buffer unchanged, if it is too short. Nothing is
            allocated once the crowd has been saved at its present size.

        Raises:
            TypeError, BufferError: it is not a writable, contiguous buffer.
        """
        target = memoryview(buffer).cast("B")
        with self._turn:
            size = state_size(self._store, self._settings)
            if len(target) < size:
                return None
            self._write()
            target[:size] = memoryview(self._outgoing)[:size]
            return size

    def state_hash(self) -> int:
        """Return the FNV-1a hash, 64 bits, of the bytes of :meth:`save_state` without putting them together.

        Equal to ``fnv1a_64(crowd.save_state())``. Nothing is allocated but room for one agent, once.
        """
        with self._turn:
            self._slot_bytes = fitted(self._slot_bytes, longest_slot(self._store, self._settings))
            return hash_state(self._store, self._settings, self._workers[0], self._slot_bytes)

    def restore_state(self, buffer) -> None:
        """Go back to a saved state. The mesh must already be as it was when the state was saved.

        Agents that are in the state and in the crowd keep their objects; those added since are deactivated; those
        removed since come back as new objects with their ids (:meth:`get_agent`). The next agent added gets the
        id and the slot it would have got in the saved run. Where the bytes hold the same agents with the same settings,
        nothing is allocated.

        Args:
            buffer: bytes-like, exactly one state of kind 1.

        Raises:
            CrowdStateError: the bytes are damaged or do not fit this crowd's options; nothing has changed.
        """
        source = _byte_view(buffer)
        with self._turn:
            size = self._take(source)
            self._apply(0, self._check(0, size))

    def save_state_with_mesh(self, referenced=False) -> bytes:
        """Return the states of mesh and crowd together (kind 2).

        Args:
            referenced: let the mesh part refer to tiles by hash instead of holding them.
        """
        mesh = self._mesh.save_state(referenced)
        crowd = self.save_state()
        parts = (MAGIC, bytes((VERSION, KIND_MESH_AND_CROWD)), len(mesh).to_bytes(4, "little"), mesh,
                 len(crowd).to_bytes(4, "little"), crowd)
        return b"".join(parts)

    def restore_state_with_mesh(self, buffer, tiles=None) -> None:
        """Restore the mesh, then the crowd, from a state of kind 2.

        Args:
            buffer: bytes-like, from :meth:`save_state_with_mesh`.
            tiles: for a referenced mesh part, tiles that the mesh may no longer have.

        Raises:
            CrowdStateError: the crowd part or the frame is bad; neither crowd nor mesh has changed.
            NavMeshFormatError: the mesh part is bad; neither has changed.
        """
        source = _byte_view(buffer)
        with self._turn.sole_call:
            self._restore_both(self._take(source), tiles)

    def _restore_both(self, size: int, tiles) -> None:
        column = self._incoming
        if check_header(column, 0, size) != KIND_MESH_AND_CROWD:
            raise CrowdStateError("kind", 5, "not a state of mesh and crowd")
        mesh_start, mesh_end = self._part(6, size, "mesh length")
        crowd_start, crowd_end = self._part(mesh_end, size, "crowd length")
        if crowd_end != size:
            raise CrowdStateError("trailing bytes", crowd_end, f"{size - crowd_end} bytes too many")
        changes = self._check(crowd_start, crowd_end)
        self._mesh.restore_state(bytes(memoryview(column)[mesh_start:mesh_end]), tiles)
        with Reading(self._mesh.store):
            self._apply(crowd_start, changes)

    def _write(self) -> int:
        self._outgoing = fitted(self._outgoing, state_size(self._store, self._settings))
        return write_state(self._store, self._settings, self._workers[0], self._outgoing)

    def _take(self, source) -> int:
        """Copy the input, so that kernels can read it and nobody can change it meanwhile; return its length."""
        size = len(source)
        if size > _MOST_BYTES:
            raise CrowdStateError("length", 0, "more than 2 GB")
        self._incoming = fitted(self._incoming, size)
        memoryview(self._incoming)[:size] = source
        return size

    def _part(self, at: int, end: int, field: str) -> tuple:
        if end - at < 4:
            raise CrowdStateError(field, at, "the bytes end early")
        length = int.from_bytes(memoryview(self._incoming)[at:at + 4], "little", signed=True)
        if not 0 <= length <= end - at - 4:
            raise CrowdStateError(field, at, f"{length} bytes are not there")
        return at + 4, at + 4 + length

    def _check(self, start: int, end: int) -> dict:
        return check_state(self._store, self._settings, self._workers[0], self._options.max_agents, self._incoming,
                           start, end)

    def _apply(self, start: int, changes: dict) -> None:
        """Load bytes that passed the check."""
        store: CrowdStore = self._store
        column = self._incoming
        slots: cython.int = slot_count_of(column, start)
        self._fit()
        store.grow(slots)
        if len(self._incoming_ids) < slots:
            self._incoming_ids = zeros("q", slots + slots // 8)
        read_ids(column, start, slots, self._incoming_ids)
        slot: cython.int
        for slot in range(store.slot_count):
            if store.active[slot] != 0 and (slot >= slots or self._incoming_ids[slot] != store.id[slot]):
                self._unseat(slot)
        for slot, options in changes.items():
            self._settle(slot, self._incoming_ids[slot], options)
        load_header(store, column, start)
        load_slots(store, self._workers[0], column, start)

    def _settle(self, slot: cython.int, id: int, options) -> None:
        """Give a slot its agent and its settings."""
        store: CrowdStore = self._store
        settings: SettingsTable = self._settings
        if store.active[slot] != 0:
            row = settings.acquire(options)
            settings.release(store.options_row[slot])
            store.options_row[slot] = row
            store.followers.clear(slot)
            store.load_options(slot, options)
            return
        store.clear(slot)
        store.load_options(slot, options)
        self._seat(slot, id, options)


def _byte_view(buffer):
    """Return a view of a bytes-like object's bytes. The object's own code may run here, so nothing may be begun yet."""
    source = memoryview(buffer)
    return source if source.format == "B" and source.ndim == 1 else source.cast("B")
