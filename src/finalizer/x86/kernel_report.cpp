// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/x86/kernel_report.h"

#include <fmt/format.h>

#include "finalizer/lockstep.h"

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
  if (verbose)
    diagnostics.report({"FINALIZER-kernel", Severity::note, where, name + ": " + describe(kernel), {}});
}

}  // namespace heddle::finalizer::x86
