// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codeobject/code_object.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <cstring>
#include <functional>

#include "codeobject/format.h"
#include "sample.h"

namespace heddle::codeobject {
namespace {

/// The encoder's view of an object: equal bytes = equal in every field that format.h describes.
std::vector<std::byte> canonical(const CodeObject& object) {
  format::Encoder out;
  format::fields(out, object);
  for (const auto& v : object.variables) {
    format::fields(out, v);
    out.out.insert(out.out.end(), v.init.begin(), v.init.end());
  }
  for (const auto& k : object.kernels) format::fields(out, k);
  for (const auto& f : object.functions) format::fields(out, f);
  for (const auto& r : object.relocations) format::fields(out, r);
  return std::move(out.out);
}

std::string first_error(const Result<CodeObject, Diagnostics>& result) {
  return result ? "none" : result.error().all().at(0).id;
}

TEST(CodeObject, ReadGivesBackWhatWasWritten) {
  const CodeObject before = test::sample();
  const auto file = write(before);
  const auto after = read(file);
  ASSERT_TRUE(after.ok()) << after.error().print();
  EXPECT_EQ(canonical(before), canonical(*after));
  EXPECT_EQ(before.text, after->text);
  EXPECT_EQ(before.data, after->data);
  EXPECT_EQ(before.brig, after->brig);
  EXPECT_EQ(write(*after), file);
  // Spot checks that do not go through format.h, which both sides share.
  const Kernel& kernel = after->kernels.at(0);
  EXPECT_EQ(kernel.name, "&add");
  EXPECT_EQ(kernel.kernarg_size, 48u);
  EXPECT_EQ(kernel.wave_entry, 1u);
  EXPECT_EQ(kernel.groups_entry, no_entry);
  EXPECT_EQ(kernel.required_grid_size[2], (uint64_t{1} << 40) + 2);
  EXPECT_EQ(kernel.max_flat_group_size, 512u);
  EXPECT_TRUE(kernel.dynamic_call_stack);
  const Variable& table = after->variables.at(0);
  EXPECT_EQ(table.segment, Segment::readonly);
  EXPECT_EQ(table.linkage, Linkage::module);
  EXPECT_EQ(table.init, test::bytes({1, 2, 3, 4}));
  EXPECT_FALSE(after->variables.at(1).defined);
  EXPECT_EQ(after->functions.at(0).linker_name, "&module::&f");
  EXPECT_EQ(after->relocations.at(1).addend, 11);
  EXPECT_EQ(after->rounding, 1);
}

TEST(CodeObject, MisalignedInputIsRead) {
  const auto file = write(test::sample());
  std::vector<std::byte> shifted(file.size() + 1);
  std::memcpy(shifted.data() + 1, file.data(), file.size());
  EXPECT_TRUE(read(std::span(shifted).subspan(1)).ok());
}

TEST(CodeObject, MachineFollowsTheIsa) {
  CodeObject object = test::sample();
  Elf64_Ehdr header;
  std::memcpy(&header, write(object).data(), sizeof header);
  EXPECT_EQ(header.e_machine, EM_X86_64);
  object.isa = "heddle:hsail:w1";
  const auto file = write(object);
  std::memcpy(&header, file.data(), sizeof header);
  EXPECT_EQ(header.e_machine, EM_NONE);
  EXPECT_TRUE(read(file).ok());
}

TEST(CodeObject, ObjectsOfTheInterpreterHaveNoText) {
  CodeObject object = test::sample();
  object.isa = "heddle:hsail:w1";
  object.text.clear();
  object.functions[0].entry = 0;
  object.kernels[0].wave_entry = 0;
  EXPECT_TRUE(read(write(object)).ok());
}

TEST(CodeObject, KernelsAreSymbols) {
  CodeObject object = test::sample();
  object.kernels[0].groups_entry = 0;
  const auto file = write(object);
  Elf64_Ehdr header;
  std::memcpy(&header, file.data(), sizeof header);
  std::vector<std::string> found;
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section, strings;
    std::memcpy(&section, file.data() + header.e_shoff + i * sizeof section, sizeof section);
    if (section.sh_type != SHT_SYMTAB) continue;
    std::memcpy(&strings, file.data() + header.e_shoff + section.sh_link * sizeof section, sizeof strings);
    for (uint64_t at = 0; at < section.sh_size; at += sizeof(Elf64_Sym)) {
      Elf64_Sym symbol;
      std::memcpy(&symbol, file.data() + section.sh_offset + at, sizeof symbol);
      if (ELF64_ST_TYPE(symbol.st_info) == STT_FUNC)
        found.push_back(
            std::string(reinterpret_cast<const char*>(file.data()) + strings.sh_offset + symbol.st_name) +
            ":" + std::to_string(symbol.st_size));
      EXPECT_EQ(at / sizeof symbol < section.sh_info, ELF64_ST_BIND(symbol.st_info) == STB_LOCAL);
    }
  }
  EXPECT_EQ(found, (std::vector<std::string>{"&module::&f:2", "&add:1", "&add.wave:2"}));
}

struct BadObject {
  const char* id;
  std::function<void(CodeObject&)> damage;
};

TEST(CodeObject, InconsistentObjectsAreRefused) {
  const BadObject cases[] = {
      {"CODEOBJECT-header", [](CodeObject& o) { o.isa.clear(); }},
      {"CODEOBJECT-header", [](CodeObject& o) { o.machine_model = 2; }},
      {"CODEOBJECT-header", [](CodeObject& o) { o.data_align = 3; }},
      {"CODEOBJECT-header", [](CodeObject& o) { o.has_agent_part = o.has_program_part = false, o.isa = {}; }},
      {"CODEOBJECT-variable", [](CodeObject& o) { o.variables[0].align = 0; }},
      {"CODEOBJECT-variable", [](CodeObject& o) { o.variables[0].size = 5; }},
      {"CODEOBJECT-variable", [](CodeObject& o) { o.variables[0].defined = false; }},
      {"CODEOBJECT-kernel", [](CodeObject& o) { o.kernels[0].wave_entry = 5; }},
      {"CODEOBJECT-kernel", [](CodeObject& o) { o.kernels[0].wave_entry = no_entry; }},
      {"CODEOBJECT-kernel", [](CodeObject& o) { o.kernels[0].kernarg_align = 24; }},
      {"CODEOBJECT-kernel", [](CodeObject& o) { o.kernels[0].required_dim = 4; }},
      {"CODEOBJECT-function", [](CodeObject& o) { o.functions[0].entry = uint64_t{1} << 60; }},
      {"CODEOBJECT-relocation", [](CodeObject& o) { o.relocations[0].offset = 5; }},
      {"CODEOBJECT-relocation", [](CodeObject& o) { o.relocations[0].offset = ~uint64_t{0}; }},
      {"CODEOBJECT-relocation", [](CodeObject& o) { o.relocations[0].size = 3; }},
      {"CODEOBJECT-relocation", [](CodeObject& o) { o.relocations[0].symbol = 5; }},
      {"CODEOBJECT-relocation", [](CodeObject& o) { o.relocations[1].holder = 3; }},
      {"CODEOBJECT-relocation", [](CodeObject& o) { o.relocations[1].holder = 1; }},
      {"CODEOBJECT-relocation", [](CodeObject& o) { o.relocations[1].symbol = 1; }},
  };
  for (const BadObject& bad : cases) {
    CodeObject object = test::sample();
    bad.damage(object);
    EXPECT_EQ(first_error(read(write(object))), bad.id) << "case " << &bad - cases;
  }
}

TEST(CodeObject, NoBytesAreNoObject) { EXPECT_EQ(first_error(read({})), "CODEOBJECT-elf-header"); }

TEST(CodeObject, EveryTruncationIsRefused) {
  const auto file = write(test::sample());
  for (size_t size = 0; size < file.size(); ++size) {
    // A copy of its own size, so that a sanitizer sees a read past the end.
    const std::vector<std::byte> part(file.begin(), file.begin() + static_cast<ptrdiff_t>(size));
    EXPECT_FALSE(read(part).ok()) << size;
  }
}

TEST(CodeObject, EveryDamagedByteIsRefusedOrGivesAConsistentObject) {
  const auto file = write(test::sample());
  size_t accepted = 0;
  for (size_t i = 0; i < file.size(); ++i) {
    for (int flip : {0x01, 0x80, 0xff}) {
      auto damaged = file;
      damaged[i] ^= static_cast<std::byte>(flip);
      const auto object = read(damaged);
      if (!object) {
        EXPECT_FALSE(object.error().all().empty());
        continue;
      }
      ++accepted;
      const auto again = read(write(*object));
      ASSERT_TRUE(again.ok()) << i << ": " << again.error().print();
    }
  }
  EXPECT_GT(accepted, 0u);  // names, code and data may have any bytes
}

TEST(CodeObject, VersionsAreChecked) {
  auto file = write(test::sample());
  // The first note's record follows the file header, three program headers, the note header and the padded
  // name.
  const size_t record = sizeof(Elf64_Ehdr) + 3 * sizeof(Elf64_Phdr) + sizeof(Elf64_Nhdr) + 8;
  auto newer = file;
  newer[record] = std::byte{99};
  EXPECT_EQ(first_error(read(newer)), "CODEOBJECT-version");
  newer = file;
  newer[record + 4] = std::byte{99};
  EXPECT_EQ(first_error(read(newer)), "CODEOBJECT-abi-version");
}

}  // namespace
}  // namespace heddle::codeobject
