// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/x86/kernel_report.h"

#include <fmt/format.h>
#include <llvm/Support/Path.h>

#include <algorithm>
#include <tuple>

#include "finalizer/lockstep.h"
#include "finalizer/spmd/verify.h"

namespace heddle::finalizer::x86 {
namespace {

std::string describe(const std::string& body, const spmd::WideFunction& wide) {
  return fmt::format("{} ({} gathers, {} scatters, {} operations lane by lane)", body, wide.gathers,
                     wide.scatters, wide.lane_loops);
}

std::string describe(const KernelReport& kernel) {
  if (kernel.lanes == 1) return "one work-item at a time";
  std::string text = fmt::format("waves of {} work-items", kernel.lanes);
  if (kernel.lockstep) text += " in lock-step";
  if (!kernel.observed_by.empty()) text += fmt::format(", which it can tell by {}", kernel.observed_by);
  text += "; bodies: ";
  if (kernel.wide_row.function)
    text += describe(fmt::format("for rows of {}", kernel.wide_wave.lanes), kernel.wide_row) + ", ";
  if (kernel.row.function) text += describe("for rows", kernel.row) + ", ";
  if (kernel.partial_row.function) text += describe("for partial rows", kernel.partial_row) + ", ";
  return text + describe("general", kernel.general);
}

/// Returns the body that most waves execute: each of the others is for those that the ones before it are not
/// for.
const spmd::WideFunction& best_body(const KernelReport& kernel) {
  for (const spmd::WideFunction* body : {&kernel.wide_row, &kernel.row, &kernel.partial_row})
    if (body->function) return *body;
  return kernel.general;
}

std::string describe(const spmd::CostlyOperation& operation) {
  static constexpr const char* kinds[] = {"gather", "scatter", "lane by lane"};
  std::string text = kinds[static_cast<size_t>(operation.kind)];
  if (operation.line != 0)
    text += fmt::format(" at {}:{}", llvm::sys::path::filename(operation.file).str(), operation.line);
  return text + ": " + operation.reason;
}

/// Returns a note for each place of the source with an operation that costs much, in the order of the source
/// and not more than a screen can show.
std::vector<Diagnostic> notes_about(std::vector<spmd::CostlyOperation> operations) {
  constexpr size_t most_notes = 8;
  const auto place = [](const spmd::CostlyOperation& o) {
    return std::tie(o.file, o.line, o.kind, o.reason);
  };
  std::ranges::sort(operations, {}, place);
  const auto repeated = std::ranges::unique(operations, {}, place);
  operations.erase(repeated.begin(), repeated.end());
  std::vector<Diagnostic> notes;
  for (const auto& operation : operations) {
    if (notes.size() == most_notes) {
      const size_t left = operations.size() - most_notes;
      notes.push_back({{}, Severity::note, {}, fmt::format("and {} more", left), {}});
      break;
    }
    notes.push_back({{}, Severity::note, {}, describe(operation), {}});
  }
  return notes;
}

}  // namespace

void report(const KernelReport& kernel, const std::string& name, const Location& where, bool verbose,
            Diagnostics& diagnostics) {
  if (!kernel.refusal.empty() && kernel.lockstep)
    report_no_lockstep(*kernel.lockstep, name, kernel.refusal, diagnostics);
  else if (!kernel.refusal.empty() && !kernel.observed_by.empty())
    diagnostics.error(
        "FINALIZER-spmd-refused", where,
        fmt::format("{} can tell the length of its waves by {} and cannot be compiled for waves: {}", name,
                    kernel.observed_by, kernel.refusal));
  else if (!kernel.refusal.empty())
    diagnostics.warning("FINALIZER-spmd-scalar", where,
                        fmt::format("{} executes one work-item at a time: {}", name, kernel.refusal));
  for (const auto& [body, reason] : kernel.missing)
    if (spmd::is_mistake(reason))
      diagnostics.warning("FINALIZER-spmd-verify", where,
                          fmt::format("{} has no body {}: {}", name, body, reason));
  if (!verbose) return;
  auto notes = notes_about(best_body(kernel).costly);
  for (const auto& [body, reason] : kernel.missing)
    notes.push_back({{}, Severity::note, {}, fmt::format("no body {}: {}", body, reason), {}});
  diagnostics.report(
      {"FINALIZER-kernel", Severity::note, where, name + ": " + describe(kernel), std::move(notes)});
}

}  // namespace heddle::finalizer::x86
