// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>

#include <llvm/IR/DebugProgramInstruction.h>

#include "compiler/debug/entities.h"
#include "compiler/emit/builder.h"
#include "compiler/emit/layout.h"

namespace heddle::compiler {

/// What emission knows about a value when it reaches a debug record. Asking makes no code.
class KnownValues {
 public:
  virtual ~KnownValues() = default;
  /// The parts of a value, or nothing if it is in no registers and is no constant.
  virtual std::optional<Parts> known_parts(const llvm::Value& value) = 0;
  /// The place of a variable or formal argument of HSAIL that a pointer holds the address of; without a
  /// symbol for any other pointer.
  virtual Address known_place(const llvm::Value& pointer) = 0;
};

/// Turns the debug records of one function into references (PRM 13.4.2.2.4) between its instructions. What
/// HSAIL cannot express ends the variable, which then has no value for debuggers.
class VariableTracker {
 public:
  VariableTracker(SourceEntities& entities, Layouts& layouts, Builder& builder, KnownValues& values)
      : entities_(entities), layouts_(layouts), builder_(builder), values_(values) {}

  void track(const llvm::DbgVariableRecord& record);

 private:
  using Piece = SourceEntities::Piece;
  struct Described {
    uint64_t entity = 0;
    Piece piece;                   // that the record is about
    std::optional<uint64_t> bits;  // of the whole variable
  };
  struct Location {
    bool is_known = false;   // whether HSAIL can express it
    bool in_memory = false;  // at the address that the value is, and `offset` behind it
    uint64_t offset = 0;
  };

  static Location location_of(const llvm::DbgVariableRecord& record);
  void track_memory(const Described& variable, const llvm::Value& pointer, uint64_t offset);
  std::optional<llvm::SmallVector<Piece, 4>> pieces_of(const Described& variable, const llvm::Value& value);
  void track_value(const Described& variable, const llvm::Value& value);
  void track_part(const Described& variable, const Piece& piece, const Scalar& part, Type type);
  void end(const Described& variable);
  /// Adds a reference. `pattern` is the pragma, with %0 for the register, if any.
  void add(const Described& variable, const Piece& piece, const std::string& pattern, Operand reg);

  SourceEntities& entities_;
  Layouts& layouts_;
  Builder& builder_;
  KnownValues& values_;
};

}  // namespace heddle::compiler
