// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hip/core/program.h"

#include <fmt/format.h>
#include <hsa/hsa_ext_finalize.h>

#include <algorithm>
#include <cstring>

#include "hip/core/environment.h"
#include "hip/core/failure.h"
#include "hip/core/kernel_output.h"
#include "hip/core/log.h"
#include "hip/core/runtime.h"

namespace heddle::hip {
namespace {

/// Provides memory for the bytes of a code object in the vector that `data` points to.
hsa_status_t allocate_code_object(size_t size, size_t, void** address, void* data) {
  auto& bytes = *static_cast<std::vector<char>*>(data);
  try {
    bytes.resize(size);
  } catch (const std::bad_alloc&) {
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  }
  *address = bytes.data();
  return HSA_STATUS_SUCCESS;
}

class Writer {
 public:
  explicit Writer(std::vector<char>& bytes) {
    check(hsa_ext_code_object_writer_create_from_memory(allocate_code_object, &bytes, &handle_),
          "hsa_ext_code_object_writer_create_from_memory");
  }
  ~Writer() { hsa_ext_code_object_writer_destroy(handle_); }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
  hsa_ext_code_object_writer_t handle() const { return handle_; }

 private:
  hsa_ext_code_object_writer_t handle_{};
};

class HsailProgram {
 public:
  explicit HsailProgram(const AgentProperties& agent) {
    check(hsa_ext_program_create(HSA_MACHINE_MODEL_LARGE, agent.code_profile, agent.rounding, nullptr,
                                 &handle_),
          "hsa_ext_program_create");
  }
  ~HsailProgram() { hsa_ext_program_destroy(handle_); }
  HsailProgram(const HsailProgram&) = delete;
  HsailProgram& operator=(const HsailProgram&) = delete;
  hsa_ext_program_t handle() const { return handle_; }

 private:
  hsa_ext_program_t handle_{};
};

template <typename T>
T info(hsa_executable_symbol_t symbol, hsa_executable_symbol_info_t attribute) {
  T value{};
  check(hsa_executable_symbol_get_info(symbol, attribute, &value), "hsa_executable_symbol_get_info");
  return value;
}

/// Returns a name without the & of HSAIL.
std::string without_sigil(const std::string& name) { return name.starts_with('&') ? name.substr(1) : name; }

/// Returns the name of a symbol without the & of HSAIL.
std::string name_of(hsa_executable_symbol_t symbol) {
  std::string name(info<uint32_t>(symbol, HSA_EXECUTABLE_SYMBOL_INFO_NAME_LENGTH), '\0');
  check(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_NAME, name.data()),
        "hsa_executable_symbol_get_info");
  return without_sigil(name);
}

/// Arguments follow each other in the kernarg segment, each at a multiple of its alignment (PRM 4.21).
std::vector<KernelArgument> lay_out(const std::vector<Formal>& formals) {
  std::vector<KernelArgument> arguments;
  size_t end = 0;
  for (const Formal& formal : formals) {
    const size_t offset = (end + formal.alignment - 1) / formal.alignment * formal.alignment;
    arguments.push_back({offset, formal.size});
    end = offset + formal.size;
  }
  return arguments;
}

/// Notes what a module says of a kernel.
void describe(Kernel& kernel, const KernelSignature& signature) {
  kernel.arguments = lay_out(signature.formals);
  kernel.largest_group = signature.largest_group;
  const KernelArgument last = kernel.arguments.empty() ? KernelArgument{0, 0} : kernel.arguments.back();
  if (last.offset + last.size > kernel.arguments_size)
    throw Failure(hipErrorInvalidImage, "the arguments of " + kernel.name + " exceed its kernarg segment");
}

}  // namespace

Program::Program(Device& device, const Modules& modules) : device_(device) {
  try {
    finalize(modules);
    load();
    read_symbols();
    register_variables();
    describe_kernels(modules);
    attach_output();
    announce_launch_records();
    set_clock();
  } catch (...) {
    destroy();
    throw;
  }
}

Program::~Program() { destroy(); }

void Program::destroy() noexcept {
  output_.reset();
  for (const auto& [name, variable] : variables_) Runtime::get().memory().take(variable.address);
  if (executable_.handle != 0) hsa_executable_destroy(executable_);
  for (const auto reader : readers_) hsa_code_object_reader_destroy(reader);
}

void Program::finalize(const Modules& modules) {
  const AgentProperties& agent = device_.properties();
  const HsailProgram program(agent);
  for (const auto& module : modules) {
    // The interface does not take modules that are const, but it only reads them.
    auto* const brig = const_cast<std::byte*>(module.data());
    check(hsa_ext_program_add_module(program.handle(), reinterpret_cast<hsa_ext_module_t>(brig)),
          "hsa_ext_program_add_module", hipErrorInvalidImage);
  }
  code_objects_.resize(2);  // for the variables that all agents share, and for code
  check(hsa_ext_program_code_object_finalize(program.handle(), nullptr, Writer(code_objects_[0]).handle()),
        "hsa_ext_program_code_object_finalize", hipErrorNoBinaryForGpu);
  const char* const options = environment.deferred_loading != 0 ? "-lazy" : nullptr;
  check(hsa_ext_agent_code_object_finalize(program.handle(), agent.isa, options,
                                           Writer(code_objects_[1]).handle()),
        "hsa_ext_agent_code_object_finalize", hipErrorNoBinaryForGpu);
  log(LogLevel::info, log_code, fmt::format("finalized {} modules for {}", modules.size(), agent.isa_name));
}

void Program::load() {
  const AgentProperties& agent = device_.properties();
  check(hsa_executable_create_alt(agent.code_profile, agent.rounding, nullptr, &executable_),
        "hsa_executable_create_alt");
  for (const auto& bytes : code_objects_) {
    hsa_code_object_reader_t reader{};
    check(hsa_code_object_reader_create_from_memory(bytes.data(), bytes.size(), &reader),
          "hsa_code_object_reader_create_from_memory");
    readers_.push_back(reader);
  }
  check(hsa_executable_load_program_code_object(executable_, readers_[0], nullptr, nullptr),
        "hsa_executable_load_program_code_object", hipErrorSharedObjectInitFailed);
  check(hsa_executable_load_agent_code_object(executable_, device_.agent(), readers_[1], nullptr, nullptr),
        "hsa_executable_load_agent_code_object", hipErrorSharedObjectInitFailed);
  check(hsa_executable_freeze(executable_, nullptr), "hsa_executable_freeze", hipErrorSharedObjectInitFailed);
}

hsa_status_t Program::note_symbol(hsa_executable_t, hsa_agent_t, hsa_executable_symbol_t symbol, void* self) {
  auto& program = *static_cast<Program*>(self);
  try {
    const std::string name = name_of(symbol);
    const auto kind = info<hsa_symbol_kind_t>(symbol, HSA_EXECUTABLE_SYMBOL_INFO_TYPE);
    if (kind == HSA_SYMBOL_KIND_VARIABLE) {
      const auto address = info<uint64_t>(symbol, HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ADDRESS);
      const auto size = info<uint32_t>(symbol, HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_SIZE);
      program.variables_[name] = {reinterpret_cast<std::byte*>(address), size};
    } else if (kind == HSA_SYMBOL_KIND_KERNEL) {
      Kernel& kernel = program.kernels_[name];
      kernel.name = name;
      kernel.symbol = symbol;
      kernel.arguments_size = info<uint32_t>(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_SIZE);
      kernel.group_size = info<uint32_t>(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE);
      kernel.recursive = info<bool>(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_DYNAMIC_CALLSTACK);
    }
  } catch (const std::exception&) {  // must not pass through the runtime
    return HSA_STATUS_ERROR;
  }
  return HSA_STATUS_SUCCESS;
}

void Program::read_symbols() {
  check(hsa_executable_iterate_agent_symbols(executable_, device_.agent(), note_symbol, this),
        "hsa_executable_iterate_agent_symbols");
}

/// Copies look variables up as they do other memory of devices, which the host may not reach.
void Program::register_variables() {
  for (const auto& [name, variable] : variables_)
    if (variable.size != 0)
      Runtime::get().memory().add(
          {variable.address, variable.size, MemoryKind::variable, device_.number(), 0, variable.address});
}

void Program::describe_kernels(const Modules& modules) {
  for (const auto& module : modules)
    for_each_kernel(module, [&](const KernelSignature& signature) {
      const auto found = kernels_.find(without_sigil(signature.name));
      if (found != kernels_.end()) describe(found->second, signature);
    });
}

const Kernel* Program::kernel(const std::string& name) const {
  const auto found = kernels_.find(name);
  return found == kernels_.end() ? nullptr : &found->second;
}

KernelCode Program::code_of(const Kernel& kernel) const {
  uint64_t object = kernel.object.load(std::memory_order_acquire);
  if (object == 0) {
    fetch_code(kernel);
    object = kernel.object.load(std::memory_order_acquire);
  }
  return {object, kernel.private_size.load(std::memory_order_relaxed)};
}

/// Asks the executable for the kernel's object, which makes it finalize the kernel.
void Program::fetch_code(const Kernel& kernel) const {
  const std::scoped_lock lock(code_mutex_);
  if (kernel.object.load(std::memory_order_relaxed) != 0) return;
  uint64_t object = 0;
  check(hsa_executable_symbol_get_info(kernel.symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT, &object),
        ("finalization of " + kernel.name).c_str(), hipErrorNoBinaryForGpu);
  kernel.private_size.store(
      info<uint32_t>(kernel.symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE),
      std::memory_order_relaxed);
  kernel.object.store(object, std::memory_order_release);
  log(LogLevel::info, log_code,
      fmt::format("the code of {} is ready for {}", kernel.name, device_.properties().isa_name));
}

std::optional<Variable> Program::variable(const std::string& name) const {
  const auto found = variables_.find(name);
  return found == variables_.end() ? std::nullopt : std::optional(found->second);
}

void Program::attach_output() {
  const auto buffer = variable(std::string(printf_buffer_variable.substr(1)));
  const auto formats = variable(std::string(printf_formats_variable.substr(1)));
  if (!buffer || buffer->size != sizeof(void*)) return;
  output_ = std::make_unique<KernelOutput>(device_, *buffer, formats);
}

void Program::announce_launch_records() {
  const auto found = variable(launch_records_variable);
  const uint32_t has_records = 1;
  if (found && found->size == sizeof has_records)
    check(hsa_memory_copy(found->address, &has_records, sizeof has_records), "the records of launches");
}

void Program::set_clock() {
  const auto found = variable(clock_ratio_variable);
  if (!found || found->size != sizeof(uint32_t)) return;
  uint64_t frequency = 0;
  check(hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY, &frequency), "the frequency of clocks");
  const uint64_t wanted = uint64_t{device_.properties().clock_mhz} * 1'000'000;
  const auto ratio = static_cast<uint32_t>((wanted << 16) / std::max<uint64_t>(frequency, 1));
  check(hsa_memory_copy(found->address, &ratio, sizeof ratio), "the ratio of clocks");
}

bool Program::output_is_pressing() const { return output_ != nullptr && output_->is_pressing(); }

}  // namespace heddle::hip
