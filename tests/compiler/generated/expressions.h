// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random expressions of OpenCL C without undefined behaviour, and what they may refer to.
#pragma once

#include <optional>
#include <random>
#include <string>
#include <vector>

#include "types.h"

namespace heddle::tests {

class Random {
 public:
  explicit Random(uint64_t seed) : engine_(seed) {}
  /// Returns a number below `limit`.
  unsigned below(unsigned limit) { return static_cast<unsigned>(engine_() % limit); }
  bool chance(unsigned percent) { return below(100) < percent; }
  uint64_t word() { return engine_(); }

 private:
  std::mt19937_64 engine_;
};

/// Something that can be read, and perhaps assigned: a variable, or a member of a structure.
struct Place {
  std::string text;
  Type type;
  bool writable = true;
};

/// An array, or what a pointer points to. Its size is a power of two.
struct Array {
  std::string name;
  Type type;
  unsigned size;
  bool writable = true;
};

struct Function {
  std::string name;
  Type result;
  std::vector<Type> parameters;
  Type pointed;           ///< of the last parameter, which points to private memory
  unsigned pointed_size;  ///< 0: there is no such parameter
  std::string structure;  ///< type of a parameter before the pointer, or empty
};

struct StructureVariable {
  std::string name, type;
};

/// What a routine may use.
struct Scope {
  std::vector<Place> places;
  std::vector<Array> arrays;
  std::vector<StructureVariable> structures;
  const std::vector<Function>* functions = nullptr;
  unsigned functions_visible = 0;  ///< a routine calls only functions before itself, so that nothing recurses
};

/// Marks an expression of `type`, so that the shrinker finds it. unmarked() gives the text for compilers.
std::string marked(Type type, const std::string& text);
std::string unmarked(const std::string& text);
inline constexpr char mark_begin = '\x01', mark_type_end = '\x02', mark_end = '\x03';

/// Makes expressions. Signed arithmetic is done in the unsigned type, or with operands that cannot overflow;
/// divisors, indices and ranges are guarded where they stand, so that any marked part can be replaced by
/// another expression of its type. NaNs become one pattern before their bits can be seen.
class Expressions {
 public:
  Expressions(Random& random, const Scope& scope) : random_(random), scope_(scope) {}

  Type any_type();
  std::string of(Type type, unsigned depth);
  /// An expression of type int for conditions.
  std::string condition(unsigned depth);
  /// `name[...]` with an index within its bounds.
  std::string element(const Array& array, unsigned depth);
  std::string constant(Type type);
  /// A call with random arguments, unless there is no array or structure to pass.
  std::optional<std::string> call(const Function& function, unsigned depth);

 private:
  using Maker = std::string (Expressions::*)(Type, unsigned);
  static const std::vector<Maker>& integer_makers();
  static const std::vector<Maker>& real_makers();

  std::string leaf(Type type);
  std::string wrapping(Type type, unsigned depth);
  std::string fitting(Type type, unsigned depth);
  std::string bitwise(Type type, unsigned depth);
  std::string shifted(Type type, unsigned depth);
  std::string divided(Type type, unsigned depth);
  std::string unary(Type type, unsigned depth);
  std::string compared(Type type, unsigned depth);
  std::string chosen(Type type, unsigned depth);
  std::string converted(Type type, unsigned depth);
  std::string picked(Type type, unsigned depth);
  std::string composed(Type type, unsigned depth);
  std::string reinterpreted(Type type, unsigned depth);
  std::string integer_function(Type type, unsigned depth);
  std::string real_function(Type type, unsigned depth);
  std::string called(Type type, unsigned depth);
  std::string real_arithmetic(Type type, unsigned depth);
  std::string arguments(const Function& function, unsigned depth);
  /// Names of a fresh variable.
  std::string fresh() { return "t" + std::to_string(next_++); }

  Random& random_;
  const Scope& scope_;
  unsigned next_ = 0;
};

}  // namespace heddle::tests
