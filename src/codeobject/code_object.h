// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "codeobject/accessed_lanes.h"
#include "support/align.h"
#include "support/diagnostic.h"
#include "support/result.h"

namespace heddle::codeobject {

/// Segment of a variable in a code object; the numbers are those of hsa_variable_segment_t.
enum class Segment : uint8_t { global = 0, readonly = 1 };
enum class Allocation : uint8_t { agent = 0, program = 1 };  ///< as hsa_variable_allocation_t
enum class Linkage : uint8_t { module = 0, program = 1 };    ///< as hsa_symbol_linkage_t

/// A variable of the global or readonly segment.
struct Variable {
  std::string name;  ///< HSAIL name with its &
  std::string linker_name;
  std::string module_name;
  Segment segment = Segment::global;
  Allocation allocation = Allocation::program;
  Linkage linkage = Linkage::program;
  bool is_const = false;
  bool defined = true;  ///< false: the application defines it on the executable
  uint64_t size = 0;
  uint32_t align = 1;
  std::vector<std::byte> init;  ///< empty or `size` bytes
};

enum KernelFlag : uint32_t {
  /// Waves of a group wait for each other and have no frames for that (Kernel::frame_size), so each wave
  /// needs a fiber of its own.
  kernel_needs_fibers = 1u << 0,
  kernel_observes_wave = 1u << 1,
  /// Control directives that forbid dispatches with partial work-groups, or with partial waves.
  kernel_no_partial_groups = 1u << 2,
  kernel_no_partial_waves = 1u << 3,
  /// Barriers do not wait for work-items that have ended (docs/hsail.md, "Early return").
  kernel_early_return = 1u << 4,
};

/// A kernel: where its code is, and what a dispatch needs to know about it.
struct Kernel {
  std::string name;
  std::string linker_name;
  std::string module_name;
  Linkage linkage = Linkage::program;
  uint64_t kernarg_size = 0;
  uint32_t kernarg_align = 16;
  uint32_t group_size = 0;  ///< static group segment, bytes
  uint32_t group_align = 1;
  uint32_t private_size = 0;  ///< private, spill and arg memory of one work-item that needs addresses, bytes
  bool dynamic_call_stack = false;
  uint32_t lanes = 1;  ///< work-items that the code executes together at most: a power of two, at most 64. It
                       ///< is the ISA's wavefront size if the kernel can tell how long its waves are
  uint32_t frame_size = 0;  ///< bytes, a multiple of 64, that a wave needs while it waits at a barrier; 0 if
                            ///< the waves of a group run one after the other, or as fibers
  uint32_t flags = 0;       ///< KernelFlag
  uint64_t groups_entry = 0;  ///< text offset of the range entry (kernel_abi.h), no_entry if there is none
  uint64_t wave_entry = 0;    ///< text offset of the one-wave entry
  uint32_t required_group_size[3] = {0, 0, 0};  ///< control directives, 0 = not given
  uint64_t required_grid_size[3] = {0, 0, 0};
  uint8_t required_dim = 0;
  uint32_t max_dynamic_group_size = UINT32_MAX;
  uint64_t max_flat_grid_size = 0;  ///< 0 = not given
  uint32_t max_flat_group_size = 0;
  uint32_t detect_exceptions = 0;  ///< mask of hsa_brig_exceptions_t (PRM 12.3)
  uint32_t break_exceptions = 0;   ///< mask of hsa_brig_exceptions_t (PRM 12.3)

  bool no_partial_groups() const { return (flags & kernel_no_partial_groups) != 0; }
  bool no_partial_waves() const { return (flags & kernel_no_partial_waves) != 0; }
};
inline constexpr uint64_t no_entry = ~uint64_t{0};

struct IndirectFunction {
  std::string name;
  std::string linker_name;
  std::string module_name;
  Linkage linkage = Linkage::program;
  uint64_t entry = 0;  ///< text offset
};

/// An image that the loader makes for the agent, with the handle as an initial value (PRM 7.1.7); its
/// elements have no initial value. Numbers are those of hsa_access_permission_t and hsa_ext_image_*_t.
struct ImageInitializer {
  uint8_t permission = 0;
  uint8_t geometry = 0;
  uint8_t channel_type = 0;
  uint8_t channel_order = 0;
  uint64_t width = 0, height = 0, depth = 0, layers = 0;
};

/// A sampler that the loader makes in the same way (PRM 7.1.8). Numbers are those of
/// hsa_ext_sampler_*_mode_t.
struct SamplerInitializer {
  uint8_t coordinate_mode = 0;
  uint8_t filter_mode = 0;
  uint8_t address_mode = 0;
};

/// Memory that a loader fills: a part of `data` (code's own tables) or of the initial bytes of a variable.
struct Relocation {
  enum class Where : uint8_t { data, variable } where = Where::data;
  enum class What : uint8_t {
    text_base,  ///< address of the loaded text + addend
    data_base,  ///< address of the loaded data + addend
    variable,   ///< address of variables[symbol] + addend
    kernel,     ///< kernel handle of kernels[symbol]
    function,   ///< handle of functions[symbol]
    null_group,
    null_private,
    null_kernarg,
    null_flat,  ///< the agent's null address of the segment
    image,      ///< handle of an image as images[symbol] describes it, one for each place; in variables only
    sampler     ///< handle of a sampler as samplers[symbol] describes it, one for each place
  } what = What::text_base;
  uint32_t holder = 0;  ///< Where::variable: index in variables
  uint64_t offset = 0;
  uint8_t size = 8;  ///< bytes written; the value is truncated
  uint32_t symbol = 0;
  int64_t addend = 0;
};

/// The source lines that the text was made from (PRM 13.2: loc).
struct LineTable {
  /// The source line of the text from this row's offset up to the next row's.
  struct Row {
    uint64_t offset = 0;  ///< in text
    uint32_t file = 0;    ///< index in files
    uint32_t line = 0;    ///< 0: not known
    uint32_t lanes = 0;   ///< AccessedLanes::word() of what accesses memory in these bytes
  };
  std::vector<std::string> files;
  std::vector<Row> rows;  ///< ascending, each offset once

  /// Returns "file:line" of the instruction that this byte belongs to, or an empty string if it is not known.
  std::string find(uint64_t offset) const;
  /// Returns for which lanes the instruction that this byte belongs to accesses memory.
  AccessedLanes lanes(uint64_t offset) const;

 private:
  const Row* row_of(uint64_t offset) const;
};

/// A DWARF section whose addresses assume that the text is loaded at text_address.
struct DebugSection {
  std::string name;  ///< ".debug_info", ...
  std::vector<std::byte> bytes;
  std::vector<uint64_t> addresses;  ///< offsets of the 8-byte words that hold addresses in text or data
};
/// The address of the text according to the file.
inline constexpr uint64_t text_address = 4096;

/// A finalized program for one ISA, or its part for all agents, as data. write() and read() are inverse.
struct CodeObject {
  bool has_program_part = false;  ///< holds the program-allocation variables
  bool has_agent_part = false;    ///< holds code, agent-allocation and readonly variables, for `isa`
  std::string isa;                ///< for example "heddle:x86-64-v4:w1"; empty for a program code object
  uint32_t hsail_major = 1, hsail_minor = 2;
  uint8_t machine_model = 1;  ///< as hsa_machine_model_t
  uint8_t profile = 1;        ///< as hsa_profile_t
  uint8_t rounding = 2;       ///< as hsa_default_float_rounding_mode_t
  /// Digest of the modules of the program, in order: code objects of one executable must agree (PRM 4.2).
  uint8_t program_digest[16] = {};
  std::vector<Variable> variables;
  std::vector<Kernel> kernels;
  std::vector<IndirectFunction> functions;
  std::vector<ImageInitializer> images;
  std::vector<SamplerInitializer> samplers;
  std::vector<std::byte> text;  ///< position independent, never written after loading
  std::vector<std::byte> data;  ///< constants and tables of the code; read-only once relocated
  uint32_t text_align = 64, data_align = 64;
  std::vector<Relocation> relocations;
  LineTable lines;
  std::vector<DebugSection> debug;  ///< empty unless finalized for debuggers
  /// For ISAs that run BRIG, and for lazy code objects: the modules, in the program's order.
  std::vector<std::vector<std::byte>> brig;
  /// Whether the kernels have no code yet: each is finalized from `brig` when an executable needs it, with
  /// `lazy_options`, and loaded beside this object. Agents get no such object. It holds no address of code.
  bool lazy = false;
  std::string lazy_options;  ///< as hsail_program_finalize takes them; empty if not lazy
};

/// Distance in bytes from the first byte of `text` to the first byte of `data` in memory. Compiled code
/// reaches its data relative to its own position, so a loader maps both as one range: text at its start, data
/// at this offset (a whole number of pages, so that text can be executable and data writable while it is
/// relocated).
inline uint64_t data_offset(const CodeObject& object) {
  constexpr uint64_t page = 4096;
  return align_up(object.text.size(), page);
}

/// Serialises to ELF64 (design D7): text and data as loadable segments, symbols in .symtab so that binutils
/// can look inside, everything else in notes of the name "heddle". Never fails.
std::vector<std::byte> write(const CodeObject& object);

/// Makes the file that tells debuggers about a code object with debug sections whose text is loaded at
/// `text`: an ELF file with code, symbols and DWARF for that address.
std::vector<std::byte> symbol_file(const CodeObject& object, uint64_t text);

/// Reads what write() has written. For any input the result is either a consistent CodeObject (all offsets
/// and symbol numbers in range) or diagnostics ("CODEOBJECT-...").
Result<CodeObject, Diagnostics> read(std::span<const std::byte> bytes);

}  // namespace heddle::codeobject
