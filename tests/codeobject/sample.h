// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "codeobject/code_object.h"

namespace heddle::codeobject::test {

inline std::vector<std::byte> bytes(std::initializer_list<int> values) {
  std::vector<std::byte> out;
  for (int value : values) out.push_back(static_cast<std::byte>(value));
  return out;
}

/// Returns a small object that gives every field a distinct value, so that a swap of two fields shows.
inline CodeObject sample() {
  CodeObject object;
  object.has_program_part = true;
  object.has_agent_part = true;
  object.isa = "heddle:x86-64-v3:w1";
  object.hsail_minor = 1;
  object.profile = 0;
  object.rounding = 1;
  for (int i = 0; i < 16; ++i) object.program_digest[i] = static_cast<uint8_t>(i * 7);
  object.variables.push_back({"&table", "&table", "&module", Segment::readonly, Allocation::agent,
                              Linkage::module, true, true, 4, 8, bytes({1, 2, 3, 4})});
  object.variables.push_back({"&outside",
                              "&outside",
                              "&module",
                              Segment::global,
                              Allocation::program,
                              Linkage::program,
                              false,
                              false,
                              16,
                              16,
                              {}});
  object.variables.push_back({"&zero",
                              "&zero",
                              "&module",
                              Segment::global,
                              Allocation::program,
                              Linkage::program,
                              false,
                              true,
                              uint64_t{1} << 33,
                              256,
                              {}});
  Kernel kernel;
  kernel.name = "&add";
  kernel.linker_name = "&add";
  kernel.module_name = "&module";
  kernel.kernarg_size = 48;
  kernel.kernarg_align = 32;
  kernel.group_size = 1024;
  kernel.group_align = 64;
  kernel.private_size = 272;
  kernel.dynamic_call_stack = true;
  kernel.lanes = 8;
  kernel.frame_size = 192;
  kernel.flags = kernel_needs_fibers;
  kernel.groups_entry = no_entry;
  kernel.wave_entry = 1;
  for (uint32_t i = 0; i < 3; ++i) {
    kernel.required_group_size[i] = i + 2;
    kernel.required_grid_size[i] = (uint64_t{1} << 40) + i;
  }
  kernel.required_dim = 3;
  kernel.max_dynamic_group_size = 4096;
  kernel.max_flat_grid_size = uint64_t{1} << 50;
  kernel.max_flat_group_size = 512;
  object.kernels.push_back(kernel);
  object.functions.push_back({"&f", "&module::&f", "&module", Linkage::module, 3});
  object.text = bytes({0x90, 0x31, 0xc0, 0x90, 0xc3});
  object.data = bytes({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  object.text_align = 32;
  object.data_align = 16;
  object.relocations.push_back({Relocation::Where::data, Relocation::What::variable, 0, 4, 8, 2, -5});
  object.relocations.push_back(
      {Relocation::Where::variable, Relocation::What::kernel, 2, 1u << 20, 4, 0, 11});
  object.images.push_back({1, 4, 2, 8, uint64_t{1} << 33, 2, 0, 5});
  object.samplers.push_back({1, 0, 3});
  object.relocations.push_back({Relocation::Where::variable, Relocation::What::image, 2, 8, 8, 0, 0});
  object.relocations.push_back({Relocation::Where::variable, Relocation::What::sampler, 2, 16, 8, 0, 0});
  object.lines.files = {"a.c", ""};
  object.lines.rows = {{0, 0, 3, 0}, {2, 1, 700, 0x3821}, {4, 0, 0, 0}};
  object.debug.push_back({".debug_test", bytes({9, 9, 2, 16, 0, 0, 0, 0, 0, 0}), {2}});
  object.brig = {bytes({1, 2, 3}), {}, bytes({9})};
  return object;
}

}  // namespace heddle::codeobject::test
