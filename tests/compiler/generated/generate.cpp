// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "generate.h"

#include <fmt/format.h>

#include <algorithm>

#include "expressions.h"

namespace heddle::tests {

using tools::fuzz::Block;
using tools::fuzz::Program;
using tools::fuzz::Routine;
using tools::fuzz::Statement;

// QUIET makes one pattern of all NaNs, because machines choose among theirs.
const char* const prelude =
    "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
    "#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable\n"
    "#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable\n"
    "#define QUIET(T, x) ({ T q_ = (x); q_ != q_ ? (T)(NAN) : q_; })\n";

namespace {

struct Structure {
  std::string name;
  std::vector<Place> members;  ///< names without the variable
};

/// Where a statement stands, which decides what may stand there.
struct Position {
  unsigned depth = 0;            ///< of nested statements
  bool uniform = false;          ///< all work-items of the work-group come here
  bool in_loop = false;          ///< break and continue are possible
  const Type* result = nullptr;  ///< of the function; null in a kernel
};

// Counters, each with the operation that changes it, so that the order does not matter.
constexpr const char* counters[] = {"atomic_add", "atomic_sub", "atomic_xor", "atomic_and",
                                    "atomic_or",  "atomic_min", "atomic_max", "atomic_inc"};
constexpr const char* wide_counters[] = {"atom_add", "atom_sub", "atom_xor", "atom_and",
                                         "atom_or",  "atom_min", "atom_max", "atom_inc"};
constexpr unsigned counter_count = 8;

std::string stored(Type type, const std::string& text) {
  const std::string value = type.is_integer() ? text : fmt::format("QUIET({}, {})", type.name(), text);
  return type.width == 3 ? fmt::format("({})({}, 0)", type.of_width(4).name(), value) : value;
}

Type storage(Type type) { return type.width == 3 ? type.of_width(4) : type; }

unsigned size_of(Type type) { return storage(type).width * type.bits() / 8; }

class Generator {
 public:
  explicit Generator(uint64_t seed) : random_(seed), seed_(seed) {}

  Program run() {
    make_structures();
    for (unsigned i = random_.below(4); i > 0; --i) make_function();
    make_kernel();
    auto& launch = program_.launch;
    launch.group[0] = 1u << random_.below(6);
    if (random_.chance(25)) launch.group[0] = 1 + random_.below(most_in_group);
    launch.grid[0] = random_.chance(60) ? std::min(most_items, launch.group[0] * (1 + random_.below(4)))
                                        : 1 + random_.below(most_items);
    launch.data_seed = random_.word();
    return std::move(program_);
  }

 private:
  void make_structures() {
    for (unsigned i = random_.below(3); i > 0; --i) {
      Structure structure{fmt::format("struct S{}_{}", seed_, structures_.size()), {}};
      std::string text = structure.name + " {\n";
      Scope nothing;
      Expressions expressions(random_, nothing);
      for (unsigned m = 1 + random_.below(4); m > 0; --m) {
        Type type = expressions.any_type();
        if (type.width > 8) type.width = 1;
        const std::string name = fmt::format("m{}", m);
        const unsigned elements = random_.chance(20) ? 4 : 0;
        text += fmt::format("  {} {}{};\n", type.name(), name, elements > 0 ? "[4]" : "");
        if (elements == 0) structure.members.push_back({name, type});
        for (unsigned e = 0; e < elements; ++e)
          structure.members.push_back({fmt::format("{}[{}]", name, e), type});
      }
      program_.declarations += text + "};\n";
      structures_.push_back(structure);
    }
  }

  /// Declares a variable, an array or a structure of random contents in the head of a routine.
  void declare_variable(Scope& scope, Expressions& expressions, std::string& head, unsigned depth) {
    const Type type = expressions.any_type();
    const std::string name = fmt::format("v{}", scope.places.size());
    head += fmt::format("  {} {} = {};\n", type.name(), name, expressions.of(type, depth));
    scope.places.push_back({name, type});
  }

  void declare_array(Scope& scope, Expressions& expressions, std::string& head) {
    Type type = expressions.any_type();
    if (type.width > 4) type.width = 1;
    const unsigned size = 2u << random_.below(3);
    const std::string name = fmt::format("a{}", scope.arrays.size());
    head += fmt::format("  {} {}[{}] = {{", type.name(), name, size);
    for (unsigned i = 0; i < size; ++i) head += (i == 0 ? "" : ", ") + expressions.of(type, 0);
    head += "};\n";
    scope.arrays.push_back({name, type, size});
  }

  void declare_structure(Scope& scope, Expressions& expressions, std::string& head,
                         const Structure& structure) {
    const std::string name = fmt::format("s{}", scope.structures.size());
    head += fmt::format("  {} {};\n", structure.name, name);
    for (const Place& member : structure.members)
      head += fmt::format("  {}.{} = {};\n", name, member.text, expressions.of(member.type, 0));
    add_structure(scope, structure, name);
  }

  static void add_structure(Scope& scope, const Structure& structure, const std::string& name) {
    scope.structures.push_back({name, structure.name});
    for (const Place& member : structure.members)
      scope.places.push_back({name + "." + member.text, member.type});
  }

  void make_function() {
    Scope scope;
    scope.functions = &functions_;
    scope.functions_visible = static_cast<unsigned>(functions_.size());
    Expressions expressions(random_, scope);
    Function function{fmt::format("f{}_{}", seed_, functions_.size()), expressions.any_type(), {}, {}, 0, {}};
    std::string parameters;
    for (unsigned i = 1 + random_.below(3); i > 0; --i) {
      const Type type = expressions.any_type();
      const std::string name = fmt::format("p{}", function.parameters.size());
      parameters += fmt::format("{}{} {}", parameters.empty() ? "" : ", ", type.name(), name);
      function.parameters.push_back(type);
      scope.places.push_back({name, type});
    }
    if (!structures_.empty() && random_.chance(40)) {
      const Structure& structure = structures_[random_.below(static_cast<unsigned>(structures_.size()))];
      function.structure = structure.name;
      parameters += fmt::format(", {} s0", structure.name);
      add_structure(scope, structure, "s0");
    }
    if (random_.chance(40)) {
      function.pointed = Type{static_cast<Base>(random_.below(bases)), 1};
      pointed_.push_back(function.pointed);
      function.pointed_size = 4;
      parameters += fmt::format(", {}* a0", function.pointed.name());
      scope.arrays.push_back({"a0", function.pointed, 4});
    }
    Routine routine;
    routine.name = function.name;
    routine.head =
        fmt::format("{}static {} {}({}) {{\n", random_.chance(50) ? "__attribute__((noinline)) " : "",
                    function.result.name(), function.name, parameters);
    for (unsigned i = 1 + random_.below(2); i > 0; --i) declare_variable(scope, expressions, routine.head, 1);
    if (random_.chance(30)) declare_array(scope, expressions, routine.head);
    Position position;
    position.depth = 1;
    position.result = &function.result;
    routine.body = block(scope, expressions, position, 1 + random_.below(4));
    routine.tail = fmt::format("  return {};\n}}\n", expressions.of(function.result, 2));
    functions_.push_back(function);
    program_.functions.push_back(std::move(routine));
  }

  /// An expression that reads the input of the work-item.
  std::string input(Type type) {
    const bool small = !type.is_integer() && random_.chance(50);
    const Type read = storage(small               ? Type{Base::char_, type.width}
                              : type.is_integer() ? type
                                                  : type.as_unsigned());
    const unsigned offset = random_.below(input_size / size_of(read)) * size_of(read);
    std::string text = fmt::format("*(global const {}*)(input + {})", read.name(), offset);
    if (type.width == 3) text = fmt::format("({}).xyz", text);
    if (type.is_integer()) return text;
    if (small) return fmt::format("convert_{}({})", type.name(), text);
    return fmt::format("QUIET({0}, as_{0}({1}))", type.name(), text);
  }

  void make_kernel() {
    Scope scope;
    scope.functions = &functions_;
    scope.functions_visible = static_cast<unsigned>(functions_.size());
    Expressions expressions(random_, scope);
    Routine& kernel = program_.kernel;
    kernel.name = fmt::format("k{}", seed_);
    exchanged_ = expressions.any_type();
    std::string& head = kernel.head;
    head = fmt::format(
        "kernel void {}(global const ulong* in, global ulong* out, global uint* shared, uint w0, ushort w1, "
        "float "
        "w2, int4 w3, uchar w4) {{\n  local uint counters[{}];\n  local {} exchange[{}];\n"
        "  const uint gid = get_global_id(0), lid = get_local_id(0);\n"
        "  global const uchar* input = (global const uchar*)in + gid * {};\n"
        "  global uchar* output = (global uchar*)out + gid * {};\n"
        "  if (lid == 0)\n    for (int i = 0; i < {}; ++i) counters[i] = 0x5a5a5a5a;\n"
        "  barrier(CLK_LOCAL_MEM_FENCE);\n",
        kernel.name, counter_count, exchanged_.name(), most_in_group, input_size, output_size, counter_count);
    scope.places = {{"gid", {Base::uint, 1}, false}, {"lid", {Base::uint, 1}, false}, {"w0", {Base::uint, 1}},
                    {"w1", {Base::ushort, 1}},       {"w2", {Base::float_, 1}},       {"w3", {Base::int_, 4}},
                    {"w4", {Base::uchar, 1}}};
    for (unsigned i = 3 + random_.below(4); i > 0; --i) {
      const Type type = expressions.any_type();
      const std::string name = fmt::format("v{}", scope.places.size());
      head += fmt::format("  {} {} = {};\n", type.name(), name, input(type));
      scope.places.push_back({name, type});
    }
    for (unsigned i = random_.below(3); i > 0; --i) declare_array(scope, expressions, head);
    for (const Type pointed : pointed_) {
      const std::string name = fmt::format("a{}", scope.arrays.size());
      head += fmt::format("  {} {}[4] = {{{}, {}, 0, 0}};\n", pointed.name(), name,
                          expressions.of(pointed, 0), expressions.of(pointed, 0));
      scope.arrays.push_back({name, pointed, 4});
    }
    for (const Structure& structure : structures_)
      for (unsigned i = 1 + random_.below(2); i > 0; --i)
        declare_structure(scope, expressions, head, structure);
    Position position;
    position.uniform = true;
    kernel.body = block(scope, expressions, position, 2 + random_.below(5));
    kernel.tail = results(scope);
  }

  std::string results(const Scope& scope) const {
    std::string text;
    unsigned offset = 0;
    const auto store = [&](Type type, const std::string& value) {
      const unsigned size = size_of(type);
      offset = (offset + size - 1) / size * size;
      if (offset + size > output_size) return;
      text += fmt::format("  *(global {}*)(output + {}) = {};\n", storage(type).name(), offset,
                          stored(type, value));
      offset += size;
    };
    for (const Place& place : scope.places) store(place.type, place.text);
    for (const Array& array : scope.arrays)
      for (unsigned i = 0; i < array.size; ++i) store(array.type, fmt::format("{}[{}]", array.name, i));
    text += "  barrier(CLK_LOCAL_MEM_FENCE);\n";
    for (unsigned i = 0; i < counter_count; ++i) store({Base::uint, 1}, fmt::format("counters[{}]", i));
    return text + "}\n";
  }

  Block block(const Scope& scope, Expressions& expressions, Position position, unsigned count) {
    Block made;
    for (unsigned i = 0; i < count; ++i) {
      auto one = statement(scope, expressions, position);
      if (!one.pieces.empty()) made.push_back(std::move(one));
    }
    return made;
  }

  Block body(const Scope& scope, Expressions& expressions, Position position, bool uniform) {
    ++position.depth;
    position.uniform = position.uniform && uniform;
    return block(scope, expressions, position, 1 + random_.below(3));
  }

  static Statement simple(std::string text) { return {{std::move(text)}, {}}; }

  Statement statement(const Scope& scope, Expressions& expressions, const Position& position) {
    const bool flat = position.depth >= 3;
    const unsigned choice = random_.below(flat ? 60 : 100);
    if (choice < 28) return assignment(scope, expressions);
    if (choice < 38) return array_store(scope, expressions);
    if (choice < 44) return through_pointer(scope, expressions);
    if (choice < 48) return statement_call(scope, expressions);
    if (choice < 54) return position.result == nullptr ? atomic(expressions) : assignment(scope, expressions);
    if (choice < 58) return jump(expressions, position);
    if (choice < 60) return copy(scope);
    if (choice < 70) return position.uniform ? exchange(scope, expressions) : assignment(scope, expressions);
    if (choice < 82) return conditional(scope, expressions, position);
    if (choice < 93) return loop(scope, expressions, position);
    return selection(scope, expressions, position);
  }

  const Place* writable(const Scope& scope) {
    for (unsigned i = 0; i < 8; ++i) {
      const Place& place = scope.places[random_.below(static_cast<unsigned>(scope.places.size()))];
      if (place.writable) return &place;
    }
    return nullptr;
  }

  Statement assignment(const Scope& scope, Expressions& expressions) {
    const Place* place = writable(scope);
    if (place == nullptr) return {};
    const Type type = place->type;
    if (type.is_vector() && random_.chance(35)) {
      const unsigned first = random_.below(type.width);
      const unsigned second = random_.below(type.width);
      if (first == second || random_.chance(50))
        return simple(
            fmt::format("  {}.s{:x} = {};\n", place->text, first, expressions.of(type.scalar(), 2)));
      return simple(fmt::format("  {}.s{:x}{:x} = {};\n", place->text, first, second,
                                expressions.of(type.of_width(2), 2)));
    }
    if (random_.chance(25)) {
      const bool any = !type.is_integer() || (!type.is_signed() && type.bits() >= 32);
      const char op = type.is_integer() ? "&|^+-*"[random_.below(any ? 6 : 3)] : "+-*/"[random_.below(4)];
      return simple(fmt::format("  {} {}= {};\n", place->text, op, expressions.of(type, 2)));
    }
    if (type.is_integer() && !type.is_signed() && random_.chance(8))
      return simple(fmt::format("  {}{};\n", place->text, random_.chance(50) ? "++" : "--"));
    return simple(fmt::format("  {} = {};\n", place->text, expressions.of(type, 2)));
  }

  Statement array_store(const Scope& scope, Expressions& expressions) {
    if (scope.arrays.empty()) return assignment(scope, expressions);
    const Array& array = scope.arrays[random_.below(static_cast<unsigned>(scope.arrays.size()))];
    const std::string value = expressions.of(array.type, 2);
    return simple(fmt::format("  {} = {};\n", expressions.element(array, 1), value));
  }

  /// Chooses between two variables of a type by a pointer.
  Statement through_pointer(const Scope& scope, Expressions& expressions) {
    // Only variables: of a parameter and a variable clang 22 makes IR that is not valid.
    const auto is_variable = [](const Place* place) { return place != nullptr && place->text[0] == 'v'; };
    const Place* a = writable(scope);
    const Place* b = nullptr;
    for (unsigned i = 0; i < 8; ++i) {
      const Place* other = writable(scope);
      if (is_variable(a) && is_variable(other) && other != a && other->type == a->type) b = other;
    }
    if (b == nullptr) return array_store(scope, expressions);
    const std::string condition = expressions.condition(1);
    return simple(fmt::format("  {{ {0}* p = ({1}) ? &{2} : &{3}; *p = {4}; }}\n", a->type.name(), condition,
                              a->text, b->text, expressions.of(a->type, 2)));
  }

  Statement statement_call(const Scope& scope, Expressions& expressions) {
    if (scope.functions_visible == 0) return assignment(scope, expressions);
    const Function& function = (*scope.functions)[random_.below(scope.functions_visible)];
    const auto call = expressions.call(function, 1);
    if (!call) return {};
    for (const Place& place : scope.places)
      if (place.writable && place.type == function.result)
        return simple(fmt::format("  {} = {};\n", place.text, *call));
    return simple(fmt::format("  {};\n", *call));
  }

  Statement atomic(Expressions& expressions) {
    const unsigned counter = random_.below(counter_count);
    const bool increments = counter == counter_count - 1;
    if (random_.chance(30)) {
      const std::string value = increments ? "" : ", " + expressions.of({Base::ulong, 1}, 1);
      return simple(fmt::format("  {}((volatile global ulong*)(shared + {}){});\n", wide_counters[counter],
                                counter_count + 2 * counter, value));
    }
    const std::string value = increments ? "" : ", " + expressions.of({Base::uint, 1}, 1);
    return simple(fmt::format("  {}(&{}[{}]{});\n", counters[counter],
                              random_.chance(50) ? "shared" : "counters", counter, value));
  }

  Statement jump(Expressions& expressions, const Position& position) {
    const std::string condition = expressions.condition(1);
    if (position.result != nullptr && random_.chance(60))
      return simple(fmt::format("  if ({}) return {};\n", condition, expressions.of(*position.result, 1)));
    if (position.in_loop && !position.uniform)
      return simple(fmt::format("  if ({}) {};\n", condition, random_.chance(50) ? "break" : "continue"));
    return {};
  }

  Statement copy(const Scope& scope) {
    for (unsigned i = 0; i + 1 < scope.structures.size(); ++i)
      if (scope.structures[i].type == scope.structures[i + 1].type)
        return simple(fmt::format("  {} = {};\n", scope.structures[i + 1].name, scope.structures[i].name));
    return {};
  }

  /// A value of each work-item becomes visible to the others of its work-group.
  Statement exchange(const Scope& scope, Expressions& expressions) {
    std::string text = fmt::format("  barrier(CLK_LOCAL_MEM_FENCE);\n  exchange[lid] = {};\n",
                                   expressions.of(exchanged_, 2));
    text += "  barrier(CLK_LOCAL_MEM_FENCE);\n";
    for (const Place& place : scope.places) {
      if (!place.writable || place.type.width != exchanged_.width) continue;
      if (place.type.is_integer() && !exchanged_.is_integer()) continue;
      text += fmt::format("  {} = convert_{}(exchange[{} % (uint)get_local_size(0)]);\n", place.text,
                          place.type.name(), expressions.of({Base::uint, 1}, 1));
      break;
    }
    return simple(text);
  }

  Statement conditional(const Scope& scope, Expressions& expressions, const Position& position) {
    const bool uniform = position.uniform && random_.chance(30);
    const std::string condition =
        uniform ? fmt::format("(get_group_id(0) & {}) == 0", 1 + random_.below(3)) : expressions.condition(2);
    Statement made{{fmt::format("  if ({}) {{\n", condition), "  }\n"}, {}};
    made.bodies.push_back(body(scope, expressions, position, uniform));
    if (random_.chance(50)) {
      made.pieces.back() = "  } else {\n";
      made.pieces.emplace_back("  }\n");
      made.bodies.push_back(body(scope, expressions, position, uniform));
    }
    made.one_body_a_round = true;
    return made;
  }

  Statement loop(const Scope& scope, Expressions& expressions, Position position) {
    const std::string i = fmt::format("i{}", next_++);
    const unsigned kind = random_.below(3);
    const uint32_t rounds = 1 + random_.below(6);
    // A loop with barriers ends for all work-items at once.
    const bool uniform = position.uniform && kind == 0 && random_.chance(50);
    position.in_loop = !uniform;
    Statement made;
    if (kind == 0) {
      made.pieces = {fmt::format("  for (int {0} = 0; {0} < {1}; ++{0}) {{\n", i, rounds), "  }\n"};
    } else if (kind == 1) {
      made.pieces = {fmt::format("  for (uint {0} = 0; {0}++ < {1} && ({2});) {{\n", i, rounds,
                                 expressions.condition(1)),
                     "  }\n"};
    } else {
      made.pieces = {fmt::format("  {{ uint {} = {}; do {{\n", i, rounds),
                     fmt::format("  }} while (--{} != 0 && ({})); }}\n", i, expressions.condition(1))};
    }
    made.rounds = rounds;
    made.bodies.push_back(body(scope, expressions, position, uniform));
    return made;
  }

  Statement selection(const Scope& scope, Expressions& expressions, const Position& position) {
    const unsigned cases = 2 + random_.below(4);
    Statement made;
    made.pieces.push_back(
        fmt::format("  switch ({} & 7) {{\n  case 0:\n", expressions.of({Base::int_, 1}, 2)));
    for (unsigned i = 1; i <= cases; ++i) {
      made.bodies.push_back(body(scope, expressions, position, false));
      const std::string end = random_.chance(75) ? "  break;\n" : "";
      made.pieces.push_back(end + (i == cases                             ? "  }\n"
                                   : i + 1 == cases && random_.chance(60) ? "  default:\n"
                                                                          : fmt::format("  case {}:\n", i)));
    }
    return made;
  }

  Random random_;
  uint64_t seed_;
  Program program_;
  std::vector<Structure> structures_;
  std::vector<Function> functions_;
  std::vector<Type> pointed_;  ///< by parameters of functions
  Type exchanged_;
  unsigned next_ = 0;
};

}  // namespace

Program generate_program(uint64_t seed) { return Generator(seed).run(); }

std::string source_of(const Program& program) { return unmarked(program.text()); }

}  // namespace heddle::tests
