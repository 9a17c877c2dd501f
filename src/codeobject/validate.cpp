// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codeobject/validate.h"

#include <fmt/format.h>

#include <bit>

namespace heddle::codeobject {
namespace {

// A loader could not honour larger alignments with one mapping.
constexpr uint32_t code_align_max = 4096;
constexpr uint32_t symbol_align_max = 1u << 20;
// This limit keeps sums of sizes from wrapping around; no image or symbol is larger than an address space.
constexpr uint64_t size_max = uint64_t{1} << 47;
constexpr uint32_t lanes_max = 64;
constexpr uint32_t frame_max = 1u << 24;

bool alignment(uint64_t value, uint64_t limit) { return std::has_single_bit(value) && value <= limit; }

class Validator {
 public:
  Validator(const CodeObject& object, Diagnostics& diagnostics)
      : object_(object), diagnostics_(diagnostics) {}

  void run() {
    header();
    for (const Variable& variable : object_.variables) this->variable(variable);
    for (const Kernel& kernel : object_.kernels) this->kernel(kernel);
    for (const IndirectFunction& function : object_.functions) this->function(function);
    for (const DebugSection& section : object_.debug) debug(section);
    for (size_t i = 0; i < object_.relocations.size() && !diagnostics_.limit_reached(); ++i) relocation(i);
    lines();
  }

 private:
  void error(const char* id, std::string message) { diagnostics_.error(id, {}, std::move(message)); }

  /// Entries are not checked in an object without text, whose ISA runs BRIG.
  bool entry(uint64_t offset) const {
    return offset == no_entry || offset < object_.text.size() || (object_.text.empty() && offset == 0);
  }

  void header() {
    if (!object_.has_program_part && !object_.has_agent_part)
      error("CODEOBJECT-header", "neither a program part nor an agent part");
    if (object_.has_agent_part == object_.isa.empty())
      error("CODEOBJECT-header", "an agent part and the name of its ISA must come together");
    if (object_.machine_model > 1 || object_.profile > 1 || object_.rounding > 2)
      error("CODEOBJECT-header", "unknown machine model, profile or rounding mode");
    if (!alignment(object_.text_align, code_align_max) || !alignment(object_.data_align, code_align_max))
      error("CODEOBJECT-header", "alignment of text or data is not a power of two up to 4096");
    if (!object_.has_agent_part && (!object_.text.empty() || !object_.data.empty()))
      error("CODEOBJECT-header", "code without an agent part");
    if (object_.lazy) lazy();
  }

  void lazy() {
    if (!object_.has_agent_part || object_.brig.empty())
      error("CODEOBJECT-lazy", "a lazy code object without an agent part or without modules");
    if (!object_.text.empty() || !object_.data.empty() || !object_.functions.empty())
      error("CODEOBJECT-lazy", "a lazy code object has code");
  }

  void variable(const Variable& variable) {
    if (!alignment(variable.align, symbol_align_max))
      error("CODEOBJECT-variable", fmt::format("alignment {} of {}", variable.align, variable.name));
    if (variable.size > size_max)
      error("CODEOBJECT-variable", fmt::format("size {} of {}", variable.size, variable.name));
    if (!variable.init.empty() && (variable.init.size() != variable.size || !variable.defined))
      error("CODEOBJECT-variable", fmt::format("initial image of {} does not fit it", variable.name));
  }

  void kernel(const Kernel& kernel) {
    if (!alignment(kernel.kernarg_align, symbol_align_max) ||
        !alignment(kernel.group_align, symbol_align_max))
      error("CODEOBJECT-kernel", fmt::format("alignment in kernel {}", kernel.name));
    if (kernel.kernarg_size > size_max)
      error("CODEOBJECT-kernel", fmt::format("kernarg size {} of {}", kernel.kernarg_size, kernel.name));
    if (!entry(kernel.groups_entry) || !entry(kernel.wave_entry))
      error("CODEOBJECT-kernel", fmt::format("entry of {} lies outside the text", kernel.name));
    if (!object_.text.empty() && kernel.groups_entry == no_entry && kernel.wave_entry == no_entry)
      error("CODEOBJECT-kernel", fmt::format("{} has no entry", kernel.name));
    if (!std::has_single_bit(kernel.lanes) || kernel.lanes > lanes_max)
      error("CODEOBJECT-kernel", fmt::format("{} has waves of {} work-items", kernel.name, kernel.lanes));
    if (kernel.frame_size % 64 != 0 || kernel.frame_size > frame_max)
      error("CODEOBJECT-kernel", fmt::format("{} has frames of {} bytes", kernel.name, kernel.frame_size));
    if (kernel.required_dim > 3)
      error("CODEOBJECT-kernel", fmt::format("{} requires {} dimensions", kernel.name, kernel.required_dim));
  }

  void function(const IndirectFunction& function) {
    if (!entry(function.entry) || function.entry == no_entry)
      error("CODEOBJECT-function", fmt::format("entry of {} lies outside the text", function.name));
  }

  void debug(const DebugSection& section) {
    for (const uint64_t at : section.addresses) {
      if (section.bytes.size() < 8 || at > section.bytes.size() - 8)
        return error("CODEOBJECT-debug", fmt::format("an address lies outside {}", section.name));
    }
  }

  void relocation(size_t index) {
    const Relocation& relocation = object_.relocations[index];
    const auto bad = [&](const char* what) {
      error("CODEOBJECT-relocation", fmt::format("relocation {}: {}", index, what));
    };
    if (!alignment(relocation.size, 8)) bad("size is not 1, 2, 4 or 8");
    uint64_t available = object_.data.size();
    if (relocation.where == Relocation::Where::variable) {
      if (relocation.holder >= object_.variables.size()) return bad("no such holder");
      const Variable& holder = object_.variables[relocation.holder];
      if (!holder.defined) bad("the holder is not defined here");
      available = holder.size;
    }
    if (relocation.size > available || relocation.offset > available - relocation.size)
      bad("place lies outside its holder");
    const bool handle =
        relocation.what == Relocation::What::image || relocation.what == Relocation::What::sampler;
    if (handle && (relocation.where != Relocation::Where::variable || relocation.size != 8))
      bad("the handle of an image or sampler is not the value of 8 bytes of a variable");
    if (relocation.symbol >= symbols(relocation.what)) bad("no such symbol");
    if (object_.lazy && relocation.what == Relocation::What::kernel) bad("the kernel has no code yet");
  }

  void lines() {
    const LineTable& lines = object_.lines;
    for (size_t i = 0; i < lines.rows.size(); ++i) {
      const LineTable::Row& row = lines.rows[i];
      const bool good = row.offset <= object_.text.size() &&
                        (row.line == 0 || row.file < lines.files.size()) &&
                        (i == 0 || lines.rows[i - 1].offset < row.offset);
      if (!good) return error("CODEOBJECT-line", fmt::format("row {} of the line table", i));
    }
  }

  /// The number of symbols among which a relocation of this kind selects. Relocations that refer to no symbol
  /// have symbol 0.
  size_t symbols(Relocation::What what) const {
    switch (what) {
      case Relocation::What::variable:
        return object_.variables.size();
      case Relocation::What::kernel:
        return object_.kernels.size();
      case Relocation::What::function:
        return object_.functions.size();
      case Relocation::What::image:
        return object_.images.size();
      case Relocation::What::sampler:
        return object_.samplers.size();
      default:
        return 1;
    }
  }

  const CodeObject& object_;
  Diagnostics& diagnostics_;
};

}  // namespace

bool validate(const CodeObject& object, Diagnostics& diagnostics) {
  Validator(object, diagnostics).run();
  return !diagnostics.has_errors();
}

}  // namespace heddle::codeobject
