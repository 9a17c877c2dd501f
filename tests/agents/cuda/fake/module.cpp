// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "module.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <sstream>

#include "codeobject/ptx_kernel.h"

namespace heddle::cuda::fake {
namespace {

std::vector<std::byte> bytes_of(const std::string& digits) {
  std::vector<std::byte> bytes(digits.size() / 2);
  for (size_t i = 0; i < bytes.size(); ++i) {
    uint8_t byte = 0;
    std::from_chars(digits.data() + 2 * i, digits.data() + 2 * i + 2, byte, 16);
    bytes[i] = static_cast<std::byte>(byte);
  }
  return bytes;
}

/// What the comments of a module say.
struct Comments {
  std::vector<std::vector<std::byte>> brig;
  std::vector<std::byte> lowered;
  std::vector<std::string> kernels, addresses, functions;
  hsa_brig_profile_t profile = HSA_BRIG_PROFILE_FULL;
  hsa_brig_round_t rounding = HSA_BRIG_ROUND_FLOAT_NEAR_EVEN;
};

/// A default rounding mode as code objects have it.
hsa_brig_round_t rounding_of(const std::string& mode) {
  return mode == "1"   ? HSA_BRIG_ROUND_FLOAT_ZERO
         : mode == "2" ? HSA_BRIG_ROUND_FLOAT_NEAR_EVEN
                       : HSA_BRIG_ROUND_FLOAT_DEFAULT;
}

Comments read_comments(const char* ptx) {
  Comments comments;
  std::istringstream lines(ptx);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string mark, what, first, name;
    words >> mark >> what >> first >> name;
    if (mark != "//fake") continue;
    if (what == "brig") comments.brig.push_back(bytes_of(first));
    if (what == "lowered") comments.lowered = bytes_of(first);
    if (what == "kernel") comments.kernels.push_back(name);
    if (what == "address") comments.addresses.push_back(name);
    if (what == "function") comments.functions.push_back(name);
    if (what == "program") {
      comments.profile = first == "0" ? HSA_BRIG_PROFILE_BASE : HSA_BRIG_PROFILE_FULL;
      comments.rounding = rounding_of(name);
    }
  }
  return comments;
}

Result<std::shared_ptr<link::Program>, Error> link_program(const Comments& comments) {
  link::Program::Options options;
  options.machine_model = HSA_BRIG_MACHINE_MODEL_LARGE;
  options.profile = comments.profile;
  options.default_rounding = comments.rounding;
  auto program = std::make_shared<link::Program>(options);
  Diagnostics diagnostics("fake PTX");
  for (const std::vector<std::byte>& bytes : comments.brig) {
    brig::Module module = brig::Module::open(bytes, diagnostics);
    if (!module || program->add(std::move(module), diagnostics) != link::Program::AddResult::ok)
      return Error{diagnostics.print()};
  }
  if (!program->resolve(diagnostics)) return Error{diagnostics.print()};
  return program;
}

/// Whether the second parameter of a kernel is that of kernels that check addresses. PTX that only has
/// comments says nothing of parameters.
bool checks_addresses(const std::string& ptx, size_t kernel) {
  return ptx.find(fmt::format(".b8 {}_param_1[{}]", ptx_kernel::linear_entry_name(kernel),
                              sizeof(ptx_kernel::CheckedHidden))) != std::string::npos;
}

/// Whether the first line that is no comment is the directive that PTX must begin with.
bool begins_with_version(const char* ptx) {
  std::istringstream lines(ptx);
  for (std::string line; std::getline(lines, line);)
    if (!line.empty() && !line.starts_with("//")) return line.starts_with(".version");
  return false;
}

/// Keeps a module that has been unloaded, so that uses of its functions are noticed.
void keep_unloaded(ModuleObject* module) {
  static auto& mutex = *new std::mutex;
  static auto& kept = *new std::vector<std::unique_ptr<ModuleObject>>;
  std::lock_guard lock(mutex);
  kept.emplace_back(module);
}

}  // namespace

Result<std::unique_ptr<ModuleObject>, Error> compile(const char* ptx) {
  if (!begins_with_version(ptx)) return Error{"fake: the text does not begin with .version"};
  const Comments comments = read_comments(ptx);
  auto program = link_program(comments);
  if (!program) return program.error();
  auto module = std::make_unique<ModuleObject>();
  module->program = interpreter::DecodedProgram::prepare(std::move(*program), ptx_kernel::lanes);
  module->waits_for_predecessors = std::strstr(ptx, "griddepcontrol.wait;") != nullptr;
  const link::Program& linked = module->program->program();
  for (const std::string& name : comments.kernels) {
    const auto* kernel = module->program->kernel(linked.find(name));
    if (!kernel) return Error{"fake: no kernel " + name};
    module->checks_addresses.push_back(checks_addresses(ptx, module->kernels.size()));
    module->kernels.push_back(kernel);
  }
  for (const std::string& name : comments.addresses) module->address_symbols.push_back(linked.find(name));
  for (const std::string& name : comments.functions)
    module->function_handles.push_back(module->program->function_handle(linked.find(name)));
  module->addresses.resize(comments.addresses.size());
  const char* const wanted = std::getenv("HEDDLE_FAKE_LOWERED");
  if (wanted && *wanted == '1' && comments.lowered.empty())
    control().complain("a module has no lowered code, and is interpreted");
  if (comments.lowered.empty()) return module;
  auto lowered =
      LoweredCode::compile({reinterpret_cast<const char*>(comments.lowered.data()), comments.lowered.size()});
  if (!lowered) return lowered.error();
  module->lowered = std::move(*lowered);
  return module;
}

void* JitOptions::find(JitOption wanted) const {
  for (unsigned i = 0; i < count; ++i)
    if (names[i] == wanted) return values[i];
  return nullptr;
}

bool JitOptions::has(JitOption wanted) const {
  return std::find(names, names + count, wanted) != names + count;
}

void JitOptions::write_log(bool is_error, const std::string& text) const {
  auto* buffer =
      static_cast<char*>(find(is_error ? JitOption::error_log_buffer : JitOption::info_log_buffer));
  const JitOption size_name = is_error ? JitOption::error_log_size : JitOption::info_log_size;
  const auto size = reinterpret_cast<uintptr_t>(find(size_name));
  if (!buffer || size == 0) return;
  const size_t length = std::min<size_t>(text.size(), size - 1);
  std::memcpy(buffer, text.data(), length);
  buffer[length] = '\0';
  // A driver says here how much it has written.
  for (unsigned i = 0; i < count; ++i)
    if (names[i] == size_name) values[i] = reinterpret_cast<void*>(length + 1);
}

namespace {

/// Tells of what a module was made, and notes it in the module.
void note_options(ModuleObject& module, uintptr_t registers, bool optimises) {
  module.limits_registers = registers != 0;
  control().register_limit = static_cast<int>(registers);
  control().optimises = optimises;
}

uintptr_t registers_of(const JitOptions& options) {
  return reinterpret_cast<uintptr_t>(options.find(JitOption::max_registers));
}

constexpr char cubin_mark[] =
    "\x7f"
    "fake cubin";

}  // namespace

Status compile(const char* ptx, const JitOptions& options, std::unique_ptr<ModuleObject>& made) {
  if (control().module_status != Status::success) {
    options.write_log(true, control().module_log);
    return control().module_status;
  }
  auto module = compile(ptx);
  if (!module) {
    options.write_log(true, module.error().message);
    return Status::invalid_ptx;
  }
  if (!options.has(JitOption::generate_line_info)) control().complain("a module has no lines");
  options.write_log(false, control().compiler_info);
  made = std::move(*module);
  note_options(*made, registers_of(options), !options.has(JitOption::optimization_level));
  ++control().compilations;
  return Status::success;
}

std::string make_cubin(const char* ptx, const JitOptions& options) {
  const fake::Machine& machine = control().machine;
  return fmt::format("{} {} {} {} {} {}\n{}", cubin_mark, machine.capability, machine.driver_version,
                     registers_of(options), static_cast<int>(!options.has(JitOption::optimization_level)),
                     std::strlen(ptx), ptx);
}

bool is_cubin(const char* image) { return std::strncmp(image, cubin_mark, sizeof cubin_mark - 1) == 0; }

Status load_cubin(const char* image, std::unique_ptr<ModuleObject>& made) {
  std::istringstream head(image + sizeof cubin_mark - 1);
  uint32_t capability = 0;
  int driver_version = 0;
  uintptr_t registers = 0;
  bool optimises = false;
  size_t size = 0;
  if (!(head >> capability >> driver_version >> registers >> optimises >> size)) return Status::invalid_image;
  if (capability != control().machine.capability || driver_version != control().machine.driver_version)
    return Status::no_binary_for_gpu;
  const char* const ptx = std::strchr(image, '\n') + 1;
  if (std::strlen(ptx) != size) return Status::invalid_image;
  auto module = compile(ptx);
  if (!module) return Status::invalid_image;
  made = std::move(*module);
  note_options(*made, registers, optimises);
  return Status::success;
}

}  // namespace heddle::cuda::fake

using namespace heddle::cuda;
using namespace heddle::cuda::fake;
namespace ptx_kernel = heddle::ptx_kernel;
using ptx_kernel::EntryForm;

HEDDLE_FAKE Status cuModuleLoadDataEx(Module* out, const void* image, unsigned count, JitOption* options,
                                      void** values) {
  if (const Status refused = control().status_before("cuModuleLoadDataEx"); refused != Status::success)
    return refused;
  if (state_of_context() != Status::success) return state_of_context();
  const auto* const code = static_cast<const char*>(image);
  std::unique_ptr<ModuleObject> made;
  const Status status =
      is_cubin(code) ? load_cubin(code, made) : compile(code, {count, options, values}, made);
  if (status != Status::success) return status;
  ++control().modules;
  *out = made.release();
  return Status::success;
}
HEDDLE_FAKE Status cuModuleUnload(Module module) {
  --control().modules;
  if (module->launches != 0) control().complain("a module is unloaded whose kernels are in flight");
  for (const auto& function : module->functions) function->is_unloaded = true;
  if (module->launches == 0) module->program.reset();
  keep_unloaded(module);
  return state_of_context();
}
HEDDLE_FAKE Status cuModuleGetFunction(Function* out, Module module, const char* name) {
  for (size_t i = 0; i < module->kernels.size(); ++i) {
    constexpr ptx_kernel::EntryForm forms[] = {EntryForm::native, EntryForm::linear, EntryForm::single};
    const auto* const form = std::ranges::find_if(
        forms, [&](EntryForm wanted) { return ptx_kernel::entry_name(wanted, i) == name; });
    if (form == std::end(forms)) continue;
    auto function = std::make_unique<FunctionObject>();
    function->module = module;
    function->kernel = module->kernels[i];
    function->form = *form;
    function->checks_addresses = module->checks_addresses[i];
    if (module->lowered && !(function->entry = module->lowered->entry(name))) {
      control().complain(std::string("lowered code has no ") + name);
      return Status::not_found;
    }
    *out = module->functions.emplace_back(std::move(function)).get();
    ++control().functions_found;
    return state_of_context();
  }
  return Status::not_found;
}
HEDDLE_FAKE Status cuModuleGetGlobal_v2(DeviceAddress* address, size_t* size, Module module,
                                        const char* name) {
  const bool functions = std::string_view(name) == ptx_kernel::function_table_symbol;
  auto& table = functions ? module->function_handles : module->addresses;
  if ((!functions && std::string_view(name) != ptx_kernel::address_table_symbol) || table.empty())
    return Status::not_found;
  uint64_t* const words = module->lowered ? module->lowered->words(name) : table.data();
  if (!words) return Status::not_found;
  *address = reinterpret_cast<DeviceAddress>(words);
  *size = table.size() * sizeof(uint64_t);
  return state_of_context();
}
HEDDLE_FAKE Status cuFuncGetAttribute(int* value, FunctionAttribute attribute, Function function) {
  switch (attribute) {
    case FunctionAttribute::max_threads_per_block:
      *value = function->module->limits_registers ? 1024 : control().block_max.load();
      break;
    case FunctionAttribute::local_size:
      *value = static_cast<int>(control().frame_size);
      break;
    case FunctionAttribute::max_dynamic_shared_size:
      *value = function->dynamic_shared_max;
      break;
    default:
      *value = 0;
  }
  return state_of_context();
}
HEDDLE_FAKE Status cuFuncSetAttribute(Function function, FunctionAttribute attribute, int value) {
  if (attribute != FunctionAttribute::max_dynamic_shared_size || value > 232448) return Status::invalid_value;
  function->dynamic_shared_max = value;
  return state_of_context();
}
