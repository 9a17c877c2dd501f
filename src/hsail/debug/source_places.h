// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "hsail/brig/module.h"

namespace heddle::debug {

/// The source positions that the hsa.tools.debug pragmas of a module describe (PRM 13.4.2.2): "File",
/// "Location" and the references "SourceLine". Pragmas that do not have the form that the PRM requires are
/// ignored.
class SourcePlaces {
 public:
  struct Location {
    std::string file;  ///< path, including the folder
    uint32_t line = 0, column = 0;
  };

  explicit SourcePlaces(const brig::Module& module);

  /// Returns the position that a "SourceLine" at `entry` gives to the instructions after it; line 0 means
  /// that they have none and ends the effect of earlier references. Returns nothing if `entry` is something
  /// else.
  std::optional<Location> source_line(const brig::Module& module, brig::Offset entry) const;

 private:
  struct Place {
    uint64_t file;
    uint32_t line, column;
  };
  std::map<uint64_t, std::string> files_;  // by entity number
  std::map<uint64_t, Place> places_;
};

}  // namespace heddle::debug
