// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/x86/object.h"
#include "support/align.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <map>
#include <tuple>

#include <fmt/format.h>
#include <llvm/BinaryFormat/ELF.h>
#include <llvm/DebugInfo/DWARF/DWARFContext.h>
#include <llvm/Object/ELFObjectFile.h>

namespace heddle::finalizer::x86 {
namespace {

using codeobject::Relocation;
using ElfObject = llvm::object::ELF64LEObjectFile;
namespace ELF = llvm::ELF;

struct Place {
  bool in_text = false;
  uint64_t offset = 0;
};

class Linker {
 public:
  explicit Linker(const ElfObject& elf) : elf_(elf) {}

  Result<LinkedObject> run(bool keep_dwarf) {
    for (const auto& section : elf_.sections()) place(section);
    if (keep_dwarf) take_debug_sections();
    codeobject::CodeObject sizes;
    sizes.text.resize(out_.text.size());
    data_begin_ = codeobject::data_offset(sizes);
    collect_symbols();
    for (const auto& section : elf_.sections())
      if (auto done = relocate(section); !done.ok()) return done.error();
    collect_lines();
    return std::move(out_);
  }

 private:
  static std::string message(llvm::Error error) { return llvm::toString(std::move(error)); }

  void place(const llvm::object::ELFSectionRef& section) {
    if (!(section.getFlags() & ELF::SHF_ALLOC)) return;
    const bool in_text = section.isText();
    auto& bytes = in_text ? out_.text : out_.data;
    const uint64_t align = std::max<uint64_t>(section.getAlignment().value(), 1);
    bytes.resize(align_up(bytes.size(), align), in_text ? std::byte{0xcc} : std::byte{0});
    places_[section.getIndex()] = {in_text, bytes.size()};
    if (section.getType() == ELF::SHT_NOBITS) {
      bytes.resize(bytes.size() + section.getSize());
      return;
    }
    if (auto contents = section.getContents()) {
      const auto* begin = reinterpret_cast<const std::byte*>(contents->data());
      bytes.insert(bytes.end(), begin, begin + contents->size());
    } else {
      llvm::consumeError(contents.takeError());
    }
  }

  std::optional<Place> place_of(const llvm::object::SymbolRef& symbol) {
    auto section = symbol.getSection();
    if (!section) {
      llvm::consumeError(section.takeError());
      return std::nullopt;
    }
    if (*section == elf_.section_end()) return std::nullopt;
    const auto place = places_.find((*section)->getIndex());
    if (place == places_.end()) return std::nullopt;
    auto value = symbol.getValue();
    if (!value) {
      llvm::consumeError(value.takeError());
      return std::nullopt;
    }
    return Place{place->second.in_text, place->second.offset + *value};
  }

  void collect_symbols() {
    for (const auto& symbol : elf_.symbols()) {
      auto name = symbol.getName();
      if (!name) {
        llvm::consumeError(name.takeError());
        continue;
      }
      if (const auto place = place_of(symbol))
        (place->in_text ? out_.text_symbols : out_.data_symbols)[name->str()] = place->offset;
    }
  }

  uint64_t address(const Place& place) const {
    return place.in_text ? place.offset : data_begin_ + place.offset;
  }

  void take_debug_sections() {
    for (const llvm::object::ELFSectionRef section : elf_.sections()) {
      auto name = section.getName();
      auto contents = section.getContents();
      const bool wanted = name && contents && name->starts_with(".debug_");
      if (wanted) {
        const auto* begin = reinterpret_cast<const std::byte*>(contents->data());
        debug_sections_[section.getIndex()] = out_.debug.size();
        out_.debug.push_back({name->str(), {begin, begin + contents->size()}, {}});
      }
      if (!name) llvm::consumeError(name.takeError());
      if (!contents) llvm::consumeError(contents.takeError());
    }
  }

  /// DWARF refers to text and data by addresses, which the loader completes, and to other DWARF sections by
  /// offsets.
  Result<void> relocate_debug(codeobject::DebugSection& holder,
                              const llvm::object::ELFSectionRef& relocations) {
    for (const llvm::object::ELFRelocationRef relocation : relocations.relocations()) {
      const auto symbol = relocation.getSymbol();
      if (symbol == elf_.symbol_end()) return Error{"a relocation of debug information names nothing"};
      auto addend = relocation.getAddend();
      if (!addend) return Error{message(addend.takeError())};
      const uint64_t at = relocation.getOffset();
      if (relocation.getType() == ELF::R_X86_64_64) {
        const auto place = place_of(*symbol);
        if (!place) return Error{"debug information refers to what is not in the code object"};
        const uint64_t value = codeobject::text_address + address(*place) + static_cast<uint64_t>(*addend);
        assert(at + sizeof value <= holder.bytes.size());
        std::memcpy(holder.bytes.data() + at, &value, sizeof value);
        holder.addresses.push_back(at);
      } else if (relocation.getType() == ELF::R_X86_64_32) {
        auto offset = symbol->getValue();
        if (!offset) return Error{message(offset.takeError())};
        const auto value = static_cast<uint32_t>(*offset + static_cast<uint64_t>(*addend));
        assert(at + sizeof value <= holder.bytes.size());
        std::memcpy(holder.bytes.data() + at, &value, sizeof value);
      } else {
        return Error{
            fmt::format("debug information has a relocation of unknown type {}", relocation.getType())};
      }
    }
    return {};
  }

  Result<void> relocate(const llvm::object::ELFSectionRef& relocations) {
    auto target = relocations.getRelocatedSection();
    if (!target) return Error{message(target.takeError())};
    if (*target == elf_.section_end()) return {};
    if (const auto debug = debug_sections_.find((*target)->getIndex()); debug != debug_sections_.end())
      return relocate_debug(out_.debug[debug->second], relocations);
    const auto holder = places_.find((*target)->getIndex());
    if (holder == places_.end()) return {};
    for (const llvm::object::ELFRelocationRef relocation : relocations.relocations()) {
      const auto symbol = relocation.getSymbol();
      std::string name = "?";
      if (symbol != elf_.symbol_end())
        if (auto text = symbol->getName()) name = text->str();
      const auto place = symbol == elf_.symbol_end() ? std::nullopt : place_of(*symbol);
      if (!place)
        return Error{fmt::format("compiled code refers to '{}', which is not in the code object", name)};
      auto addend = relocation.getAddend();
      if (!addend) return Error{message(addend.takeError())};
      const Place at = {holder->second.in_text, holder->second.offset + relocation.getOffset()};
      if (auto done = apply(relocation.getType(), at, *place, *addend); !done.ok()) return done;
    }
    return {};
  }

  template <typename T>
  void write(const Place& at, T value) {
    auto& bytes = at.in_text ? out_.text : out_.data;
    assert(at.offset + sizeof value <= bytes.size());
    std::memcpy(bytes.data() + at.offset, &value, sizeof value);
  }

  Result<void> apply(uint64_t type, const Place& at, const Place& symbol, int64_t addend) {
    switch (type) {
      case ELF::R_X86_64_PC32:
      case ELF::R_X86_64_PLT32: {
        const auto distance = static_cast<int64_t>(address(symbol) + addend - address(at));
        if (distance != static_cast<int32_t>(distance)) return Error{"the code is larger than 2 GiB"};
        write(at, static_cast<int32_t>(distance));
        return {};
      }
      case ELF::R_X86_64_PC64:
        write(at, address(symbol) + addend - address(at));
        return {};
      case ELF::R_X86_64_64: {
        if (at.in_text) return Error{"compiled code holds an absolute address"};
        Relocation out;
        out.what = symbol.in_text ? Relocation::What::text_base : Relocation::What::data_base;
        out.offset = at.offset;
        out.addend = static_cast<int64_t>(symbol.offset) + addend;
        out_.relocations.push_back(out);
        return {};
      }
      default:
        return Error{fmt::format("compiled code has a relocation of unknown type {}", type)};
    }
  }

  /// Joins the line tables of DWARF to one. If several rows have the same offset, the last one counts,
  /// because those before it belong to no instruction.
  void collect_lines() {
    const auto dwarf = llvm::DWARFContext::create(elf_);
    std::map<std::string, uint32_t> files;
    std::map<uint64_t, codeobject::LineTable::Row> rows;
    for (const auto& unit : dwarf->compile_units()) {
      const auto* table = dwarf->getLineTableForUnit(unit.get());
      if (!table) continue;
      for (const auto& from : table->Rows) {
        const auto place = places_.find(from.Address.SectionIndex);
        if (place == places_.end() || !place->second.in_text) continue;
        codeobject::LineTable::Row row;
        row.offset = place->second.offset + from.Address.Address;
        // The end of one sequence may be the beginning of another, whose row then counts.
        if (from.EndSequence && rows.count(row.offset) != 0) continue;
        std::string name;
        using Kind = llvm::DILineInfoSpecifier::FileLineInfoKind;
        if (!from.EndSequence && from.Line != 0 &&
            table->getFileNameByIndex(from.File, "", Kind::RelativeFilePath, name)) {
          row.line = from.Line;
          row.lanes = from.Discriminator;
          row.file = files.try_emplace(name, static_cast<uint32_t>(files.size())).first->second;
        }
        rows[row.offset] = row;
      }
    }
    out_.lines.files.resize(files.size());
    for (const auto& [name, index] : files) out_.lines.files[index] = name;
    for (const auto& [offset, row] : rows) {
      auto& all = out_.lines.rows;
      const bool same = all.empty() ? row.line == 0
                                    : std::tie(all.back().line, all.back().file, all.back().lanes) ==
                                          std::tie(row.line, row.file, row.lanes);
      if (!same) all.push_back(row);
    }
  }

  const ElfObject& elf_;
  LinkedObject out_;
  uint64_t data_begin_ = 0;
  std::map<uint64_t, Place> places_;
  std::map<uint64_t, size_t> debug_sections_;  // in out_.debug
};

}  // namespace

Result<LinkedObject> link_object(std::span<const char> elf, bool keep_dwarf) {
  auto object = llvm::object::ObjectFile::createELFObjectFile(
      llvm::MemoryBufferRef(llvm::StringRef(elf.data(), elf.size()), "code"));
  if (!object) return Error{llvm::toString(object.takeError())};
  const auto* x86 = llvm::dyn_cast<ElfObject>(object->get());
  if (!x86) return Error{"the code generator did not make an ELF64 object"};
  return Linker(*x86).run(keep_dwarf);
}

}  // namespace heddle::finalizer::x86
