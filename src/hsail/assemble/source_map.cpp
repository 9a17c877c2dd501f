// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hsail/assemble/source_map.h"

#include <algorithm>

namespace heddle::assemble {

/// Returns how exactly a place of an entry is the one that is `wanted` in it: 3 for the part, 2 for the
/// operand that contains it, 1 for the entry, and 0 for something else in the entry.
unsigned SourceMap::exactness(const Place& place, const Location& wanted) {
  if (place.operand == 0) return 1;
  if (place.operand != wanted.operand) return 0;
  return place.part == wanted.part ? 3 : place.part == 0 ? 2 : 0;
}

Location SourceMap::find(const Location& binary) const {
  const auto offset = static_cast<brig::Offset>(binary.offset);
  if (binary.section == "hsa_operand") {
    const auto known = operands_.find(offset);
    return known == operands_.end() ? binary : known->second;
  }
  if (binary.section != "hsa_code") return binary;
  const auto end = std::upper_bound(places_.begin(), places_.end(), offset,
                                    [](brig::Offset code, const Place& place) { return code < place.code; });
  if (end == places_.begin()) return binary;
  const brig::Offset entry = (end - 1)->code;
  const Location wanted = entry == offset ? binary : Location::binary(binary.section, entry);
  const Place* found = nullptr;
  unsigned best = 0;
  for (auto place = end; place != places_.begin() && (place - 1)->code == entry; --place) {
    const unsigned here = exactness(*(place - 1), wanted);
    if (here <= best) continue;
    best = here;
    found = &*(place - 1);
  }
  return found == nullptr ? binary : Location::text(found->line, found->column, found->length);
}

}  // namespace heddle::assemble
