// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a machine has to be for the finalizer to make code objects for it (docs/design.md, "How a new target
// is added").
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
  const char* name = nullptr;      ///< what clients know it by (Runtime 2.2.1), "heddle:..."
  uint32_t wavefront_size = 0;     ///< WAVESIZE: a power of two, at most 256 (PRM 2.6.2)
  const Target* target = nullptr;  ///< who makes the code objects; never null
  uint32_t variant = 0;            ///< what the target tells its ISAs apart by; means nothing to others
};

/// One program that is to be compiled for one ISA.
struct CompileRequest {
  const link::Program& program;  ///< resolved
  const Isa& isa;                ///< one of the target's
  const FinalizeOptions& options;
  const std::vector<KernelRequest>& kernels;  ///< all that the code object has
  const ObjectSymbols& symbols;               ///< where the program's symbols stand in the code object
};

/// A kind of machine. Immutable; thread safe; lives until the process ends.
class Target {
 public:
  virtual ~Target() = default;

  /// The ISAs of the machine, the one that asks most of it first. They live as long as the target.
  virtual std::span<const Isa> isas() const = 0;

  /// Completes `object`, which has everything but code: it describes the variables, kernels and indirect
  /// functions of the program. The target adds what its agents execute, and says of each kernel where the
  /// agent finds it and how much private memory it needs. Reports what it cannot compile; `object` then is
  /// of no use.
  virtual void compile(const CompileRequest& request, codeobject::CodeObject& object,
                       Diagnostics& diagnostics) const = 0;

 protected:
  Target() = default;
  Target(const Target&) = delete;
  Target& operator=(const Target&) = delete;
};

/// A machine whose code is made from SPMD LLVM IR.
class SpmdTarget : public Target {
 public:
  /// What lowering has to know of an ISA. The reference lives as long as the target.
  virtual const TargetTraits& traits(const Isa& isa) const = 0;

  /// Completes `object` with code of the kernels and indirect functions of `spmd`, whose module has the
  /// traits of the request's ISA. An error is one of the finalizer's own: programs that cannot be compiled
  /// have been refused by lowering.
  virtual Result<void> generate(SpmdProgram spmd, const CompileRequest& request,
                                codeobject::CodeObject& object) const = 0;

  /// Lowers the program, then generates its code; nothing if the program has none.
  void compile(const CompileRequest& request, codeobject::CodeObject& object,
               Diagnostics& diagnostics) const final;
};

}  // namespace heddle::finalizer
