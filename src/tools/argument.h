// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The language of `heddle run --arg`, in which one text describes one kernel argument.
//
//   ARG     = [ "align(" N "):" ] ( VALUE | BUFFER )
//   VALUE   = TYPE ":" NUMBER { "," NUMBER }            u32:5   f64:1e-3   u64:0x10   s32:-1   u8x4:1,2,3,4
//   BUFFER  = [ DIR ":" ] SOURCE [ "=" FILE ]           the kernel gets its address
//   DIR     = "in" | "out" | "inout"
//   SOURCE  = TYPE "*" COUNT                            zeros                          f32*1024
//           | TYPE ":" VALUES "*" COUNT                 generated                      f32:iota*1024
//           | "@" FILE.npy                              type and shape from the file   @a.npy
//           | TYPE "@" FILE                             raw bytes                      f32@a.bin
//           | "png:" FILE | "gray:" FILE                a picture, u8[height][width][4] or u8[height][width]
//   VALUES  = NUMBER | "iota" [ "(" START [ "," STEP ] ")" ] | "random" [ "(" LOW "," HIGH [ "," SEED ] ")" ]
//   COUNT   = N { "x" N },  N a decimal number with suffix K, M, G (1024-based) or none; several make a shape
//
// TYPE is u8, f32, ... or a packed type: u8x4, f32x4, ... Several numbers are the elements of a packed value
// or of an array argument, beginning with the one at the lowest address. In a buffer of a packed type, the
// elements of a value are the innermost dimension. "align" is needed for code objects, where nothing else
// tells the alignment of a formal argument that is declared with an `align` qualifier.
//
// The name after the last "=" is the file to which the buffer is written after the run: FILE.npy, FILE.png,
// or any other name for raw bytes. Without DIR, a buffer with both values and a destination is `inout`, a
// buffer without values is `out`, and any other is `in`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "element.h"
#include "support/result.h"

namespace heddle::tools {

enum class Direction : uint8_t { in, out, inout };

/// An argument that is passed by value: a scalar, a packed value, or an array of either.
struct ValueArgument {
  ValueType type;
  std::vector<std::byte> bytes;
  uint32_t alignment;  ///< in the kernarg segment: the type's own or that of `align`
};

enum class SourceKind : uint8_t { zero, fill, iota, random, npy, raw, png, gray };

struct BufferArgument {
  Direction direction = Direction::in;
  SourceKind source = SourceKind::zero;
  const ElementType* type = nullptr;  ///< nullptr: the type in the file
  std::vector<uint64_t> shape;        ///< empty: the shape in the file
  ElementBytes fill;                  ///< SourceKind::fill
  double first = 0, second = 0;       ///< iota: start and step; random: low and high
  uint64_t seed = 0;
  std::string file;
  std::string destination;  ///< empty: none
  uint32_t alignment = 8;   ///< of the address in the kernarg segment
};

using Argument = std::variant<ValueArgument, BufferArgument>;

struct ArgumentError {
  size_t position;  ///< offset in the text that is wrong
  std::string message;
};

Result<Argument, ArgumentError> parse_argument(std::string_view text);

/// Returns three lines: the message, the text, and a caret under the position.
std::string describe_argument_error(std::string_view text, const ArgumentError& error);

/// 1 to 3 sizes separated by commas, as in --grid 1024,768. Missing sizes are 1.
struct Extent {
  uint64_t size[3] = {1, 1, 1};
  uint32_t dimensions = 0;
};
Result<Extent> parse_extent(std::string_view text);
/// Returns text such as "1024,768", with as many sizes as `dimensions` says.
std::string format_extent(const Extent& extent, uint32_t dimensions);

/// Parses a decimal number with an optional suffix K, M or G (1024-based). Returns nullopt if it is
/// malformed, 0, or more than 2^48.
std::optional<uint64_t> parse_count(std::string_view text);

}  // namespace heddle::tools
