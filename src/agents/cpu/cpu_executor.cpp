// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/cpu/cpu_executor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "agents/common/packet_checks.h"
#include "agents/cpu/cpu_thread.h"
#include "agents/cpu/loader.h"
#include "support/align.h"

namespace heddle::cpu {
namespace {

using agents::Failure;
using agents::KernelDispatch;

// Bytes of private memory that a kernel with a dynamic call stack gets beyond its own frame, unless the
// packet asks for more (PRM 10.1).
constexpr uint32_t call_stack = 64 * 1024;
constexpr uint32_t private_align = 64;
// A dispatch whose work-groups need more bytes of memory than this together has no promise that all of them
// are in progress at the same time, unless it is cooperative.
constexpr uint64_t resident_memory_max = uint64_t{1} << 30;

class CpuTask final : public agents::Task {
 public:
  CpuTask(std::shared_ptr<Kernel> kernel, const kernel_abi::Dispatch& dispatch, bool resident)
      : kernel_(std::move(kernel)), dispatch_(dispatch), resident_(resident) {}

  void run(agents::ExecutorThread& thread, agents::Groups& groups) override {
    static_cast<CpuThread&>(thread).run(*kernel_, dispatch_, groups, resident_);
  }
  std::atomic<uint32_t>* group_cost() override { return &kernel_->group_cost; }
  uint32_t wave_size() const override { return kernel_->wave_size; }

 private:
  std::shared_ptr<Kernel> kernel_;
  kernel_abi::Dispatch dispatch_;
  bool resident_;
};

kernel_abi::Dispatch describe(const KernelDispatch& d, const codeobject::Kernel& kernel,
                              uint32_t private_size) {
  kernel_abi::Dispatch out = {};
  out.kernarg = reinterpret_cast<uint64_t>(d.packet.kernarg_address);
  std::copy(std::begin(d.grid_size), std::end(d.grid_size), out.grid_size);
  std::copy(std::begin(d.group_size), std::end(d.group_size), out.group_size);
  std::copy(std::begin(d.grid_groups), std::end(d.grid_groups), out.grid_groups);
  out.dimensions = d.dimensions;
  out.packet_id = d.packet_id;
  out.completion_signal = d.packet.completion_signal.handle;
  out.queue = d.queue;
  out.group_static_size = kernel.group_size;
  out.group_total_size = std::max(kernel.group_size, d.packet.group_segment_size);
  out.private_size = private_size;
  out.private_stride = align_up(private_size, private_align);
  return out;
}

}  // namespace

std::unique_ptr<agents::ExecutorThread> CpuExecutor::make_thread() {
  return std::make_unique<CpuThread>(compute_units_);
}

Result<std::unique_ptr<agents::Task>, Failure> CpuExecutor::prepare(const KernelDispatch& d) {
  auto kernel = std::static_pointer_cast<Kernel>(kernels_.find(d.packet.kernel_object));
  if (!kernel)
    return Failure{HSA_STATUS_ERROR_INVALID_CODE_OBJECT,
                   fmt::format("0x{:x} is no kernel object of this agent", d.packet.kernel_object)};
  const codeobject::Kernel& info = kernel->info;
  if (auto allowed = agents::check_directives(agents::directives_of(info, kernel->wave_size), d); !allowed)
    return allowed.error();
  if (std::max(info.group_size, d.packet.group_segment_size) > limits_.group)
    return Failure{
        HSA_STATUS_ERROR_INVALID_ALLOCATION,
        fmt::format("{} bytes of group segment for kernel {}, limit {}",
                    std::max(info.group_size, d.packet.group_segment_size), info.name, limits_.group)};
  uint64_t private_size = std::max(info.private_size, d.packet.private_segment_size);
  if (info.dynamic_call_stack)
    private_size = std::max(private_size, uint64_t{info.private_size} + call_stack);
  // All waves of a group exist at the same time only if they can wait for each other.
  uint64_t work_items = info.lanes;
  if (kernel->needs_fibers || info.frame_size != 0)
    work_items = align_up(uint64_t{d.group_size[0]} * d.group_size[1] * d.group_size[2], info.lanes);
  if (private_size > limits_.private_work_item || private_size * work_items > limits_.private_group)
    return Failure{
        HSA_STATUS_ERROR_OUT_OF_RESOURCES,
        fmt::format("{} bytes of private segment for a work-item of kernel {}, limits {} and {} for a "
                    "work-group",
                    private_size, info.name, limits_.private_work_item, limits_.private_group)};
  const auto dispatch = describe(d, info, static_cast<uint32_t>(private_size));
  const agents::ResidencyLimits resident = {.compute_units = compute_units_,
                                            .unit_group_memory = limits_.group};
  if (auto fits =
          agents::check_resident(d, info.name, kernel->wave_size, dispatch.group_total_size, resident);
      !fits)
    return fits.error();
  // Programs count on it for any grid that fits, as other hardware has it, if their work-items wait for each
  // other.
  const bool all_fit =
      kernel->needs_fibers &&
      d.group_count <= agents::resident_groups(d, kernel->wave_size, dispatch.group_total_size, resident) &&
      d.group_count * (dispatch.group_total_size + work_items * dispatch.private_stride) <=
          resident_memory_max;
  return std::unique_ptr<agents::Task>(new CpuTask(std::move(kernel), dispatch, all_fit));
}

Result<std::shared_ptr<agents::LoadedCode>, Error> CpuExecutor::load(
    std::span<const std::byte> code_object, std::span<const hsam_variable_address> variables) {
  return LoadedCpuCode::load(code_object, variables, host_level_, kernels_);
}

}  // namespace heddle::cpu
