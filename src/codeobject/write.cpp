// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes an ordinary small ELF file, which objdump, nm, readelf and gdb can read: .text and .data are
// loadable segments, kernels and functions are symbols, and the rest is in notes and in two sections that are
// not loaded.
#include <elf.h>

#include <algorithm>
#include <map>
#include <string_view>

#include "codeobject/code_object.h"
#include "codeobject/format.h"
#include "codeobject/kernel_abi.h"
#include "support/align.h"

namespace heddle::codeobject {
namespace {

using format::Encoder;

/// A string table; offset 0 is the empty name.
class Strings {
 public:
  uint32_t add(std::string_view name) {
    const auto at = static_cast<uint32_t>(bytes.size());
    for (char c : name) bytes.push_back(static_cast<std::byte>(c));
    bytes.push_back(std::byte{0});
    return at;
  }
  std::vector<std::byte> bytes = {std::byte{0}};
};

void append_note(Encoder& notes, format::Note type, const Encoder& record) {
  const auto pad = [&] { notes.out.resize(align_up(notes.out.size(), 4)); };
  notes.value(static_cast<uint32_t>(sizeof format::note_name));
  notes.value(static_cast<uint32_t>(record.out.size()));
  notes.value(static_cast<uint32_t>(type));
  for (char c : format::note_name) notes.value(c);
  pad();
  notes.out.insert(notes.out.end(), record.out.begin(), record.out.end());
  pad();
}

template <typename T>
void append_records(Encoder& notes, format::Note type, const std::vector<T>& records) {
  Encoder record;
  record.value(static_cast<uint32_t>(records.size()));
  for (const T& r : records) {
    format::fields(record, r);
    if constexpr (std::is_same_v<T, Variable>) record.value(!r.init.empty());
  }
  append_note(notes, type, record);
}

void append_debug(Encoder& notes, const std::vector<DebugSection>& sections) {
  Encoder record;
  record.value(static_cast<uint32_t>(sections.size()));
  for (const DebugSection& section : sections) {
    record.text(section.name);
    record.value(static_cast<uint64_t>(section.bytes.size()));
    record.value(static_cast<uint32_t>(section.addresses.size()));
    for (const uint64_t address : section.addresses) record.value(address);
  }
  append_note(notes, format::note_debug, record);
}

std::vector<std::byte> encode_notes(const CodeObject& object) {
  Encoder notes;
  Encoder header;
  header.value(format::version);
  header.value(kernel_abi::version);
  format::fields(header, object);
  append_note(notes, format::note_object, header);
  append_records(notes, format::note_variables, object.variables);
  append_records(notes, format::note_kernels, object.kernels);
  append_records(notes, format::note_functions, object.functions);
  append_records(notes, format::note_relocations, object.relocations);
  append_records(notes, format::note_images, object.images);
  append_records(notes, format::note_samplers, object.samplers);
  Encoder modules;
  modules.value(static_cast<uint32_t>(object.brig.size()));
  for (const auto& module : object.brig) modules.value(static_cast<uint64_t>(module.size()));
  append_note(notes, format::note_modules, modules);
  Encoder lines;
  lines.value(static_cast<uint32_t>(object.lines.files.size()));
  for (const std::string& file : object.lines.files) lines.text(file);
  lines.value(static_cast<uint32_t>(object.lines.rows.size()));
  for (const LineTable::Row& row : object.lines.rows) format::fields(lines, row);
  append_note(notes, format::note_lines, lines);
  append_debug(notes, object.debug);
  return std::move(notes.out);
}

std::vector<std::byte> join(const std::vector<std::vector<std::byte>>& parts) {
  std::vector<std::byte> all;
  for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

/// Builds .symtab and .strtab. Local symbols come first, as ELF requires.
class Symbols {
 public:
  Symbols(const CodeObject& object, uint16_t text_section, uint64_t text)
      : text_section_(text_section), text_(text) {
    collect_ends(object);
    for (Linkage linkage : {Linkage::module, Linkage::program}) {
      if (linkage == Linkage::program) first_global = static_cast<uint32_t>(table.size());
      for (const Kernel& k : object.kernels)
        if (k.linkage == linkage) add_kernel(k);
      for (const IndirectFunction& f : object.functions)
        if (f.linkage == linkage) add_code(f.linker_name, linkage, f.entry);
      for (const Variable& v : object.variables)
        if (v.linkage == linkage) add_variable(v);
    }
  }

  std::vector<Elf64_Sym> table = {Elf64_Sym{}};
  uint32_t first_global = 1;
  Strings names;

 private:
  static unsigned char info(Linkage linkage, unsigned type) {
    return ELF64_ST_INFO(linkage == Linkage::module ? STB_LOCAL : STB_GLOBAL, type);
  }

  /// Code is taken to end where the next symbol starts, because CodeObject has no sizes of code and
  /// disassemblers need them.
  void collect_ends(const CodeObject& object) {
    const auto note = [&](uint64_t entry) {
      if (entry < object.text.size()) ends_[entry] = 0;
    };
    for (const Kernel& k : object.kernels) {
      note(k.groups_entry);
      note(k.wave_entry);
    }
    for (const IndirectFunction& f : object.functions) note(f.entry);
    uint64_t end = object.text.size();
    for (auto it = ends_.rbegin(); it != ends_.rend(); ++it) {
      it->second = end;
      end = it->first;
    }
  }

  void add_kernel(const Kernel& kernel) {
    add_code(kernel.linker_name, kernel.linkage, kernel.groups_entry);
    add_code(kernel.linker_name + ".wave", kernel.linkage, kernel.wave_entry);
  }

  void add_code(const std::string& name, Linkage linkage, uint64_t entry) {
    const auto end = ends_.find(entry);
    if (end == ends_.end()) return;
    table.push_back({names.add(name), info(linkage, STT_FUNC), STV_DEFAULT, text_section_, text_ + entry,
                     end->second - entry});
  }

  /// The runtime allocates variables, so they are common symbols, whose value is the alignment.
  void add_variable(const Variable& variable) {
    const uint16_t section = variable.defined ? SHN_COMMON : SHN_UNDEF;
    table.push_back({names.add(variable.linker_name), info(variable.linkage, STT_OBJECT), STV_DEFAULT,
                     section, variable.defined ? variable.align : 0, variable.size});
  }

  uint16_t text_section_;
  uint64_t text_;
  std::map<uint64_t, uint64_t> ends_;
};

/// Places sections one after the other and writes the headers at the end.
class ElfFile {
 public:
  explicit ElfFile(size_t segments) : segments_(segments) {
    bytes_.resize(sizeof(Elf64_Ehdr) + segments * sizeof(Elf64_Phdr));
    headers_.push_back({});
  }

  uint16_t add(std::string_view name, Elf64_Shdr header, std::span<const std::byte> content) {
    bytes_.resize(align_up(bytes_.size(), header.sh_addralign));
    header.sh_name = names_.add(name);
    header.sh_offset = bytes_.size();
    header.sh_size = content.size();
    bytes_.insert(bytes_.end(), content.begin(), content.end());
    headers_.push_back(header);
    return static_cast<uint16_t>(headers_.size() - 1);
  }

  void add_segment(uint32_t type, uint32_t flags, uint64_t align, uint16_t section) {
    const Elf64_Shdr& s = headers_[section];
    const Elf64_Phdr header = {type, flags, s.sh_offset, s.sh_addr, s.sh_addr, s.sh_size, s.sh_size, align};
    std::memcpy(bytes_.data() + sizeof(Elf64_Ehdr) + sizeof header * added_++, &header, sizeof header);
  }

  std::vector<std::byte> finish(uint16_t machine) {
    Elf64_Shdr names = {};
    names.sh_type = SHT_STRTAB;
    names.sh_addralign = 1;
    names_.add(".shstrtab");  // its own name must be in it before its bytes are placed
    const auto content = names_.bytes;
    const uint16_t names_section = add(".shstrtab", names, content);
    headers_[names_section].sh_name = static_cast<uint32_t>(content.size() - sizeof ".shstrtab");

    Elf64_Ehdr header = {};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_ident[EI_VERSION] = EV_CURRENT;
    header.e_type = ET_DYN;
    header.e_machine = machine;
    header.e_version = EV_CURRENT;
    header.e_phoff = sizeof(Elf64_Ehdr);
    header.e_shoff = align_up(bytes_.size(), 8);
    header.e_ehsize = sizeof(Elf64_Ehdr);
    header.e_phentsize = sizeof(Elf64_Phdr);
    header.e_phnum = static_cast<uint16_t>(segments_);
    header.e_shentsize = sizeof(Elf64_Shdr);
    header.e_shnum = static_cast<uint16_t>(headers_.size());
    header.e_shstrndx = names_section;
    std::memcpy(bytes_.data(), &header, sizeof header);
    bytes_.resize(header.e_shoff);
    const auto table = std::as_bytes(std::span(headers_));
    bytes_.insert(bytes_.end(), table.begin(), table.end());
    return std::move(bytes_);
  }

 private:
  size_t segments_;
  size_t added_ = 0;
  std::vector<std::byte> bytes_;
  std::vector<Elf64_Shdr> headers_;
  Strings names_;
};

Elf64_Shdr section(uint32_t type, uint64_t flags, uint64_t align) {
  Elf64_Shdr header = {};
  header.sh_type = type;
  header.sh_flags = flags;
  header.sh_addralign = align;
  return header;
}

void add_symbols(ElfFile& file, const Symbols& symbols) {
  Elf64_Shdr header = section(SHT_STRTAB, 0, 1);
  const uint16_t names = file.add(".strtab", header, symbols.names.bytes);
  header = section(SHT_SYMTAB, 0, 8);
  header.sh_entsize = sizeof(Elf64_Sym);
  header.sh_link = names;
  header.sh_info = symbols.first_global;
  file.add(".symtab", header, std::as_bytes(std::span(symbols.table)));
}

uint16_t machine_of(const CodeObject& object) {
  return object.isa.find(":x86-64") != std::string::npos ? EM_X86_64 : EM_NONE;
}

}  // namespace

std::vector<std::byte> symbol_file(const CodeObject& object, uint64_t text) {
  ElfFile file(0);
  Elf64_Shdr header = section(SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, object.text_align);
  header.sh_addr = text;
  const uint16_t code = file.add(format::section_text, header, object.text);
  for (const DebugSection& debug : object.debug) {
    auto bytes = debug.bytes;
    for (const uint64_t at : debug.addresses) {
      uint64_t address = 0;
      std::memcpy(&address, bytes.data() + at, sizeof address);
      address += text - text_address;
      std::memcpy(bytes.data() + at, &address, sizeof address);
    }
    file.add(debug.name, section(SHT_PROGBITS, 0, 1), bytes);
  }
  add_symbols(file, Symbols(object, code, text));
  return file.finish(machine_of(object));
}

std::vector<std::byte> write(const CodeObject& object) {
  ElfFile file(3);
  const uint16_t notes =
      file.add(format::section_notes, section(SHT_NOTE, SHF_ALLOC, 4), encode_notes(object));
  // Text and data have the addresses that a loader would give them, so that tools show where code refers to
  // its data.
  Elf64_Shdr header = section(SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, object.text_align);
  header.sh_addr = text_address;
  const uint16_t text = file.add(format::section_text, header, object.text);
  header = section(SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, object.data_align);
  header.sh_addr = text_address + data_offset(object);
  const uint16_t data = file.add(format::section_data, header, object.data);

  std::vector<std::vector<std::byte>> images;
  images.reserve(object.variables.size());
  for (const Variable& variable : object.variables) images.push_back(variable.init);
  file.add(format::section_initializers, section(SHT_PROGBITS, 0, 16), join(images));
  file.add(format::section_modules, section(SHT_PROGBITS, 0, 16), join(object.brig));

  for (const DebugSection& debug : object.debug)
    file.add(debug.name, section(SHT_PROGBITS, 0, 1), debug.bytes);
  add_symbols(file, Symbols(object, text, text_address));

  file.add_segment(PT_NOTE, PF_R, 4, notes);
  file.add_segment(PT_LOAD, PF_R | PF_X, object.text_align, text);
  file.add_segment(PT_LOAD, PF_R | PF_W, object.data_align, data);
  return file.finish(machine_of(object));
}

}  // namespace heddle::codeobject
