// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "hsail/brig/module.h"

namespace heddle::debug {

/// The places in source that the hsa.tools.debug pragmas of a module describe (PRM 13.4.2.2): "File",
/// "Location" and the references "SourceLine". Pragmas that are not as the manual says are no places.
class SourcePlaces {
 public:
  struct Location {
    std::string file;  ///< with its folder
    uint32_t line = 0, column = 0;
  };

  explicit SourcePlaces(const brig::Module& module);

  /// What a "SourceLine" at `entry` says of the instructions behind it; line 0: that no such reference is in
  /// force any more. None if the entry is something else.
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
