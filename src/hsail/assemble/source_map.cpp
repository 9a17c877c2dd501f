// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hsail/assemble/source_map.h"

#include <algorithm>

namespace heddle::assemble {

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
  const Place* found = nullptr;
  for (auto place = end; place != places_.begin() && (place - 1)->code == entry; --place) {
    const Place& candidate = *(place - 1);
    if (candidate.operand == binary.operand && entry == offset) {
      found = &candidate;
      break;
    }
    if (candidate.operand == 0 && found == nullptr) found = &candidate;
  }
  return found == nullptr ? binary : Location::text(found->line, found->column, found->length);
}

}  // namespace heddle::assemble
