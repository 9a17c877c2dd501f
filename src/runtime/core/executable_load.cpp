// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loading a code object into an executable: checks whether it fits, and adds its symbols (Runtime 2.8.1.27,
// 2.8.1.28, 2.8.1.58; PRM 4.2).
#include <algorithm>
#include <cassert>
#include <cstring>
#include <new>

#include "runtime/core/diagnostics.h"
#include "runtime/core/executable.h"
#include "runtime/core/linker_name.h"
#include "support/exception_safety.h"

namespace heddle::runtime {

namespace {

bool refuse(const std::string& reason) {
  report(HSAM_LOG_ERROR, "loader", reason);
  return false;
}

bool same_program(const codeobject::CodeObject& a, const codeobject::CodeObject& b) {
  return std::memcmp(a.program_digest, b.program_digest, sizeof(a.program_digest)) == 0;
}

}  // namespace

const Executable::External* Executable::find_external(const Agent* agent,
                                                      const codeobject::Variable& variable) const {
  if (externals_.empty() || variable.linkage != codeobject::Linkage::program) return nullptr;
  const Agent* owner = variable.allocation == codeobject::Allocation::program ? nullptr : agent;
  const auto at = externals_.find(external_key(owner, variable.name));
  return at != externals_.end() && at->second.segment == variable.segment ? &at->second : nullptr;
}

bool Executable::is_loaded_definition(const Agent* agent, std::string_view name) const {
  return std::any_of(instances_.begin(), instances_.end(), [&](const Instance& instance) {
    return instance.key.agent == agent && instance.holder != nullptr &&
           instance.symbol->description.matches(name);
  });
}

bool Executable::check_part(LoadForm form, const Agent* agent, const codeobject::CodeObject& object) const {
  if (form == LoadForm::program && !object.has_program_part) return refuse("not a program code object");
  if (form == LoadForm::agent && !object.has_agent_part) return refuse("not an agent code object");
  if (form != LoadForm::program && object.has_agent_part && agent->find_isa(object.isa) == nullptr)
    return refuse(fmt::format("agent {} does not execute ISA {}", agent->config().name, object.isa));
  if (form == LoadForm::both) return true;
  for (const auto& loaded : loaded_) {
    if (loaded->form == form && loaded->agent == agent)
      return refuse("the executable has a code object of that kind already");
    if (!same_program(loaded->object(), object))
      return refuse("the code objects were finalized from different programs");
  }
  return true;
}

bool Executable::check_models(const Agent* agent, const codeobject::CodeObject& object) const {
  constexpr uint8_t model = sizeof(void*) == 8 ? HSA_MACHINE_MODEL_LARGE : HSA_MACHINE_MODEL_SMALL;
  if (object.machine_model != model) return refuse("the machine model is not that of the process");
  if (object.profile != profile_) return refuse("the profile is not that of the executable");
  if (object.rounding != HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT && rounding_.has_value() &&
      object.rounding != *rounding_)
    return refuse("the default rounding mode is not that of the executable");
  const Isa* isa = agent == nullptr ? nullptr : agent->find_isa(object.isa);
  if (isa == nullptr) return true;
  const uint8_t modes = isa->description.default_float_rounding_modes |
                        isa->description.base_profile_default_float_rounding_modes;
  if (object.rounding != HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT && (modes >> object.rounding & 1) == 0)
    return refuse("the agent does not support the default rounding mode");
  return true;
}

bool Executable::check_symbols(LoadForm form, const Agent* agent,
                               const codeobject::CodeObject& object) const {
  for (const codeobject::Variable& variable : object.variables) {
    if (!defines(form, object, variable)) continue;
    if (find_external(agent, variable) != nullptr)
      return refuse(
          fmt::format("{} is defined both by the application and by the code object", variable.name));
    const Instance* instance = find_instance(key_of(agent, variable));
    if (instance == nullptr || instance->holder == nullptr) continue;
    // If a program is loaded for several agents, each load defines its program-allocation variables again.
    if (instance->key.agent != nullptr || !same_program(instance->holder->object(), object))
      return refuse(fmt::format("{} is defined twice", variable.linker_name));
  }
  if (form == LoadForm::program) return true;
  const auto is_taken = [&](const auto& named) {
    return std::any_of(symbols_.begin(), symbols_.end(), [&](const auto& symbol) {
      return symbol->agent == agent && symbol->description.kind != HSA_SYMBOL_KIND_VARIABLE &&
             symbol->description.linker_name == named.linker_name;
    });
  };
  for (const auto& kernel : object.kernels)
    if (is_taken(kernel)) return refuse(fmt::format("{} is loaded already", kernel.linker_name));
  for (const auto& function : object.functions)
    if (is_taken(function)) return refuse(fmt::format("{} is loaded already", function.linker_name));
  return true;
}

hsa_status_t Executable::check_load(LoadForm form, const Agent* agent, const CodeImage& image) const {
  if (state_ == HSA_EXECUTABLE_STATE_FROZEN) return HSA_STATUS_ERROR_FROZEN_EXECUTABLE;
  const codeobject::CodeObject& object = image.object;
  const bool fits =
      check_part(form, agent, object) && check_models(agent, object) && check_symbols(form, agent, object);
  return fits ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS;
}

/// One attempt to load. gather() adds what the code object has to the executable, which nobody sees yet, and
/// allocates all memory; commit() then completes the load without allocating, so it cannot fail. Without
/// commit(), the destructor takes everything away again.
class Executable::Loader {
 public:
  Loader(Executable& executable, LoadForm form, const Agent* agent, std::shared_ptr<const CodeImage> image);
  ~Loader();

  void gather();
  /// Returns the handle of the loaded code object.
  uint64_t commit() noexcept;

 private:
  void gather_variables();
  std::shared_ptr<ExecutableSymbol> add_symbol(SymbolDescription description, const Agent* agent);
  Instance& instance_of(const InstanceKey& key);
  void undo() noexcept;

  Executable& executable_;
  Objects& objects_;
  std::unique_ptr<LoadedCodeObject> loaded_;
  const size_t known_instances_;    ///< how many the executable had before
  std::vector<Instance*> defined_;  ///< those of them that this code object defines
  std::vector<std::shared_ptr<ExecutableSymbol>> symbols_;
  /// Existing symbols of declarations that this code object defines.
  std::vector<std::pair<ExecutableSymbol*, SymbolDescription>> described_;
  bool done_ = false;
};

Executable::Loader::Loader(Executable& executable, LoadForm form, const Agent* agent,
                           std::shared_ptr<const CodeImage> image)
    : executable_(executable),
      objects_(executable.objects_),
      loaded_(std::make_unique<LoadedCodeObject>()),
      known_instances_(executable.instances_.size()) {
  loaded_->form = form;
  loaded_->agent = agent;
  loaded_->image = std::move(image);
  if (loaded_->runs() && loaded_->object().lazy)
    loaded_->lazy = std::make_unique<LazyCode>(executable.finalizer_, loaded_->image);
}

Executable::Loader::~Loader() {
  if (!done_) undo();
}

void Executable::Loader::undo() noexcept {
  for (Instance* instance : defined_) instance->holder = nullptr;
  executable_.instances_.resize(known_instances_);
  executable_.instance_index_.clear();
  for (const Instance& instance : executable_.instances_)
    executable_.instance_index_.insert(instance.key.hash(), instance.number);
  objects_.loaded_code_objects.erase(loaded_->handle);
  for (const auto& symbol : symbols_) objects_.executable_symbols.erase(symbol->handle.handle);
}

std::shared_ptr<ExecutableSymbol> Executable::Loader::add_symbol(SymbolDescription description,
                                                                 const Agent* agent) {
  reserve_one_more(symbols_);
  auto symbol = std::make_shared<ExecutableSymbol>();
  symbol->description = std::move(description);
  symbol->agent = agent;
  symbol->handle.handle = objects_.executable_symbols.insert(symbol);
  if (symbol->handle.handle == 0) throw std::bad_alloc();
  symbols_.push_back(symbol);
  return symbol;
}

/// Returns the instance with the key, which is a new one if there was none. The index has room for it.
Executable::Instance& Executable::Loader::instance_of(const InstanceKey& key) {
  auto& instances = executable_.instances_;
  const size_t hash = key.hash();
  const auto known =
      executable_.instance_index_.find(hash, [&](uint32_t number) { return instances[number].key == key; });
  if (known.has_value()) return instances[*known];
  Instance& instance = instances.emplace_back();
  instance.key = key;
  instance.number = static_cast<uint32_t>(instances.size() - 1);
  executable_.instance_index_.insert(hash, instance.number);
  return instance;
}

void Executable::Loader::gather_variables() {
  const codeobject::CodeObject& object = loaded_->object();
  loaded_->instances.resize(object.variables.size());
  executable_.instance_index_.reserve(known_instances_ + object.variables.size(), [&](uint32_t number) {
    return executable_.instances_[number].key.hash();
  });
  for (uint32_t i = 0; i < object.variables.size(); ++i) {
    const codeobject::Variable& variable = object.variables[i];
    if (!concerns(loaded_->form, variable)) continue;
    const bool defined = defines(loaded_->form, object, variable);
    Instance& instance = instance_of(key_of(loaded_->agent, variable));
    loaded_->instances[i] = &instance;
    const bool is_new = instance.symbol == nullptr;
    if (is_new) {
      instance.symbol = add_symbol(SymbolDescription::of(variable), instance.key.agent);
      instance.symbol->description.is_definition = defined;
    }
    if (!defined || instance.holder != nullptr) continue;
    if (!is_new) {
      reserve_one_more(defined_);
      described_.emplace_back(instance.symbol.get(), SymbolDescription::of(variable));
      defined_.push_back(&instance);
    }
    instance.holder = loaded_.get();
    instance.variable = i;
  }
}

void Executable::Loader::gather() {
  loaded_->handle = objects_.loaded_code_objects.insert(std::make_shared<LoadedCodeObjectName>());
  if (loaded_->handle == 0) throw std::bad_alloc();
  gather_variables();
  if (loaded_->runs()) {
    for (const auto& kernel : loaded_->object().kernels) {
      loaded_->kernels.push_back(add_symbol(SymbolDescription::of(kernel), loaded_->agent));
      if (loaded_->lazy != nullptr) loaded_->kernels.back()->finalizes = executable_.weak_from_this();
    }
    for (const auto& function : loaded_->object().functions)
      loaded_->functions.push_back(add_symbol(SymbolDescription::of(function), loaded_->agent));
  }
  executable_.symbols_.reserve(executable_.symbols_.size() + symbols_.size());
  reserve_one_more(executable_.loaded_);
}

uint64_t Executable::Loader::commit() noexcept {
  assert(!done_ && loaded_->handle != 0 && "gather() comes first");
  assert(executable_.symbols_.capacity() - executable_.symbols_.size() >= symbols_.size());
  done_ = true;
  const codeobject::CodeObject& object = loaded_->object();
  const uint64_t handle = loaded_->handle;
  if (!executable_.rounding_.has_value() && object.rounding != HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT)
    executable_.rounding_ = static_cast<hsa_default_float_rounding_mode_t>(object.rounding);
  for (auto& [symbol, description] : described_) {
    std::lock_guard lock(symbol->description_mutex);
    symbol->description = std::move(description);
  }
  for (auto& symbol : symbols_) executable_.symbols_.push_back(std::move(symbol));
  executable_.loaded_.push_back(std::move(loaded_));
  return handle;
}

hsa_status_t Executable::load(LoadForm form, const Agent* agent, std::shared_ptr<const CodeImage> image,
                              hsa_loaded_code_object_t* loaded_handle) {
  assert((form == LoadForm::program) == (agent == nullptr));
  std::lock_guard lock(mutex_);
  const hsa_status_t status = check_load(form, agent, *image);
  if (status != HSA_STATUS_SUCCESS) return status;
  Loader loader(*this, form, agent, std::move(image));
  loader.gather();
  const uint64_t handle = loader.commit();
  if (loaded_handle != nullptr) loaded_handle->handle = handle;
  return HSA_STATUS_SUCCESS;
}

}  // namespace heddle::runtime
