// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Views and operand accessors on well-formed modules.
#include <cstring>

#include <hsa/hsa_brig_directives.h>
#include <hsa/hsa_brig_opcodes.h>

#include "hsail/brig/operands.h"
#include "hsail/isa/types.h"
#include "sample.h"

namespace heddle::brig::test {
namespace {

Module open(std::string_view text) {
  const std::vector<std::byte> bytes = assemble(text);
  Diagnostics diagnostics;
  Module module = Module::open(bytes, diagnostics);
  EXPECT_TRUE(module) << diagnostics.print();
  EXPECT_TRUE(diagnostics.all().empty()) << diagnostics.print();
  return module;
}

/// Returns the first definition with this name, or else the first directive with it.
Offset find(const Module& module, std::string_view name) {
  Offset found = 0;
  for (Offset at = module.code_begin(); at != module.code_end(); at = module.next_code(at)) {
    if (module.name(at) != name) continue;
    if (module.is_definition(at)) return at;
    if (found == 0) found = at;
  }
  return found;
}

/// Returns the `n`th instruction with the opcode.
Offset instruction(const Module& module, unsigned opcode, unsigned n = 0) {
  for (Offset at = module.code_begin(); at != module.code_end(); at = module.next_code(at)) {
    if (module.is_instruction(at) && module.code_as<hsa_brig_inst_base_t>(at).opcode == opcode && n-- == 0)
      return at;
  }
  return 0;
}

class Sample : public testing::Test {
 protected:
  const Module module = open(sample_text);
  Offset init(std::string_view name) {
    return module.code_as<hsa_brig_directive_variable_t>(find(module, name)).init;
  }
  Offset operand(unsigned opcode, unsigned index, unsigned n = 0) {
    return module.instruction_operands(instruction(module, opcode, n))[index];
  }
};

TEST_F(Sample, copies_the_bytes_to_aligned_storage_and_shares_them) {
  std::vector<std::byte> bytes = assemble(sample_text);
  std::vector<std::byte> shifted(bytes.size() + 33);
  std::copy(bytes.begin(), bytes.end(), shifted.begin() + 1);
  Diagnostics diagnostics;
  // Bytes behind the module are ignored.
  const Module opened = Module::open(std::span(shifted).subspan(1), diagnostics);
  ASSERT_TRUE(opened) << diagnostics.print();
  EXPECT_EQ(reinterpret_cast<uintptr_t>(opened.bytes().data()) % 16, 0u);
  EXPECT_TRUE(std::equal(bytes.begin(), bytes.end(), opened.bytes().begin(), opened.bytes().end()));
  const Module copy = opened;
  EXPECT_TRUE(copy.same_as(opened));
  EXPECT_FALSE(copy.same_as(module));
  EXPECT_EQ(copy.bytes().data(), opened.bytes().data());
}

TEST_F(Sample, header_and_names) {
  EXPECT_EQ(module.name(module.module_directive()), "&sample");
  EXPECT_EQ(module.header().hsail_minor, 2u);
  EXPECT_EQ(module.header().machine_model, HSA_BRIG_MACHINE_MODEL_LARGE);
  EXPECT_EQ(module.container().brig_minor, 2u);
  EXPECT_NE(find(module, "&kernel"), 0u);
  EXPECT_NE(find(module, "@inner"), 0u);
}

TEST_F(Sample, formals_and_code_block) {
  const Offset declared = find(module, "&declared");
  std::vector<std::pair<std::string_view, bool>> formals;
  module.for_each_formal(
      declared, [&](Offset formal, bool output) { formals.emplace_back(module.name(formal), output); });
  EXPECT_EQ(formals, (std::vector<std::pair<std::string_view, bool>>{{"%r", true}, {"%a", false}}));
  std::vector<unsigned> opcodes;
  module.for_each_in_code_block(declared, [&](Offset at) {
    ASSERT_TRUE(module.is_instruction(at));
    opcodes.push_back(module.code_as<hsa_brig_inst_base_t>(at).opcode);
  });
  EXPECT_EQ(opcodes, (std::vector<unsigned>{HSA_BRIG_OPCODE_LD, HSA_BRIG_OPCODE_ST}));
  size_t entries = 0;
  module.for_each_in_code_block(find(module, "&variadic"), [&](Offset) { ++entries; });
  EXPECT_EQ(entries, 0u);
}

TEST_F(Sample, addresses) {
  const Address local = address_of(module, operand(HSA_BRIG_OPCODE_ST, 1, 4));
  EXPECT_EQ(module.name(local.symbol), "%local");
  EXPECT_EQ(register_of(module, local.reg), (Register{HSA_BRIG_REGISTER_KIND_SINGLE, 2}));
  EXPECT_EQ(local.offset, 4u);
  const Address flat = address_of(module, operand(HSA_BRIG_OPCODE_ST, 1, 5));
  EXPECT_EQ(flat.symbol, 0u);
  EXPECT_EQ(static_cast<int64_t>(flat.offset), -8);
}

TEST_F(Sample, immediates) {
  std::byte bits[16];
  ASSERT_TRUE(immediate_bits(module, operand(HSA_BRIG_OPCODE_ADD, 2), HSA_BRIG_TYPE_U8X4, bits));
  // The first element in the text is the most significant one.
  const uint8_t expected[16] = {4, 3, 2, 1};
  EXPECT_EQ(std::memcmp(bits, expected, sizeof bits), 0);
  EXPECT_EQ(immediate_u64(module, operand(HSA_BRIG_OPCODE_MAD, 2), HSA_BRIG_TYPE_F32), 0x40490fdbu);
  EXPECT_EQ(immediate_u64(module, operand(HSA_BRIG_OPCODE_MOV, 1), HSA_BRIG_TYPE_B1), 1u);
  EXPECT_FALSE(immediate_bits(module, operand(HSA_BRIG_OPCODE_MOV, 1, 1), HSA_BRIG_TYPE_B64, bits));
  EXPECT_FALSE(immediate_bits(module, operand(HSA_BRIG_OPCODE_CMP, 2), HSA_BRIG_TYPE_U32, bits));
  EXPECT_TRUE(is_wavesize(module, operand(HSA_BRIG_OPCODE_CMP, 2)));
  EXPECT_FALSE(immediate_bits(module, init("&packed"), HSA_BRIG_TYPE_U32X2, bits));
}

TEST_F(Sample, expressions) {
  const Expression expression = expression_of(module, operand(HSA_BRIG_OPCODE_MOV, 1, 1));
  EXPECT_EQ(expression.operation, HSA_BRIG_EXPRESSION_OPERATION_ADDR);
  EXPECT_EQ(expression.type, HSA_BRIG_TYPE_U64);
  EXPECT_EQ(module.name(expression.symbol), "&scalar");
  EXPECT_EQ(expression.displacement, 0u);
}

TEST_F(Sample, initializers_taken_apart) {
  struct Leaf {
    uint64_t offset;
    unsigned kind;
    bool operator==(const Leaf&) const = default;
  };
  const auto leaves = [&](std::string_view name, uint64_t size) {
    std::vector<Leaf> result;
    const auto collect = [&](uint64_t at, Offset leaf) {
      result.push_back({at, operand_kind(module, leaf)});
    };
    EXPECT_EQ(for_each_leaf(module, init(name), collect), size);
    EXPECT_EQ(constant_byte_size(module, init(name)), size);
    return result;
  };
  constexpr unsigned bytes = HSA_BRIG_KIND_OPERAND_CONSTANT_BYTES;
  constexpr unsigned expression = HSA_BRIG_KIND_OPERAND_CONSTANT_EXPRESSION;
  // {u8(1), align(4), u32(addr(&scalar)), zero(8), u32(nullptr), u8x4(1, 2, 3, 4)}
  EXPECT_EQ(leaves("&bits", 24),
            (std::vector<Leaf>{{0, bytes}, {4, expression}, {16, expression}, {20, bytes}}));
  // u32x2(addr(&scalar+4), 1): the first element is the most significant
  EXPECT_EQ(leaves("&packed", 8), (std::vector<Leaf>{{0, bytes}, {4, expression}}));
  EXPECT_EQ(leaves("&addresses", 16), (std::vector<Leaf>{{0, expression}, {8, expression}}));
  EXPECT_EQ(leaves("&image", 8), (std::vector<Leaf>{{0, HSA_BRIG_KIND_OPERAND_CONSTANT_IMAGE}}));
  EXPECT_EQ(leaves("&floats", 8), (std::vector<Leaf>{{0, bytes}}));
}

TEST_F(Sample, vectors_and_fields) {
  const Offset load = instruction(module, HSA_BRIG_OPCODE_LD, 2);
  const auto fields = instruction_fields(module, load);
  EXPECT_EQ(fields[isa::Field::vector], 2u);
  EXPECT_EQ(fields[isa::Field::segment], HSA_BRIG_SEGMENT_KERNARG);
  const Offset& destination = module.instruction_operands(load)[0];
  ASSERT_TRUE(is_vector(module, destination));
  EXPECT_EQ(elements(module, destination).size(), 2u);
  const Offset& single = module.instruction_operands(instruction(module, HSA_BRIG_OPCODE_ADD))[0];
  ASSERT_EQ(elements(module, single).size(), 1u);
  EXPECT_EQ(elements(module, single)[0], single);
}

TEST_F(Sample, register_counts_by_highest_number) {
  const RegisterCounts counts = register_counts(module, find(module, "&kernel"));
  EXPECT_EQ(counts.control, 2u);
  EXPECT_EQ(counts.single, 14u);
  EXPECT_EQ(counts.wide, 5u);
  EXPECT_EQ(counts.quad, 0u);
}

TEST(Module, reads_all_minor_versions_up_to_its_own) {
  for (const uint32_t minor : {0u, 1u, 2u}) {
    std::vector<std::byte> bytes = assemble(sample_text);
    Patch(bytes).header().brig_minor = minor;
    Diagnostics diagnostics;
    EXPECT_TRUE(Module::open(bytes, diagnostics)) << diagnostics.print();
  }
}

/// BRIG 1.0 tools write some things differently, which 1.2 allows.
TEST(Module, accepts_other_section_headers_and_absent_lists) {
  std::vector<std::byte> bytes = assemble("module &m:1:0:$full:$large:$default; prog kernel &k() { ret; };");
  Patch patch(bytes);
  patch.instruction(HSA_BRIG_OPCODE_RET).operands = 0;  // no list at all instead of an empty one
  auto& operands = patch.section(2);
  ASSERT_EQ(operands.header_byte_count, operands.byte_count);
  operands.header_byte_count += 12;
  operands.byte_count += 12;
  Diagnostics diagnostics;
  const Module module = Module::open(bytes, diagnostics);
  ASSERT_TRUE(module) << diagnostics.print();
  EXPECT_TRUE(module.instruction_operands(instruction(module, HSA_BRIG_OPCODE_RET)).empty());
}

/// Returns the module with `padding(end)` zero bytes after every part, which ends at `end`.
template <typename Padding>
std::vector<std::byte> padded(std::span<const std::byte> bytes, Padding padding) {
  std::vector<std::byte> out(bytes.begin(), bytes.end());
  Patch from(out);
  std::vector<std::byte> result(out.begin(), out.begin() + sizeof(hsa_brig_module_header_t) + 24);
  uint64_t starts[3];
  for (unsigned i = 0; i < 3; ++i) {
    result.resize(result.size() + padding(result.size()));
    starts[i] = result.size();
    const auto begin = out.begin() + static_cast<ptrdiff_t>(from.section_offset(i));
    result.insert(result.end(), begin, begin + static_cast<ptrdiff_t>(from.section(i).byte_count));
  }
  result.resize(result.size() + padding(result.size()));
  Patch patch(result);
  patch.header().byte_count = result.size();
  for (unsigned i = 0; i < 3; ++i) patch.section_offset(i) = starts[i];
  return result;
}

TEST(Module, sections_may_be_padded_even_where_they_end_on_a_boundary) {
  bool saw_sixteen = false;
  for (const std::string_view name : {"&m", "&module", "&module_of", "&module_of_mine"}) {
    const auto bytes = assemble("module " + std::string(name) + ":1:2:$full:$large:$default;");
    const auto always = padded(bytes, [&](uint64_t end) {
      saw_sixteen |= end % 16 == 0;
      return 16 - end % 16;
    });
    Diagnostics diagnostics;
    EXPECT_TRUE(Module::open(always, diagnostics)) << diagnostics.print();
    Diagnostics found;
    EXPECT_FALSE(Module::open(padded(bytes, [](uint64_t end) { return 32 - end % 16; }), found));
    ASSERT_FALSE(found.all().empty());
    EXPECT_EQ(found.all()[0].id, "BRIG-18.2-padding");
  }
  EXPECT_TRUE(saw_sixteen);
}

TEST(Module, entries_may_be_longer_than_their_struct) {
  // A later minor version may add fields at the end of entries: readers step by byte_count (PRM 18.2).
  std::vector<std::byte> bytes =
      assemble("module &m:1:2:$full:$large:$default; pad 1; prog kernel &k() { ret; };");
  Patch patch(bytes);
  auto& module_directive = patch.code<hsa_brig_directive_module_t>(HSA_BRIG_KIND_DIRECTIVE_MODULE);
  module_directive.base.byte_count += 8;  // includes the padding
  Diagnostics diagnostics;
  const Module module = Module::open(bytes, diagnostics);
  ASSERT_TRUE(module) << diagnostics.print();
  EXPECT_EQ(module.name(module.module_directive()), "&m");
  EXPECT_NE(find(module, "&k"), 0u);
}

TEST(Module, non_standard_sections_are_left_alone) {
  std::vector<std::byte> bytes = assemble("module &m:1:2:$full:$large:$default;");
  // Makes space for one more entry of the index, which then ends where the first section begins.
  ASSERT_EQ(Patch(bytes).section_offset(0), sizeof(hsa_brig_module_header_t) + 24);
  bytes.insert(bytes.begin() + sizeof(hsa_brig_module_header_t) + 24, 16, std::byte{});
  Patch patch(bytes);
  const uint64_t section = bytes.size();
  bytes.resize(section + 48, std::byte{0x5a});
  auto& header = patch.at<hsa_brig_section_header_t>(section);
  header.byte_count = 48;
  header.header_byte_count = 32;
  header.name_length = 5;
  std::memcpy(header.name, "other", 5);
  patch.header().byte_count = bytes.size();
  patch.header().section_count = 4;
  for (unsigned i = 0; i < 3; ++i) patch.section_offset(i) += 16;
  patch.section_offset(3) = section;
  Diagnostics diagnostics;
  EXPECT_TRUE(Module::open(bytes, diagnostics)) << diagnostics.print();
}

}  // namespace
}  // namespace heddle::brig::test
