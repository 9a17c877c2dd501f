// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An agent that completes every dispatch without executing it. Everything around the execution is real: code
// objects are read, kernel objects and sizes are checked, packets go through the same packet processor,
// errors reach the queue's callback. It measures what the runtime and the queues cost by themselves, and
// tests them where no kernel is wanted.
#include <hsam/hsam.h>

#include <mutex>
#include <vector>

#include "agents/common/description.h"
#include "agents/common/host_agent.h"
#include "agents/common/kernel_objects.h"
#include "codeobject/code_object.h"

namespace heddle::agents {
namespace {

constexpr SegmentSizes segment_sizes = {
    .group = 64 << 10, .private_work_item = 64 << 10, .private_group = 64u << 20};

constexpr uint32_t largest_group = 1024;

/// What a packet is checked against.
struct Kernel {
  uint32_t group_size;
  uint32_t private_size;
};

class NullThread : public ExecutorThread {};

class NullTask : public Task {
 public:
  void run(ExecutorThread&, Groups& groups) override {
    GroupRange range;
    while (groups.take(range)) {
    }
  }
};

class NullCode : public LoadedCode {
 public:
  NullCode(KernelObjects& objects, const codeobject::CodeObject& code)
      : objects_(objects), function_count_(code.functions.size()) {
    for (const codeobject::Kernel& kernel : code.kernels)
      kernels_.push_back(
          objects.add(std::make_shared<Kernel>(Kernel{kernel.group_size, kernel.private_size})));
  }
  ~NullCode() override {
    for (uint64_t handle : kernels_) objects_.remove(handle);
  }
  uint64_t kernel_object(uint32_t kernel) const override {
    return kernel < kernels_.size() ? kernels_[kernel] : 0;
  }
  // Nothing ever calls a function here; its handle has to be distinct, and not 0.
  uint64_t function_handle(uint32_t function) const override {
    return function < function_count_ ? function + 1 : 0;
  }

 private:
  KernelObjects& objects_;
  std::vector<uint64_t> kernels_;
  size_t function_count_;
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
    return std::unique_ptr<Task>(std::make_unique<NullTask>());
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

hsam_isa_description isa_description(const char* name) {
  hsam_isa_description isa = {};
  isa.name = name;
  isa.wavefront_size = 1;
  isa.machine_models[HSA_MACHINE_MODEL_LARGE] = 1;
  isa.profiles[HSA_PROFILE_BASE] = isa.profiles[HSA_PROFILE_FULL] = 1;
  isa.default_float_rounding_modes = isa.base_profile_default_float_rounding_modes =
      1u << HSA_DEFAULT_FLOAT_ROUNDING_MODE_ZERO | 1u << HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR;
  for (uint16_t& limit : isa.workgroup_max_dim) limit = largest_group;
  isa.workgroup_max_size = largest_group;
  isa.grid_max_dim = {UINT32_MAX, UINT32_MAX, UINT32_MAX};
  isa.grid_max_size = UINT64_MAX;
  isa.fbarrier_max_size = 32;
  return isa;
}

/// The descriptions that registration points to; never destroyed.
struct Description {
  std::vector<hsam_region_description> regions = kernel_agent_regions(segment_sizes);
  // The interpreter's first: it is made without a compiler.
  std::vector<hsam_isa_description> isas = {
      isa_description("heddle:hsail:w1"), isa_description("heddle:x86-64-v4:w1"),
      isa_description("heddle:x86-64-v3:w1"), isa_description("heddle:x86-64-v2:w1")};

  hsa_agent_driver_config config() const {
    hsa_agent_driver_config c = {};
    c.major = HSAM_VERSION_MAJOR;
    c.minor = HSAM_VERSION_MINOR;
    c.agent_id = 0;
    c.name = "heddle null agent";
    c.profile = HSA_PROFILE_FULL;
    c.tail_size = sizeof c;
    c.vendor_name = "heddle";
    c.device = HSA_DEVICE_TYPE_CPU;
    c.features = HSA_AGENT_FEATURE_KERNEL_DISPATCH;
    c.default_float_rounding_mode = HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR;
    c.queues_max = 128;
    c.queue_min_size = 8;
    c.queue_max_size = 131072;
    c.queue_type = HSA_QUEUE_TYPE_MULTI;
    c.compute_unit_count = 1;
    c.group_segment_type = HSA_AGENT_GROUP_SEGMENT_INFO_CACHED_GLOBAL;
    c.regions = regions.data();
    c.region_count = static_cast<uint32_t>(regions.size());
    c.isas = isas.data();
    c.isa_count = static_cast<uint32_t>(isas.size());
    return c;
  }
};

struct NullTag {};

}  // namespace
}  // namespace heddle::agents

extern "C" __attribute__((visibility("default"))) int hsam_agent_driver_main(const hsam_host* host) {
  using namespace heddle::agents;
  if (host == nullptr || host->size < sizeof(hsam_host)) return 1;
  static const Description& description = *new Description;
  // One thread in all: there is nothing to share.
  auto agent = std::make_unique<HostAgent>(*host, "null", std::make_unique<NullExecutor>(), 1,
                                           limits_of(description.isas.front()));
  return HostAgentMessages<NullTag>::register_agent(*host, description.config(), std::move(agent)) ? 0 : 1;
}
