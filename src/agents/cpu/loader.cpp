// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/cpu/loader.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <string_view>

namespace heddle::cpu {
namespace {

using codeobject::CodeObject;
using codeobject::Relocation;

struct IsaName {
  int level;
  uint32_t wave_size;
};

/// heddle:x86-64-v<level>:w<wave size>
std::optional<IsaName> parse_isa(std::string_view name) {
  constexpr std::string_view family = "heddle:x86-64-v";
  if (name.substr(0, family.size()) != family) return std::nullopt;
  name.remove_prefix(family.size());
  IsaName isa = {};
  const char* const begin = name.data();
  const char* const end = begin + name.size();
  auto [after_level, level_error] = std::from_chars(begin, end, isa.level);
  if (level_error != std::errc() || end - after_level < 3 || after_level[0] != ':' || after_level[1] != 'w')
    return std::nullopt;
  auto [after_size, size_error] = std::from_chars(after_level + 2, end, isa.wave_size);
  if (size_error != std::errc() || after_size != end || isa.wave_size == 0 || isa.wave_size > 256)
    return std::nullopt;
  return isa;
}

}  // namespace

Result<std::shared_ptr<agents::LoadedCode>, Error> LoadedCpuCode::load(
    std::span<const std::byte> bytes, std::span<const hsam_variable_address> variables, int host_level,
    agents::KernelObjects& registry) {
  const auto object = codeobject::read(bytes);
  if (!object) return Error{object.error().print()};
  if (!object->has_agent_part || object->lazy) return Error{"the code object has no code"};
  const auto isa = parse_isa(object->isa);
  if (!isa || isa->level > host_level)
    return Error{fmt::format("code for {} does not run on this processor", object->isa)};
  std::shared_ptr<LoadedCpuCode> code(new LoadedCpuCode(registry, MappedCode::create(*object)));
  // Kernel objects are made before the data is relocated, because it may refer to them.
  code->add_kernels(*object, isa->wave_size);
  for (const auto& function : object->functions) code->add_function(code->mapped_->text() + function.entry);
  if (auto done = code->relocate(*object, variables); !done) return done.error();
  if (auto done = code->mapped_->protect(); !done) return done.error();
  code->mapped_->show_to_debuggers(*object);
  return std::shared_ptr<agents::LoadedCode>(std::move(code));
}

void LoadedCpuCode::add_kernels(const CodeObject& object, uint32_t wave_size) {
  const uint64_t text = mapped_->text();
  const auto lines = std::make_shared<const codeobject::LineTable>(object.lines);
  for (const codeobject::Kernel& info : object.kernels) {
    auto kernel = std::make_shared<Kernel>();
    kernel->mapped = mapped_;
    kernel->name = info.name;
    kernel->wave_size = wave_size;
    if (info.groups_entry != codeobject::no_entry)
      kernel->groups_entry = reinterpret_cast<kernel_abi::GroupsEntry>(text + info.groups_entry);
    if (info.wave_entry != codeobject::no_entry)
      kernel->wave_entry = reinterpret_cast<kernel_abi::WaveEntry>(text + info.wave_entry);
    // A kernel that needs no fibers may be run through either entry.
    kernel->needs_fibers = (info.flags & codeobject::kernel_needs_fibers) != 0 || !kernel->groups_entry;
    kernel->dynamic_call_stack = info.dynamic_call_stack;
    kernel->text_begin = text;
    kernel->text_end = mapped_->text_end();
    kernel->lines = lines;
    kernel->info = info;
    add_kernel(std::move(kernel));
  }
}

Result<void, Error> LoadedCpuCode::relocate(const CodeObject& object,
                                            std::span<const hsam_variable_address> variables) {
  std::vector<uint64_t> addresses(object.variables.size());
  std::vector<bool> known(object.variables.size());
  for (const hsam_variable_address& variable : variables) {
    if (variable.variable >= addresses.size()) return Error{"an address for a variable that is not there"};
    addresses[variable.variable] = variable.address;
    known[variable.variable] = true;
  }
  for (const Relocation& relocation : object.relocations) {
    if (relocation.where != Relocation::Where::data) continue;  // the runtime fills variables
    uint64_t value = 0;
    switch (relocation.what) {
      case Relocation::What::text_base:
        value = mapped_->text();
        break;
      case Relocation::What::data_base:
        value = mapped_->data();
        break;
      case Relocation::What::variable:
        if (!known[relocation.symbol])
          return Error{fmt::format("variable {} has no address", object.variables[relocation.symbol].name)};
        value = addresses[relocation.symbol];
        break;
      case Relocation::What::kernel:
        value = kernel_object(relocation.symbol);
        break;
      case Relocation::What::function:
        value = function_handle(relocation.symbol);
        break;
      case Relocation::What::null_group:
        value = kernel_abi::null_group;
        break;
      case Relocation::What::null_private:
        value = kernel_abi::null_private;
        break;
      case Relocation::What::null_kernarg:
        value = kernel_abi::null_kernarg;
        break;
      case Relocation::What::null_flat:
        value = kernel_abi::null_flat;
        break;
      case Relocation::What::image:
      case Relocation::What::sampler:
        return Error{"code holds the handle of an image or sampler"};
    }
    mapped_->patch(relocation.offset, relocation.size, value + static_cast<uint64_t>(relocation.addend));
  }
  return {};
}

}  // namespace heddle::cpu
