// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cache/saved_diagnostics.h"

#include <cstring>
#include <utility>

namespace heddle::cache {
namespace {

/// Calls visit for every member of a diagnostic except its notes. Writer and Reader below share it, so that
/// they agree on the order.
template <typename D, typename Visit>
void for_each_member(D& diagnostic, Visit&& visit) {
  auto& [id, severity, location, message, notes] = diagnostic;
  auto& [line, column, length, section, offset, operand, part] = location;
  visit(id);
  visit(severity);
  visit(line);
  visit(column);
  visit(length);
  visit(section);
  visit(offset);
  visit(operand);
  visit(part);
  visit(message);
}

class Writer {
 public:
  void list(std::span<const Diagnostic> diagnostics) {
    value(uint64_t{diagnostics.size()});
    for (const Diagnostic& diagnostic : diagnostics) {
      for_each_member(diagnostic, [this](const auto& member) { value(member); });
      list(diagnostic.notes);
    }
  }
  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  void value(const std::string& text) {
    value(uint64_t{text.size()});
    raw(text.data(), text.size());
  }
  template <typename T>
  void value(const T& number) {
    raw(&number, sizeof number);
  }
  void raw(const void* from, size_t size) {
    const auto* first = static_cast<const std::byte*>(from);
    bytes_.insert(bytes_.end(), first, first + size);
  }

  std::vector<std::byte> bytes_;
};

/// Reads what Writer has written. After bytes that cannot be from it, good() is false.
class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : rest_(bytes) {}

  bool good() const { return good_; }
  bool at_end() const { return rest_.empty(); }

  std::vector<Diagnostic> list(unsigned depth = 0) {
    constexpr unsigned deepest = 16;  // notes of notes; keeps wrong bytes from using up the stack
    uint64_t count = 0;
    value(count);
    std::vector<Diagnostic> diagnostics;
    if (depth > deepest) good_ = false;
    for (uint64_t i = 0; i < count && good_; ++i) {
      Diagnostic& diagnostic = diagnostics.emplace_back();
      for_each_member(diagnostic, [this](auto& member) { value(member); });
      good_ = good_ && diagnostic.severity <= Severity::error;
      if (good_) diagnostic.notes = list(depth + 1);
    }
    return diagnostics;
  }

 private:
  void value(std::string& text) {
    uint64_t size = 0;
    value(size);
    const auto bytes = take(size);
    text.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  template <typename T>
  void value(T& number) {
    const auto bytes = take(sizeof number);
    if (!bytes.empty()) std::memcpy(&number, bytes.data(), sizeof number);
  }
  /// Returns the next bytes, or none if there are not as many.
  std::span<const std::byte> take(uint64_t size) {
    good_ = good_ && size <= rest_.size();
    if (!good_) return {};
    const auto bytes = rest_.first(size);
    rest_ = rest_.subspan(size);
    return bytes;
  }

  std::span<const std::byte> rest_;
  bool good_ = true;
};

}  // namespace

std::vector<std::byte> save(std::span<const Diagnostic> diagnostics) {
  Writer writer;
  writer.list(diagnostics);
  return writer.take();
}

std::optional<std::vector<Diagnostic>> restore(std::span<const std::byte> bytes) {
  Reader reader(bytes);
  auto diagnostics = reader.list();
  if (!reader.good() || !reader.at_end()) return std::nullopt;
  return diagnostics;
}

}  // namespace heddle::cache
