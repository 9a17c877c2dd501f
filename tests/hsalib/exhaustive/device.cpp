// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "exhaustive/device.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace heddle::testing {
namespace {

struct Type {
  const char* name;
  char reg;
  unsigned shift;  // the binary logarithm of its size
};
constexpr Type types[] = {{"f32", 's', 2}, {"s32", 's', 2}, {"s64", 'd', 3}};

Type type_of(Output output) { return types[static_cast<size_t>(output)]; }
Type type_of(char letter) { return types[std::string_view("dil").find(letter)]; }

/// The pieces of a call. What the function stores goes to private variables.
struct Call {
  std::string formals, declared, arguments, names;
};

Call call_of(std::string_view signature) {
  Call call;
  unsigned stored = 0;
  for (size_t i = 2; i < signature.size(); ++i) {
    const bool is_address = signature[i] == 'p';
    const std::string formal = fmt::format("arg_{} %x{}", is_address ? "u64" : "f32", i);
    call.formals += (i == 2 ? "" : ", ") + formal;
    call.names += fmt::format("{}%x{}", i == 2 ? "" : ", ", i);
    call.declared += formal + "; ";
    if (is_address)
      call.arguments +=
          fmt::format("lda_private_u32 $s3, [%p{}]; stof_private_u64_u32 $d3, $s3; st_arg_u64 $d3, [%x{}];\n",
                      ++stored, i);
    else
      call.arguments += fmt::format("st_arg_f32 $s1, [%x{}];\n", i);
  }
  return call;
}

/// A kernel whose work-item i writes the output for the argument with the bits first + i step.
std::string kernel_text(const UnaryFunction& function) {
  const std::string_view signature = function.signature;
  const Call call = call_of(signature);
  const Type output = type_of(function.output);
  const bool returns = signature[0] != '-';
  const std::string result = returns ? fmt::format("arg_{} %r", type_of(signature[0]).name) : "";
  const std::string load =
      function.address == 0 ? fmt::format("ld_arg_{} ${}4, [%r];", output.name, output.reg) : "";
  const std::string read = function.address == 0 ? ""
                                                 : fmt::format("ld_private_{} ${}4, [%p{}];", output.name,
                                                               output.reg, function.address);
  return fmt::format(
      "module &test:1:0:$full:$large:$default;\n"
      "decl prog function &{function}({result})({formals});\n"
      "prog kernel &k(kernarg_u64 %out, kernarg_u32 %first, kernarg_u32 %step) {{\n"
      "align(8) private_u64 %p1; align(8) private_u64 %p2;\n"
      "workitemabsid_u32 $s0, 0; cvt_u64_u32 $d0, $s0; shl_u64 $d0, $d0, {shift};\n"
      "ld_kernarg_u64 $d1, [%out]; add_u64 $d0, $d1, $d0;\n"
      "ld_kernarg_u32 $s1, [%first]; ld_kernarg_u32 $s2, [%step];\n"
      "mul_u32 $s2, $s2, $s0; add_u32 $s1, $s1, $s2;\n"
      "{{ {result_declared} {declared}\n{arguments}call &{function}({result_name})({names}); {load} }}\n"
      "{read} st_{type} ${reg}4, [$d0]; }};\n",
      fmt::arg("function", function.function), fmt::arg("result", result), fmt::arg("formals", call.formals),
      fmt::arg("shift", output.shift), fmt::arg("result_declared", returns ? result + ";" : ""),
      fmt::arg("declared", call.declared), fmt::arg("arguments", call.arguments),
      fmt::arg("result_name", returns ? "%r" : ""), fmt::arg("names", call.names), fmt::arg("load", load),
      fmt::arg("read", read), fmt::arg("type", output.name), fmt::arg("reg", output.reg));
}

Result<tools::Module> library_module(const std::string& path) {
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return Error{dlerror()};
  const auto* const begin = static_cast<const std::byte*>(dlsym(library, "__brig_start"));
  const auto* const end = static_cast<const std::byte*>(dlsym(library, "__brig_end"));
  if (begin == nullptr || end == nullptr) return Error{path + " holds no module"};
  return tools::Module{path, {begin, end}, 0};
}

Result<tools::Blob> finalize(const tools::KernelAgent& agent, const std::string& library,
                             const UnaryFunction& function) {
  const std::string text = kernel_text(function);
  const auto bytes = std::as_bytes(std::span(text));
  auto module = tools::make_module(function.name, {bytes.begin(), bytes.end()});
  if (!module) return module.error();
  auto math = library_module(library);
  if (!math) return math.error();
  std::vector<tools::Module> modules;
  modules.push_back(std::move(*module));
  modules.push_back(std::move(*math));
  auto program = tools::Program::create(modules);
  if (!program) return program.error();
  return program->finalize(HSAIL_CODE_OBJECT_BOTH, agent.isa_name, "");
}

struct Kernarg {
  void* outputs;
  uint32_t first, step;
};

}  // namespace

DeviceFunction::DeviceFunction(tools::Blob code, tools::LoadedProgram program, tools::KernelInfo kernel,
                               tools::Memory kernarg, std::unique_ptr<tools::Dispatcher> dispatcher)
    : code_(std::move(code)),
      program_(std::move(program)),
      kernel_(std::move(kernel)),
      kernarg_(std::move(kernarg)),
      dispatcher_(std::move(dispatcher)) {}

Result<DeviceFunction> DeviceFunction::compile(const tools::KernelAgent& agent, const std::string& library,
                                               const UnaryFunction& function) {
  auto code = finalize(agent, library, function);
  if (!code) return code.error();
  auto program = tools::LoadedProgram::load(agent, code->bytes());
  if (!program) return program.error();
  auto kernel = program->kernel("&k");
  if (!kernel) return kernel.error();
  auto kernarg = tools::Memory::allocate(agent.kernarg, sizeof(Kernarg));
  if (!kernarg) return kernarg.error();
  auto dispatcher = tools::Dispatcher::create(agent);
  if (!dispatcher) return dispatcher.error();
  return DeviceFunction(std::move(*code), std::move(*program), std::move(*kernel), std::move(*kernarg),
                        std::move(*dispatcher));
}

Result<void> DeviceFunction::run(uint32_t first, uint32_t step, uint32_t count, void* outputs) {
  const Kernarg kernarg{outputs, first, step};
  std::memcpy(kernarg_.address(), &kernarg, sizeof kernarg);
  const tools::Extent grid{{count, 1, 1}, 1}, group{{std::min<uint32_t>(count, 256), 1, 1}, 1};
  auto times = dispatcher_->run(kernel_, grid, group, 0, 0, kernarg_.address(), 0);
  if (!times) return times.error();
  return {};
}

}  // namespace heddle::testing
