// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codeobject/code_object.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>

#include "codeobject/format.h"
#include "codeobject/kernel_abi.h"
#include "sample.h"

namespace heddle::codeobject {
namespace {

/// Returns the object as the encoder writes it. Equal bytes mean equal values in every field that format.h
/// describes.
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
  for (const auto& image : object.images) format::fields(out, image);
  for (const auto& sampler : object.samplers) format::fields(out, sampler);
  for (const auto& file : object.lines.files) out.text(file);
  for (const auto& row : object.lines.rows) format::fields(out, row);
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
  EXPECT_EQ(after->debug.at(0).name, ".debug_test");
  EXPECT_EQ(after->debug.at(0).bytes, before.debug.at(0).bytes);
  EXPECT_EQ(after->debug.at(0).addresses, before.debug.at(0).addresses);
  EXPECT_EQ(write(*after), file);
  // These checks do without format.h, which reader and writer share.
  const Kernel& kernel = after->kernels.at(0);
  EXPECT_EQ(kernel.name, "&add");
  EXPECT_EQ(kernel.kernarg_size, 48u);
  EXPECT_EQ(kernel.wave_entry, 1u);
  EXPECT_EQ(kernel.groups_entry, no_entry);
  EXPECT_EQ(kernel.required_grid_size[2], (uint64_t{1} << 40) + 2);
  EXPECT_EQ(kernel.max_flat_group_size, 512u);
  EXPECT_TRUE(kernel.dynamic_call_stack);
  EXPECT_EQ(after->images.at(0).layers, 5u);
  EXPECT_EQ(after->samplers.at(0).address_mode, 3u);
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
  object.lines = {};
  object.functions[0].entry = 0;
  object.kernels[0].wave_entry = 0;
  EXPECT_TRUE(read(write(object)).ok());
}

/// The kernels of lazy code objects get their code from the modules.
CodeObject lazy_sample() {
  CodeObject object = test::sample();
  object.lazy = true;
  object.lazy_options = "-O1 -g";
  object.text.clear();
  object.data.clear();
  object.functions.clear();
  object.relocations.clear();
  object.debug.clear();
  object.lines = {};
  for (Kernel& kernel : object.kernels) kernel.groups_entry = kernel.wave_entry = no_entry;
  return object;
}

TEST(CodeObject, LazyOnesHaveModulesAndNoCode) {
  const auto after = read(write(lazy_sample()));
  ASSERT_TRUE(after.ok()) << after.error().print();
  EXPECT_TRUE(after->lazy);
  EXPECT_EQ(after->lazy_options, "-O1 -g");
  EXPECT_FALSE(read(write(test::sample()))->lazy);
  CodeObject without_modules = lazy_sample();
  without_modules.brig.clear();
  EXPECT_EQ(first_error(read(write(without_modules))), "CODEOBJECT-lazy");
  CodeObject with_text = test::sample();
  with_text.lazy = true;
  EXPECT_EQ(first_error(read(write(with_text))), "CODEOBJECT-lazy");
  CodeObject with_address = lazy_sample();
  Relocation address;
  address.where = Relocation::Where::variable;
  address.what = Relocation::What::kernel;
  address.holder = 2;
  with_address.relocations.push_back(address);
  EXPECT_EQ(first_error(read(write(with_address))), "CODEOBJECT-relocation");
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
      {"CODEOBJECT-debug", [](CodeObject& o) { o.debug[0].addresses[0] = 3; }},
      {"CODEOBJECT-debug", [](CodeObject& o) { o.debug.push_back(o.debug[0]); }},
      {"CODEOBJECT-function", [](CodeObject& o) { o.functions[0].entry = uint64_t{1} << 60; }},
      {"CODEOBJECT-relocation", [](CodeObject& o) { o.relocations[0].offset = 5; }},
      {"CODEOBJECT-relocation", [](CodeObject& o) { o.relocations[0].offset = ~uint64_t{0}; }},
      {"CODEOBJECT-relocation", [](CodeObject& o) { o.relocations[0].size = 3; }},
      {"CODEOBJECT-relocation",
       [](CodeObject& o) { o.relocations[0].symbol = static_cast<uint32_t>(o.variables.size()); }},
      {"CODEOBJECT-relocation", [](CodeObject& o) { o.relocations[1].holder = 3; }},
      {"CODEOBJECT-relocation", [](CodeObject& o) { o.relocations[1].holder = 1; }},
      {"CODEOBJECT-relocation", [](CodeObject& o) { o.relocations[1].symbol = 1; }},
      {"CODEOBJECT-relocation", [](CodeObject& o) { o.relocations[2].symbol = 1; }},
      {"CODEOBJECT-relocation", [](CodeObject& o) { o.relocations[3].size = 4; }},
      {"CODEOBJECT-relocation",
       [](CodeObject& o) {
         o.relocations[3].where = Relocation::Where::data;
         o.relocations[3].offset = 0;
       }},
      {"CODEOBJECT-line", [](CodeObject& o) { o.lines.rows[1].file = 2; }},
      {"CODEOBJECT-line", [](CodeObject& o) { o.lines.rows[1].offset = 0; }},
      {"CODEOBJECT-line", [](CodeObject& o) { o.lines.rows[2].offset = 6; }},
  };
  for (const BadObject& bad : cases) {
    CodeObject object = test::sample();
    bad.damage(object);
    EXPECT_EQ(first_error(read(write(object))), bad.id) << "case " << &bad - cases;
  }
}

TEST(CodeObject, SymbolFilesHaveTheAddressesOfLoadedText) {
  const CodeObject object = test::sample();
  const uint64_t loaded = 0x7f0012340000;
  const auto file = symbol_file(object, loaded);
  // The word in the sample is text_address + 0x1002 - 4096, the address of the second byte of the text.
  const uint64_t expected = loaded + 0x1002 - text_address;
  const auto* begin = reinterpret_cast<const std::byte*>(&expected);
  EXPECT_NE(std::search(file.begin(), file.end(), begin, begin + sizeof expected), file.end());
}

TEST(CodeObject, NoBytesAreNoObject) { EXPECT_EQ(first_error(read({})), "CODEOBJECT-elf-header"); }

TEST(CodeObject, EveryTruncationIsRefused) {
  const auto file = write(test::sample());
  for (size_t size = 0; size < file.size(); ++size) {
    // An exact-size copy lets a sanitizer see a read past the end.
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

/// A code object file that a test damages in one place, which it finds by reading the file's headers.
class Damaged {
 public:
  Damaged() : bytes(write(test::sample())) {}

  template <typename T>
  T get(size_t at) const {
    T value;
    std::memcpy(&value, bytes.data() + at, sizeof value);
    return value;
  }
  template <typename T>
  void put(size_t at, T value) {
    std::memcpy(bytes.data() + at, &value, sizeof value);
  }
  Elf64_Ehdr header() const { return get<Elf64_Ehdr>(0); }
  /// Offset of the header of the section with this name.
  size_t section(const std::string& name) const {
    const Elf64_Ehdr h = header();
    const auto names = get<Elf64_Shdr>(h.e_shoff + h.e_shstrndx * sizeof(Elf64_Shdr));
    for (size_t i = 1; i < h.e_shnum; ++i) {
      const size_t at = h.e_shoff + i * sizeof(Elf64_Shdr);
      if (reinterpret_cast<const char*>(bytes.data()) + names.sh_offset + get<Elf64_Shdr>(at).sh_name == name)
        return at;
    }
    ADD_FAILURE() << "no section " << name;
    return 0;
  }
  /// Offset of the header of the note of a type.
  size_t note(uint32_t type) const {
    const auto notes = get<Elf64_Shdr>(section(format::section_notes));
    for (size_t at = notes.sh_offset; at < notes.sh_offset + notes.sh_size;) {
      const auto note = get<Elf64_Nhdr>(at);
      if (note.n_type == type) return at;
      at = record(at) + (note.n_descsz + 3) / 4 * 4;
    }
    ADD_FAILURE() << "no note " << type;
    return 0;
  }
  size_t record(size_t note) const {
    return note + sizeof(Elf64_Nhdr) + (get<Elf64_Nhdr>(note).n_namesz + 3) / 4 * 4;
  }

  std::vector<std::byte> bytes;
};

TEST(CodeObject, DamagedContainersAreNamed) {
  const struct {
    const char* id;
    std::function<void(Damaged&)> damage;
  } cases[] = {
      {"CODEOBJECT-elf-header", [](Damaged& d) { d.put<unsigned char>(0, 'x'); }},
      {"CODEOBJECT-elf-header", [](Damaged& d) { d.put<Elf64_Off>(offsetof(Elf64_Ehdr, e_shoff), ~0ull); }},
      {"CODEOBJECT-elf-header",
       [](Damaged& d) { d.put<Elf64_Half>(offsetof(Elf64_Ehdr, e_machine), EM_386); }},
      // Sections: a name or bytes outside of the file, two sections of one name, a missing one, more bytes
      // than the records take.
      {"CODEOBJECT-section",
       [](Damaged& d) {
         const auto h = d.header();
         d.put<Elf64_Off>(h.e_shoff + h.e_shstrndx * sizeof(Elf64_Shdr) + offsetof(Elf64_Shdr, sh_offset),
                          ~0ull);
       }},
      {"CODEOBJECT-section",
       [](Damaged& d) { d.put<Elf64_Word>(d.section(".text") + offsetof(Elf64_Shdr, sh_name), ~0u); }},
      {"CODEOBJECT-section",
       [](Damaged& d) { d.put<Elf64_Xword>(d.section(".text") + offsetof(Elf64_Shdr, sh_size), ~0ull); }},
      {"CODEOBJECT-section",
       [](Damaged& d) {
         const auto name = d.get<Elf64_Shdr>(d.section(".text")).sh_name;
         d.put<Elf64_Word>(d.section(".data") + offsetof(Elf64_Shdr, sh_name), name);
       }},
      {"CODEOBJECT-section",
       [](Damaged& d) {
         const auto name = d.get<Elf64_Shdr>(d.section(".symtab")).sh_name;
         d.put<Elf64_Word>(d.section(format::section_notes) + offsetof(Elf64_Shdr, sh_name), name);
       }},
      {"CODEOBJECT-section",
       [](Damaged& d) {
         const size_t at = d.section(format::section_initializers) + offsetof(Elf64_Shdr, sh_size);
         d.put<Elf64_Xword>(at, d.get<Elf64_Xword>(at) + 1);
       }},
      // Notes: a note that reaches past the section, has an unknown type, occurs twice or is missing.
      {"CODEOBJECT-note",
       [](Damaged& d) {
         d.put<Elf64_Word>(d.note(format::note_object) + offsetof(Elf64_Nhdr, n_descsz), 1u << 30);
       }},
      {"CODEOBJECT-note",
       [](Damaged& d) {
         d.put<Elf64_Word>(d.note(format::note_kernels) + offsetof(Elf64_Nhdr, n_type), 99);
       }},
      {"CODEOBJECT-note",
       [](Damaged& d) {
         d.put<Elf64_Word>(d.note(format::note_kernels) + offsetof(Elf64_Nhdr, n_type),
                           format::note_functions);
       }},
      {"CODEOBJECT-note",
       [](Damaged& d) { d.put<char>(d.note(format::note_kernels) + sizeof(Elf64_Nhdr), 'H'); }},
      // Records: a note announces more records than it has bytes for, or fewer.
      {"CODEOBJECT-record",
       [](Damaged& d) { d.put<uint32_t>(d.record(d.note(format::note_kernels)), 1u << 30); }},
      {"CODEOBJECT-record", [](Damaged& d) { d.put<uint32_t>(d.record(d.note(format::note_functions)), 0); }},
      // The size of the first module follows the number of modules.
      {"CODEOBJECT-module",
       [](Damaged& d) { d.put<uint64_t>(d.record(d.note(format::note_modules)) + sizeof(uint32_t), 1000); }},
  };
  for (const auto& row : cases) {
    Damaged file;
    row.damage(file);
    const auto object = read(file.bytes);
    EXPECT_EQ(first_error(object), row.id) << "case " << &row - cases;
    if (object) continue;
    EXPECT_EQ(object.error().all().at(0).location.section, "file") << "case " << &row - cases;
  }
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
