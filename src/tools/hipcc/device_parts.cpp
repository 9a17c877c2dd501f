// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/hipcc/device_parts.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string_view>

#include "tools/files.h"

namespace heddle::tools::hipcc {
namespace {

constexpr std::string_view section_of_parts = ".llvm.offloading";
constexpr std::string_view binary_prefix = "__hip_fatbin_";
constexpr std::string_view handle_prefix = "__hip_gpubin_handle_";

/// In front of each part, because linkers that make one object of several put sections behind each other.
struct PartHeader {
  char magic[8];
  uint64_t size;  // of the bitcode
};
constexpr std::string_view part_magic = "HEDDLERD";
constexpr size_t part_alignment = 8;

/// Copies a structure out of bytes, if they have it.
template <typename T>
std::optional<T> structure_at(std::string_view bytes, uint64_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

std::optional<std::string_view> range(std::string_view bytes, uint64_t offset, uint64_t size) {
  if (offset > bytes.size() || bytes.size() - offset < size) return std::nullopt;
  return bytes.substr(offset, size);
}

std::string_view text_at(std::string_view table, uint64_t offset) {
  if (offset >= table.size()) return {};
  const std::string_view rest = table.substr(offset);
  return rest.substr(0, rest.find('\0'));
}

/// A relocatable object. Every reader returns nothing for what lies outside of it.
class Object {
 public:
  explicit Object(std::string_view bytes) : bytes_(bytes) {
    const auto header = structure_at<Elf64_Ehdr>(bytes, 0);
    if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return;
    if (header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_type != ET_REL) return;
    for (size_t i = 0; i < header->e_shnum; ++i)
      if (const auto section = structure_at<Elf64_Shdr>(bytes, header->e_shoff + i * sizeof(Elf64_Shdr)))
        sections_.push_back(*section);
    names_ = contents(header->e_shstrndx);
  }

  /// Returns false if the section of device code is damaged.
  bool add_to(DeviceParts& parts) const {
    for (size_t i = 0; i < sections_.size(); ++i) {
      if (sections_[i].sh_type == SHT_SYMTAB) add_symbols(i, parts);
      if (text_at(names_, sections_[i].sh_name) != section_of_parts) continue;
      if (!add_bitcode(contents(i), parts)) return false;
    }
    return true;
  }

 private:
  std::string_view contents(size_t section) const {
    if (section >= sections_.size() || sections_[section].sh_type == SHT_NOBITS) return {};
    return range(bytes_, sections_[section].sh_offset, sections_[section].sh_size)
        .value_or(std::string_view());
  }

  void add_symbols(size_t section, DeviceParts& parts) const {
    const std::string_view symbols = contents(section);
    const std::string_view names = contents(sections_[section].sh_link);
    for (uint64_t at = 0; const auto symbol = structure_at<Elf64_Sym>(symbols, at); at += sizeof(Elf64_Sym)) {
      const std::string_view name = text_at(names, symbol->st_name);
      if (symbol->st_shndx != SHN_UNDEF) continue;
      if (name.starts_with(binary_prefix)) parts.binaries.emplace(name);
      if (name.starts_with(handle_prefix)) parts.handles.emplace(name);
    }
  }

  static bool add_bitcode(std::string_view section, DeviceParts& parts) {
    uint64_t at = 0;
    while (at + sizeof(PartHeader) <= section.size()) {
      const auto header = structure_at<PartHeader>(section, at);
      if (!header || std::string_view(header->magic, sizeof header->magic) != part_magic)
        return at != 0 || !section.starts_with("HEDDLE");  // the code of another compiler is none of ours
      const auto bitcode = range(section, at + sizeof(PartHeader), header->size);
      if (!bitcode) return false;
      parts.bitcode.emplace_back(*bitcode);
      at += sizeof(PartHeader) + header->size;
      at = (at + part_alignment - 1) / part_alignment * part_alignment;
    }
    return true;
  }

  std::string_view bytes_, names_;
  std::vector<Elf64_Shdr> sections_;
};

/// The header of a member of an archive.
struct MemberHeader {
  char name[16], date[12], owner[6], group[6], mode[8], size[10], end[2];
};
constexpr std::string_view archive_magic = "!<arch>\n";
constexpr std::string_view thin_magic = "!<thin>\n";

Result<void> add_members(const std::string& path, std::string_view bytes, DeviceParts& parts) {
  uint64_t at = archive_magic.size();
  while (const auto header = structure_at<MemberHeader>(bytes, at)) {
    uint64_t size = 0;
    std::from_chars(header->size, header->size + sizeof header->size, size);
    const auto member = range(bytes, at + sizeof(MemberHeader), size);
    if (!member || !Object(*member).add_to(parts)) return Error{path + " is damaged"};
    at += sizeof(MemberHeader) + size + size % 2;
  }
  return {};
}

}  // namespace

std::string embedded_part(std::span<const std::byte> bitcode) {
  PartHeader header{{}, bitcode.size()};
  std::memcpy(header.magic, part_magic.data(), sizeof header.magic);
  std::string bytes(reinterpret_cast<const char*>(&header), sizeof header);
  bytes.append(reinterpret_cast<const char*>(bitcode.data()), bitcode.size());
  bytes.resize((bytes.size() + part_alignment - 1) / part_alignment * part_alignment);
  return bytes;
}

Result<void> add_parts_of_file(const std::string& path, DeviceParts& parts) {
  std::error_code failed;
  if (!std::filesystem::is_regular_file(path, failed)) return {};
  const auto file = read_file(path);
  if (!file) return file.error();
  const std::string_view bytes(reinterpret_cast<const char*>(file->data()), file->size());
  if (bytes.starts_with(thin_magic))
    return Error{path + " is a thin archive: device code needs the objects themselves"};
  if (bytes.starts_with(archive_magic)) return add_members(path, bytes, parts);
  if (!Object(bytes).add_to(parts)) return Error{path + " is damaged"};
  return {};
}

std::vector<std::string> named_archives(const std::vector<std::string>& words) {
  std::vector<std::string> folders, libraries, archives;
  for (size_t i = 0; i < words.size(); ++i)
    for (auto [option, list] : {std::pair{"-L", &folders}, std::pair{"-l", &libraries}}) {
      if (words[i] == option && i + 1 < words.size()) list->push_back(words[i + 1]);
      if (words[i].starts_with(option) && words[i].size() > 2) list->push_back(words[i].substr(2));
    }
  for (const std::string& library : libraries)
    for (const std::string& folder : folders) {
      std::error_code failed;
      if (std::filesystem::exists(fmt::format("{}/lib{}.so", folder, library), failed)) break;
      const std::string archive = fmt::format(
          "{}/{}", folder, library.starts_with(':') ? library.substr(1) : fmt::format("lib{}.a", library));
      if (!std::filesystem::exists(archive, failed)) continue;
      archives.push_back(archive);
      break;
    }
  return archives;
}

std::string definitions_of_parts(const DeviceParts& parts, const std::string& bundle) {
  const auto define = [](const std::set<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += fmt::format(".globl {0}\n.hidden {0}\n{0}:\n", name);
    return text;
  };
  return fmt::format(
      ".section .hip_fatbin,\"a\",@progbits\n.p2align 12\n{}.incbin \"{}\"\n"
      ".bss\n.p2align 3\n{}.zero 8\n.section .note.GNU-stack,\"\",@progbits\n",
      define(parts.binaries), bundle, define(parts.handles));
}

}  // namespace heddle::tools::hipcc
