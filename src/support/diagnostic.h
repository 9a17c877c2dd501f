// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heddle {

enum class Severity : uint8_t { note, warning, error };

/// The place in an input that a diagnostic refers to. Either half may be unknown; both are printed when both
/// are known.
struct Location {
  // Text half: 1-based line and column (in bytes); line 0 = unknown. `length` bytes are underlined.
  uint32_t line = 0;
  uint32_t column = 0;
  uint32_t length = 0;
  // Binary half: name of a section ("hsa_code", ...), or "file", and a byte offset in it; empty = unknown.
  std::string section;
  uint64_t offset = 0;
  // Which operand of the entry at `offset` is meant, in the order of BRIG, counted from 1; 0 = the entry as a
  // whole. It is not printed: messages that need the operand name it.
  uint32_t operand = 0;
  // Which part of this operand is meant: the element of a vector, or the symbol, register or offset of an
  // address, counted from 1 in the order of BRIG; 0 = the operand as a whole. It is not printed either.
  uint32_t part = 0;

  static Location text(uint32_t line, uint32_t column, uint32_t length = 1) {
    return {line, column, length, {}, 0};
  }
  static Location binary(std::string section, uint64_t offset) {
    return {0, 0, 0, std::move(section), offset};
  }
  bool has_text() const { return line != 0; }
  bool has_binary() const { return !section.empty(); }
};

/// One finding about an input, as a value (design D3). `id` is stable and carries the clause of the
/// specification, for example "HSAIL-4.10-initializer-size" or "BRIG-18.3.12-kind"; tests assert on
/// it, never on prose.
struct Diagnostic {
  std::string id;
  Severity severity = Severity::error;
  Location location;
  std::string message;
  std::vector<Diagnostic> notes;
};

/// Collects the findings of one job. Not thread safe; each job has its own.
class Diagnostics {
 public:
  /// `input_name` is printed before positions; `source` (optional) gives the lines for the caret display.
  /// `source` must outlive calls of print().
  explicit Diagnostics(std::string input_name = {}, std::string_view source = {});

  void set_source(std::string input_name, std::string_view source);

  /// At most this many errors are kept (default 50); later ones are only counted.
  void set_error_limit(size_t limit) { error_limit_ = limit; }
  bool limit_reached() const { return error_count_ >= error_limit_; }

  void report(Diagnostic diagnostic);
  void error(std::string id, Location location, std::string message);
  void warning(std::string id, Location location, std::string message);
  /// Attaches a note to the last reported diagnostic.
  void note(Location location, std::string message);

  bool has_errors() const { return error_count_ != 0; }
  size_t error_count() const { return error_count_; }
  const std::vector<Diagnostic>& all() const { return diagnostics_; }

  /// Returns each finding as "file:line:column: severity: message [id]", followed by the source line and a
  /// caret if the source is known.
  std::string print(bool colour = false) const;

 private:
  std::string input_name_;
  std::string_view source_;
  size_t error_limit_ = 50;
  size_t error_count_ = 0;
  std::vector<Diagnostic> diagnostics_;
};

}  // namespace heddle
