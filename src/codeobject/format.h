// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The layout of a code object's metadata in its notes, which is little-endian and without padding. Each
// record is described once for both directions, as a function over an Encoder or a Decoder.
#pragma once

#include <bit>
#include <concepts>
#include <cstring>
#include <type_traits>

#include "codeobject/code_object.h"

namespace heddle::codeobject::format {

static_assert(std::endian::native == std::endian::little,
              "code objects are little-endian and copied as they are");

/// Increased whenever a record below changes. Readers accept their own version only: code objects are made
/// again from HSAIL when the toolchain changes, so there is nothing to migrate.
inline constexpr uint32_t version = 6;

/// The owner of the notes, and their types. A file has exactly one note of each type.
inline constexpr char note_name[] = "heddle";
enum Note : uint32_t {
  note_object = 1,
  note_variables = 2,
  note_kernels = 3,
  note_functions = 4,
  note_relocations = 5,
  note_modules = 6,  ///< sizes of the BRIG modules, which follow each other in .heddle.brig
  note_lines = 7,    ///< names of source files, then rows
  note_debug = 8,    ///< debug sections: names, sizes, and where they hold addresses
  note_images = 9,
  note_samplers = 10,
};
inline constexpr uint32_t note_last = note_samplers;

inline constexpr char section_notes[] = ".note.heddle";
inline constexpr char section_text[] = ".text";
inline constexpr char section_data[] = ".data";
inline constexpr char section_initializers[] =
    ".heddle.init";  ///< initial bytes of the variables, in their order and without gaps
inline constexpr char section_modules[] = ".heddle.brig";

class Encoder {
 public:
  template <typename T>
    requires std::is_arithmetic_v<T> || std::is_enum_v<T>
  void value(const T& value, T = {}) {
    const auto* bytes = reinterpret_cast<const std::byte*>(&value);
    out.insert(out.end(), bytes, bytes + sizeof value);
  }
  void text(const std::string& value) {
    this->value(static_cast<uint32_t>(value.size()));
    const auto* bytes = reinterpret_cast<const std::byte*>(value.data());
    out.insert(out.end(), bytes, bytes + value.size());
  }

  std::vector<std::byte> out;
};

/// Reads until the first defect; afterwards everything reads as zero and `failed()` says what was wrong.
class Decoder {
 public:
  explicit Decoder(std::span<const std::byte> bytes) : bytes_(bytes) {}

  /// Decodes a number. For enumerations, `last` is the largest legal value.
  template <typename T>
    requires std::is_arithmetic_v<T> || std::is_enum_v<T>
  void value(T& value, T last = {}) {
    if constexpr (std::is_same_v<T, bool>) {
      uint8_t raw = 0;
      this->value(raw);
      if (raw > 1) fail("a flag is neither 0 nor 1");
      value = raw == 1;
    } else {
      if (bytes_.size() - at_ < sizeof(T)) {
        fail("the record ends early");
        value = {};
        return;
      }
      std::memcpy(&value, bytes_.data() + at_, sizeof(T));
      if constexpr (std::is_enum_v<T>) {
        if (value > last) {
          fail("an enumeration has an unknown value");
          value = {};
        }
      }
      at_ += sizeof(T);
    }
  }
  void text(std::string& value) {
    uint32_t size = 0;
    this->value(size);
    if (size > bytes_.size() - at_) return fail("a name reaches past its record");
    value.assign(reinterpret_cast<const char*>(bytes_.data()) + at_, size);
    at_ += size;
  }
  /// Decodes a number of records of at least `smallest` bytes each, which must not be more than can follow.
  uint32_t count(size_t smallest) {
    uint32_t n = 0;
    value(n);
    if (n > (bytes_.size() - at_) / smallest) {
      fail("more records are announced than can follow");
      return 0;
    }
    return n;
  }

  bool failed() const { return reason_ != nullptr; }
  const char* reason() const { return reason_; }
  size_t at() const { return defect_; }
  bool finished() const { return at_ == bytes_.size(); }

 private:
  void fail(const char* reason) {
    if (!reason_) {
      reason_ = reason;
      defect_ = at_;
    }
    at_ = bytes_.size();
  }

  std::span<const std::byte> bytes_;
  size_t at_ = 0;
  size_t defect_ = 0;
  const char* reason_ = nullptr;
};

// Each fields() describes one record. `Io` is Encoder or Decoder, and T is const for the Encoder.

template <typename Io, typename T>
  requires std::same_as<std::remove_const_t<T>, CodeObject>
void fields(Io& io, T& object) {
  io.value(object.has_program_part);
  io.value(object.has_agent_part);
  io.text(object.isa);
  io.value(object.hsail_major);
  io.value(object.hsail_minor);
  io.value(object.machine_model);
  io.value(object.profile);
  io.value(object.rounding);
  for (auto& byte : object.program_digest) io.value(byte);
  io.value(object.text_align);
  io.value(object.data_align);
  io.value(object.lazy);
  io.text(object.lazy_options);
}

template <typename Io, typename T>
void names(Io& io, T& symbol) {
  io.text(symbol.name);
  io.text(symbol.linker_name);
  io.text(symbol.module_name);
  io.value(symbol.linkage, Linkage::program);
}
inline constexpr size_t names_smallest = 3 * sizeof(uint32_t) + 1;

template <typename Io, typename T>
  requires std::same_as<std::remove_const_t<T>, Variable>
void fields(Io& io, T& variable) {
  names(io, variable);
  io.value(variable.segment, Segment::readonly);
  io.value(variable.allocation, Allocation::program);
  io.value(variable.is_const);
  io.value(variable.defined);
  io.value(variable.size);
  io.value(variable.align);
}
inline constexpr size_t variable_smallest = names_smallest + 4 + 8 + 4 + 1;  // 1: has initial bytes?

template <typename Io, typename T>
  requires std::same_as<std::remove_const_t<T>, Kernel>
void fields(Io& io, T& kernel) {
  names(io, kernel);
  io.value(kernel.kernarg_size);
  io.value(kernel.kernarg_align);
  io.value(kernel.group_size);
  io.value(kernel.group_align);
  io.value(kernel.private_size);
  io.value(kernel.dynamic_call_stack);
  io.value(kernel.lanes);
  io.value(kernel.frame_size);
  io.value(kernel.flags);
  io.value(kernel.groups_entry);
  io.value(kernel.wave_entry);
  for (auto& size : kernel.required_group_size) io.value(size);
  for (auto& size : kernel.required_grid_size) io.value(size);
  io.value(kernel.required_dim);
  io.value(kernel.max_dynamic_group_size);
  io.value(kernel.max_flat_grid_size);
  io.value(kernel.max_flat_group_size);
  io.value(kernel.detect_exceptions);
  io.value(kernel.break_exceptions);
}
inline constexpr size_t kernel_smallest =
    names_smallest + 8 + 4 * 4 + 1 + 3 * 4 + 2 * 8 + 3 * 4 + 3 * 8 + 1 + 4 + 8 + 4;

template <typename Io, typename T>
  requires std::same_as<std::remove_const_t<T>, IndirectFunction>
void fields(Io& io, T& function) {
  names(io, function);
  io.value(function.entry);
}
inline constexpr size_t function_smallest = names_smallest + 8;

template <typename Io, typename T>
  requires std::same_as<std::remove_const_t<T>, Relocation>
void fields(Io& io, T& relocation) {
  io.value(relocation.where, Relocation::Where::variable);
  io.value(relocation.what, Relocation::What::sampler);
  io.value(relocation.holder);
  io.value(relocation.offset);
  io.value(relocation.size);
  io.value(relocation.symbol);
  io.value(relocation.addend);
}
inline constexpr size_t relocation_smallest = 2 + 4 + 8 + 1 + 4 + 8;

template <typename Io, typename T>
  requires std::same_as<std::remove_const_t<T>, LineTable::Row>
void fields(Io& io, T& row) {
  io.value(row.offset);
  io.value(row.file);
  io.value(row.line);
  io.value(row.lanes);
}
inline constexpr size_t line_smallest = 8 + 4 + 4 + 4;

template <typename Io, typename T>
  requires std::same_as<std::remove_const_t<T>, ImageInitializer>
void fields(Io& io, T& image) {
  io.value(image.permission);
  io.value(image.geometry);
  io.value(image.channel_type);
  io.value(image.channel_order);
  io.value(image.width);
  io.value(image.height);
  io.value(image.depth);
  io.value(image.layers);
}
inline constexpr size_t image_smallest = 4 + 4 * 8;

template <typename Io, typename T>
  requires std::same_as<std::remove_const_t<T>, SamplerInitializer>
void fields(Io& io, T& sampler) {
  io.value(sampler.coordinate_mode);
  io.value(sampler.filter_mode);
  io.value(sampler.address_mode);
}
inline constexpr size_t sampler_smallest = 3;

}  // namespace heddle::codeobject::format
