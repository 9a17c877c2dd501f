// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <optional>

#include <fmt/format.h>

#include "hsail/isa/codec.h"
#include "hsail/isa/isa.h"
#include "hsail/isa/spelling.h"
#include "hsail/isa/tables.h"

namespace heddle::isa {
namespace {

using tables::Atom;
using tables::Comparison;
using tables::Term;
using tables::TermKind;

/// Returns the type of one element of a packed value in a register of its own (PRM 5.9.1).
Type scalar_type(Type type) {
  if (!is_packed(type)) return type;
  const Type element = base_type(type);
  if (bit_size(element) >= 32 || is_float(element)) return element;
  return is_signed(element) ? HSA_BRIG_TYPE_S32 : HSA_BRIG_TYPE_U32;
}

unsigned evaluate(const Term& term, const Fields& fields, const Environment& environment) {
  switch (term.kind) {
    case TermKind::value:
      return term.value;
    case TermKind::field:
      return fields[term.field];
    case TermKind::size:
      return bit_size(fields[term.field]);
    case TermKind::dimension:
      return packed_dimension(fields[term.field]);
    case TermKind::unsigned_type:
      return as_unsigned(fields[term.field]);
    case TermKind::scalar:
      return scalar_type(fields[term.field]);
    case TermKind::address:
      return address_bits(fields[term.field], environment.machine_model);
    case TermKind::address_of:
      return address_bits(term.value, environment.machine_model);
    case TermKind::profile:
      return environment.profile;
    case TermKind::model:
      return environment.machine_model;
    case TermKind::minor:
      return environment.hsail_minor;
  }
  return 0;
}

bool holds(const Atom& atom, const Fields& fields, const Environment& environment) {
  const unsigned left = evaluate(atom.left, fields, environment);
  const unsigned right = evaluate(atom.right, fields, environment);
  switch (atom.comparison) {
    case Comparison::equal:
      return left == right;
    case Comparison::not_equal:
      return left != right;
    case Comparison::less:
      return left < right;
    case Comparison::less_equal:
      return left <= right;
    case Comparison::greater:
      return left > right;
    case Comparison::greater_equal:
      return left >= right;
    case Comparison::in:
      return value_set(atom.set).contains(left);
    case Comparison::not_in:
      return !value_set(atom.set).contains(left);
  }
  return false;
}

bool all_hold(Range atoms, const Fields& fields, const Environment& environment) {
  for (const Atom& atom : tables::slice(tables::atoms, atoms)) {
    if (!holds(atom, fields, environment)) return false;
  }
  return true;
}

/// Returns how much a field that does not fit counts in the choice of the variant that was probably meant.
/// Types and operations are the best evidence.
unsigned weight(Field field) {
  switch (field) {
    case Field::type:
    case Field::source_type:
    case Field::atomic_operation:
    case Field::geometry:
      return 8;
    default:
      return 1;
  }
}

/// The total weight of the fields that do not fit a variant, and the first of them. Messages are only made on
/// demand, because most comparisons just look for the variant that fits.
class Misfit {
 public:
  Misfit(const Variant& variant, const Fields& fields) : variant_(&variant), fields_(&fields) { compare(); }

  unsigned cost() const { return cost_; }
  Violation first() const;

 private:
  enum class What : uint8_t { format, value, types };

  void add(unsigned cost, What what, Field field = Field::type) {
    if (cost_ == 0) {
      first_what_ = what;
      first_field_ = field;
    }
    cost_ += cost;
  }
  void add_value(Field field) { add(weight(field), What::value, field); }

  void compare();
  void compare_slot(const Slot& slot);

  const Variant* variant_;
  const Fields* fields_;
  unsigned cost_ = 0;
  What first_what_ = What::format;
  Field first_field_ = Field::type;
};

void Misfit::compare() {
  const Fields& fields = *fields_;
  const bool basic = variant_->basic_if_default && fields.kind == HSA_BRIG_KIND_INST_BASIC;
  if (fields.kind != variant_->kind && !basic) add(4, What::format);
  uint32_t seen = 0;
  const auto mark = [&](Field field) { seen |= 1u << static_cast<unsigned>(field); };
  for (const Slot& slot : slots(*variant_)) {
    if (slot.form == SlotForm::literal) continue;
    mark(slot.field);
    compare_slot(slot);
  }
  for (const Implied& entry : implied(*variant_)) {
    mark(entry.field);
    const unsigned value = fields[entry.field];
    const bool fits =
        entry.copies ? value == fields[entry.same_as] : value_set(entry.accepted).contains(value);
    if (!fits) add_value(entry.field);
  }
  for (size_t index = 0; index < field_count; ++index) {
    const Field field = static_cast<Field>(index);
    const bool absent = fields[field] == 0 || (field == Field::vector && fields[field] == 1);
    if ((seen >> index & 1) == 0 && !absent) add_value(field);
  }
  if (!all_hold(variant_->where, fields, Environment{})) add(weight(Field::type), What::types);
}

void Misfit::compare_slot(const Slot& slot) {
  // A modifier that the format does not store has its default, so only optional ones may be missing from it.
  if (slot.optional && slot.field != Field::vector && !format_has(fields_->kind, slot.field)) return;
  const unsigned value = (*fields_)[slot.field];
  if (slot.field == Field::vector && value == 0) return;
  const bool fits = slot.form == SlotForm::number ? value <= 255 : value_set(slot.domain).contains(value);
  if (!fits) add_value(slot.field);
}

Violation Misfit::first() const {
  const std::string_view mnemonic = opcode_name(fields_->opcode);
  const auto id = [&](std::string_view what) {
    return fmt::format("HSAIL-{}-{}", text(variant_->clause), what);
  };
  switch (first_what_) {
    case What::format:
      return {id("format"),
              fmt::format("{} {} cannot have the format {}", mnemonic, text(variant_->name),
                          kind_name(fields_->kind)),
              Field::type};
    case What::types:
      return {id("types"),
              fmt::format("{} does not take the types {} and {} together", mnemonic,
                          type_name(fields_->type()), type_name(fields_->source_type())),
              Field::type};
    case What::value:
      break;
  }
  return {id(field_name(first_field_)),
          fmt::format("{} {} cannot have the {} {}", mnemonic, text(variant_->name), field_name(first_field_),
                      value_name(first_field_, (*fields_)[first_field_])),
          first_field_};
}

}  // namespace

Result<const Variant*, Violation> match(const Fields& fields) {
  const Instruction* found = instruction(fields.opcode);
  if (found == nullptr) {
    return Violation{"HSAIL-18.3.19-opcode", fmt::format("unknown opcode {}", fields.opcode), Field::type};
  }
  std::optional<Misfit> best;
  for (const Variant& variant : variants(*found)) {
    Misfit misfit(variant, fields);
    if (misfit.cost() == 0) return &variant;
    if (!best || misfit.cost() < best->cost()) best = misfit;
  }
  return best->first();
}

namespace detail {

std::optional<Violation> misfit(const Variant& variant, const Fields& fields) {
  const Misfit found(variant, fields);
  return found.cost() == 0 ? std::nullopt : std::optional(found.first());
}

namespace {

/// Number of requirements in Variant itself, which are checked before the rules of the tables.
constexpr size_t variant_requirements = 3;

std::optional<BrokenRule> broken_requirement(const Variant& variant, const Environment& environment,
                                             size_t which) {
  const std::string_view mnemonic = opcode_name(variant.opcode);
  switch (which) {
    case 0:
      if (environment.hsail_minor >= variant.since_minor) return std::nullopt;
      return BrokenRule{nullptr,
                        true,
                        {"HSAIL-14.1-version",
                         fmt::format("{} needs HSAIL 1.{}", mnemonic, variant.since_minor), Field::type}};
    case 1:
      if (!variant.full_profile_only || environment.profile == HSA_BRIG_PROFILE_FULL) return std::nullopt;
      return BrokenRule{nullptr,
                        false,
                        {"HSAIL-16.2.1-" + std::string(mnemonic),
                         fmt::format("the base profile has no {}", mnemonic), Field::type}};
    default:
      if (!variant.image_extension || environment.image_extension) return std::nullopt;
      return BrokenRule{nullptr,
                        false,
                        {"HSAIL-13.1.2-image-extension",
                         fmt::format("{} needs the extension \"IMAGE\"", mnemonic), Field::type}};
  }
}

}  // namespace

bool next_broken_rule(const Variant& variant, const Fields& fields, const Environment& environment,
                      size_t& position, BrokenRule& broken) {
  for (; position < variant_requirements; ++position) {
    if (auto found = broken_requirement(variant, environment, position)) {
      broken = *std::move(found);
      ++position;
      return true;
    }
  }
  const auto list = rules(variant);
  while (position - variant_requirements < list.size()) {
    const Rule& rule = list[position++ - variant_requirements];
    if (!all_hold(rule.when, fields, environment) || all_hold(rule.require, fields, environment)) continue;
    const Atom& first = tables::atoms[rule.require.first];
    broken = {
        &rule, rule.warning, {std::string(text(rule.id)), std::string(text(rule.message)), first.left.field}};
    return true;
  }
  return false;
}

}  // namespace detail
}  // namespace heddle::isa
