// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An agent that completes every dispatch without executing it. Everything around the execution is real: code
// objects are read, kernel objects and sizes are checked, packets go through the same packet processor,
// errors reach the queue's callback. It measures what the runtime and the queues cost by themselves, and
// tests them where no kernel is wanted.
#include <hsam/hsam.h>

#include <mutex>
#include <string>
#include <vector>

#include "agents/common/description.h"
#include "agents/common/host_agent.h"
#include "agents/common/registered_code.h"
#include "codeobject/code_object.h"

namespace heddle::agents {
namespace {

constexpr SegmentSizes segment_sizes = {
    .group = 256 << 10, .private_work_item = 16 << 20, .private_group = 1u << 30};

/// The segment sizes that a packet is checked against, and the wavefront size of the ISA.
struct Kernel {
  uint32_t group_size;
  uint32_t private_size;
  uint32_t wave_size;
};

class NullThread : public ExecutorThread {};

class NullTask : public Task {
 public:
  explicit NullTask(uint32_t wave_size) : wave_size_(wave_size) {}
  void run(ExecutorThread&, Groups& groups) override {
    GroupRange range;
    while (groups.take(range)) {
    }
  }
  uint32_t wave_size() const override { return wave_size_; }

 private:
  const uint32_t wave_size_;
};

/// The interpreter's ISA comes first, because its code objects are made without a compiler.
std::vector<hsam_isa_description> isas_with_fewest_fbarriers() {
  std::vector<hsam_isa_description> isas = x86_isas(4);
  isas.insert(isas.begin(), host_isa("heddle:hsail:w1"));
  for (hsam_isa_description& isa : isas) isa.fbarrier_max_size = 32;
  return isas;
}

/// The wavefront size of the ISA with this name; 1 if the agent does not have it.
uint32_t wave_size_of(const std::string& isa_name) {
  for (const hsam_isa_description& isa : isas_with_fewest_fbarriers())
    if (isa.name == isa_name) return isa.wavefront_size;
  return 1;
}

class NullCode : public RegisteredCode {
 public:
  NullCode(KernelObjects& objects, const codeobject::CodeObject& code) : RegisteredCode(objects) {
    for (const codeobject::Kernel& kernel : code.kernels)
      add_kernel(
          std::make_shared<Kernel>(Kernel{kernel.group_size, kernel.private_size, wave_size_of(code.isa)}));
    // Nothing ever calls a function here; its handle has to be distinct, and not 0.
    for (size_t i = 0; i < code.functions.size(); ++i) add_function(i + 1);
  }
};

class NullExecutor : public Executor {
 public:
  std::unique_ptr<ExecutorThread> make_thread() override { return std::make_unique<NullThread>(); }

  Result<std::unique_ptr<Task>, Failure> prepare(const KernelDispatch& dispatch) override {
    auto kernel = std::static_pointer_cast<Kernel>(objects_.find(dispatch.packet.kernel_object));
    if (kernel == nullptr) return Failure{HSA_STATUS_ERROR_INVALID_CODE_OBJECT, "no kernel of this agent"};
    if (dispatch.packet.group_segment_size > segment_sizes.group ||
        dispatch.packet.group_segment_size < kernel->group_size)
      return Failure{HSA_STATUS_ERROR_INVALID_ALLOCATION, "group segment size"};
    if (dispatch.packet.private_segment_size > segment_sizes.private_work_item)
      return Failure{HSA_STATUS_ERROR_OUT_OF_RESOURCES, "private segment size"};
    return std::unique_ptr<Task>(std::make_unique<NullTask>(kernel->wave_size));
  }

  Result<std::shared_ptr<LoadedCode>, Error> load(std::span<const std::byte> bytes,
                                                  std::span<const hsam_variable_address>) override {
    auto code = codeobject::read(bytes);
    if (!code) return Error{code.error().print()};
    if (!code->has_agent_part) return Error{"the code object has no part for an agent"};
    return std::shared_ptr<LoadedCode>(std::make_shared<NullCode>(objects_, *code));
  }

 private:
  KernelObjects objects_;
};

/// The descriptions that registration points to; never destroyed.
struct Description {
  std::vector<hsam_region_description> regions = kernel_agent_regions(segment_sizes);
  std::vector<hsam_isa_description> isas = isas_with_fewest_fbarriers();

  hsa_agent_driver_config config() const {
    hsa_agent_driver_config c = kernel_agent_config("heddle null agent", "heddle", regions, isas);
    c.queue_min_size = 8;
    c.compute_unit_count = 1;
    return c;
  }
};

struct NullTag {};

}  // namespace
}  // namespace heddle::agents

extern "C" __attribute__((visibility("default"))) int hsam_agent_driver_main(const hsam_host* host) {
  using namespace heddle::agents;
  if (host == nullptr || host->size < sizeof(hsam_host)) return 1;
  return driver_main([&] {
    static const Description& description = *new Description;
    // One thread in all: there is nothing to share.
    auto agent = std::make_unique<HostAgent>(*host, "null", std::make_unique<NullExecutor>(), 1,
                                             limits_of(description.isas.front()));
    return HostAgentMessages<NullTag>::register_agent(*host, description.config(), std::move(agent));
  });
}
