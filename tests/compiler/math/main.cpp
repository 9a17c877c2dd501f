// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares the mathematical functions of OpenCL C with MPFR: those of scalars for special values and random
// ones, those of vectors with what MPFR says of the results that differ from the scalars'.
#include <atomic>
#include <cmath>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <map>
#include <mutex>
#include <numeric>
#include <string>
#include <thread>

#include <CLI/CLI.hpp>

#include <fmt/format.h>

#include "functions.h"
#include "hsalib/arguments.h"
#include "hsalib/exhaustive/unary.h"
#include "tools/session.h"
#include "tools/toolchain.h"

namespace heddle::clmath {
namespace {

struct Options {
  std::string folder = KERNEL_FOLDER;
  std::vector<std::string> functions, types;
  size_t values = 1 << 12, interpreted = 0;
  unsigned threads = std::max(1U, std::thread::hardware_concurrency());
  bool exhaustive = false, any_zero = false;
};

constexpr unsigned widths[] = {1, 2, 3, 4, 8, 16};
constexpr size_t block_size = 1 << 8;  // arguments that a thread judges before it takes more

// ---- kernels ----

/// The kernels of one type and width, finalized for an agent.
class Kernels {
 public:
  static Result<Kernels> load(const tools::KernelAgent& agent, const std::string& file) {
    auto module = tools::load_module(file);
    if (!module) return module.error();
    std::vector<tools::Module> modules;
    modules.push_back(std::move(*module));
    auto program = tools::Program::create(modules);
    if (!program) return program.error();
    auto code = program->finalize(HSAIL_CODE_OBJECT_BOTH, agent.isa_name, "");
    if (!code) return code.error();
    Kernels kernels(agent);
    kernels.code_ = std::move(*code);
    auto loaded = tools::LoadedProgram::load(agent, kernels.code_.bytes());
    if (!loaded) return loaded.error();
    kernels.program_ = std::make_unique<tools::LoadedProgram>(std::move(*loaded));
    auto dispatcher = tools::Dispatcher::create(agent);
    if (!dispatcher) return dispatcher.error();
    kernels.dispatcher_ = std::move(*dispatcher);
    return kernels;
  }

  /// Runs the kernel of a function for so many work-items with the addresses.
  Result<void> run(const std::string& function, const std::vector<void*>& addresses, size_t items) {
    const auto kernel = program_->kernel("&test_" + function);
    if (!kernel) return kernel.error();
    const auto kernarg = tools::Memory::allocate(agent_->kernarg, 64);
    if (!kernarg) return kernarg.error();
    std::memcpy(kernarg->address(), addresses.data(), addresses.size() * sizeof(void*));
    const auto count = static_cast<uint32_t>(items);
    const tools::Extent grid{{count, 1, 1}, 1}, group{{std::min<uint32_t>(count, 64), 1, 1}, 1};
    const auto done = dispatcher_->run(*kernel, grid, group, 0, 0, kernarg->address(), 0);
    if (!done) return done.error();
    return {};
  }

 private:
  explicit Kernels(const tools::KernelAgent& agent) : agent_(&agent) {}
  const tools::KernelAgent* agent_;
  tools::Blob code_;
  std::unique_ptr<tools::LoadedProgram> program_;
  std::unique_ptr<tools::Dispatcher> dispatcher_;
};

using Widths = std::map<unsigned, Kernels>;

Result<Widths> load_widths(const tools::KernelAgent& agent, const Options& options, const std::string& type) {
  Widths loaded;
  for (const unsigned width : widths) {
    const std::string file =
        fmt::format("{}/{}{}.brig", options.folder, type, width == 1 ? "" : std::to_string(width));
    if (!std::filesystem::exists(file)) continue;
    auto kernels = Kernels::load(agent, file);
    if (!kernels) return kernels.error();
    loaded.emplace(width, std::move(*kernels));
  }
  if (!loaded.contains(1)) return Error{"there are no kernels for " + type + " in " + options.folder};
  return loaded;
}

// ---- judgement ----

struct Verdict {
  double worst = 0;
  size_t at = 0;
  size_t judged = 0;
  void note(double error, size_t argument) {
    ++judged;
    if (error > worst) {
      worst = error;
      at = argument;
    }
  }
  void add(const Verdict& other) {
    if (other.worst > worst) {
      worst = other.worst;
      at = other.at;
    }
    judged += other.judged;
  }
};

template <typename T>
using Columns = std::vector<std::span<T>>;  // an array for each argument

/// The error of one result; nothing if the specification leaves the result open.
template <typename T>
std::optional<double> error_at(const Function& function, const Columns<T>& arguments, size_t i, T result,
                               bool any_zero) {
  Exact x[3], exact;
  std::vector<mpfr_ptr> numbers;
  for (size_t k = 0; k < arguments.size(); ++k) {
    mpfr_set_d(x[k].get(), static_cast<double>(arguments[k][i]), MPFR_RNDN);
    numbers.push_back(x[k].get());
  }
  if (!function.reference(exact.get(), numbers, testing::format_of<T>)) return {};
  if ((any_zero || function.any_zero) && mpfr_zero_p(exact.get()) && result == T(0)) return 0;
  return testing::error_of(result, exact.get());
}

/// Judges results in several threads; those that equal the result of `known` are not worth it.
template <typename T>
Verdict judge(const Options& options, const Function& function, const Columns<T>& arguments,
              std::span<const T> results, std::span<const T> known) {
  std::atomic<size_t> next = 0;
  Verdict total;
  std::mutex mutex;
  const auto work = [&] {
    Verdict verdict;
    for (size_t at; (at = next.fetch_add(block_size)) < results.size();)
      for (size_t i = at; i < std::min(at + block_size, results.size()); ++i) {
        if (!known.empty() && std::memcmp(&known[i], &results[i], sizeof(T)) == 0) continue;
        if (const auto error = error_at(function, arguments, i, results[i], options.any_zero))
          verdict.note(*error, i);
      }
    mpfr_free_cache();
    const std::lock_guard lock(mutex);
    total.add(verdict);
  };
  {
    std::vector<std::jthread> threads;
    for (unsigned i = 1; i < options.threads; ++i) threads.emplace_back(work);
    work();
  }
  return total;
}

double bound_of(const Bounds& bounds, const std::string& type) {
  return type == "float" ? bounds.f32 : type == "double" ? bounds.f64 : bounds.f16;
}

// ---- one type ----

/// Every special value with every other one first, then random arguments.
template <typename T>
void fill(const Function& function, const Columns<T>& arguments) {
  std::mt19937_64 random(1);
  const std::vector<T> special = testing::special_values<T>();
  const size_t count = arguments[0].size();
  for (size_t i = 0; i < count; ++i) {
    size_t left = i;
    for (const std::span<T>& column : arguments) {
      column[i] = special[left % special.size()];
      left /= special.size();
    }
    if (left == 0) continue;
    for (const std::span<T>& column : arguments)
      column[i] = testing::random_argument<T>(function.low, function.high, random);
  }
  if constexpr (sizeof(T) == 2)
    if (arguments.size() == 1 && count >= 65536)  // all of them
      for (size_t i = 0; i < 65536; ++i) arguments[0][i] = std::bit_cast<T>(static_cast<uint16_t>(i));
}

template <typename T>
class Examination {
 public:
  Examination(const Options& options, const tools::KernelAgent& agent, const tools::KernelAgent& interpreter,
              std::string type)
      : options_(options), agent_(agent), interpreter_(interpreter), type_(std::move(type)) {}

  /// Returns whether all errors are within their bounds.
  Result<bool> run() {
    auto kernels = load_widths(agent_, options_, type_);
    if (!kernels) return kernels.error();
    kernels_ = std::move(*kernels);
    if (options_.interpreted > 0) {
      auto interpreted = load_widths(interpreter_, options_, type_);
      if (!interpreted) return interpreted.error();
      interpreted_ = std::move(*interpreted);
    }
    count_ = options_.values / 48 * 48;  // for vectors of every width
    for (int i = 0; i < 5; ++i) {
      auto memory = tools::Memory::allocate(agent_.memory, count_ * sizeof(T));
      if (!memory) return memory.error();
      memory_.push_back(std::move(*memory));
    }
    bool good = true;
    for (const Function& function : functions()) {
      const auto& names = options_.functions;
      if (!names.empty() && std::ranges::find(names, function.name) == names.end()) continue;
      if (bound_of(function.bounds, type_) < 0) continue;
      const auto fine = examine(function);
      if (!fine) return fine.error();
      good = good && *fine;
    }
    return good;
  }

 private:
  std::span<T> array(size_t i) const { return {static_cast<T*>(memory_[i].address()), count_}; }

  Result<bool> examine(const Function& function) {
    Columns<T> arguments;
    std::vector<void*> addresses{memory_[0].address()};
    for (unsigned i = 0; i < function.arguments; ++i) {
      arguments.push_back(array(i + 2));
      addresses.push_back(memory_[i + 2].address());
    }
    fill(function, arguments);
    const double bound = bound_of(function.bounds, type_);
    bool good = true;
    for (auto& [width, kernels] : kernels_) {
      if (auto done = kernels.run(function.name, addresses, count_ / width); !done) return done.error();
      const bool scalar = width == 1;
      const auto verdict =
          judge<T>(options_, function, arguments, array(0), scalar ? std::span<T>() : array(1));
      if (scalar) std::ranges::copy(array(0), array(1).begin());
      good = report(function, width, arguments, verdict, bound) && good;
      const bool native =
          std::string_view(function.name).starts_with("native_");  // whose results agents choose
      if (options_.interpreted == 0 || native) continue;
      const auto same = compare(function, width, addresses);
      if (!same) return same.error();
      good = good && *same;
    }
    return good;
  }

  bool report(const Function& function, unsigned width, const Columns<T>& arguments, const Verdict& verdict,
              double bound) {
    const bool good = verdict.worst <= bound;
    if (good && width > 1) return true;
    std::string at;
    for (const std::span<T>& column : arguments)
      at += fmt::format(" {:a}", static_cast<double>(column[verdict.at]));
    fmt::print("{:<18} {:<8} {:>10} {:>9.4f} {:>6} {} at{} gives {:a}\n", function.name,
               type_ + (width == 1 ? "" : std::to_string(width)), verdict.judged, verdict.worst, bound,
               good ? "ok   " : "WRONG", at, static_cast<double>(array(0)[verdict.at]));
    std::fflush(stdout);
    return good;
  }

  /// Whether the interpreter has the same results, but for the bits of NaN.
  Result<bool> compare(const Function& function, unsigned width, const std::vector<void*>& addresses) {
    const size_t count = std::min(count_, options_.interpreted / 48 * 48);
    const std::vector<T> compiled(array(0).begin(), array(0).begin() + static_cast<ptrdiff_t>(count));
    if (auto done = interpreted_.at(width).run(function.name, addresses, count / width); !done)
      return done.error();
    for (size_t i = 0; i < count; ++i) {
      const T result = array(0)[i];
      const bool same =
          std::memcmp(&result, &compiled[i], sizeof(T)) == 0 ||
          (std::isnan(static_cast<double>(result)) && std::isnan(static_cast<double>(compiled[i])));
      if (same) continue;
      fmt::print("{} of {}{}: the interpreter's result {} is {:a}, that of compiled code {:a}\n",
                 function.name, type_, width, i, static_cast<double>(result),
                 static_cast<double>(compiled[i]));
      return false;
    }
    return true;
  }

  const Options& options_;
  const tools::KernelAgent& agent_;
  const tools::KernelAgent& interpreter_;
  std::string type_;
  Widths kernels_, interpreted_;
  size_t count_ = 0;
  std::vector<tools::Memory> memory_;  // results, results of scalars, arguments
};

// ---- all arguments of f32 ----

Result<testing::Tally> tally_of_all(const Options& options, const tools::KernelAgent& agent, Kernels& kernels,
                                    const testing::UnaryFunction& function) {
  constexpr uint32_t dispatch_size = 1 << 22;
  const auto results = tools::Memory::allocate(agent.memory, sizeof(float) * dispatch_size);
  const auto arguments = tools::Memory::allocate(agent.memory, sizeof(float) * dispatch_size);
  if (!results) return results.error();
  if (!arguments) return arguments.error();
  // A tally has a limit on how many differing results MPFR judges. Each thread keeps one tally for all
  // dispatches, so that the limit holds for the whole function.
  std::vector<testing::Tally> tallies(options.threads);
  for (uint64_t first = 0; first < uint64_t{1} << 32; first += dispatch_size) {
    const std::span<uint32_t> bits{static_cast<uint32_t*>(arguments->address()), dispatch_size};
    std::iota(bits.begin(), bits.end(), static_cast<uint32_t>(first));
    auto done = kernels.run(function.name, {results->address(), arguments->address()}, dispatch_size);
    if (!done) return done.error();
    const std::span<const uint32_t> outputs{static_cast<const uint32_t*>(results->address()), dispatch_size};
    std::atomic<size_t> next = 0;
    std::vector<std::jthread> threads;
    threads.reserve(tallies.size());
    for (testing::Tally& tally : tallies)
      threads.emplace_back([&] {
        for (size_t at; (at = next.fetch_add(1 << 16)) < dispatch_size;)
          testing::judge(function, static_cast<uint32_t>(first + at), 1, outputs.subspan(at, 1 << 16), tally);
        mpfr_free_cache();
      });
  }
  testing::Tally total;
  for (const testing::Tally& tally : tallies) total += tally;
  return total;
}

/// The functions of f32 with one argument, for all of them.
Result<bool> examine_exhaustively(const Options& options, const tools::KernelAgent& agent) {
  auto kernels = Kernels::load(agent, options.folder + "/float.brig");
  if (!kernels) return kernels.error();
  bool good = true;
  for (const Function& function : functions()) {
    const auto all = testing::unary_functions();
    const auto row = std::ranges::find_if(all, [&](const auto& unary) {
      return unary.name == std::string_view(function.name) && unary.output == testing::Output::f32;
    });
    const auto& names = options.functions;
    const bool chosen = names.empty() || std::ranges::find(names, function.name) != names.end();
    if (row == all.end() || !chosen) continue;
    const auto tally = tally_of_all(options, agent, *kernels, *row);
    if (!tally) return tally.error();
    const bool fine = tally->worst <= function.bounds.f32;
    fmt::print("{:<18} {} arguments, {} not correctly rounded, at most {:.4f} of {} ulp, at {:#010x} {}\n",
               function.name, tally->arguments, tally->misrounded, tally->worst, function.bounds.f32,
               tally->worst_argument, fine ? "ok" : "WRONG");
    std::fflush(stdout);
    good = good && fine;
  }
  return good;
}

// ---- the program ----

Result<bool> examine_type(const Options& options, const std::vector<tools::KernelAgent>& agents,
                          const std::string& type) {
  if (type == "float") return Examination<float>(options, agents[0], agents[1], type).run();
  if (type == "double") return Examination<double>(options, agents[0], agents[1], type).run();
  return Examination<_Float16>(options, agents[0], agents[1], type).run();
}

Result<bool> examine_all(const Options& options) {
  tools::choose_agents("cpu,interpreter");
  const auto session = tools::Session::open();
  if (!session) return session.error();
  const std::vector<tools::KernelAgent> agents = tools::kernel_agents();
  if (agents.size() != 2) return Error{"there are not two kernel agents"};
  fmt::print("{}, {}, {} arguments of each function\n", agents[0].name, agents[0].isa_name, options.values);
  if (options.exhaustive) return examine_exhaustively(options, agents[0]);
  bool good = true;
  for (const std::string& type : options.types) {
    const auto fine = examine_type(options, agents, type);
    if (!fine) return fine.error();
    good = good && *fine;
  }
  return good;
}

int main(int argc, char** argv) {
  CLI::App app{"Compares the mathematical functions of OpenCL C with MPFR."};
  Options options;
  app.add_option("--kernels", options.folder, "the folder with the compiled kernels")
      ->check(CLI::ExistingDirectory);
  app.add_option("--function", options.functions, "a function; may be repeated (default: all)");
  app.add_option("--type", options.types, "float, double or half; may be repeated (default: all)")
      ->check(CLI::IsMember({"float", "double", "half"}));
  app.add_option("--values", options.values, "arguments of each function")->check(CLI::Range(48, 1 << 26));
  app.add_option("--interpreted", options.interpreted, "of which the interpreter computes so many, too");
  app.add_option("--threads", options.threads, "threads (default: one for each processor)")
      ->check(CLI::Range(1, 4096));
  app.add_flag("--any-zero", options.any_zero, "zeros may have either sign, to find other errors");
  app.add_flag("--exhaustive", options.exhaustive, "all arguments of functions of one float instead");
  CLI11_PARSE(app, argc, argv);
  if (options.types.empty()) options.types = {"float", "double", "half"};
  const auto good = examine_all(options);
  if (good) return *good ? 0 : 1;
  fmt::print(stderr, "compiler_math: {}\n", good.error().message);
  return 2;
}

}  // namespace
}  // namespace heddle::clmath

int main(int argc, char** argv) {
  try {
    return heddle::clmath::main(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "compiler_math: %s\n", error.what());
    return 2;
  }
}
