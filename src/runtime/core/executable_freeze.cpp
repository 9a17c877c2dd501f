// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Freezing an executable: allocates variables, loads code into agents, writes initial values and publishes
// addresses (Runtime 2.8.1.29).
#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>
#include <unordered_map>

#include "codeobject/kernel_abi.h"
#include "driver/activity.h"
#include "driver/log.h"
#include "driver/logged_lock.h"
#include "image/image.h"
#include "runtime/core/diagnostics.h"
#include "runtime/core/executable.h"
#include "support/align.h"
#include "support/exception_safety.h"

namespace heddle::runtime {

namespace {

bool is_global(const Region& region, uint32_t flags) {
  const hsam_region_description& description = region.description();
  return description.segment == HSAM_SEGMENT_GLOBAL && (description.global_flags & flags) == flags &&
         description.runtime_alloc_allowed != 0;
}

/// Returns a region of fine-grained host memory, which all agents can access.
const Region* program_region(const Agent& host) {
  const Region* region = host.find_region([](const Region& r) {
    return is_global(r, HSAM_GLOBAL_FLAG_FINE_GRAINED) &&
           (r.description().global_flags & HSAM_GLOBAL_FLAG_KERNARG) == 0;
  });
  if (region == nullptr)
    region = host.find_region([](const Region& r) { return is_global(r, HSAM_GLOBAL_FLAG_FINE_GRAINED); });
  return region;
}

/// Returns the region for the variables of one agent: memory that only this agent uses if there is any,
/// otherwise coarse-grained rather than fine-grained memory.
const Region* agent_global_region(const Agent& agent) {
  const Region* region =
      agent.find_region([](const Region& r) { return is_global(r, 0) && r.driver->agents.size() == 1; });
  if (region == nullptr)
    region = agent.find_region([](const Region& r) { return is_global(r, HSAM_GLOBAL_FLAG_COARSE_GRAINED); });
  if (region == nullptr) region = agent.find_region([](const Region& r) { return is_global(r, 0); });
  return region;
}

const Region* readonly_region(const Agent& agent) {
  const Region* region =
      agent.find_region([](const Region& r) { return r.description().segment == HSAM_SEGMENT_READONLY; });
  return region != nullptr ? region : agent_global_region(agent);
}

/// Stores a value in an initial image, in the little-endian order of HSAIL. The reader of the code object has
/// checked that the offset lies within the image.
void store_value(std::vector<std::byte>& image, const codeobject::Relocation& relocation, uint64_t value) {
  static_assert(std::endian::native == std::endian::little);
  assert(relocation.size <= sizeof value && relocation.offset + relocation.size <= image.size());
  std::memcpy(image.data() + relocation.offset, &value, relocation.size);
}

}  // namespace

/// Tells observers and the log which kernel object a kernel has.
void Executable::report_loading(const ExecutableSymbol& kernel) noexcept {
  const uint64_t object = kernel.object.load(std::memory_order_relaxed);
  driver::log_debug(HSAM_LOG_CODE, "kernel {} has kernel object {:#x}", kernel.description.name, object);
  if (!driver::Activities::is_observed(driver::ActivityKind::kernel_loading)) return;
  driver::Activity activity;
  activity.kind = driver::ActivityKind::kernel_loading;
  activity.begin = activity.end = driver::timestamp();
  activity.agent = kernel.agent != nullptr ? kernel.agent->driver : nullptr;
  activity.kernel_object = object;
  activity.kernel_name = kernel.description.name.c_str();
  driver::Activities::report(activity);
}

/// One attempt to freeze. Unless run() succeeds, the destructor releases everything that was allocated.
class Executable::Freezer {
 public:
  explicit Freezer(Executable& executable) : executable_(executable), client_(executable.client_) {}
  ~Freezer();

  hsa_status_t run();

 private:
  /// Variables that are allocated together because they have the same region and owner.
  struct Block {
    const Region* region = nullptr;
    const Agent* owner = nullptr;  ///< null: program allocation
    size_t size = 0;
    size_t alignment = 1;
    std::vector<std::pair<const Instance*, size_t>> places;
  };
  /// The code of one code object as the agent has loaded it.
  struct Code {
    const LoadedCodeObject* loaded = nullptr;
    int64_t handle = 0;
    std::vector<uint64_t> kernels, functions;
  };

  hsa_status_t resolve();
  const Region* region_of(const Agent* agent, const codeobject::Variable& variable) const;
  Block* block_of(const Agent* agent, const codeobject::Variable& variable);
  hsa_status_t place(const Instance& instance);
  hsa_status_t allocate(const Block& block);
  hsa_status_t load_code(const LoadedCodeObject& loaded);
  void sort_relocations();
  hsa_status_t initialize(const Instance& instance);
  hsa_status_t clear(void* address, size_t size);
  hsa_status_t create_handle(const LoadedCodeObject& holder, const codeobject::Relocation& relocation,
                             uint64_t& value);
  hsa_status_t create_image(const Agent& agent, const codeobject::ImageInitializer& wanted, uint64_t& handle);
  hsa_status_t create_sampler(const Agent& agent, const codeobject::SamplerInitializer& wanted,
                              uint64_t& handle);
  bool value_of(const LoadedCodeObject& holder, const codeobject::Relocation& relocation,
                uint64_t& value) const;
  const Code* code_of(const LoadedCodeObject& loaded) const;
  uint64_t address_of(const LoadedCodeObject& loaded, uint32_t variable) const;
  void publish() noexcept;

  Executable& executable_;
  driver::Client& client_;
  std::vector<Block> blocks_;
  struct LastBlock {
    bool found = false;
    const Agent* agent = nullptr;
    codeobject::Segment segment{};
    size_t number = 0;  ///< in blocks_
  } last_block_;        ///< the answer of block_of() before
  std::vector<Allocation> allocations_;
  std::vector<std::pair<const Agent*, hsa_ext_image_t>> images_;
  std::vector<std::pair<const Agent*, hsa_ext_sampler_t>> samplers_;
  std::vector<Code> codes_;
  std::vector<uint64_t> addresses_;  ///< of the instances, by their numbers
  /// The relocations in the initial value of each variable.
  std::unordered_map<const codeobject::Variable*, std::vector<const codeobject::Relocation*>> relocations_;
  bool done_ = false;
};

Executable::Freezer::~Freezer() {
  if (done_) return;
  for (const Code& code : codes_) (void)client_.unload_code(*code.loaded->agent->driver, code.handle);
  for (const auto& [agent, handle] : images_) (void)executable_.images_.remove(*agent, handle);
  for (const auto& [agent, handle] : samplers_) (void)executable_.images_.remove(*agent, handle);
  for (const Allocation& allocation : allocations_) (void)client_.free(allocation.address);
}

const Region* Executable::Freezer::region_of(const Agent* agent, const codeobject::Variable& variable) const {
  if (agent == nullptr) return program_region(*executable_.topology_.host());
  return variable.segment == codeobject::Segment::readonly ? readonly_region(*agent)
                                                           : agent_global_region(*agent);
}

/// Returns the block that a variable belongs to, or null if no region can hold it. Variables that follow each
/// other mostly belong to the same one.
Executable::Freezer::Block* Executable::Freezer::block_of(const Agent* agent,
                                                          const codeobject::Variable& variable) {
  if (last_block_.agent == agent && last_block_.segment == variable.segment && last_block_.found)
    return &blocks_[last_block_.number];
  const Region* region = region_of(agent, variable);
  if (region == nullptr) return nullptr;
  auto block = std::find_if(blocks_.begin(), blocks_.end(),
                            [&](const Block& b) { return b.region == region && b.owner == agent; });
  if (block == blocks_.end()) block = blocks_.insert(blocks_.end(), Block{region, agent});
  last_block_ = {true, agent, variable.segment, static_cast<size_t>(block - blocks_.begin())};
  return &*block;
}

hsa_status_t Executable::Freezer::place(const Instance& instance) {
  const codeobject::Variable& variable = instance.definition();
  Block* const block = block_of(instance.key.agent, variable);
  if (block == nullptr) {
    report_error("loader", "no region can hold {}", variable.linker_name);
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  }
  const size_t offset = align_up(block->size, variable.align);
  block->places.emplace_back(&instance, offset);
  // Distinct variables have distinct addresses, even those of size 0.
  block->size = offset + std::max<size_t>(variable.size, 1);
  block->alignment = std::max<size_t>(block->alignment, variable.align);
  return HSA_STATUS_SUCCESS;
}

/// Finds the definition of each variable and assigns it to a block.
hsa_status_t Executable::Freezer::resolve() {
  hsa_status_t result = HSA_STATUS_SUCCESS;
  addresses_.resize(executable_.instances_.size());
  for (const Instance& instance : executable_.instances_) {
    if (instance.holder != nullptr) {
      const hsa_status_t status = place(instance);
      if (status != HSA_STATUS_SUCCESS) result = status;
      continue;
    }
    const SymbolDescription& description = instance.symbol->description;
    codeobject::Variable declared;
    declared.name = description.name;
    declared.linkage = static_cast<codeobject::Linkage>(description.linkage);
    declared.segment = static_cast<codeobject::Segment>(description.segment);
    declared.allocation = static_cast<codeobject::Allocation>(description.allocation);
    if (const External* external = executable_.find_external(instance.key.agent, declared)) {
      addresses_[instance.number] = reinterpret_cast<uint64_t>(external->address);
    } else {
      report_error("loader", "variable {} is not defined", instance.key.name);
      result = HSA_STATUS_ERROR_VARIABLE_UNDEFINED;
    }
  }
  return result;
}

hsa_status_t Executable::Freezer::allocate(const Block& block) {
  reserve_one_more(allocations_);
  auto base = client_.allocate(*block.region->driver, block.size, block.alignment);
  if (!base) {
    report_error("loader", "no memory for {} bytes of variables", block.size);
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  }
  allocations_.push_back({block.owner, *base, block.size});
  for (const auto& [instance, offset] : block.places)
    addresses_[instance->number] = reinterpret_cast<uint64_t>(*base) + offset;
  const bool coarse = (block.region->description().global_flags & HSAM_GLOBAL_FLAG_COARSE_GRAINED) != 0;
  if (block.owner != nullptr && coarse) {
    const hsa_status_t status = client_.assign_agent(*base, *block.owner->driver, HSA_ACCESS_PERMISSION_RW);
    if (status != HSA_STATUS_SUCCESS) return status;
  }
  return clear(*base, block.size);
}

uint64_t Executable::Freezer::address_of(const LoadedCodeObject& loaded, uint32_t variable) const {
  assert(variable < loaded.object().variables.size());
  const Instance* instance = loaded.instances[variable];
  return instance == nullptr ? 0 : addresses_[instance->number];
}

hsa_status_t Executable::Freezer::load_code(const LoadedCodeObject& loaded) {
  const codeobject::CodeObject& object = loaded.object();
  std::vector<hsam_variable_address> variables;
  variables.reserve(object.variables.size());
  for (uint32_t i = 0; i < object.variables.size(); ++i) variables.push_back({i, address_of(loaded, i)});
  const driver::Agent& agent = *loaded.agent->driver;
  reserve_one_more(codes_);
  auto handle = client_.load_code(agent, loaded.image->bytes, variables);
  if (!handle) {
    if (handle.error() != HSA_STATUS_ERROR_OUT_OF_RESOURCES)
      report_error("loader", "agent {} refuses the code object", loaded.agent->config().name);
    return handle.error();
  }
  Code& code = codes_.emplace_back(Code{&loaded, *handle, {}, {}});
  for (uint32_t i = 0; i < object.kernels.size(); ++i) {
    auto kernel = client_.kernel_object(agent, *handle, i);
    if (!kernel) return kernel.error();
    code.kernels.push_back(*kernel);
  }
  for (uint32_t i = 0; i < object.functions.size(); ++i) {
    auto function = client_.function_handle(agent, *handle, i);
    if (!function) return function.error();
    code.functions.push_back(*function);
  }
  return HSA_STATUS_SUCCESS;
}

const Executable::Freezer::Code* Executable::Freezer::code_of(const LoadedCodeObject& loaded) const {
  const auto found =
      std::find_if(codes_.begin(), codes_.end(), [&](const Code& c) { return c.loaded == &loaded; });
  return found == codes_.end() ? nullptr : &*found;
}

/// Computes the value of a relocation. Returns false if it refers to code that has not been loaded, or is of
/// a kind that variables do not have.
bool Executable::Freezer::value_of(const LoadedCodeObject& holder, const codeobject::Relocation& relocation,
                                   uint64_t& value) const {
  using What = codeobject::Relocation::What;
  const Code* code = code_of(holder);
  switch (relocation.what) {
    case What::variable:
      value = address_of(holder, relocation.symbol) + static_cast<uint64_t>(relocation.addend);
      return true;
    case What::kernel:
      if (code != nullptr) value = code->kernels[relocation.symbol];
      return code != nullptr;
    case What::function:
      if (code != nullptr) value = code->functions[relocation.symbol];
      return code != nullptr;
    case What::null_group:
      value = kernel_abi::null_group;
      return true;
    case What::null_private:
      value = kernel_abi::null_private;
      return true;
    case What::null_kernarg:
      value = kernel_abi::null_kernarg;
      return true;
    case What::null_flat:
      value = kernel_abi::null_flat;
      return true;
    case What::text_base:
    case What::data_base:
    case What::image:
    case What::sampler:
      return false;
  }
  return false;
}

/// Creates an image for an initializer (PRM 7.1.7), with image data that are left uninitialized.
hsa_status_t Executable::Freezer::create_image(const Agent& agent, const codeobject::ImageInitializer& wanted,
                                               uint64_t& handle) {
  const hsa_ext_image_descriptor_t descriptor = {
      .geometry = static_cast<hsa_ext_image_geometry_t>(wanted.geometry),
      .width = wanted.width,
      .height = wanted.height,
      .depth = wanted.depth,
      .array_size = wanted.layers,
      .format = {wanted.channel_type, wanted.channel_order}};
  image::Layout layout{};
  hsa_status_t status = image::plan_layout(descriptor, 0, 0, layout);
  if (status != HSA_STATUS_SUCCESS) return status;
  const Region* region = agent_global_region(agent);
  if (region == nullptr) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  reserve_one_more(allocations_);
  reserve_one_more(images_);
  auto data = client_.allocate(*region->driver, layout.size, image::limits().data_alignment);
  if (!data) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  allocations_.push_back({&agent, *data, layout.size});
  hsa_ext_image_t made = {};
  status = executable_.images_.add(
      agent,
      image::make_image(descriptor, static_cast<hsa_access_permission_t>(wanted.permission), layout, *data),
      &made);
  if (status != HSA_STATUS_SUCCESS) return status;
  images_.emplace_back(&agent, made);
  handle = made.handle;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t Executable::Freezer::create_sampler(const Agent& agent,
                                                 const codeobject::SamplerInitializer& wanted,
                                                 uint64_t& handle) {
  image::Sampler sampler{};
  hsa_status_t status =
      image::make_sampler({wanted.coordinate_mode, wanted.filter_mode, wanted.address_mode}, sampler);
  if (status != HSA_STATUS_SUCCESS) return status;
  reserve_one_more(samplers_);
  hsa_ext_sampler_t made = {};
  status = executable_.images_.add(agent, sampler, &made);
  if (status != HSA_STATUS_SUCCESS) return status;
  samplers_.emplace_back(&agent, made);
  handle = made.handle;
  return HSA_STATUS_SUCCESS;
}

/// Creates an image or sampler. Every relocation gets one of its own.
hsa_status_t Executable::Freezer::create_handle(const LoadedCodeObject& holder,
                                                const codeobject::Relocation& relocation, uint64_t& value) {
  const codeobject::CodeObject& object = holder.object();
  if (holder.agent == nullptr || !holder.agent->has_images()) return HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
  return relocation.what == codeobject::Relocation::What::image
             ? create_image(*holder.agent, object.images[relocation.symbol], value)
             : create_sampler(*holder.agent, object.samplers[relocation.symbol], value);
}

void Executable::Freezer::sort_relocations() {
  for (const auto& loaded : executable_.loaded_) {
    const codeobject::CodeObject& object = loaded->object();
    for (const codeobject::Relocation& relocation : object.relocations)
      if (relocation.where == codeobject::Relocation::Where::variable)
        relocations_[&object.variables[relocation.holder]].push_back(&relocation);
  }
}

/// Writes the initial value of a variable, including the addresses in it.
hsa_status_t Executable::Freezer::initialize(const Instance& instance) {
  const LoadedCodeObject& holder = *instance.holder;
  const codeobject::Variable& variable = instance.definition();
  void* const address = reinterpret_cast<void*>(addresses_[instance.number]);
  std::vector<std::byte> image = variable.init;
  const auto relocations = relocations_.find(&variable);
  if (relocations != relocations_.end()) {
    image.resize(variable.size);
    for (const codeobject::Relocation* relocation : relocations->second) {
      uint64_t value = 0;
      if (relocation->what == codeobject::Relocation::What::image ||
          relocation->what == codeobject::Relocation::What::sampler) {
        const hsa_status_t status = create_handle(holder, *relocation, value);
        if (status != HSA_STATUS_SUCCESS) {
          report_error("loader", "the agent cannot make an image or sampler that {} starts with",
                       variable.linker_name);
          return status;
        }
      } else if (!value_of(holder, *relocation, value)) {
        report_error("loader", "the initial value of {} refers to code that is not loaded",
                     variable.linker_name);
        return HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
      }
      store_value(image, *relocation, value);
    }
  }
  assert(image.size() <= variable.size && "the reader has checked the sizes of initial values");
  return image.empty() ? HSA_STATUS_SUCCESS : client_.copy(address, image.data(), image.size());
}

/// Without an initializer the contents are undefined (PRM 4.10), but programs rely on 0 rather than on what
/// an earlier allocation left in the memory. Large blocks are cleared in pieces.
hsa_status_t Executable::Freezer::clear(void* address, size_t size) {
  const std::vector<std::byte> zeros(std::min<size_t>(size, 1u << 20));
  for (size_t done = 0; done < size;) {
    const size_t piece = std::min(size - done, zeros.size());
    const hsa_status_t status = client_.copy(static_cast<std::byte*>(address) + done, zeros.data(), piece);
    if (status != HSA_STATUS_SUCCESS) return status;
    done += piece;
  }
  return HSA_STATUS_SUCCESS;
}

void Executable::Freezer::publish() noexcept {
  for (Instance& instance : executable_.instances_) {
    const uint64_t address = addresses_[instance.number];
    instance.symbol->object = address;
    if (instance.holder == nullptr) instance.external = reinterpret_cast<void*>(address);
  }
  for (const Code& code : codes_) {
    assert(code.kernels.size() == code.loaded->kernels.size());
    assert(code.functions.size() == code.loaded->functions.size());
    for (size_t i = 0; i < code.kernels.size(); ++i) {
      code.loaded->kernels[i]->object = code.kernels[i];
      report_loading(*code.loaded->kernels[i]);
    }
    for (size_t i = 0; i < code.functions.size(); ++i) code.loaded->functions[i]->object = code.functions[i];
  }
  for (const auto& loaded : executable_.loaded_)
    if (const Code* code = code_of(*loaded)) loaded->code = code->handle;
  executable_.blocks_ = std::move(allocations_);
  executable_.image_handles_ = std::move(images_);
  executable_.sampler_handles_ = std::move(samplers_);
  executable_.state_ = HSA_EXECUTABLE_STATE_FROZEN;
  done_ = true;
}

hsa_status_t Executable::Freezer::run() {
  assert(!done_ && codes_.empty() && "a Freezer stands for one attempt");
  hsa_status_t status = resolve();
  for (size_t i = 0; i < blocks_.size() && status == HSA_STATUS_SUCCESS; ++i) status = allocate(blocks_[i]);
  for (size_t i = 0; i < executable_.loaded_.size() && status == HSA_STATUS_SUCCESS; ++i)
    if (executable_.loaded_[i]->runs() && executable_.loaded_[i]->lazy == nullptr)
      status = load_code(*executable_.loaded_[i]);
  sort_relocations();
  for (auto at = executable_.instances_.begin();
       at != executable_.instances_.end() && status == HSA_STATUS_SUCCESS; ++at)
    if (at->holder != nullptr) status = initialize(*at);
  if (status == HSA_STATUS_SUCCESS) publish();
  return status;
}

hsa_status_t Executable::freeze() {
  const auto lock = driver::lock_logged(mutex_, "an executable");
  if (state_ == HSA_EXECUTABLE_STATE_FROZEN) return HSA_STATUS_ERROR_FROZEN_EXECUTABLE;
  const hsa_status_t status = Freezer(*this).run();
  driver::log_info(HSAM_LOG_CODE, "an executable of {} code objects is frozen: status {:#x}", loaded_.size(),
                   static_cast<unsigned>(status));
  return status;
}

}  // namespace heddle::runtime
