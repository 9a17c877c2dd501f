// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads hsa.tools.debug.ref, which says where HSAIL keeps the entities of the source (PRM 13.4.2.2.4).
#include <algorithm>

#include <fmt/format.h>

#include "hsail/brig/pragma_operands.h"
#include "hsail/debug/graph.h"

namespace heddle::debug {

using brig::Offset;
using brig::PragmaOperands;
using Kind = DebugReference::Kind;

namespace {

enum class Target : uint8_t { none, variable, reg, executable };

/// The operands of a reference: refTag, entity, [target], [expression].
struct Form {
  std::string_view name;
  Kind kind;
  DebugTags entities;
  Target target;
  bool in_function;
};
constexpr DebugTags global = tag_bit(DebugTag::global_variable);
constexpr DebugTags any = global | tag_bit(DebugTag::local_variable);
constexpr Form forms[] = {
    {"GlobalAddr", Kind::global_addr, global, Target::variable, false},
    {"GlobalImplicit", Kind::global_implicit, global, Target::none, false},
    {"LocalAddr", Kind::local_addr, any, Target::variable, true},
    {"LocalImplicit", Kind::local_implicit, any, Target::none, true},
    {"LocalRegister", Kind::local_register, any, Target::reg, true},
    {"Subprogram", Kind::subprogram, tag_bit(DebugTag::subprogram), Target::executable, false},
};

struct SegmentName {
  std::string_view name;
  unsigned segment;
};
constexpr SegmentName segments[] = {
    {"flat", HSA_BRIG_SEGMENT_FLAT},         {"global", HSA_BRIG_SEGMENT_GLOBAL},
    {"group", HSA_BRIG_SEGMENT_GROUP},       {"private", HSA_BRIG_SEGMENT_PRIVATE},
    {"readonly", HSA_BRIG_SEGMENT_READONLY}, {"kernarg", HSA_BRIG_SEGMENT_KERNARG}};

std::optional<unsigned> segment_of(std::string_view name) {
  for (const SegmentName& known : segments)
    if (known.name == name) return known.segment;
  return std::nullopt;
}

}  // namespace

/// Adds references to a DebugGraph, one for each call of read().
class DebugReferenceReader {
 public:
  explicit DebugReferenceReader(DebugGraph& graph) : graph_(graph), module_(graph.module_) {}

  void read(Offset at, bool in_function) {
    const PragmaOperands operands(module_, at);
    if (operands.string(0) != "hsa.tools.debug.ref") return;
    const auto tag = operands.string(1);
    const auto form =
        std::find_if(std::begin(forms), std::end(forms), [&](const Form& f) { return f.name == tag; });
    if (form == std::end(forms)) return;
    DebugReference reference;
    reference.kind = form->kind;
    reference.at = at;
    if (const char* why = fill(reference, *form, operands, in_function)) {
      graph_.warn("reference", at, fmt::format("debug reference {} ignored: {}", *tag, why));
    } else if (form->kind == Kind::subprogram) {
      if (!graph_.subprograms_.emplace(reference.target, reference.entity).second)
        graph_.warn("reference", at, "debug reference Subprogram ignored: the executable has one already");
    } else {
      graph_.references_.push_back(std::move(reference));
    }
  }

 private:
  /// Fills in the reference. Returns null, or why the pragma has to be ignored.
  const char* fill(DebugReference& reference, const Form& form, const PragmaOperands& operands,
                   bool in_function) {
    if (in_function != form.in_function)
      return in_function ? "it belongs to module scope" : "it belongs to a kernel or function";
    reference.entity = operands.number(2).value_or(0);
    if (!graph_.allowed(reference.entity, form.entities)) return "its number is none of such an entity";
    size_t next = 3;
    if (form.target == Target::reg) {
      const auto reg = operands.reg(next++);
      if (!reg) return "it needs a register";
      reference.reg = *reg;
    } else if (form.target != Target::none) {
      const auto target = operands.directive(next++);
      if (!target) return "it needs an identifier";
      const unsigned kind = module_.code_kind(*target);
      const bool fits = form.target == Target::variable
                            ? kind == HSA_BRIG_KIND_DIRECTIVE_VARIABLE
                            : module_.is_executable(*target) && kind != HSA_BRIG_KIND_DIRECTIVE_SIGNATURE;
      if (!fits) return "its identifier names something of another kind";
      reference.target = *target;
    }
    if (form.kind == Kind::subprogram) return nullptr;
    const auto expression = operands.number(next);
    if (!expression) return "it needs the number of an expression, or 0";
    if (*expression == 0)
      return form.kind == Kind::global_implicit ? "its expression must not be 0" : nullptr;
    return evaluate(*expression, reference);
  }

  /// Evaluates the chain of expression entities that begins with `number` (PRM 13.4.2.2.5). Returns null, or
  /// why the pragma has to be ignored.
  const char* evaluate(uint64_t number, DebugReference& reference) {
    const bool address = reference.kind == Kind::global_addr || reference.kind == Kind::local_addr;
    const bool implicit = reference.kind == Kind::global_implicit || reference.kind == Kind::local_implicit;
    DebugExpression& to = reference.expression;
    while (number != 0) {
      const DebugEntity* entity = graph_.find(number);
      if (!entity || !entity->is(debug_expressions)) return "its expression is not there";
      const uint64_t next = entity->number(DebugField::next);
      switch (entity->tag) {
        case DebugTag::dereference: {
          const auto segment = segment_of(entity->text(DebugField::tag));
          if (!segment) return "Dereference names no segment";
          if (!address) return "Dereference needs an address";
          to.steps.push_back({segment, 0});
          break;
        }
        case DebugTag::plus_uconst:
          if (!address) return "PlusUconst needs an address";
          to.steps.push_back({std::nullopt, entity->number(DebugField::value)});
          break;
        case DebugTag::constu:
          if (!implicit || to.constant) return "Constu leaves a value where none may be";
          to.constant = entity->number(DebugField::value);
          break;
        default:
          if (next != 0) return "Fragment is not the last of its expression";
          to.piece = {entity->number(DebugField::offset), entity->number(DebugField::size)};
          if (to.piece.size == 0) return "Fragment has no bits";
      }
      number = next;
    }
    if (reference.kind == Kind::global_implicit && !to.constant) return "its expression leaves no value";
    return nullptr;
  }

  DebugGraph& graph_;
  const brig::Module& module_;
};

void DebugGraph::read_references() {
  if (entities_.empty()) return;
  DebugReferenceReader reader(*this);
  module_.for_each_in_module_scope([&](Offset at) {
    reader.read(at, false);
    if (!module_.is_executable(at)) return;
    module_.for_each_in_code_block(at, [&](Offset entry) { reader.read(entry, true); });
  });
}

}  // namespace heddle::debug
