// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hsail/brig/builder.h"

#include <algorithm>
#include <cassert>
#include <string_view>

#include <fmt/format.h>

#include <hsa/hsa_brig_directives.h>

#include "hsail/isa/codec.h"
#include "support/align.h"

namespace heddle::brig {
namespace {

constexpr size_t section_name_at = offsetof(hsa_brig_section_header_t, name);

/// Returns a section that has only its header. finish() fills in the size.
std::vector<std::byte> new_section(std::string_view name) {
  hsa_brig_section_header_t header{};
  // The name would fit into a smaller header, but readers of HSA 1.0 also count the padding of the C struct
  // and reject headers smaller than this.
  header.header_byte_count =
      static_cast<uint32_t>(align_up(sizeof(hsa_brig_section_header_t) - 1 + name.size(), 4));
  header.name_length = static_cast<uint32_t>(name.size());
  std::vector<std::byte> bytes(header.header_byte_count);
  std::memcpy(bytes.data(), &header, section_name_at);
  std::memcpy(bytes.data() + section_name_at, name.data(), name.size());
  return bytes;
}

void append(std::vector<std::byte>& to, std::span<const std::byte> bytes) {
  to.insert(to.end(), bytes.begin(), bytes.end());
}

/// Compares entries, which consist of whole words. Most have only a few, so a loop is faster than a call of
/// memcmp.
bool same_words(const std::byte* a, const std::byte* b, size_t size) {
  for (size_t at = 0; at < size; at += sizeof(uint32_t)) {
    uint32_t x, y;
    std::memcpy(&x, a + at, sizeof x);
    std::memcpy(&y, b + at, sizeof y);
    if (x != y) return false;
  }
  return true;
}

/// Returns a hash of an entry. Entries are short and few of their values differ, so one multiplication for
/// each 8 bytes spreads them well enough.
uint32_t hash_of(std::span<const std::byte> bytes) {
  uint64_t hash = 0x9e3779b97f4a7c15u ^ bytes.size();
  size_t at = 0;
  for (; at + 8 <= bytes.size(); at += 8) {
    uint64_t word;
    std::memcpy(&word, bytes.data() + at, sizeof word);
    hash = (hash ^ word) * 0xff51afd7ed558ccdu;
    hash ^= hash >> 32;
  }
  uint64_t tail = 0;
  std::memcpy(&tail, bytes.data() + at, bytes.size() - at);
  hash = (hash ^ tail) * 0xc4ceb9fe1a85ec53u;
  return static_cast<uint32_t>(hash ^ (hash >> 32));
}

}  // namespace

Offset EntryTable::intern(const std::vector<std::byte>& section, size_t start) {
  if (slots_.empty() || used_ * 4 >= slots_.size() * 3) grow();
  assert(start != 0 && start < section.size() && "offset 0 marks a free slot");
  const std::span entry(section.data() + start, section.size() - start);
  assert(entry.size() % sizeof(uint32_t) == 0 && "same_words() compares whole words");
  const uint32_t hash = hash_of(entry);
  const size_t mask = slots_.size() - 1;
  for (size_t i = hash & mask;; i = (i + 1) & mask) {
    Slot& slot = slots_[i];
    if (slot.offset == 0) {
      slot = {hash, static_cast<uint32_t>(entry.size()), static_cast<Offset>(start)};
      ++used_;
      return slot.offset;
    }
    if (slot.hash == hash && slot.size == entry.size() &&
        same_words(section.data() + slot.offset, entry.data(), entry.size())) {
      return slot.offset;
    }
  }
}

void EntryTable::grow() {
  const std::vector<Slot> old =
      std::exchange(slots_, std::vector<Slot>(std::max<size_t>(64, slots_.size() * 2)));
  const size_t mask = slots_.size() - 1;
  for (const Slot& slot : old) {
    if (slot.offset == 0) continue;
    size_t i = slot.hash & mask;
    while (slots_[i].offset != 0) i = (i + 1) & mask;
    slots_[i] = slot;
  }
}

Builder::Builder()
    : data_(new_section("hsa_data")), code_(new_section("hsa_code")), operands_(new_section("hsa_operand")) {
  symbols_.push_back(0);  // Symbol{}
}

// ---- hsa_data ----

Offset Builder::intern_data(EntryTable& table, std::span<const std::byte> bytes) {
  const size_t start = data_.size();
  const auto byte_count = static_cast<uint32_t>(bytes.size());
  data_.resize(start + align_up(sizeof byte_count + bytes.size(), 4));
  std::memcpy(data_.data() + start, &byte_count, sizeof byte_count);
  if (!bytes.empty()) std::memcpy(data_.data() + start + sizeof byte_count, bytes.data(), bytes.size());
  const Offset offset = table.intern(data_, start);
  if (offset != start) data_.resize(start);
  return offset;
}

Offset Builder::add_string(std::string_view text) { return add_bytes(std::as_bytes(std::span(text))); }

Offset Builder::add_bytes(std::span<const std::byte> bytes) { return intern_data(data_table_, bytes); }

Offset Builder::add_offsets(std::span<const Offset> operands) { return add_bytes(std::as_bytes(operands)); }

// ---- symbols ----

Symbol Builder::new_symbol() {
  symbols_.push_back(0);
  return static_cast<Symbol>(symbols_.size() - 1);
}

void Builder::define(Symbol symbol, Offset code) {
  assert(symbol != Symbol{});
  assert(static_cast<uint32_t>(symbol) < symbols_.size() && "the symbol is of this builder");
  assert(code != 0 && "0 stands for symbols that are not defined");
  symbols_[static_cast<uint32_t>(symbol)] = code;
}

// ---- hsa_operand ----

Offset Builder::intern_operand(std::span<const std::byte> entry) {
  const size_t start = operands_.size();
  append(operands_, entry);
  const Offset offset = operand_table_.intern(operands_, start);
  if (offset != start) operands_.resize(start);
  return offset;
}

Offset Builder::add_register(hsa_brig_register_kind_t kind, uint16_t number) {
  return add_operand(hsa_brig_operand_register_t{
      {0, HSA_BRIG_KIND_OPERAND_REGISTER}, static_cast<hsa_brig_register_kind16_t>(kind), number});
}

Offset Builder::add_constant(isa::Type type, std::span<const std::byte> bytes) {
  return add_operand(hsa_brig_operand_constant_bytes_t{
      {0, HSA_BRIG_KIND_OPERAND_CONSTANT_BYTES}, type, 0, add_bytes(bytes)});
}

Offset Builder::add_constant(isa::Type type, uint64_t value) {
  assert(isa::byte_size(type) != 0 && isa::byte_size(type) <= sizeof value);
  return add_constant(type, std::as_bytes(std::span(&value, 1)).first(isa::byte_size(type)));
}

Offset Builder::add_constant_list(isa::Type type, std::span<const Offset> elements) {
  return add_operand(hsa_brig_operand_constant_operand_list_t{
      {0, HSA_BRIG_KIND_OPERAND_CONSTANT_OPERAND_LIST}, type, 0, add_offsets(elements)});
}

Offset Builder::add_expression(isa::Type type, hsa_brig_expression_operation16_t operation,
                               std::span<const Offset> operands) {
  return add_operand(hsa_brig_operand_constant_expression_t{
      {0, HSA_BRIG_KIND_OPERAND_CONSTANT_EXPRESSION}, type, operation, add_offsets(operands)});
}

Offset Builder::add_align(hsa_brig_alignment_t align) {
  return add_operand(hsa_brig_operand_align_t{
      {0, HSA_BRIG_KIND_OPERAND_ALIGN}, static_cast<hsa_brig_alignment8_t>(align), {0, 0, 0}});
}

Offset Builder::add_zero(uint64_t byte_count) {
  return add_operand(
      hsa_brig_operand_zero_t{{0, HSA_BRIG_KIND_OPERAND_ZERO},
                              {static_cast<uint32_t>(byte_count), static_cast<uint32_t>(byte_count >> 32)}});
}

Offset Builder::add_wavesize() {
  return add_operand(hsa_brig_operand_wavesize_t{{0, HSA_BRIG_KIND_OPERAND_WAVESIZE}});
}

Offset Builder::add_string_operand(std::string_view text) {
  return add_operand(hsa_brig_operand_string_t{{0, HSA_BRIG_KIND_OPERAND_STRING}, add_string(text)});
}

Offset Builder::add_vector(std::span<const Offset> elements) {
  return add_operand(
      hsa_brig_operand_operand_list_t{{0, HSA_BRIG_KIND_OPERAND_OPERAND_LIST}, add_offsets(elements)});
}

// Until finish(), the fields that refer to code hold Symbols, so that equal references have equal bytes.

Offset Builder::add_code_ref(Symbol symbol) {
  const size_t end = operands_.size();
  const Offset operand = add_operand(
      hsa_brig_operand_code_ref_t{{0, HSA_BRIG_KIND_OPERAND_CODE_REF}, static_cast<Offset>(symbol)});
  if (operand == end)
    fixups_.push_back({operand + Offset{offsetof(hsa_brig_operand_code_ref_t, ref)}, false});
  return operand;
}

Offset Builder::add_code_list(std::span<const Symbol> symbols) {
  static_assert(sizeof(Symbol) == sizeof(Offset));
  const size_t end = data_.size();
  const Offset list = symbols.empty() ? add_bytes({}) : intern_data(code_list_table_, std::as_bytes(symbols));
  if (list == end) {
    for (size_t i = 0; i < symbols.size(); ++i) {
      fixups_.push_back({static_cast<Offset>(list + sizeof(uint32_t) + i * sizeof(Offset)), true});
    }
  }
  return add_operand(hsa_brig_operand_code_list_t{{0, HSA_BRIG_KIND_OPERAND_CODE_LIST}, list});
}

Offset Builder::add_address(Symbol symbol, Offset reg, uint64_t offset) {
  const size_t end = operands_.size();
  const Offset operand = add_operand(
      hsa_brig_operand_address_t{{0, HSA_BRIG_KIND_OPERAND_ADDRESS},
                                 static_cast<Offset>(symbol),
                                 reg,
                                 {static_cast<uint32_t>(offset), static_cast<uint32_t>(offset >> 32)}});
  if (operand == end && symbol != Symbol{}) {
    fixups_.push_back({operand + Offset{offsetof(hsa_brig_operand_address_t, symbol)}, false});
  }
  return operand;
}

// ---- hsa_code ----

Offset Builder::append_code(std::span<const std::byte> entry) {
  assert(!entry.empty() && entry.size() % 4 == 0 && "entries lie at multiples of 4");
  const Offset offset = code_end();
  append(code_, entry);
  return offset;
}

Offset Builder::add_instruction(const isa::Fields& fields, std::span<const Offset> operands) {
  std::byte entry[isa::max_entry_bytes];
  const size_t size = isa::encode(fields, add_offsets(operands), entry);
  assert(size != 0);
  return append_code(std::span(entry, size));
}

Offset Builder::add_pad(unsigned n) {
  const size_t size = (size_t{n} + 1) * 4;
  assert(size <= UINT16_MAX);
  const Offset offset = code_end();
  const hsa_brig_directive_none_t head{{static_cast<uint16_t>(size), HSA_BRIG_KIND_NONE}};
  append(code_, std::as_bytes(std::span(&head, 1)));
  code_.resize(offset + size);
  return offset;
}

Result<std::vector<std::byte>> Builder::finish() {
  std::vector<std::byte>* const sections[] = {&data_, &code_, &operands_};
  for (const auto* section : sections) {
    if (section->size() > UINT32_MAX)
      return Error{"a section is larger than 4 GiB, the reach of BRIG offsets"};
  }
  for (const Fixup& fixup : fixups_) {
    std::byte* const place = (fixup.in_data ? data_ : operands_).data() + fixup.place;
    Offset symbol;
    std::memcpy(&symbol, place, sizeof symbol);
    assert(symbol < symbols_.size() && "each place is filled in once");
    const Offset target = symbols_[symbol];
    if (target == 0) return Error{fmt::format("symbol {} is referred to but not defined", symbol)};
    std::memcpy(place, &target, sizeof target);
  }

  constexpr size_t index_at = sizeof(hsa_brig_module_header_t);
  uint64_t index[std::size(sections)];
  size_t end = index_at + sizeof index;
  for (size_t i = 0; i < std::size(sections); ++i) {
    const uint64_t byte_count = sections[i]->size();
    std::memcpy(sections[i]->data(), &byte_count, sizeof byte_count);  // first field of the section header
    index[i] = align_up(end, 16);
    end = index[i] + byte_count;
  }

  hsa_brig_module_header_t header{};
  std::memcpy(header.identification, "HSA BRIG", sizeof header.identification);
  header.brig_major = HSA_BRIG_VERSION_BRIG_MAJOR;
  header.brig_minor = HSA_BRIG_VERSION_BRIG_MINOR;
  header.byte_count = align_up(end, 16);
  header.section_count = std::size(sections);
  header.section_index = index_at;

  std::vector<std::byte> bytes(header.byte_count);
  std::memcpy(bytes.data(), &header, sizeof header);
  std::memcpy(bytes.data() + index_at, index, sizeof index);
  for (size_t i = 0; i < std::size(sections); ++i) {
    std::copy(sections[i]->begin(), sections[i]->end(), bytes.begin() + static_cast<ptrdiff_t>(index[i]));
  }
  return bytes;
}

}  // namespace heddle::brig
