// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "job.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "console.h"
#include "files.h"
#include "support/align.h"

namespace heddle::tools {
namespace {

/// Parses one size option; adds an error if it is wrong.
std::optional<Extent> parse_size(const char* name, const std::string& text,
                                 std::vector<std::string>& errors) {
  auto extent = parse_extent(text);
  if (extent) return *extent;
  errors.push_back(fmt::format("{}: {}", name, extent.error().message));
  return std::nullopt;
}

void parse_sizes(const JobOptions& options, Job& job, std::vector<std::string>& errors) {
  if (auto grid = parse_size("--grid", options.grid, errors)) job.grid = *grid;
  if (options.group.empty())
    job.group.size[0] = std::min<uint64_t>(job.grid.size[0], 256);
  else if (auto group = parse_size("--group", options.group, errors))
    job.group = *group;
  if (job.group.dimensions > job.grid.dimensions)
    errors.emplace_back("--group has more dimensions than --grid");
  for (uint64_t size : job.group.size) {
    if (size > UINT16_MAX)
      errors.emplace_back("--group: a work-group has at most 65535 work-items in a dimension");
  }
}

void parse_arguments(const JobOptions& options, Job& job, std::vector<std::string>& errors) {
  for (size_t i = 0; i < options.arguments.size(); ++i) {
    auto argument = parse_argument(options.arguments[i]);
    if (!argument) {
      errors.push_back(
          fmt::format("--arg {}: {}", i, describe_argument_error(options.arguments[i], argument.error())));
      continue;
    }
    const auto* buffer = std::get_if<BufferArgument>(&*argument);
    if (buffer != nullptr && same_file(buffer->destination, options.input))
      errors.push_back(fmt::format("--arg {}: the result would replace {}", i, options.input));
    job.slots.push_back({options.arguments[i], std::move(*argument), {}, {}});
  }
}

/// Returns the bytes of an argument in the kernarg segment: the value, or the address of a buffer.
std::span<const std::byte> bytes_of(const Slot& slot, void* const& address) {
  if (auto* value = std::get_if<ValueArgument>(&slot.argument)) return value->bytes;
  return std::as_bytes(std::span(&address, 1));
}

uint64_t alignment_of(const Slot& slot) {
  return std::visit([](const auto& argument) -> uint64_t { return argument.alignment; }, slot.argument);
}

/// Checks that the arguments are those that the kernel takes.
Result<void> check_arguments(const Job& job, const KernelInfo& kernel, const std::vector<Formal>& formals) {
  if (formals.size() != job.slots.size()) {
    std::string list;
    for (const Formal& formal : formals)
      list += fmt::format("{}{} {}", list.empty() ? ": " : ", ", formal.type, formal.name);
    return Error{fmt::format("{} takes {} argument{}{}; {} --arg are given", kernel.name, formals.size(),
                             formals.size() == 1 ? "" : "s", list, job.slots.size())};
  }
  for (size_t i = 0; i < formals.size(); ++i) {
    const Slot& slot = job.slots[i];
    const Formal& formal = formals[i];
    const size_t size = bytes_of(slot, nullptr).size();
    if (size != formal.size)
      return Error{fmt::format("--arg {}: {} {} has {} bytes, '{}' has {}", i, formal.type, formal.name,
                               formal.size, slot.text, size)};
    if (alignment_of(slot) > formal.alignment)
      return Error{fmt::format("--arg {}: {} {} is aligned to {} bytes, '{}' to {}", i, formal.type,
                               formal.name, formal.alignment, slot.text, alignment_of(slot))};
  }
  return {};
}

/// Lays out the kernarg segment: the arguments in order, aligned as the kernel declares them if that is
/// known, or else as the arguments say (PRM 4.21).
std::vector<std::byte> pack_arguments(const Job& job, const std::vector<Formal>* formals) {
  std::vector<std::byte> packed;
  for (size_t i = 0; i < job.slots.size(); ++i) {
    const Slot& slot = job.slots[i];
    void* const address = slot.memory ? slot.memory->address() : nullptr;
    const auto bytes = bytes_of(slot, address);
    const uint64_t alignment = formals != nullptr ? (*formals)[i].alignment : alignment_of(slot);
    packed.resize(align_up(packed.size(), alignment));
    packed.insert(packed.end(), bytes.begin(), bytes.end());
  }
  return packed;
}

}  // namespace

// ---- the command line ----

const char* const argument_help = R"(Arguments, in the order of the kernel's formals, one --arg for each:
  u32:5  f64:1e-3  s32:-1     a value: TYPE:NUMBER, passed as it is
  u8x4:1,2,3,4  f32:0,1,2     a packed value, an array: element of the lowest address first
  f32*1024                    a buffer of zeros; the kernel gets its address
  f32:iota*1024               values 0, 1, 2, ...; iota(START,STEP)
  f32:random*1024             uniform values in [0,1), integers in [0,256); random(LOW,HIGH,SEED)
  u32:7*1024                  a buffer filled with one value
  @a.npy                      type and shape from a NumPy file
  f32@a.bin                   raw bytes
  png:a.png   gray:a.png      a picture as u8[height][width][4] (RGBA), or u8[height][width]
A count may be a shape, 400x600x4, and have suffixes K, M, G (1024-based).
  in:  out:  inout:           before it: is it input, result, or both? A size alone is out; anything else in
  =r.npy  =r.png  =r.bin      behind it: the file for the result, raw unless .npy or .png; then it is inout
  align(16):                  before all: the formal has that `align` qualifier. Needed for code objects only;
                              modules say it themselves
Types: u8 s8 u16 s16 f16 u32 s32 f32 u64 s64 f64, and packed ones: u8x4, u8x8, u8x16, ... f64x2.
)";

void add_job_options(Command& command, JobOptions& options) {
  command
      .option("FILE", options.input,
              "HSAIL text, BRIG, a code object of `heddle finalize`, or a source (see `heddle cc`)")
      .required()
      .value_name("");
  add_compiler_options(command, options.compiler);
  command.option("--kernel", options.kernel, "kernel, with or without & (default: the only one)")
      .value_name("NAME");
  command.option("--grid", options.grid, "work-items in all").required().value_name("X[,Y[,Z]]");
  command.option("--group", options.group, "work-items in a work-group (default: up to 256 in x)")
      .value_name("X[,Y[,Z]]");
  command.option("--arg", options.arguments, "one kernel argument, see below")
      .one_value_each()
      .value_name("ARG");
  command
      .option("--dynamic-group", options.dynamic_group, "bytes of group memory beyond the kernel's variables")
      .whole_number(0, UINT32_MAX)
      .value_name("BYTES");
  command
      .option("--stack", options.stack,
              "bytes of call stack for each work-item of recursive kernels (default 16384; an agent may "
              "provide more)")
      .whole_number(0, UINT32_MAX)
      .value_name("BYTES");
}

Job copy_without_memory(const Job& job) {
  Job copy{job.grid, job.group, {}};
  for (const Slot& slot : job.slots) copy.slots.push_back({slot.text, slot.argument, slot.buffer, {}});
  return copy;
}

std::optional<Job> parse_job(const JobOptions& options) {
  Job job;
  std::vector<std::string> errors;
  parse_sizes(options, job, errors);
  parse_arguments(options, job, errors);
  for (const std::string& error : errors) print_error(error);
  return errors.empty() ? std::optional(std::move(job)) : std::nullopt;
}

// ---- buffers and the kernarg segment ----

Result<void> plan_buffers(Job& job) {
  for (Slot& slot : job.slots) {
    auto* argument = std::get_if<BufferArgument>(&slot.argument);
    if (argument == nullptr) continue;
    auto planned = plan_buffer(*argument);
    if (!planned) return planned.error();
    slot.buffer = std::move(*planned);
  }
  return {};
}

Result<void> allocate_buffers(Job& job, const KernelAgent& agent) {
  for (Slot& slot : job.slots) {
    if (!slot.buffer) continue;
    auto memory = Memory::allocate(agent.memory, slot.buffer->bytes());
    if (!memory) return memory.error();
    slot.memory = std::move(*memory);
  }
  return {};
}

void fill_buffers(const Job& job, bool inputs_too) {
  for (const Slot& slot : job.slots) {
    if (slot.buffer && (inputs_too || slot.buffer->argument.direction != Direction::in)) {
      fill_buffer(*slot.buffer, slot.memory->bytes());
    }
  }
}

Result<Memory> make_kernarg(const Job& job, const KernelAgent& agent, const KernelInfo& kernel,
                            const std::optional<std::vector<Formal>>& formals) {
  if (formals) {
    auto right = check_arguments(job, kernel, *formals);
    if (!right) return right.error();
  }
  std::vector<std::byte> packed = pack_arguments(job, formals ? &*formals : nullptr);
  size_t rounded = align_up(packed.size(), 16);
  if (rounded != align_up(kernel.kernarg_size, 16)) {
    return Error{fmt::format("{} takes {} bytes of arguments (in units of 16), the --arg given make {}",
                             kernel.name, kernel.kernarg_size, packed.size())};
  }
  auto memory = Memory::allocate(agent.kernarg, std::max<size_t>(rounded, 16));
  if (memory) {
    std::fill(memory->bytes().begin(), memory->bytes().end(), std::byte{0});
    std::copy(packed.begin(), packed.end(), memory->bytes().begin());
  }
  return memory;
}

}  // namespace heddle::tools
