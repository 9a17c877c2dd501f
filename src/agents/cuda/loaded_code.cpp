// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/cuda/loaded_code.h"

#include <fmt/format.h>

#include <algorithm>

#include "agents/cuda/address_table.h"
#include "codeobject/ptx_kernel.h"

namespace heddle::cuda {
namespace {

using codeobject::CodeObject;

Result<CodeObject, Error> read(const Description& description, std::span<const std::byte> bytes) {
  auto object = codeobject::read(bytes);
  if (!object) return Error{object.error().print()};
  if (!object->has_agent_part) return Error{"the code object has no code"};
  if (!description.executes(object->isa))
    return Error{fmt::format("code for {} does not run on this GPU", object->isa)};
  if (object->text.empty() || object->text.back() != std::byte{0})
    return Error{"the PTX of the code object does not end with a zero byte"};
  return std::move(*object);
}

}  // namespace

Result<std::shared_ptr<LoadedGpuCode>, Error> LoadedGpuCode::load(
    GpuDevice& device, std::span<const std::byte> bytes, std::span<const hsam_variable_address> variables) {
  auto object = read(device.description(), bytes);
  if (!object) return object.error();
  auto addresses = addresses_of(*object, variables);
  if (!addresses) return addresses.error();
  const auto is_not_optimised = [](const codeobject::Kernel& kernel) {
    return (kernel.flags & codeobject::kernel_not_optimised) != 0;
  };
  PtxCode ptx{reinterpret_cast<const char*>(object->text.data()),
              std::ranges::none_of(object->kernels, is_not_optimised)};
  auto module = LoadedModule::load(device.context(), ptx, 0);
  if (!module) return Error{module.error().message};
  std::shared_ptr<LoadedGpuCode> loaded(new LoadedGpuCode(device.kernels()));
  loaded->warnings_ = (*module)->log();
  const auto code = std::make_shared<KernelCode>(device.context(), std::move(ptx), std::move(*module),
                                                 object->functions.size(), std::move(object->lines));
  std::vector<std::shared_ptr<Kernel>> kernels;
  for (size_t i = 0; i < object->kernels.size(); ++i) {
    kernels.push_back(std::make_shared<Kernel>(code, object->kernels[i], i));
    addresses->kernels.push_back(loaded->add_kernel(kernels.back()));
  }
  // The table may refer to kernels and functions, so it comes last.
  object->text.clear();  // `ptx` has it
  auto functions = code->fill_addresses(
      [object = std::move(*object), addresses = std::move(*addresses)](std::vector<uint64_t> found) mutable {
        addresses.functions = std::move(found);
        return address_table(object, addresses);
      });
  if (!functions) return functions.error();
  for (const uint64_t function : *functions) loaded->add_function(function);
  code->prepare({kernels.begin(), kernels.end()});
  device.note_code(code);
  return loaded;
}

}  // namespace heddle::cuda
