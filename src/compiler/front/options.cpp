// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/front/options.h"

#include <optional>
#include <string_view>

namespace heddle::compiler {
namespace {

/// How an option and its value are written.
enum class Form {
  exact,     // -v
  joined,    // -std=VALUE, or any word that begins so
  separate,  // -include VALUE
  either,    // -DVALUE and -D VALUE
};

/// What an option does besides reaching clang; each sets a member of Options.
using Effect = void (*)(Options&, std::string_view value);

struct Rule {
  std::string_view name;
  Form form;
  Effect effect = nullptr;
  bool for_clang = true;
};

constexpr Effect headers_are_named = [](Options& options, std::string_view) { options.hip_headers = true; };
constexpr Effect coloured = [](Options& options, std::string_view) { options.colour = true; };
constexpr Effect plain = [](Options& options, std::string_view) { options.colour = false; };
constexpr Effect verbose = [](Options& options, std::string_view) { options.verbose = true; };
constexpr Effect save = [](Options& options, std::string_view stem) { options.save_temps = stem; };
constexpr Effect source_lines = [](Options& options, std::string_view) {
  options.source_lines = true;
  options.source_variables = false;
};
constexpr Effect source_variables = [](Options& options, std::string_view) {
  options.source_lines = options.source_variables = true;
};
constexpr Effect unoptimised = [](Options& options, std::string_view) { options.level = Level::none; };
template <char level>
constexpr Effect leveled = [](Options& options, std::string_view) { options.level = Level{level}; };

// The first rule that fits counts.
constexpr Rule rules[] = {
    {"-O", Form::exact, leveled<'1'>},
    {"-O0", Form::exact, leveled<'0'>},
    {"-O1", Form::exact, leveled<'1'>},
    {"-O2", Form::exact, leveled<'2'>},
    {"-O3", Form::exact, leveled<'3'>},
    {"-Os", Form::exact, leveled<'s'>},
    {"-Oz", Form::exact, leveled<'z'>},
    {"-cl-opt-disable", Form::exact, unoptimised},
    {"-g", Form::exact, source_variables},
    {"-gline-tables-only", Form::exact, source_lines},
    {"-v", Form::exact, verbose, false},
    {"-save-temps=", Form::joined, save, false},
    {"-c", Form::exact, nullptr, false},
    {"-D", Form::either},
    {"-U", Form::either},
    {"-include", Form::separate},
    {"-imacros", Form::separate},
    {"-isystem", Form::separate},
    {"-iquote", Form::separate},
    {"-idirafter", Form::separate},
    {"-I", Form::either},
    {"-std=", Form::joined},
    {"-cl-", Form::joined},
    {"-fcolor-diagnostics", Form::exact, coloured},
    {"-fdiagnostics-color", Form::exact, coloured},
    {"-fno-color-diagnostics", Form::exact, plain},
    {"-fno-diagnostics-color", Form::exact, plain},
    {"-f", Form::joined},
    {"-W", Form::joined},
    {"-w", Form::exact},
    {"-pedantic", Form::exact},
    {"-pedantic-errors", Form::exact},
    {"-cuid=", Form::joined},
    {"-Xclang", Form::separate},
    {"-mllvm", Form::separate},
    {"-m", Form::joined},
    {"-nogpuinc", Form::exact, headers_are_named},
    {"-nostdinc", Form::exact},
    {"--rocm-path=", Form::joined, headers_are_named},
    {"--hip-path=", Form::joined, headers_are_named},
};

enum class Spelling : uint8_t { beginning, whole };
struct Refusal {
  std::string_view name;
  std::string_view reason;
  Spelling spelling = Spelling::beginning;  // which words are meant: those that begin so, or this one alone
};
// Options of clang that people may try, and why they are none of the compiler's.
constexpr Refusal refusals[] = {
    {"-mcpu", "HSAIL is for every processor"},
    {"-march", "HSAIL is for every processor"},
    {"--offload", "the device is always HSAIL, with waves of 32 work-items"},
    {"-target", "the target is always HSAIL"},
    {"--target", "the target is always HSAIL"},
    {"-flto", "all inputs are always optimised together"},
    {"-fsyntax-only", "the compiler always makes a module"},
    {"-E", "the compiler always makes a module"},
    {"-M", "the compiler writes no dependencies"},
    {"-emit-llvm", "-save-temps keeps the IR"},
    {"-save-temps", "it needs a value: -save-temps=STEM", Spelling::whole},
    {"-ftime-trace", "it needs a value: -ftime-trace=FILE", Spelling::whole},
};

bool fits(const Rule& rule, std::string_view word) {
  if (rule.form == Form::exact || rule.form == Form::separate) return word == rule.name;
  return word.starts_with(rule.name) && (rule.form == Form::either || word.size() > rule.name.size());
}

/// Reports whether the value of an option is the next word.
bool value_follows(const Rule& rule, std::string_view word) {
  return rule.form == Form::separate || (rule.form == Form::either && word.size() == rule.name.size());
}

const Rule* rule_of(std::string_view word) {
  for (const Rule& rule : rules)
    if (fits(rule, word)) return &rule;
  return nullptr;
}

std::optional<Error> refused(std::string_view word) {
  for (const Refusal& refusal : refusals)
    if (refusal.spelling == Spelling::whole ? word == refusal.name : word.starts_with(refusal.name))
      return Error{"there is no option " + std::string(word) + ": " + std::string(refusal.reason)};
  return std::nullopt;
}

}  // namespace

Result<Options> parse_options(const std::vector<std::string>& words) {
  Options options;
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (const auto refusal = refused(word)) return *refusal;
    const Rule* const rule = rule_of(word);
    if (rule == nullptr) return Error{"there is no option '" + word + "'"};
    const bool two_words = value_follows(*rule, word);
    if (two_words && i + 1 == words.size()) return Error{"the option " + word + " lacks its value"};
    const std::string_view joined = std::string_view(word).substr(rule->name.size());
    if (rule->effect != nullptr) rule->effect(options, two_words ? std::string_view(words[i + 1]) : joined);
    if (rule->for_clang) options.clang.push_back(word);
    if (two_words) options.clang.push_back(words[++i]);
  }
  return options;
}

}  // namespace heddle::compiler
