// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The interface of a machine that the finalizer makes code objects for (docs/design.md, "How a new target is
// added").
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "codeobject/code_object.h"
#include "finalizer/lower/spmd.h"
#include "finalizer/object_symbols.h"
#include "finalizer/options.h"
#include "finalizer/target_traits.h"
#include "hsail/link/program.h"
#include "support/diagnostic.h"
#include "support/result.h"

namespace heddle::finalizer {

class Target;

/// An instruction set architecture that code objects are made for.
struct Isa {
  const char* name = nullptr;      ///< the name that clients use (Runtime 2.2.1), "heddle:..."
  uint32_t wavefront_size = 0;     ///< WAVESIZE: a power of two, at most 256 (PRM 2.6.2)
  const Target* target = nullptr;  ///< makes the code objects; never null
  uint32_t variant = 0;            ///< for the target, which tells its ISAs apart by it
};

/// One program to be compiled for one ISA.
struct CompileRequest {
  const link::Program& program;  ///< resolved
  const Isa& isa;                ///< one of the target's
  const FinalizeOptions& options;
  const std::vector<KernelRequest>& kernels;  ///< all of the code object's kernels
  const ObjectSymbols& symbols;               ///< indices of symbols in the code object
};

/// A kind of machine. It is immutable and thread safe, and lives until the process ends.
class Target {
 public:
  virtual ~Target() = default;

  /// The ISAs of the machine, beginning with the one that needs the newest processor. They live as long as
  /// the target.
  virtual std::span<const Isa> isas() const = 0;

  /// Completes `object`, which already describes the variables, kernels and indirect functions of the
  /// program. The target adds what its agents execute and sets for each kernel where the agent finds it and
  /// how much private memory it needs. Reports what it cannot compile; `object` is then of no use.
  virtual void compile(const CompileRequest& request, codeobject::CodeObject& object,
                       Diagnostics& diagnostics) const = 0;

  /// Reports whether compile() takes so much longer than reading a file (milliseconds) that the cache keeps
  /// what it makes.
  virtual bool is_slow() const { return false; }

 protected:
  Target() = default;
  Target(const Target&) = delete;
  Target& operator=(const Target&) = delete;
};

/// A machine whose code is generated from SPMD LLVM IR.
class SpmdTarget : public Target {
 public:
  /// Returns what lowering has to know of an ISA. The reference is valid as long as the target.
  virtual const TargetTraits& traits(const Isa& isa) const = 0;

  /// Reports whether the registers of HSAIL stay in memory, because debuggers must be able to read and write
  /// them wherever they stop the code. Otherwise they are values.
  static bool keeps_registers_in_memory(const FinalizeOptions& options) {
    return options.debug && options.opt_level == 0;
  }

  /// Completes `object` with the code of the kernels and indirect functions of `spmd`, whose module was made
  /// for the traits of the request's ISA. Unless keeps_registers_in_memory(), registers are values in it, and
  /// addresses are pointers with offsets (lower/values.h). Reports what the target cannot compile, and with
  /// FinalizeOptions::verbose how it has compiled each kernel. An Error is always an internal error of the
  /// finalizer.
  virtual Result<void> generate(SpmdProgram spmd, const CompileRequest& request,
                                codeobject::CodeObject& object, Diagnostics& diagnostics) const = 0;

  /// Lowers the program and generates its code. Does nothing for a program without code. With a dump folder,
  /// writes the SPMD IR there as it is after lowering, with registers in memory.
  void compile(const CompileRequest& request, codeobject::CodeObject& object,
               Diagnostics& diagnostics) const final;

  bool is_slow() const final { return true; }
};

}  // namespace heddle::finalizer
