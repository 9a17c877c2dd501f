// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <elf.h>
#include <fmt/format.h>

#include <array>
#include <map>
#include <string_view>

#include "codeobject/code_object.h"
#include "codeobject/format.h"
#include "codeobject/kernel_abi.h"
#include "codeobject/validate.h"

namespace heddle::codeobject {
namespace {

using format::Decoder;
using Bytes = std::span<const std::byte>;

class Reader {
 public:
  explicit Reader(Bytes file) : file_(file), diagnostics_("code object") {}

  Result<CodeObject, Diagnostics> run() {
    // Each step relies on the ones before it. validate() checks what can only be checked on the whole object.
    if (find_sections() && find_notes() && read_header() && read_records() && take_sections() &&
        validate(object_, diagnostics_))
      return std::move(object_);
    return std::move(diagnostics_);
  }

 private:
  bool fail(const char* id, uint64_t offset, std::string message) {
    diagnostics_.error(id, Location::binary("file", offset), std::move(message));
    return false;
  }

  bool inside(uint64_t offset, uint64_t size) const {
    return offset <= file_.size() && size <= file_.size() - offset;
  }

  template <typename T>
  T at(uint64_t offset) const {
    T value;
    std::memcpy(&value, file_.data() + offset, sizeof value);  // the file may lie at any address
    return value;
  }

  bool find_sections() {
    if (file_.size() < sizeof(Elf64_Ehdr))
      return fail("CODEOBJECT-elf-header", 0, "smaller than an ELF header");
    const auto header = at<Elf64_Ehdr>(0);
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
        header.e_ident[EI_DATA] != ELFDATA2LSB || header.e_version != EV_CURRENT)
      return fail("CODEOBJECT-elf-header", 0, "not a little-endian ELF64 file");
    if (header.e_machine == EM_AMDGPU)
      return fail("CODEOBJECT-elf-header", offsetof(Elf64_Ehdr, e_machine),
                  "code for AMD's GPUs, which no agent of heddle executes");
    if (header.e_shentsize != sizeof(Elf64_Shdr) || header.e_shstrndx >= header.e_shnum ||
        !inside(header.e_shoff, uint64_t{header.e_shnum} * sizeof(Elf64_Shdr)))
      return fail("CODEOBJECT-elf-header", offsetof(Elf64_Ehdr, e_shoff), "no usable section table");
    machine_ = header.e_machine;
    const auto section = [&](size_t i) { return at<Elf64_Shdr>(header.e_shoff + i * sizeof(Elf64_Shdr)); };
    const auto names = section(header.e_shstrndx);
    if (!inside(names.sh_offset, names.sh_size))
      return fail("CODEOBJECT-section", header.e_shoff, "section names lie outside the file");
    const std::string_view table(reinterpret_cast<const char*>(file_.data()) + names.sh_offset,
                                 names.sh_size);
    for (size_t i = 1; i < header.e_shnum; ++i)
      if (!take_section(section(i), table, header.e_shoff + i * sizeof(Elf64_Shdr))) return false;
    if (!notes_.data()) return fail("CODEOBJECT-section", header.e_shoff, "no section .note.heddle");
    return true;
  }

  bool take_section(const Elf64_Shdr& section, std::string_view names, uint64_t where) {
    if (section.sh_name >= names.size())
      return fail("CODEOBJECT-section", where, "section name lies outside the names");
    const std::string_view rest = names.substr(section.sh_name);
    const std::string_view name = rest.substr(0, rest.find('\0'));
    const std::array<std::pair<std::string_view, Bytes*>, 5> wanted = {
        {{format::section_notes, &notes_},
         {format::section_text, &text_},
         {format::section_data, &data_},
         {format::section_initializers, &initializers_},
         {format::section_modules, &modules_}}};
    for (const auto& [wanted_name, bytes] : wanted) {
      if (name != wanted_name) continue;
      if (section.sh_type == SHT_NOBITS || !inside(section.sh_offset, section.sh_size))
        return fail("CODEOBJECT-section", where, fmt::format("{} lies outside the file", wanted_name));
      if (bytes->data())
        return fail("CODEOBJECT-section", where, fmt::format("{} stands twice", wanted_name));
      *bytes = file_.subspan(section.sh_offset, section.sh_size);
    }
    if (name.starts_with(".debug_")) {
      if (section.sh_type == SHT_NOBITS || !inside(section.sh_offset, section.sh_size))
        return fail("CODEOBJECT-section", where, fmt::format("{} lies outside the file", name));
      debug_.emplace(name, file_.subspan(section.sh_offset, section.sh_size));
    }
    return true;
  }

  uint64_t offset_of(Bytes part) const { return static_cast<uint64_t>(part.data() - file_.data()); }

  bool find_notes() {
    const uint64_t base = offset_of(notes_);
    uint64_t at_note = 0;
    while (notes_.size() - at_note >= sizeof(Elf64_Nhdr)) {
      const auto note = at<Elf64_Nhdr>(base + at_note);
      const uint64_t name = at_note + sizeof(Elf64_Nhdr);
      const uint64_t record = name + (uint64_t{note.n_namesz} + 3) / 4 * 4;
      const uint64_t end = record + (uint64_t{note.n_descsz} + 3) / 4 * 4;
      if (end > notes_.size())
        return fail("CODEOBJECT-note", base + at_note, "a note reaches past its section");
      const bool ours = note.n_namesz == sizeof format::note_name &&
                        std::memcmp(notes_.data() + name, format::note_name, sizeof format::note_name) == 0;
      if (ours) {
        if (note.n_type == 0 || note.n_type > format::note_last || records_[note.n_type].data())
          return fail("CODEOBJECT-note", base + at_note,
                      fmt::format("unknown or repeated note {}", note.n_type));
        records_[note.n_type] = notes_.subspan(record, note.n_descsz);
      }
      at_note = end;
    }
    for (uint32_t type = 1; type <= format::note_last; ++type)
      if (!records_[type].data())
        return fail("CODEOBJECT-note", base, fmt::format("note {} is missing", type));
    return true;
  }

  bool check(const Decoder& in, format::Note type) {
    const uint64_t base = offset_of(records_[type]);
    if (in.failed())
      return fail("CODEOBJECT-record", base + in.at(), fmt::format("note {}: {}", +type, in.reason()));
    if (!in.finished())
      return fail("CODEOBJECT-record", base, fmt::format("note {} has bytes left over", +type));
    return true;
  }

  bool read_header() {
    Decoder in(records_[format::note_object]);
    uint32_t version = 0;
    uint32_t abi = 0;
    in.value(version);
    in.value(abi);
    const uint64_t base = offset_of(records_[format::note_object]);
    if (!in.failed() && version != format::version)
      return fail("CODEOBJECT-version", base,
                  fmt::format("format version {}, expected {}", version, format::version));
    if (!in.failed() && abi != kernel_abi::version)
      return fail("CODEOBJECT-abi-version", base + 4,
                  fmt::format("compiled for kernel ABI {}, this is {}", abi, kernel_abi::version));
    format::fields(in, object_);
    return check(in, format::note_object);
  }

  template <typename T>
  bool read_list(format::Note type, std::vector<T>& out, size_t smallest) {
    Decoder in(records_[type]);
    out.resize(in.count(smallest));
    for (T& record : out) {
      format::fields(in, record);
      if constexpr (std::is_same_v<T, Variable>) {
        bool has_image = false;
        in.value(has_image);
        if (in.failed()) break;
        if (!take(initializers_, has_image ? record.size : 0, record.init))
          return fail("CODEOBJECT-variable", offset_of(records_[type]),
                      fmt::format("initial image of {} reaches past .heddle.init", record.name));
      }
      if (in.failed()) break;
    }
    return check(in, type);
  }

  /// Takes `size` bytes off the front of `from`. Contents follow each other, so no byte of the file is copied
  /// twice.
  static bool take(Bytes& from, uint64_t size, std::vector<std::byte>& out) {
    if (size > from.size()) return false;
    out.assign(from.begin(), from.begin() + static_cast<ptrdiff_t>(size));
    from = from.subspan(size);
    return true;
  }

  bool read_records() {
    return read_list(format::note_variables, object_.variables, format::variable_smallest) &&
           read_list(format::note_kernels, object_.kernels, format::kernel_smallest) &&
           read_list(format::note_functions, object_.functions, format::function_smallest) &&
           read_list(format::note_relocations, object_.relocations, format::relocation_smallest) &&
           read_list(format::note_images, object_.images, format::image_smallest) &&
           read_list(format::note_samplers, object_.samplers, format::sampler_smallest) && read_modules() &&
           read_lines() && read_debug();
  }

  bool read_lines() {
    Decoder in(records_[format::note_lines]);
    object_.lines.files.resize(in.count(sizeof(uint32_t)));
    for (std::string& file : object_.lines.files) in.text(file);
    object_.lines.rows.resize(in.count(format::line_smallest));
    for (LineTable::Row& row : object_.lines.rows) format::fields(in, row);
    return check(in, format::note_lines);
  }

  bool read_modules() {
    Decoder in(records_[format::note_modules]);
    object_.brig.resize(in.count(sizeof(uint64_t)));
    for (auto& module : object_.brig) {
      uint64_t size = 0;
      in.value(size);
      if (!take(modules_, size, module))
        return fail("CODEOBJECT-module", offset_of(records_[format::note_modules]),
                    "a module reaches past .heddle.brig");
    }
    return check(in, format::note_modules);
  }

  bool read_debug() {
    Decoder in(records_[format::note_debug]);
    object_.debug.resize(in.count(2 * sizeof(uint32_t) + sizeof(uint64_t)));
    const uint64_t base = offset_of(records_[format::note_debug]);
    for (DebugSection& section : object_.debug) {
      uint64_t size = 0;
      in.text(section.name);
      in.value(size);
      section.addresses.resize(in.count(sizeof(uint64_t)));
      for (uint64_t& address : section.addresses) in.value(address);
      if (in.failed()) break;
      const auto found = debug_.find(section.name);
      if (found == debug_.end() || found->second.size() != size)
        return fail("CODEOBJECT-debug", base,
                    fmt::format("section {} is missing or has another size", section.name));
      section.bytes.assign(found->second.begin(), found->second.end());
      debug_.erase(found);  // each is used once, so that no file expands to more bytes than it has
    }
    return check(in, format::note_debug);
  }

  bool take_sections() {
    if (!initializers_.empty() || !modules_.empty())
      return fail("CODEOBJECT-section", 0, "bytes left over in .heddle.init or .heddle.brig");
    object_.text.assign(text_.begin(), text_.end());
    object_.data.assign(data_.begin(), data_.end());
    const bool x86 = object_.isa.find(":x86-64") != std::string::npos;
    if (machine_ != (x86 ? EM_X86_64 : EM_NONE))
      return fail("CODEOBJECT-elf-header", offsetof(Elf64_Ehdr, e_machine),
                  fmt::format("machine {} does not fit ISA \"{}\"", machine_, object_.isa));
    return true;
  }

  Bytes file_;
  Diagnostics diagnostics_;
  CodeObject object_;
  uint16_t machine_ = 0;
  std::map<std::string, Bytes, std::less<>> debug_;
  Bytes notes_, text_, data_, initializers_, modules_;
  std::array<Bytes, format::note_last + 1> records_;
};

}  // namespace

Result<CodeObject, Diagnostics> read(std::span<const std::byte> bytes) { return Reader(bytes).run(); }

}  // namespace heddle::codeobject
