from onepath.crowds.settings cimport SettingsTable
from onepath.crowds.store cimport CrowdStore
from onepath.crowds.worker cimport CrowdWorker

cdef long long slot_size(CrowdStore store, SettingsTable settings, int slot) noexcept nogil
cdef long long write_header(CrowdStore store, unsigned char* data, long long at) noexcept nogil
cdef long long write_slot(CrowdStore store, SettingsTable settings, CrowdWorker worker, int slot, unsigned char* data,
                          long long at) noexcept nogil
