// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "enumerate.h"

#include <set>

namespace heddle::testing {
namespace {

constexpr unsigned set_size = 128;

bool is_hint(isa::Field field) { return field == isa::Field::width || field == isa::Field::equiv_class; }

class Enumerator {
 public:
  Enumerator(const isa::Variant& variant, std::set<std::string>& seen,
             const std::function<void(const std::string&, const isa::Mnemonic&)>& visit)
      : variant_(variant), slots_(isa::slots(variant)), seen_(seen), visit_(visit) {}

  void run() {
    isa::Fields fields = isa::default_fields(variant_);
    slot(0, fields);
  }

 private:
  void slot(size_t index, isa::Fields& fields) {
    if (index == slots_.size()) return complete(fields);
    const isa::Slot& slot_here = slots_[index];
    if (slot_here.form == isa::SlotForm::literal || is_hint(slot_here.field)) return slot(index + 1, fields);
    const uint16_t before = fields[slot_here.field];
    const isa::ValueSet& domain = isa::value_set(slot_here.domain);
    for (unsigned value = 0; value < set_size; ++value) {
      if (!domain.contains(value)) continue;
      fields[slot_here.field] = static_cast<uint16_t>(value);
      slot(index + 1, fields);
    }
    fields[slot_here.field] = before;
  }

  void complete(isa::Fields fields) {
    for (const isa::Implied& implied : isa::implied(variant_))
      if (implied.copies) fields[implied.field] = fields[implied.same_as];
    isa::canonicalize(variant_, fields);
    const auto matched = isa::match(fields);
    if (!matched || *matched != &variant_) return;
    bool legal = true;
    isa::check(variant_, fields, {}, [&](const isa::BrokenRule& broken) { legal = legal && broken.warning; });
    if (!legal) return;
    const std::string text = isa::print_mnemonic(variant_, fields);
    if (!seen_.insert(text).second) return;
    const auto parsed = isa::parse_mnemonic(text);
    if (parsed) visit_(text, *parsed);
  }

  const isa::Variant& variant_;
  std::span<const isa::Slot> slots_;
  std::set<std::string>& seen_;
  const std::function<void(const std::string&, const isa::Mnemonic&)>& visit_;
};

}  // namespace

void for_each_mnemonic(const isa::Instruction& instruction,
                       const std::function<void(const std::string&, const isa::Mnemonic&)>& visit) {
  std::set<std::string> seen;
  for (const isa::Variant& variant : isa::variants(instruction)) {
    if (!variant.image_extension) Enumerator(variant, seen, visit).run();
  }
}

}  // namespace heddle::testing
