// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/cuda/address_table.h"

#include <fmt/format.h>

#include <cstring>
#include <optional>

#include "codeobject/ptx_kernel.h"

namespace heddle::cuda {
namespace {

using codeobject::CodeObject;
using codeobject::Relocation;

std::optional<uint64_t> element(const std::vector<uint64_t>& values, uint32_t number) {
  return number < values.size() ? std::optional(values[number]) : std::nullopt;
}

/// The value of a relocation without its addend; nothing if code for GPUs cannot have it, or it is not known.
std::optional<uint64_t> value_of(const Relocation& relocation, const Addresses& addresses) {
  switch (relocation.what) {
    case Relocation::What::variable:
      if (relocation.symbol >= addresses.known.size() || !addresses.known[relocation.symbol])
        return std::nullopt;
      return addresses.variables[relocation.symbol];
    case Relocation::What::kernel:
      return element(addresses.kernels, relocation.symbol);
    case Relocation::What::function:
      return element(addresses.functions, relocation.symbol);
    case Relocation::What::null_group:
      return ptx_kernel::null_group;
    case Relocation::What::null_private:
      return ptx_kernel::null_private;
    case Relocation::What::null_kernarg:
      return ptx_kernel::null_kernarg;
    case Relocation::What::null_flat:
      return ptx_kernel::null_flat;
    default:
      return std::nullopt;
  }
}

}  // namespace

Result<Addresses, Error> addresses_of(const CodeObject& object,
                                      std::span<const hsam_variable_address> variables) {
  Addresses addresses;
  addresses.variables.resize(object.variables.size());
  addresses.known.resize(object.variables.size());
  for (const hsam_variable_address& variable : variables) {
    if (variable.variable >= addresses.variables.size())
      return Error{"an address for a variable that is not there"};
    addresses.variables[variable.variable] = variable.address;
    addresses.known[variable.variable] = true;
  }
  return addresses;
}

Result<std::vector<uint64_t>, Error> address_table(const CodeObject& object, const Addresses& addresses) {
  constexpr size_t word = sizeof(uint64_t);
  if (object.data.size() % word != 0) return Error{"the table of addresses has no whole number of words"};
  std::vector<uint64_t> table(object.data.size() / word);
  std::memcpy(table.data(), object.data.data(), object.data.size());
  for (const Relocation& relocation : object.relocations) {
    if (relocation.where != Relocation::Where::data) continue;  // the runtime fills variables
    const auto value = value_of(relocation, addresses);
    if (relocation.size != word || relocation.offset % word != 0 ||
        relocation.offset / word >= table.size() || !value)
      return Error{fmt::format("the relocation at offset {} of the table of addresses has no value",
                               relocation.offset)};
    table[relocation.offset / word] = *value + static_cast<uint64_t>(relocation.addend);
  }
  return table;
}

}  // namespace heddle::cuda
