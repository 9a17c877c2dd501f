// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sample.h"

#include <hsa/hsa_brig_opcodes.h>

namespace heddle::brig::test {

std::vector<BadModule> bad_containers() {
  return {
      {"BRIG-18.3.18-truncated", [](Patch& p) { p.header().byte_count += 16; }},
      {"BRIG-18.3.18-identification", [](Patch& p) { p.header().identification[0] = 'h'; }},
      {"BRIG-18.3.18-version", [](Patch& p) { p.header().brig_major = 2; }},
      {"BRIG-18.3.18-version", [](Patch& p) { p.header().brig_minor = 3; }},
      {"BRIG-18.3.18-byte-count", [](Patch& p) { p.header().byte_count -= 4; }},
      {"BRIG-18.3.18-byte-count", [](Patch& p) { p.header().byte_count = 16; }},
      {"BRIG-18.3.18-reserved", [](Patch& p) { p.header().reserved = 1; }},
      {"BRIG-18.3.18-section-count", [](Patch& p) { p.header().section_count = 2; }},
      {"BRIG-18.3.18-section-index", [](Patch& p) { p.header().section_index += 4; }},
      {"BRIG-18.3.18-section-index", [](Patch& p) { p.header().section_index = p.header().byte_count - 8; }},
      {"BRIG-18.3.18-section-index", [](Patch& p) { p.header().section_count = 0xffffffff; }},
      {"BRIG-18.3.18-section-index", [](Patch& p) { p.header().section_index = ~uint64_t{7}; }},
      {"BRIG-18.2-section-offset", [](Patch& p) { p.section_offset(1) += 4; }},
      {"BRIG-18.2-section-offset", [](Patch& p) { p.section_offset(2) = ~uint64_t{15}; }},
      {"BRIG-18.3.25-byte-count", [](Patch& p) { p.section(0).byte_count += 2; }},
      {"BRIG-18.3.25-byte-count", [](Patch& p) { p.section(2).byte_count = uint64_t{1} << 40; }},
      {"BRIG-18.3.25-header-byte-count", [](Patch& p) { p.section(0).header_byte_count = 16; }},
      {"BRIG-18.3.25-header-byte-count", [](Patch& p) { p.section(0).header_byte_count += 2; }},
      {"BRIG-18.3.25-header-byte-count", [](Patch& p) { p.section(1).name_length = 0xfffffff0; }},
      {"BRIG-18.2-section-name", [](Patch& p) { p.section(1).name[4] = 'x'; }},
      {"BRIG-18.2-section-name", [](Patch& p) { std::swap(p.section_offset(0), p.section_offset(1)); }},
      {"BRIG-18.2-overlap", [](Patch& p) { p.section(0).byte_count += 64; }},
      {"BRIG-18.2-padding",
       [](Patch& p) {  // the last section becomes shorter by more than alignment explains
         p.section(2).byte_count -= 32;
       }},
      // Entries.
      {"BRIG-18.3.12-kind",
       [](Patch& p) { p.code<hsa_brig_base_t>(HSA_BRIG_KIND_DIRECTIVE_LABEL).kind = 0x1010; }},
      {"BRIG-18.3.12-kind",
       [](Patch& p) { p.code<hsa_brig_base_t>(HSA_BRIG_KIND_DIRECTIVE_LABEL).kind = 0x3000; }},
      {"BRIG-18.3.12-kind",
       [](Patch& p) { p.operand<hsa_brig_base_t>(HSA_BRIG_KIND_OPERAND_ZERO).kind = 0x1000; }},
      {"BRIG-18.3.6-byte-count",
       [](Patch& p) { p.code<hsa_brig_base_t>(HSA_BRIG_KIND_DIRECTIVE_LABEL).byte_count = 4; }},
      {"BRIG-18.3.6-byte-count",
       [](Patch& p) { p.code<hsa_brig_base_t>(HSA_BRIG_KIND_DIRECTIVE_LABEL).byte_count = 0; }},
      {"BRIG-18.3.6-byte-count",
       [](Patch& p) { p.operand<hsa_brig_base_t>(HSA_BRIG_KIND_OPERAND_REGISTER).byte_count = 10; }},
      {"BRIG-18.3.6-truncated",
       [](Patch& p) { p.instruction(HSA_BRIG_OPCODE_RET, 1).base.byte_count = 400; }},
      {"BRIG-18.3.6-reserved",
       [](Patch& p) { p.operand<hsa_brig_operand_align_t>(HSA_BRIG_KIND_OPERAND_ALIGN).reserved[2] = 1; }},
      {"BRIG-18.3.6-reserved", [](Patch& p) { p.variable("&scalar").reserved = 1; }},
      {"BRIG-18.4-truncated", [](Patch& p) { p.data_size(p.section(0).header_byte_count) = 0xfffffffd; }},
      {"BRIG-18.4-padding",
       [](Patch& p) {  // "// a comment" becomes one byte shorter
         --p.data_size(p.code<hsa_brig_directive_comment_t>(HSA_BRIG_KIND_DIRECTIVE_COMMENT).name);
       }},
  };
}

}  // namespace heddle::brig::test
