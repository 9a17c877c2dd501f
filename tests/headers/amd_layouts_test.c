// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The layouts of AMD's devices that amd_hsa_*.h describe, with the offsets that ROCm documents.
#include <hsa/amd_hsa_elf.h>
#include <hsa/amd_hsa_kernel_code.h>
#include <hsa/amd_hsa_queue.h>
#include <hsa/amd_hsa_signal.h>
#include <stdio.h>

static int failures;

static void check(const char* what, size_t found, size_t wanted) {
  if (found == wanted) return;
  printf("%s is %zu, expected %zu\n", what, found, wanted);
  ++failures;
}
#define SIZE(type, wanted) check("the size of " #type, sizeof(type), wanted)
#define OFFSET(type, field, wanted) check(#type "::" #field, offsetof(type, field), wanted)

static void check_signals_and_queues(void) {
  SIZE(amd_signal_t, 64);
  OFFSET(amd_signal_t, value, 8);
  OFFSET(amd_signal_t, event_mailbox_ptr, 16);
  OFFSET(amd_signal_t, event_id, 24);
  OFFSET(amd_signal_t, start_ts, 32);
  OFFSET(amd_signal_t, end_ts, 40);
  OFFSET(amd_signal_t, queue_ptr, 48);
  SIZE(amd_queue_t, 256);
  OFFSET(amd_queue_t, write_dispatch_id, 56);
  OFFSET(amd_queue_t, group_segment_aperture_base_hi, 64);
  OFFSET(amd_queue_t, private_segment_aperture_base_hi, 68);
  OFFSET(amd_queue_t, max_legacy_doorbell_dispatch_id_plus_1, 80);
  OFFSET(amd_queue_t, read_dispatch_id, 128);
  OFFSET(amd_queue_t, read_dispatch_id_field_base_byte_offset, 136);
  OFFSET(amd_queue_t, compute_tmpring_size, 140);
  OFFSET(amd_queue_t, scratch_resource_descriptor, 144);
  OFFSET(amd_queue_t, scratch_backing_memory_location, 160);
  OFFSET(amd_queue_t, scratch_wave64_lane_byte_size, 176);
  OFFSET(amd_queue_t, queue_properties, 180);
  OFFSET(amd_queue_t, queue_inactive_signal, 192);
}

static void check_kernel_code(void) {
  SIZE(amd_kernel_code_t, 256);
  OFFSET(amd_kernel_code_t, kernel_code_entry_byte_offset, 16);
  OFFSET(amd_kernel_code_t, compute_pgm_rsrc1, 48);
  OFFSET(amd_kernel_code_t, kernel_code_properties, 56);
  OFFSET(amd_kernel_code_t, workitem_private_segment_byte_size, 60);
  OFFSET(amd_kernel_code_t, workgroup_group_segment_byte_size, 64);
  OFFSET(amd_kernel_code_t, kernarg_segment_byte_size, 72);
  OFFSET(amd_kernel_code_t, wavefront_sgpr_count, 84);
  OFFSET(amd_kernel_code_t, workitem_vgpr_count, 86);
  OFFSET(amd_kernel_code_t, kernarg_segment_alignment, 100);
  OFFSET(amd_kernel_code_t, wavefront_size, 103);
  OFFSET(amd_kernel_code_t, call_convention, 104);
  OFFSET(amd_kernel_code_t, runtime_loader_kernel_symbol, 120);
  OFFSET(amd_kernel_code_t, control_directives, 128);
  SIZE(amd_control_directives_t, 128);
  OFFSET(amd_control_directives_t, max_flat_grid_size, 16);
  OFFSET(amd_control_directives_t, required_dim, 28);
  OFFSET(amd_control_directives_t, required_grid_size, 32);
  OFFSET(amd_control_directives_t, required_workgroup_size, 56);
}

/// A field keeps what is set, and its neighbours what they had.
static void check_bits(void) {
  amd_compute_pgm_rsrc_two32_t bits = 0xffffffff;
  AMD_HSA_BITS_SET(bits, AMD_COMPUTE_PGM_RSRC_TWO_USER_SGPR_COUNT, 6);
  check("the field that was set", AMD_HSA_BITS_GET(bits, AMD_COMPUTE_PGM_RSRC_TWO_USER_SGPR_COUNT), 6);
  check("its neighbours", bits, 0xffffffffu - (25u << 1));
  check("the highest bit", AMD_HSA_BITS_GET(bits, AMD_COMPUTE_PGM_RSRC_TWO_RESERVED1), 1);
  check("a wide field", AMD_HSA_BITS_GET(0xabcdef60u, AMD_QUEUE_PROPERTIES_RESERVED1), 0xabcdef60u >> 5);
}

int main(void) {
  check_signals_and_queues();
  check_kernel_code();
  check_bits();
  check("EM_AMDGPU", EM_AMDGPU, 224);
  return failures != 0;
}
