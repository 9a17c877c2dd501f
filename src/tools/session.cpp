// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "session.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>

#include "console.h"
#include "query.h"

namespace heddle::tools {
namespace {

constexpr std::string_view plugin_names[] = {"cpu", "cuda", "interpreter", "null", "all"};

/// Reports whether the text is the name of a plugin, or several of them separated by commas.
bool names_plugins(std::string_view text) {
  while (true) {
    const std::string_view name = text.substr(0, text.find(','));
    if (std::find(std::begin(plugin_names), std::end(plugin_names), name) == std::end(plugin_names))
      return false;
    if (name.size() == text.size()) return true;
    text.remove_prefix(name.size() + 1);
  }
}

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

bool dispatches_kernels(hsa_agent_t agent) {
  return (info<uint32_t>(agent, HSA_AGENT_INFO_FEATURE) & HSA_AGENT_FEATURE_KERNEL_DISPATCH) != 0;
}

/// Returns the first region with this flag from which memory can be allocated; handle 0 if there is none.
hsa_region_t find_region(hsa_agent_t agent, uint32_t flag) {
  for (hsa_region_t region : agent_regions(agent)) {
    if (info<hsa_region_segment_t>(region, HSA_REGION_INFO_SEGMENT) != HSA_REGION_SEGMENT_GLOBAL) continue;
    if (!(info<uint32_t>(region, HSA_REGION_INFO_GLOBAL_FLAGS) & flag)) continue;
    if (info<bool>(region, HSA_REGION_INFO_RUNTIME_ALLOC_ALLOWED)) return region;
  }
  return {};
}

Result<KernelAgent> describe_kernel_agent(hsa_agent_t handle) {
  KernelAgent agent{handle, agent_name(handle), {}, {}, {}, {}};
  auto isas = agent_isas(handle);
  if (isas.empty()) return Error{agent.name + " has no ISA"};
  agent.isa = isas.front();
  agent.isa_name = isa_name(agent.isa);
  agent.memory = find_region(handle, HSA_REGION_GLOBAL_FLAG_FINE_GRAINED);
  agent.kernarg = find_region(handle, HSA_REGION_GLOBAL_FLAG_KERNARG);
  if (agent.memory.handle == 0 || agent.kernarg.handle == 0) {
    return Error{agent.name + " has no memory that it shares with the host"};
  }
  return agent;
}

/// Returns the kernel agents that `name` describes, at least one.
Result<std::vector<hsa_agent_t>> find_handles(const std::string& name) {
  std::string known;
  std::vector<hsa_agent_t> found;
  for (hsa_agent_t agent : all_agents()) {
    if (!dispatches_kernels(agent)) continue;
    const std::string its_name = agent_name(agent);
    known += "\n  " + its_name;
    const bool wanted = names_plugins(name) || lower(its_name).find(lower(name)) != std::string::npos;
    if (wanted) found.push_back(agent);
  }
  if (!found.empty()) return found;
  if (known.empty()) return Error{"there is no kernel agent"};
  return Error{fmt::format("no kernel agent is called '{}'; there are{}", name, known)};
}

template <hsa_symbol_kind_t kind>
hsa_status_t collect(hsa_executable_t, hsa_agent_t, hsa_executable_symbol_t symbol, void* into) {
  if (info<hsa_symbol_kind_t>(symbol, HSA_EXECUTABLE_SYMBOL_INFO_TYPE) == kind) {
    static_cast<std::vector<hsa_executable_symbol_t>*>(into)->push_back(symbol);
  }
  return HSA_STATUS_SUCCESS;
}

std::string symbol_name(hsa_executable_symbol_t symbol) {
  std::string name(info<uint32_t>(symbol, HSA_EXECUTABLE_SYMBOL_INFO_LINKER_NAME_LENGTH), '\0');
  hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_LINKER_NAME, name.data());
  return name;
}

}  // namespace

Result<void> checked(hsa_status_t status, std::string_view what) {
  if (status == HSA_STATUS_SUCCESS) return {};
  const char* text = nullptr;
  if (hsa_status_string(status, &text) != HSA_STATUS_SUCCESS || text == nullptr) text = "unknown status";
  return Error{fmt::format("{}: {}", what, text)};
}

void choose_agents(const std::string& name) {
  if (name.empty()) return;
  const bool plugins = names_plugins(name);
  setenv("HEDDLE_AGENTS", plugins ? name.c_str() : "all", plugins ? 1 : 0);
}

/// Describes an error of hsa_init, for which hsa_status_string cannot be used before the runtime has started.
static std::string_view init_failure(hsa_status_t status) {
  switch (status) {
    case HSA_STATUS_ERROR_OUT_OF_RESOURCES:
      return "resources are exhausted, or no agents were found";
    case HSA_STATUS_ERROR_REFCOUNT_OVERFLOW:
      return "it has been started too often";
    default:
      return "an error without a status of its own";
  }
}

Result<std::unique_ptr<Session>> Session::open() {
  // The log names the kernel, line, work-item and address that an error status refers to.
  setenv("HEDDLE_LOG", "warning", /*overwrite=*/0);
  const hsa_status_t status = hsa_init();
  if (status != HSA_STATUS_SUCCESS) {
    const char* path = std::getenv("HEDDLE_AGENT_PATH");
    const bool elsewhere = path != nullptr && *path != '\0';
    return Error{fmt::format(
        "cannot start the HSA runtime: {}{}", init_failure(status),
        elsewhere ? fmt::format(" (HEDDLE_AGENT_PATH is {}: agent drivers there come first)", path) : "")};
  }
  return std::unique_ptr<Session>(new Session);
}

std::vector<hsa_agent_t> all_agents() {
  std::vector<hsa_agent_t> agents;
  hsa_iterate_agents(collect<hsa_agent_t>, &agents);
  return agents;
}

std::string agent_name(hsa_agent_t agent) {
  char name[65] = {};
  hsa_agent_get_info(agent, HSA_AGENT_INFO_NAME, name);
  return name;
}

std::vector<hsa_isa_t> agent_isas(hsa_agent_t agent) {
  std::vector<hsa_isa_t> isas;
  hsa_agent_iterate_isas(agent, collect<hsa_isa_t>, &isas);
  return isas;
}

std::string isa_name(hsa_isa_t isa) {
  std::string name(info<uint32_t>(isa, HSA_ISA_INFO_NAME_LENGTH) + 1, '\0');
  hsa_isa_get_info_alt(isa, HSA_ISA_INFO_NAME, name.data());
  return name.c_str();
}

std::vector<hsa_region_t> agent_regions(hsa_agent_t agent) {
  std::vector<hsa_region_t> regions;
  hsa_agent_iterate_regions(agent, collect<hsa_region_t>, &regions);
  return regions;
}

std::vector<KernelAgent> kernel_agents() {
  std::vector<KernelAgent> agents;
  for (hsa_agent_t handle : all_agents()) {
    if (!dispatches_kernels(handle)) continue;
    if (auto agent = describe_kernel_agent(handle)) agents.push_back(std::move(*agent));
  }
  return agents;
}

Result<std::vector<KernelAgent>> find_kernel_agents(const std::string& name) {
  auto handles = find_handles(name);
  if (!handles) return handles.error();
  std::vector<KernelAgent> agents;
  for (hsa_agent_t handle : *handles) {
    auto agent = describe_kernel_agent(handle);
    if (!agent) return agent.error();
    agents.push_back(std::move(*agent));
  }
  return agents;
}

Result<KernelAgent> find_kernel_agent(const std::string& name) {
  auto handles = find_handles(name);
  if (!handles) return handles.error();
  return describe_kernel_agent(handles->front());
}

Result<Memory> Memory::allocate(hsa_region_t region, size_t size) {
  void* address = nullptr;
  auto status = checked(hsa_memory_allocate(region, std::max<size_t>(size, 1), &address),
                        fmt::format("cannot allocate {}", format_bytes(static_cast<double>(size))));
  if (!status) return status.error();
  return Memory(static_cast<std::byte*>(address), size);
}

// ---- loading ----

Result<LoadedProgram> LoadedProgram::load(const KernelAgent& agent, uint32_t profile,
                                          std::span<const std::byte> program,
                                          std::span<const std::byte> agent_code) {
  LoadedProgram loaded;
  loaded.agent_ = agent.handle;
  hsa_executable_t* executable = loaded.executable_.out();
  // This function adopts the rounding mode of the code, whatever HEDDLE_FLOAT_ROUNDING says.
  auto status = checked(hsa_executable_create(static_cast<hsa_profile_t>(profile),
                                              HSA_EXECUTABLE_STATE_UNFROZEN, nullptr, executable),
                        "cannot create an executable");
  if (!status) return status.error();
  status = checked(
      hsa_code_object_reader_create_from_memory(program.data(), program.size(), loaded.program_reader_.out()),
      "cannot read the program code object");
  if (!status) return status.error();
  status = checked(hsa_code_object_reader_create_from_memory(agent_code.data(), agent_code.size(),
                                                             loaded.agent_reader_.out()),
                   "cannot read the agent code object");
  if (!status) return status.error();
  status = checked(
      hsa_executable_load_program_code_object(*executable, loaded.program_reader_.get(), nullptr, nullptr),
      "cannot load the program code object");
  if (!status) return status.error();
  status = checked(hsa_executable_load_agent_code_object(*executable, agent.handle,
                                                         loaded.agent_reader_.get(), nullptr, nullptr),
                   "cannot load the agent code object");
  if (!status) return status.error();
  status = checked(hsa_executable_freeze(*executable, nullptr), "cannot freeze the executable");
  if (!status) return status.error();
  return loaded;
}

Result<LoadedProgram> LoadedProgram::load(const KernelAgent& agent, std::span<const std::byte> code_object) {
  LoadedProgram loaded;
  loaded.agent_ = agent.handle;
  auto* bytes = const_cast<std::byte*>(code_object.data());  // the HSA 1.0 function does not write to it
  auto status =
      checked(hsa_code_object_deserialize(bytes, code_object.size(), nullptr, loaded.code_object_.out()),
              "cannot read the code object");
  if (!status) return status.error();
  hsa_profile_t profile{};
  status =
      checked(hsa_code_object_get_info(loaded.code_object_.get(), HSA_CODE_OBJECT_INFO_PROFILE, &profile),
              "cannot read the profile of the code object");
  if (!status) return status.error();
  hsa_executable_t* executable = loaded.executable_.out();
  status = checked(hsa_executable_create(profile, HSA_EXECUTABLE_STATE_UNFROZEN, nullptr, executable),
                   "cannot create an executable");
  if (!status) return status.error();
  status =
      checked(hsa_executable_load_code_object(*executable, agent.handle, loaded.code_object_.get(), nullptr),
              fmt::format("cannot load the code object for {} ({})", agent.name, agent.isa_name));
  if (!status) return status.error();
  status = checked(hsa_executable_freeze(*executable, nullptr), "cannot freeze the executable");
  if (!status) return status.error();
  return loaded;
}

Result<std::string> isa_of_code_object(std::span<const std::byte> code_object) {
  auto* bytes = const_cast<std::byte*>(code_object.data());  // the HSA 1.0 function does not write to it
  OwnedCodeObject code;
  auto status = checked(hsa_code_object_deserialize(bytes, code_object.size(), nullptr, code.out()),
                        "cannot read the code object");
  if (!status) return status.error();
  hsa_isa_t isa{};
  status = checked(hsa_code_object_get_info(code.get(), HSA_CODE_OBJECT_INFO_ISA, &isa),
                   "cannot read the ISA of the code object");
  if (!status) return status.error();
  return isa_name(isa);
}

std::vector<std::string> LoadedProgram::kernels() const {
  std::vector<hsa_executable_symbol_t> symbols;
  hsa_executable_iterate_agent_symbols(executable_.get(), agent_, collect<HSA_SYMBOL_KIND_KERNEL>, &symbols);
  std::vector<std::string> names;
  names.reserve(symbols.size());
  for (hsa_executable_symbol_t symbol : symbols) names.push_back(symbol_name(symbol));
  std::sort(names.begin(), names.end());
  return names;
}

Result<KernelInfo> LoadedProgram::kernel(std::string name) const {
  std::vector<std::string> names = kernels();
  std::string list;
  for (const std::string& known : names) list += "\n  " + known;
  if (name.empty() && names.size() != 1) {
    return Error{names.empty() ? "the program has no kernel" : "say which kernel with --kernel:" + list};
  }
  if (name.empty()) name = names.front();
  if (!name.starts_with("&")) name = "&" + name;
  hsa_executable_symbol_t symbol{};
  hsa_status_t found =
      hsa_executable_get_symbol_by_linker_name(executable_.get(), name.c_str(), &agent_, &symbol);
  if (found != HSA_STATUS_SUCCESS) {
    return Error{fmt::format("the program has no kernel {}{}", name, list.empty() ? "" : "; it has" + list)};
  }
  if (info<hsa_symbol_kind_t>(symbol, HSA_EXECUTABLE_SYMBOL_INFO_TYPE) != HSA_SYMBOL_KIND_KERNEL) {
    return Error{name + " is no kernel"};
  }
  return KernelInfo{name,
                    info<uint64_t>(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT),
                    info<uint32_t>(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_SIZE),
                    info<uint32_t>(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_ALIGNMENT),
                    info<uint32_t>(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE),
                    info<uint32_t>(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE),
                    info<bool>(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_DYNAMIC_CALLSTACK)};
}

std::vector<VariableInfo> LoadedProgram::variables(std::string_view name) const {
  std::vector<hsa_executable_symbol_t> symbols;
  hsa_executable_iterate_agent_symbols(executable_.get(), agent_, collect<HSA_SYMBOL_KIND_VARIABLE>,
                                       &symbols);
  std::vector<VariableInfo> found;
  for (const hsa_executable_symbol_t symbol : symbols) {
    const std::string known = symbol_name(symbol);  // "&name", or with module linkage "&module::&name"
    if (known != name && !known.ends_with("::" + std::string(name))) continue;
    found.push_back({info<uint64_t>(symbol, HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ADDRESS),
                     info<uint32_t>(symbol, HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_SIZE)});
  }
  return found;
}

// ---- dispatching ----

Result<std::unique_ptr<Dispatcher>> Dispatcher::create(const KernelAgent& agent) {
  std::unique_ptr<Dispatcher> dispatcher(new Dispatcher);
  const auto size = info<uint32_t>(agent.handle, HSA_AGENT_INFO_QUEUE_MIN_SIZE);
  auto on_error = [](hsa_status_t status, hsa_queue_t*, void* data) {
    static_cast<Dispatcher*>(data)->error_.store(status);
  };
  auto status = checked(hsa_queue_create(agent.handle, std::max(size, 16u), HSA_QUEUE_TYPE_SINGLE, on_error,
                                         dispatcher.get(), UINT32_MAX, UINT32_MAX, &dispatcher->queue_),
                        "cannot create a queue");
  if (!status) return status.error();
  status = checked(hsa_signal_create(1, 0, nullptr, dispatcher->completed_.out()), "cannot create a signal");
  if (!status) return status.error();
  return dispatcher;
}

Dispatcher::~Dispatcher() {
  if (queue_ != nullptr) hsa_queue_destroy(queue_);
}

Result<DispatchTimes> Dispatcher::run(const KernelInfo& kernel, const Extent& grid, const Extent& group,
                                      uint32_t dynamic_group, uint32_t stack, void* kernarg, double timeout) {
  hsa_signal_store_relaxed(completed_.get(), 1);
  Stopwatch submitting;
  uint64_t index = hsa_queue_add_write_index_relaxed(queue_, 1);  // free: one packet at a time
  auto* packet = static_cast<hsa_kernel_dispatch_packet_t*>(queue_->base_address) + index % queue_->size;
  std::memset(reinterpret_cast<char*>(packet) + 4, 0, sizeof *packet - 4);
  packet->workgroup_size_x = static_cast<uint16_t>(group.size[0]);
  packet->workgroup_size_y = static_cast<uint16_t>(group.size[1]);
  packet->workgroup_size_z = static_cast<uint16_t>(group.size[2]);
  packet->grid_size_x = static_cast<uint32_t>(grid.size[0]);
  packet->grid_size_y = static_cast<uint32_t>(grid.size[1]);
  packet->grid_size_z = static_cast<uint32_t>(grid.size[2]);
  packet->private_segment_size = kernel.private_size + (kernel.dynamic_stack ? stack : 0);
  packet->group_segment_size = kernel.group_size + dynamic_group;
  packet->kernel_object = kernel.object;
  packet->kernarg_address = kernarg;
  packet->completion_signal = completed_.get();
  constexpr uint16_t header = HSA_PACKET_TYPE_KERNEL_DISPATCH << HSA_PACKET_HEADER_TYPE |
                              HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE |
                              HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE;
  uint32_t setup = grid.dimensions << HSA_KERNEL_DISPATCH_PACKET_SETUP_DIMENSIONS;
  __atomic_store_n(reinterpret_cast<uint32_t*>(packet), header | setup << 16, __ATOMIC_RELEASE);
  // The doorbell may wake a processor that takes this one's place at once, so the time of execution includes
  // it.
  DispatchTimes times{submitting.seconds(), 0};
  Stopwatch executing;
  hsa_signal_store_screlease(queue_->doorbell_signal, static_cast<hsa_signal_value_t>(index));
  auto done = wait(timeout);
  if (!done) return done.error();
  times.execute = executing.seconds();
  return times;
}

Result<void> Dispatcher::wait(double timeout) {
  const auto ticks_per_second = system_info<uint64_t>(HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY);
  const double look = timeout > 0 ? std::min(0.1, timeout) : 0.1;  // seconds between checks of the error flag
  const auto ticks = static_cast<uint64_t>(look * static_cast<double>(ticks_per_second));
  Stopwatch waiting;
  timed_out_ = false;
  // A queue in the error state completes no packet, so the error flag is checked between waits.
  while (hsa_signal_wait_scacquire(completed_.get(), HSA_SIGNAL_CONDITION_EQ, 0, ticks,
                                   HSA_WAIT_STATE_BLOCKED) != 0) {
    auto status = checked(error_.load(), "the dispatch failed");
    if (!status) return status;
    if (timeout > 0 && waiting.seconds() > timeout) {
      hsa_queue_inactivate(queue_);
      timed_out_ = true;
      return Error{fmt::format("the kernel has not finished after {}", format_seconds(timeout))};
    }
  }
  return {};
}

}  // namespace heddle::tools
