// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <ostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include <hsa/hsa_brig_directives.h>
#include <hsa/hsa_brig_entries.h>

#include "hsail/assemble/assemble.h"
#include "hsail/brig/module.h"

namespace heddle::brig::test {

/// A module with every kind of directive and operand, and one or more of most kinds of instructions.
inline constexpr std::string_view sample_text = R"(
// a comment
module &sample:1:2:$full:$large:$default;
extension "IMAGE";
extension "vendor:thing":2:1;
loc 3 7 "source.c";
pad 2;
pragma "tool", 1, u32(2), 0f3f800000, &sample, WAVESIZE, {u8(1), align(4), u32(7)};
decl prog global_u32 &external;
decl global_u32 &later;
decl prog kernel &kernel(kernarg_u64 %out, align(8) kernarg_u32 %n[4]);
prog const global_u32 &scalar = 7;
alloc(agent) align(16) global_f32 &floats[2] = f32[](0f3f800000, 0f40000000);
global_b32 &bits[6] = {u8(1), align(4), u32(addr(&scalar)), zero(8), u32(nullptr), u8x4(1, 2, 3, 4)};
global_u32x2 &packed = u32x2(addr(&scalar+4), 1);
alloc(agent) global_u64 &addresses[2] = u64[](addr(&scalar), addr(&kernel));
readonly_roimg &image = roimg(geometry=2d, width=4, height=5, channel_type=unorm_int8, channel_order=rgba);
readonly_samp &sampler = samp(coord=normalized, filter=linear, addressing=repeat);
global_sig64 &signal = sig64(0);
group_u32 &shared[64];
fbarrier &fb;
global_u32 &later;
signature &sig(arg_u32 %r)(arg_u32, arg_u32 %x[]);
decl function &declared(arg_u32 %r)(arg_u32 %a);
function &declared(arg_u32 %r)(arg_u32 %a)
{
  ld_arg_u32 $s0, [%a];
  st_arg_u32 $s0, [%r];
};
indirect function &other(arg_u32 %r)(arg_u32 %a)
{
  st_arg_u32 1, [%r];
  ret;
};
function &variadic()(arg_u32 %n, arg_u64 %rest[]) { };
prog kernel &kernel(kernarg_u64 %out, align(8) kernarg_u32 %n[4])
{
  maxdynamicgroupsize 64;
  requiredworkgroupsize 64, 1, 1;
  maxflatgridsize WAVESIZE;
  requiredgroupbaseptralign 16;
  requirenopartialworkgroups;
  private_u32 %local[4];
  fbarrier %fb;
  ld_kernarg_u64 $d0, [%out];
  ld_v2_kernarg_align(8)_u32 ($s0, $s1), [%n];
  workitemabsid_u32 $s2, 0;
  cmp_eq_b1_u32 $c0, $s0, WAVESIZE;
  cbr_b1 $c0, @end;
  sbr_u32 $s0 [@a, @end];
@a:
  {
    arg_u32 %result;
    arg_u32 %argument;
    st_arg_u32 $s0, [%argument];
    call &declared (%result) (%argument);
@inner:
    ld_arg_u32 $s3, [%result];
  }
  {
    arg_u32 %result;
    arg_u32 %argument;
    st_arg_u32 $s0, [%argument];
    scall_u32 $s0 (%result) (%argument) [&declared, &other];
  }
  {
    arg_u32 %n;
    arg_u64 %rest[3];
    call &variadic () (%n, %rest);
  }
  st_private_u32 $s3, [%local][$s2+4];
  ld_group_u32 $s4, [&shared][8];
  initfbar %fb;
  ldf_u32 $s5, &fb;
  combine_v2_b64_b32 $d1, ($s0, 5);
  add_pp_u8x4 $s6, $s6, u8x4(1, 2, 3, 4);
  mov_b1 $c1, 1;
  mov_b64 $d2, addr(&scalar);
  mad_ftz_f32 $s7, $s7, 0f40490fdb, $s7;
  st_global_u32 $s7, [$d0-8];
  atomic_add_global_rlx_system_u32 $s8, [$d0], 1;
  ld_readonly_roimg $d3, [&image];
  ld_readonly_samp $d4, [&sampler];
  rdimage_v4_2d_f32_roimg_f32 ($s10, $s11, $s12, $s13), $d3, $d4, ($s6, $s7);
  memfence_screl_system;
  barrier;
@end:
  ret;
};
)";

inline std::vector<std::byte> assemble(std::string_view text) {
  std::vector<std::byte> bytes;
  Diagnostics diagnostics("sample", text);
  EXPECT_TRUE(assemble::assemble(text, "sample", bytes, diagnostics)) << diagnostics.print();
  return bytes;
}

/// Changes a well-formed module in place. Finds entries by kind and position, which needs intact byte_counts.
class Patch {
 public:
  explicit Patch(std::vector<std::byte>& bytes) : bytes_(bytes) {}

  hsa_brig_module_header_t& header() { return at<hsa_brig_module_header_t>(0); }
  uint64_t& section_offset(unsigned index) { return at<uint64_t>(header().section_index + 8 * index); }
  hsa_brig_section_header_t& section(unsigned index) {
    return at<hsa_brig_section_header_t>(section_offset(index));
  }

  /// Returns the `n`th entry of a kind.
  template <typename T>
  T& code(unsigned kind, unsigned n = 0) {
    return section_at<T>(HSA_BRIG_SECTION_INDEX_CODE, code_offset(kind, n));
  }
  template <typename T>
  T& operand(unsigned kind, unsigned n = 0) {
    return section_at<T>(HSA_BRIG_SECTION_INDEX_OPERAND, operand_offset(kind, n));
  }
  Offset code_offset(unsigned kind, unsigned n = 0) { return find(HSA_BRIG_SECTION_INDEX_CODE, kind, n); }
  Offset operand_offset(unsigned kind, unsigned n = 0) {
    return find(HSA_BRIG_SECTION_INDEX_OPERAND, kind, n);
  }

  /// Returns the `n`th instruction with an opcode.
  template <typename T = hsa_brig_inst_base_t>
  T& instruction(unsigned opcode, unsigned n = 0) {
    for (Offset entry = section(1).header_byte_count; entry < section(1).byte_count;) {
      auto& base = section_at<hsa_brig_inst_base_t>(1, entry);
      const bool is_instruction =
          base.base.kind >= HSA_BRIG_KIND_INST_BEGIN && base.base.kind < HSA_BRIG_KIND_INST_END;
      if (is_instruction && base.opcode == opcode && n-- == 0) return section_at<T>(1, entry);
      entry += base.base.byte_count;
    }
    throw std::out_of_range("no such instruction");
  }
  /// Returns an element of a data entry that holds offsets.
  Offset& element(Offset list, unsigned index) { return section_at<Offset>(0, list + 4 + 4 * index); }
  uint32_t& data_size(Offset entry) { return section_at<uint32_t>(0, entry); }
  Offset& instruction_operand(unsigned opcode, unsigned index, unsigned n = 0) {
    return element(instruction(opcode, n).operands, index);
  }
  template <typename T>
  T& section_at(unsigned section, Offset offset) {
    return at<T>(section_offset(section) + offset);
  }
  template <typename T>
  T& at(uint64_t offset) {
    if (offset + sizeof(T) > bytes_.size() + 8) throw std::out_of_range("outside of the module");
    return *reinterpret_cast<T*>(bytes_.data() + offset);
  }
  /// Returns the code entry of the kind with this name.
  template <typename T>
  T& named(unsigned kind, std::string_view name) {
    for (unsigned n = 0;; ++n) {
      T& entry = code<T>(kind, n);
      const Offset string = *reinterpret_cast<Offset*>(reinterpret_cast<std::byte*>(&entry) + 4);
      if (string != 0 && std::string_view(&section_at<char>(0, string + 4), data_size(string)) == name)
        return entry;
    }
  }
  hsa_brig_directive_variable_t& variable(std::string_view name) {
    return named<hsa_brig_directive_variable_t>(HSA_BRIG_KIND_DIRECTIVE_VARIABLE, name);
  }
  template <typename T>
  Offset offset_of(const T& entry, unsigned section) {
    return static_cast<Offset>(reinterpret_cast<const std::byte*>(&entry) - bytes_.data() -
                               section_offset(section));
  }

 private:
  Offset find(unsigned index, unsigned kind, unsigned n) {
    for (Offset entry = section(index).header_byte_count; entry < section(index).byte_count;) {
      const auto& base = section_at<hsa_brig_base_t>(index, entry);
      if (base.kind == kind && n-- == 0) return entry;
      entry += base.byte_count;
    }
    throw std::out_of_range("no such entry");
  }
  std::vector<std::byte>& bytes_;
};

/// A module that open() must refuse (or warn about) with a diagnostic of this id.
struct BadModule {
  std::string id;
  std::function<void(Patch&)> change;
  std::string_view text = sample_text;
};
inline void PrintTo(const BadModule& bad, std::ostream* out) { *out << bad.id; }

std::vector<BadModule> bad_containers();
std::vector<BadModule> bad_operands();
std::vector<BadModule> bad_directives();
std::vector<BadModule> bad_structures();
std::vector<BadModule> bad_instructions();
std::vector<BadModule> bad_rules();

}  // namespace heddle::brig::test
