// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/cache/key.h"

#include <concepts>
#include <filesystem>
#include <span>

#include <llvm/Support/BLAKE3.h>

namespace heddle::finalizer {
namespace {

/// BLAKE3 of LLVM, which is ten times as fast as that of the cache. That counts, because modules may have
/// megabytes.
class FastBlake3 {
 public:
  void update(std::span<const std::byte> bytes) {
    blake3_.update(llvm::ArrayRef(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()));
  }
  cache::Key value() const { return llvm::BLAKE3(blake3_).final(); }

 private:
  llvm::BLAKE3 blake3_;
};
using Hasher = cache::BasicKeyHasher<FastBlake3>;

// The structured bindings below name all members, so that a new member does not compile until it is added to
// the key, too.

void add(Hasher& hasher, const link::Program& program) {
  const auto& [machine_model, profile, default_rounding, strict_rounding] = program.options();
  for (const uint64_t option : {uint64_t{machine_model}, uint64_t{profile}, uint64_t{default_rounding},
                                uint64_t{strict_rounding}, uint64_t{program.modules().size()}})
    hasher.add(option);
  for (const brig::Module& module : program.modules()) hasher.add(module.bytes());
}

void add(Hasher& hasher, const FinalizeOptions& options) {
  // Requests with a dump folder are not cached.
  const auto& [opt_level, debug, verbose, row_bodies, check_addresses, lazy, kernel, dump_folder] = options;
  hasher.add(uint64_t{opt_level});
  hasher.add(uint64_t{debug});
  hasher.add(uint64_t{verbose});
  hasher.add(uint64_t{row_bodies});
  hasher.add(uint64_t{check_addresses});
  hasher.add(uint64_t{lazy});
  hasher.add(kernel);
  std::error_code unknown;
  hasher.add(debug ? std::filesystem::current_path(unknown).string() : std::string());
}

void add(Hasher& hasher, const hsail_control_directives& directives) {
  const auto& [mask, break_exceptions, detect_exceptions, dynamic_group_size, flat_grid_size,
               flat_workgroup_size, grid_size, workgroup_size, dim] = directives;
  for (const uint64_t value : {mask, uint64_t{break_exceptions}, uint64_t{detect_exceptions},
                               uint64_t{dynamic_group_size}, flat_grid_size, uint64_t{flat_workgroup_size}})
    hasher.add(value);
  for (const uint64_t size : grid_size) hasher.add(size);
  for (const uint64_t size : workgroup_size) hasher.add(size);
  hasher.add(uint64_t{dim});
}

}  // namespace

cache::Key key_of(const CacheRequest& request, std::string_view build) {
  Hasher hasher;
  hasher.add(build);
  hasher.add(static_cast<uint64_t>(request.kind));
  hasher.add(request.isa);
  add(hasher, request.program);
  add(hasher, request.options);
  add(hasher, request.directives == nullptr ? hsail_control_directives{} : *request.directives);
  return hasher.value();
}

}  // namespace heddle::finalizer
