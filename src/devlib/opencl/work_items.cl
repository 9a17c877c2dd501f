// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Work-item functions (OpenCL C 6.15.1). A dimension may be any number at run time; those that a dispatch does not have are of size 1 and
// have ID 0 (PRM 2.1), and OpenCL C says the same of numbers past the last dimension.

// Chooses by dimension, because the instructions take constants only.
#define OF_DIMENSION(d, instruction, otherwise) \
  ((d) == 0 ? instruction(0) : (d) == 1 ? instruction(1) : (d) == 2 ? instruction(2) : (otherwise))

OVERLOAD uint get_work_dim(void) { return __hsail_dim_u32(); }

// Sizes of grids are less than 2^32 in each dimension (PRM 2.1), so that 32 bits hold absolute IDs.
OVERLOAD size_t get_global_id(uint d) { return OF_DIMENSION(d, __hsail_workitemabsid_u32, 0u); }
OVERLOAD size_t get_global_size(uint d) { return OF_DIMENSION(d, __hsail_gridsize_u32, 1u); }
OVERLOAD size_t get_local_id(uint d) { return OF_DIMENSION(d, __hsail_workitemid_u32, 0u); }
OVERLOAD size_t get_local_size(uint d) { return OF_DIMENSION(d, __hsail_currentworkgroupsize_u32, 1u); }
OVERLOAD size_t get_enqueued_local_size(uint d) { return OF_DIMENSION(d, __hsail_workgroupsize_u32, 1u); }
OVERLOAD size_t get_group_id(uint d) { return OF_DIMENSION(d, __hsail_workgroupid_u32, 0u); }
OVERLOAD size_t get_num_groups(uint d) { return OF_DIMENSION(d, __hsail_gridgroups_u32, 1u); }
// A dispatch in HSA has no offset (docs/status.md).
OVERLOAD size_t get_global_offset(uint d) { return 0; }

OVERLOAD size_t get_global_linear_id(void) { return __hsail_workitemflatabsid_u64(); }
OVERLOAD size_t get_local_linear_id(void) { return __hsail_currentworkitemflatid_u32(); }

// Sub-groups (OpenCL C 6.15.19) are waves. Lanes are numbered by current flattened ID (PRM 2.6), so that the active lanes of the last wave of
// a group are the first ones.
static uint work_items_of_group(void) {
  return __hsail_currentworkgroupsize_u32(0) * __hsail_currentworkgroupsize_u32(1) * __hsail_currentworkgroupsize_u32(2);
}

static uint waves_for(uint work_items) { return (work_items + __hsail_WAVESIZE() - 1) / __hsail_WAVESIZE(); }

OVERLOAD uint get_max_sub_group_size(void) { return __hsail_WAVESIZE(); }
OVERLOAD uint get_num_sub_groups(void) { return waves_for(work_items_of_group()); }
OVERLOAD uint get_enqueued_num_sub_groups(void) {
  return waves_for(__hsail_workgroupsize_u32(0) * __hsail_workgroupsize_u32(1) * __hsail_workgroupsize_u32(2));
}
OVERLOAD uint get_sub_group_id(void) { return __hsail_currentworkitemflatid_u32() / __hsail_WAVESIZE(); }
OVERLOAD uint get_sub_group_local_id(void) { return __hsail_laneid_u32(); }
OVERLOAD uint get_sub_group_size(void) {
  uint rest = work_items_of_group() - get_sub_group_id() * __hsail_WAVESIZE();
  return rest < __hsail_WAVESIZE() ? rest : __hsail_WAVESIZE();
}
