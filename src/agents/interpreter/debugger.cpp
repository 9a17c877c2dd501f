// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/interpreter/debugger.h"

#include <fmt/format.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <fstream>
#include <optional>
#include <sstream>

#include "hsail/brig/operands.h"
#include "hsail/print/print.h"

namespace heddle::interpreter_agent {
namespace {

using interpreter::Context;
using interpreter::Frame;
using interpreter::WorkItem;

constexpr const char* help_text =
    "break [FILE:]LINE | @LABEL | &FUNCTION [if X[,Y[,Z]]]   stop there, in any work-item or that one\n"
    "delete [NUMBER]    continue (c)    step (s)    next (n)    finish    quit (q)\n"
    "watch $REG | watch SEGMENT ADDRESS    stop when a register or 4 bytes of memory change\n"
    "print $REG (p)     memory SEGMENT ADDRESS [WORDS] (x)    backtrace (bt)    list (l)\n"
    "disassemble [LINES] (dis)    the instructions around the next one\n"
    "item X[,Y[,Z]]     look at another work-item of the group, by workitemid\n"
    "info registers | work-items | waves | barriers | breakpoints | item\n"
    "Segments: global, flat, kernarg (host addresses), group, private (offsets). An empty line repeats.\n";

std::vector<std::string> split(const std::string& line) {
  std::istringstream in(line);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

std::optional<uint64_t> number(std::string_view text) {
  const bool hex = text.starts_with("0x");
  if (hex) text.remove_prefix(2);
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, hex ? 16 : 10);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Parses "X,Y,Z"; missing numbers are 0.
bool triple(const std::string& text, uint32_t (&out)[3]) {
  std::istringstream in(text);
  std::string part;
  for (unsigned i = 0; std::getline(in, part, ','); ++i) {
    const auto value = number(part);
    if (i == 3 || !value || *value > UINT32_MAX) return false;
    out[i] = static_cast<uint32_t>(*value);
  }
  return !text.empty();
}

/// The words of a register in the activation; none if the name is wrong or the function has no such register.
std::optional<std::pair<brig::Register, uint32_t>> find_register(const Context& context,
                                                                 std::string_view name) {
  if (name.starts_with('$')) name.remove_prefix(1);
  const size_t kind = name.empty() ? std::string_view::npos : std::string_view("csdq").find(name[0]);
  const auto index = kind == std::string_view::npos ? std::nullopt : number(name.substr(1));
  if (!index) return std::nullopt;
  const auto counts = brig::register_counts(context.function->module(), context.function->definition.offset);
  const uint32_t have[] = {counts.control, counts.single, counts.wide, counts.quad};
  if (*index >= have[kind]) return std::nullopt;
  uint32_t first = 0;
  for (size_t k = 0; k < kind; ++k) first += have[k];
  brig::Register reg{};
  reg.kind = static_cast<decltype(reg.kind)>(kind);
  reg.number = static_cast<decltype(reg.number)>(*index);
  return std::pair(reg, first + static_cast<uint32_t>(*index) * (kind == 3 ? 2 : 1));
}

std::string describe_register(const Context& context, std::string_view name) {
  const auto found = find_register(context, name);
  if (!found) return {};
  const uint64_t low = context.registers[found->second];
  switch (found->first.kind) {
    case 0:
      return low != 0 ? "1" : "0";
    case 1: {
      const auto bits = static_cast<uint32_t>(low);
      return fmt::format("0x{:08x}  u32 {}  s32 {}  f32 {}", bits, bits, static_cast<int32_t>(bits),
                         std::bit_cast<float>(bits));
    }
    case 2:
      return fmt::format("0x{:016x}  u64 {}  s64 {}  f64 {}", low, low, static_cast<int64_t>(low),
                         std::bit_cast<double>(low));
    default:
      return fmt::format("0x{:016x}{:016x}", context.registers[found->second + 1], low);
  }
}

/// Reads memory at an address that may be invalid.
bool read_memory(const Context& context, std::string_view segment, uint64_t address, void* to, size_t size) {
  const auto copy = [&](const std::byte* from, uint64_t limit) {
    if (address > limit || size > limit - address) return false;
    std::memcpy(to, from + address, size);
    return true;
  };
  if (segment == "group") return copy(context.group.memory, context.group.memory_size);
  if (segment == "private") return copy(context.item.memory, context.item.memory_size);
  if (segment != "global" && segment != "flat" && segment != "kernarg" && segment != "readonly") return false;
  const iovec local = {to, size}, remote = {reinterpret_cast<void*>(address), size};
  return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == static_cast<ssize_t>(size);
}

const char* state_name(WorkItem::State state) {
  static constexpr const char* names[] = {"ready", "at a barrier", "at an fbarrier", "waits", "finished"};
  return names[static_cast<size_t>(state)];
}

std::string id_of(const Context& context) {
  return fmt::format("({}, {}, {})", absolute_id(context, 0), absolute_id(context, 1),
                     absolute_id(context, 2));
}

/// The implicit ret at the end has no entry of its own: its offset is where the code block ends.
bool at_end(const Context& context) { return context.frame->next + 1 == context.function->ops.size(); }

std::string function_name(const Frame& frame) {
  return std::string(frame.function->module().name(frame.function->definition.offset));
}

}  // namespace

brig::Offset Debugger::next_entry(const Context& context) const {
  return context.function->ops[context.frame->next].offset;
}

Debugger::Place Debugger::place_of(const Context& context) {
  const brig::Module& module = context.function->module();
  auto lines = lines_.find(&module);
  if (lines == lines_.end()) lines = lines_.emplace(&module, print::SourceLines(module)).first;
  const auto at = lines->second.at(next_entry(context) - (at_end(context) ? 1 : 0));
  return {std::string(at.file), at.line};
}

bool Debugger::is_current(const Context& context) const {
  return &context.group == group_ && context.item.flat_id == item_;
}

bool Debugger::hit(const Breakpoint& breakpoint, Context& context, const Place& place) {
  for (unsigned d = 0; d < 3 && !breakpoint.any_item; ++d)
    if (absolute_id(context, d) != breakpoint.item[d]) return false;
  if (breakpoint.line != 0) {
    if (breakpoint.line != place.line || !place.file.ends_with(breakpoint.file)) return false;
    // A breakpoint at a line stops once for the line, not for each of its instructions.
    return context.frame->next == 0 || !is_current(context) || !(last_ == place);
  }
  const brig::Module& module = context.function->module();
  if (breakpoint.label[0] == '&')
    return context.frame->next == 0 && module.name(context.function->definition.offset) == breakpoint.label;
  const auto& executable =
      module.code_as<hsa_brig_directive_executable_t>(context.function->definition.offset);
  bool behind = false;
  for (brig::Offset at = executable.first_code_block_entry; at < executable.next_module_entry;
       at = module.next_code(at)) {
    if (module.code_kind(at) == HSA_BRIG_KIND_DIRECTIVE_LABEL && module.name(at) == breakpoint.label)
      behind = true;
    if (behind && module.is_instruction(at)) return at == next_entry(context);
  }
  return false;
}

bool Debugger::watched(Context& context) {
  bool changed = false;
  for (Watch& watch : watches_) {
    std::string now;
    if (watch.reg.empty()) {
      uint32_t value = 0;
      if (!read_memory(context, watch.segment, watch.address, &value, sizeof value)) continue;
      now = fmt::format("0x{:08x}", value);
    } else {
      if (!is_current(context) || context.item.frames.size() != depth_) continue;
      now = describe_register(context, watch.reg);
    }
    if (now == watch.value) continue;
    fmt::print(out_, "{}: {} -> {}\n", watch.text, watch.value, now);
    watch.value = now;
    changed = true;
  }
  return changed;
}

bool Debugger::wants_stop(Context& context) {
  const Place place = place_of(context);
  bool stop = !started_ || watched(context);
  started_ = true;
  for (size_t i = 0; i < breakpoints_.size(); ++i) {
    if (!hit(breakpoints_[i], context, place)) continue;
    fmt::print(out_, "breakpoint {}: {}\n", i + 1, breakpoints_[i].text);
    stop = true;
    break;
  }
  if (is_current(context)) {
    const size_t depth = context.item.frames.size();
    const bool moved = !(place == last_) || depth != depth_;
    stop = stop || (mode_ == Mode::step && moved) || (mode_ == Mode::next && moved && depth <= depth_) ||
           (mode_ == Mode::finish && depth < depth_);
    if (mode_ == Mode::go || mode_ == Mode::step) last_ = place;
  }
  return stop;
}

bool Debugger::before(Context& context) {
  if (!wants_stop(context)) return true;
  group_ = &context.group;
  item_ = context.item.flat_id;
  depth_ = context.item.frames.size();
  last_ = place_of(context);
  show_place(context);
  return converse(context);
}

void Debugger::ended(const interpreter::Fault* fault) {
  if (fault)
    fmt::print(out_, "the dispatch ends: {}\n", fault->message);
  else
    fmt::print(out_, "the dispatch is complete\n");
  std::fflush(out_);
  group_ = nullptr;
  lines_.clear();
}

void Debugger::show_place(Context& context) {
  const Place place = place_of(context);
  const brig::Module& module = context.function->module();
  const brig::Offset at = next_entry(context);
  // What a compiler adds at the beginning of a function is in no line.
  const std::string line =
      place.line == 0 ? "" : fmt::format(", {}:{}", place.file.empty() ? "line" : place.file, place.line);
  fmt::print(out_, "work-item {}, {}{}\n  {}\n", id_of(context), function_name(*context.frame), line,
             at_end(context) ? "ret, at the end" : print::disassemble_entry(module, at));
}

/// Carries out commands until one lets the kernel run. The end of the input counts as `continue`.
bool Debugger::converse(Context& context) {
  for (;;) {
    std::fflush(out_);
    const auto next = in_->next([&](const std::string& part) { return complete(context, part); });
    if (!next) {
      mode_ = Mode::go;
      breakpoints_.clear();
      watches_.clear();
      return true;
    }
    // An empty line repeats the previous command, except in a batch.
    const bool repeat = split(*next).empty() && !in_->batch();
    const std::string line = repeat ? previous_ : *next;
    previous_ = line;
    wrong_ = false;
    const Then then = command(context, line);
    std::fflush(out_);
    if (then == Then::quit || (wrong_ && in_->batch())) return false;
    if (then == Then::run) return true;
  }
}

Debugger::Then Debugger::command(Context& context, const std::string& line) {
  const auto words = split(line);
  if (words.empty() || words[0][0] == '#') return Then::ask;
  const std::string& verb = words[0];
  const auto is = [&](std::string_view name, std::string_view brief = {}) {
    return verb == name || (!brief.empty() && verb == brief);
  };
  const auto run = [&](Mode mode) {
    mode_ = mode;
    return Then::run;
  };
  if (is("continue", "c")) return run(Mode::go);
  if (is("step", "s")) return run(Mode::step);
  if (is("next", "n")) return run(Mode::next);
  if (is("finish")) return run(Mode::finish);
  if (is("quit", "q")) return Then::quit;
  if (is("help", "h")) {
    fmt::print(out_, "{}", help_text);
  } else if (is("break", "b")) {
    add_breakpoint(words);
  } else if (is("delete")) {
    const auto index = words.size() > 1 ? number(words[1]) : std::nullopt;
    if (words.size() == 1)
      breakpoints_.clear();
    else if (index && *index >= 1 && *index <= breakpoints_.size())
      breakpoints_.erase(breakpoints_.begin() + static_cast<ptrdiff_t>(*index - 1));
    else
      refuse(fmt::format("no breakpoint {}", words[1]));
  } else if (is("watch")) {
    add_watch(context, words);
  } else if (is("print", "p")) {
    if (words.size() == 2)
      print_register(context, words[1]);
    else
      refuse("print what? A register: print $s0");
  } else if (is("memory", "x")) {
    print_memory(context, words);
  } else if (is("backtrace", "bt")) {
    print_backtrace(context);
  } else if (is("list", "l")) {
    list(context);
  } else if (is("disassemble", "dis")) {
    disassemble(context, words);
  } else if (is("item")) {
    select(context, words);
  } else if (is("info", "i")) {
    print_info(context, words.size() > 1 ? std::string_view(words[1]) : std::string_view());
  } else {
    refuse(fmt::format("unknown command '{}'; help lists all", verb));
  }
  return Then::ask;
}

void Debugger::add_breakpoint(const std::vector<std::string>& words) {
  constexpr std::string_view usage = "break [FILE:]LINE | @LABEL | &FUNCTION [if X[,Y[,Z]]]";
  if (words.size() != 2 && (words.size() != 4 || words[2] != "if")) return refuse(usage);
  Breakpoint added;
  const std::string& where = words[1];
  if (where[0] == '@' || where[0] == '&') {
    added.label = where;
  } else {
    const size_t colon = where.rfind(':');
    if (colon != std::string::npos) added.file = where.substr(0, colon);
    const auto line = number(std::string_view(where).substr(colon == std::string::npos ? 0 : colon + 1));
    if (!line || *line == 0 || *line > UINT32_MAX) return refuse(usage);
    added.line = static_cast<uint32_t>(*line);
  }
  added.text = where;
  if (words.size() == 4) {
    added.any_item = false;
    if (!triple(words[3], added.item)) return refuse(usage);
    added.text += " if " + words[3];
  }
  breakpoints_.push_back(added);
  fmt::print(out_, "breakpoint {} at {}\n", breakpoints_.size(), added.text);
}

void Debugger::add_watch(Context& context, const std::vector<std::string>& words) {
  Watch added;
  if (words.size() == 2) {
    added.reg = added.text = words[1];
    added.value = describe_register(context, added.reg);
    if (added.value.empty()) return refuse(fmt::format("no register {} here", words[1]));
  } else {
    const auto address = words.size() == 3 ? number(words[2]) : std::nullopt;
    uint32_t value = 0;
    if (!address || !read_memory(context, words[1], *address, &value, sizeof value))
      return refuse("watch $REG | watch SEGMENT ADDRESS, of memory that is there");
    added.segment = words[1];
    added.address = *address;
    added.text = words[1] + " " + words[2];
    added.value = fmt::format("0x{:08x}", value);
  }
  fmt::print(out_, "watching {}: {}\n", added.text, added.value);
  watches_.push_back(std::move(added));
}

void Debugger::print_register(const Context& context, Word name) {
  const std::string value = describe_register(context, name);
  if (value.empty())
    refuse(fmt::format("no register {} in {}", name, function_name(*context.frame)));
  else
    fmt::print(out_, "{} = {}\n", name, value);
}

void Debugger::print_registers(const Context& context) {
  const auto counts = brig::register_counts(context.function->module(), context.function->definition.offset);
  const uint32_t have[] = {counts.control, counts.single, counts.wide, counts.quad};
  for (size_t kind = 0; kind < 4; ++kind)
    for (uint32_t i = 0; i < have[kind]; ++i) print_register(context, fmt::format("${}{}", "csdq"[kind], i));
}

void Debugger::print_memory(const Context& context, const std::vector<std::string>& words) {
  const auto address = words.size() >= 3 ? number(words[2]) : std::nullopt;
  const auto count = words.size() >= 4 ? number(words[3]) : std::optional<uint64_t>(4);
  if (!address || !count || *count > 4096)
    return refuse("memory SEGMENT ADDRESS [WORDS], at most 4096 words");
  for (uint64_t i = 0; i < *count; ++i) {
    uint32_t word = 0;
    if (!read_memory(context, words[1], *address + 4 * i, &word, sizeof word))
      return refuse(fmt::format("no memory at {} 0x{:x}", words[1], *address + 4 * i));
    fmt::print(out_, "0x{:x}: 0x{:08x}  {}\n", *address + 4 * i, word, word);
  }
}

void Debugger::print_backtrace(const Context& context) {
  const auto& frames = context.item.frames;
  for (size_t i = frames.size(); i-- > 0;) {
    Context at{context.group, context.item};
    Frame frame = frames[i];
    // The next instruction of a caller is the one behind its call.
    if (i + 1 != frames.size() && frame.next > 0) --frame.next;
    at.function = frame.function;
    at.frame = &frame;
    const Place place = place_of(at);
    fmt::print(out_, "#{} {} {}:{}\n", frames.size() - 1 - i, function_name(frame),
               place.file.empty() ? "line" : place.file, place.line);
  }
}

void Debugger::print_info(Context& context, Word what) {
  interpreter::Group& group = context.group;
  if (what == "registers") {
    print_registers(context);
  } else if (what == "breakpoints") {
    for (size_t i = 0; i < breakpoints_.size(); ++i) fmt::print(out_, "{} {}\n", i + 1, breakpoints_[i].text);
  } else if (what == "item") {
    fmt::print(out_,
               "workitemabsid {}, workitemid ({}, {}, {}), workgroupid ({}, {}, {}), waveid {}, laneid {}\n",
               id_of(context), context.item.id[0], context.item.id[1], context.item.id[2], group.id[0],
               group.id[1], group.id[2], context.wave_id(), context.lane());
  } else if (what == "work-items" || what == "barriers") {
    for (WorkItem& item : group.items) {
      const bool blocked =
          item.state == WorkItem::State::at_barrier || item.state == WorkItem::State::at_fbarrier;
      if (what == "barriers" && !blocked) continue;
      Context other{group, item};
      std::string where;
      if (!item.frames.empty()) {
        other.load_frame();
        where = fmt::format(", line {}", place_of(other).line);
      }
      fmt::print(out_, "{}work-item {}: {}{}\n", &item == &context.item ? "* " : "  ", id_of(other),
                 state_name(item.state), where);
    }
  } else if (what == "waves") {
    for (size_t i = 0; i < group.waves.size(); ++i)
      fmt::print(out_, "wave {}: work-items {} to {}, {} paths\n", i, group.waves[i].first,
                 group.waves[i].first + group.waves[i].lanes - 1,
                 std::max<size_t>(group.waves[i].paths.size(), 1));
  } else {
    refuse("info registers | work-items | waves | barriers | breakpoints | item");
  }
}

void Debugger::list(Context& context) {
  const Place place = place_of(context);
  auto& lines = files_[place.file];
  if (lines.empty()) {
    std::ifstream in(place.file);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
  }
  if (lines.size() < place.line || place.line == 0)
    return refuse(fmt::format("the source {} is not there; its line is {}", place.file, place.line));
  const size_t first = place.line > 5 ? place.line - 5 : 1;
  for (size_t line = first; line <= std::min(lines.size(), size_t{place.line} + 4); ++line)
    fmt::print(out_, "{}{:4}  {}\n", line == place.line ? ">" : " ", line, lines[line - 1]);
}

/// Makes commands refer to another work-item of the group until the kernel continues.
void Debugger::select(Context& context, const std::vector<std::string>& words) {
  uint32_t id[3] = {0, 0, 0};
  if (words.size() != 2 || !triple(words[1], id)) return refuse("item X[,Y[,Z]]");
  for (WorkItem& item : context.group.items) {
    if (!std::equal(id, id + 3, item.id)) continue;
    if (item.frames.empty()) return refuse(fmt::format("work-item {} has ended", words[1]));
    Context other{context.group, item};
    other.load_frame();
    show_place(other);
    print_registers(other);
    return;
  }
  refuse(fmt::format("the group has no work-item {}", words[1]));
}

/// Prints the entries of the code block around the next instruction, with their offsets in hsa_code. Source
/// lines are shown by `list`.
void Debugger::disassemble(const Context& context, const std::vector<std::string>& words) {
  const auto around = words.size() > 1 ? number(words[1]) : std::optional<uint64_t>(5);
  if (!around || *around > 100000 || words.size() > 2) return refuse("disassemble [LINES before and behind]");
  const brig::Module& module = context.function->module();
  std::vector<brig::Offset> entries;
  module.for_each_in_code_block(context.function->definition.offset, [&](brig::Offset at) {
    if (module.code_kind(at) != HSA_BRIG_KIND_DIRECTIVE_LOC) entries.push_back(at);
  });
  const auto next = at_end(context) ? entries.end() : std::ranges::find(entries, next_entry(context));
  const auto here = static_cast<size_t>(next - entries.begin());
  const size_t first = here > *around ? here - *around : 0;
  const size_t last = std::min(entries.size(), here + *around + 1);
  for (size_t i = first; i < last; ++i)
    fmt::print(out_, "{} {:6}  {}\n", i == here ? "=>" : "  ", entries[i],
               print::disassemble_entry(module, entries[i]));
  if (here == entries.size()) fmt::print(out_, "=>         ret, at the end\n");
}

void Debugger::refuse(std::string_view why) {
  wrong_ = true;
  fmt::print(out_, "{}\n", why);
}

/// The candidates for the last word of the line: commands, or arguments of the command.
std::vector<std::string> Debugger::complete(const Context& context, const std::string& line) const {
  const auto words = split(line);
  const bool first = words.empty() || (words.size() == 1 && line.back() != ' ');
  if (first)
    return {"break", "delete", "continue", "step", "next",        "finish", "quit", "watch",
            "print", "memory", "list",     "item", "disassemble", "info",   "help", "backtrace"};
  const std::string& verb = words[0];
  const auto is = [&](std::string_view name, std::string_view brief) {
    return verb == name || verb == brief;
  };
  std::vector<std::string> out;
  const brig::Module& module = context.function->module();
  if (is("info", "i")) return {"registers", "work-items", "waves", "barriers", "breakpoints", "item"};
  if (is("break", "b")) {
    module.for_each_in_code_block(context.function->definition.offset, [&](brig::Offset at) {
      if (module.code_kind(at) == HSA_BRIG_KIND_DIRECTIVE_LABEL) out.emplace_back(module.name(at));
    });
    for (brig::Offset at = module.code_begin(); at != module.code_end(); at = module.next_code(at))
      if (module.is_executable(at) && module.is_definition(at)) out.emplace_back(module.name(at));
    out.emplace_back("if");
  }
  if (is("print", "p") || verb == "watch") {
    const auto counts = brig::register_counts(module, context.function->definition.offset);
    const uint32_t have[] = {counts.control, counts.single, counts.wide, counts.quad};
    for (size_t kind = 0; kind < 4; ++kind)
      for (uint32_t i = 0; i < have[kind]; ++i) out.push_back(fmt::format("${}{}", "csdq"[kind], i));
  }
  if (is("memory", "x") || verb == "watch")
    for (const char* segment : {"global", "flat", "kernarg", "readonly", "group", "private"})
      out.emplace_back(segment);
  return out;
}

}  // namespace heddle::interpreter_agent
