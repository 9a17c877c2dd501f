// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

#include "hsail/brig/module.h"
#include "support/diagnostic.h"

namespace heddle::brig {

/// Something in a module that an earlier version of HSAIL and BRIG cannot express (PRM 14.1, 18.3.31).
struct NewerFeature {
  std::string id;
  std::string message;
  Location location;   // binary
  unsigned since = 0;  // HSAIL and BRIG 1.n introduced it
};

/// Returns, in the order of the entries, what an opened module contains that versions up to 1.`minor` lack.
std::vector<NewerFeature> newer_features(const Module& module, unsigned minor);

/// Writes the versions of a module into its bytes: BRIG 1.`minor` in the header and, if the module directive
/// names a later version of HSAIL, the same version there. `bytes` are those of `module`, which itself does
/// not change.
void set_version(const Module& module, std::vector<std::byte>& bytes, unsigned minor);

}  // namespace heddle::brig
