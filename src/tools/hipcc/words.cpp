// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/hipcc/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string_view>

#include "tools/hipcc/response_files.h"

namespace heddle::tools::hipcc {
namespace {

/// Which parts of the work see an option.
enum For : unsigned { host = 1, device = 2, link = 4, none = 0, all = host | device | link };

enum class Value { none, joined, next, either };

struct Rule {
  std::string_view name;
  Value value;
  unsigned parts;
};

// The first rule that fits counts. Options without a rule are for host and linker, as are most of clang's.
constexpr Rule rules[] = {
    {"-D", Value::either, host | device},
    {"-U", Value::either, host | device},
    {"-I", Value::either, host | device},
    {"-include", Value::next, host | device},
    {"-imacros", Value::next, host | device},
    {"-isystem", Value::next, host | device},
    {"-iquote", Value::next, host | device},
    {"-idirafter", Value::next, host | device},
    {"-MF", Value::next, host},
    {"-MT", Value::next, host},
    {"-MQ", Value::next, host},
    {"-MD", Value::none, host},
    {"-MMD", Value::none, host},
    {"-MP", Value::none, host},
    {"-l", Value::either, link},
    {"-L", Value::either, link},
    {"-Wl,", Value::joined, link},
    {"-Xlinker", Value::next, link},
    {"-Wa,", Value::joined, host},
    {"-Wp,", Value::joined, host},
    {"-Xclang", Value::next, host | device},
    {"-mllvm", Value::next, host | device},
    {"-std=", Value::joined, host | device},
    {"-W", Value::joined, host | device},
    {"-w", Value::none, host | device},
    {"-pedantic", Value::none, host | device},
    {"-pedantic-errors", Value::none, host | device},
    {"--rocm-path=", Value::joined, host | device},
    {"--hip-path=", Value::joined, host | device},
    {"-nogpuinc", Value::none, host | device},
    {"-nostdinc", Value::none, host | device},
    // Features of the host's code, which kernels cannot have.
    {"-fPI", Value::joined, host | link},
    {"-fpi", Value::joined, host | link},
    {"-fno-pi", Value::joined, host | link},
    {"-fno-PI", Value::joined, host | link},
    {"-fopenmp", Value::joined, host | link},
    {"-fopenmp", Value::none, host | link},
    {"-fsanitize", Value::joined, host | link},
    {"-fno-sanitize", Value::joined, host | link},
    {"-fprofile", Value::joined, host | link},
    {"-fcoverage", Value::joined, host | link},
    {"-flto", Value::joined, host | link},
    {"-flto", Value::none, host | link},
    {"-fno-lto", Value::none, host | link},
    {"-fuse-ld=", Value::joined, link},
    {"-fvisibility", Value::joined, host},
    {"-fstack-", Value::joined, host},
    {"-fcf-protection", Value::joined, host},
    {"-ftls-model", Value::joined, host},
    {"-fexceptions", Value::none, host | link},
    {"--hip-link", Value::none, none},  // objects tell themselves whether their device code is to be linked
    {"-fhip-", Value::joined, none},
    {"-fgpu-", Value::joined, host | device},
    {"-f", Value::joined, host | device | link},
    {"-O", Value::joined, host | device | link},
    {"-O", Value::none, host | device | link},
    // Devices are those of the machine, whatever a program was made for.
    {"--offload-arch=", Value::joined, none},
    {"--amdgpu-target=", Value::joined, none},
    {"--cuda-gpu-arch=", Value::joined, none},
    {"--gpu-max-threads-per-block=", Value::joined, host | device},
    {"-parallel-jobs=", Value::joined, none},
    {"-target", Value::next, host | link},
    {"-T", Value::next, link},
    {"-z", Value::next, link},
    {"-u", Value::next, link},
    {"-arch", Value::next, host | link},
};

struct StepOption {
  std::string_view name;
  Step step;
  bool for_clang;  ///< clang is told, too
};
constexpr StepOption step_options[] = {{"-c", Step::compile, false},
                                       {"-S", Step::host_text, true},
                                       {"-E", Step::host_text, true},
                                       {"-M", Step::host_text, true},
                                       {"-MM", Step::host_text, true},
                                       {"-fsyntax-only", Step::check, false},
                                       {"--genco", Step::device_code, false},
                                       {"--offload-device-only", Step::device_code, false},
                                       {"--cuda-device-only", Step::device_code, false}};

constexpr std::string_view hip_endings[] = {".hip", ".cu", ".cpp", ".cc", ".cxx",
                                            ".c++", ".C",  ".CPP", ".cp"};
constexpr std::string_view host_endings[] = {".c", ".s", ".S", ".ii", ".i"};

bool ends_with_one(std::string_view path, std::span<const std::string_view> endings) {
  return std::ranges::any_of(endings, [path](std::string_view ending) { return path.ends_with(ending); });
}

bool fits(const Rule& rule, std::string_view word) {
  if (rule.value == Value::none || rule.value == Value::next) return word == rule.name;
  return word.starts_with(rule.name) && (rule.value == Value::either || word.size() > rule.name.size());
}

class Reader {
 public:
  explicit Reader(const std::vector<std::string>& words) : given_(words) {}

  Result<Words> read() {
    while (at_ < given_.size()) {
      auto done = read_word(given_[at_++]);
      if (!done) return done.error();
    }
    return std::move(words_);
  }

 private:
  Result<void> read_word(const std::string& word) {
    if (word == "-" || !word.starts_with('-')) return add_input(word);
    const auto* const step = std::ranges::find(step_options, std::string_view(word), &StepOption::name);
    if (step != std::end(step_options)) {
      // Code for devices is compiled and not linked anyway, so that -c says nothing more, wherever it stands.
      if (step->step != Step::compile || words_.step != Step::device_code) words_.step = step->step;
      if (step->for_clang) words_.host.push_back(word);
      return {};
    }
    if (word == "-o" || word == "-x") return next(word, word == "-o" ? words_.output : language_);
    if (word.starts_with("-o")) return set(words_.output, word.substr(2));
    if (word.starts_with("-x")) return set(language_, word.substr(2));
    if (word == "-fgpu-rdc" || word == "-fno-gpu-rdc") {
      words_.relocatable = word == "-fgpu-rdc";
      return {};
    }
    if (bool* const flag = flag_of(word)) {
      *flag = true;
      return {};
    }
    if (word == "-Xarch_host" || word == "-Xarch_device") return add_for_one(word);
    return add_option(word);
  }

  bool* flag_of(std::string_view word) {
    if (word == "--version") return &words_.version;
    if (word == "-v" || word == "--verbose") return &words_.verbose;
    return word == "-###" ? &words_.only_show : nullptr;
  }

  static Result<void> set(std::string& to, std::string value) {
    to = std::move(value);
    return {};
  }

  Result<void> next(const std::string& option, std::string& value) {
    if (at_ == given_.size()) return Error{fmt::format("the option {} lacks its value", option)};
    value = given_[at_++];
    return {};
  }

  Result<void> add_for_one(const std::string& option) {
    std::string word;
    auto read = next(option, word);
    if (read) (option == "-Xarch_host" ? words_.host : words_.device).push_back(word);
    return read;
  }

  Result<void> add_input(const std::string& path) {
    Input input{path};
    const std::string language = language_ == "none" ? "" : language_;
    input.hip =
        language == "hip" || language == "cuda" || (language.empty() && ends_with_one(path, hip_endings));
    input.source = input.hip || !language.empty() || ends_with_one(path, host_endings);
    input.language = language;
    if (path == "-" && language.empty())
      return Error{"standard input has no name that tells its language: say -x"};
    words_.inputs.push_back(std::move(input));
    words_.link.emplace_back();
    return {};
  }

  Result<void> add_option(const std::string& word) {
    const auto* const rule = std::ranges::find_if(rules, [&](const Rule& r) { return fits(r, word); });
    const bool known = rule != std::end(rules);
    const unsigned parts = known ? rule->parts : static_cast<unsigned>(host | link);
    std::vector<std::string> option{word};
    if (known &&
        (rule->value == Value::next || (rule->value == Value::either && word.size() == rule->name.size()))) {
      std::string value;
      auto read = next(word, value);
      if (!read) return read;
      option.push_back(std::move(value));
    }
    const auto append = [&](std::vector<std::string>& to) {
      to.insert(to.end(), option.begin(), option.end());
    };
    if ((parts & host) != 0) append(words_.host);
    if ((parts & link) != 0) append(words_.link);
    if ((parts & device) != 0) append_for_device(option);
    if (!known && word.starts_with("-g")) add_debug(word);
    return {};
  }

  /// The compiler of device code knows two amounts of debug information.
  void add_debug(std::string_view word) {
    if (word == "-g0") return;
    words_.device.emplace_back(word == "-g1" || word == "-gline-tables-only" ? "-gline-tables-only" : "-g");
  }

  void append_for_device(const std::vector<std::string>& option) {
    std::vector<std::string>& to = words_.device;
    if (option.front() == "-Ofast") {
      to.insert(to.end(), {"-O3", "-ffast-math"});
    } else if (option.front() == "-Og") {
      to.emplace_back("-O1");
    } else {
      to.insert(to.end(), option.begin(), option.end());
    }
  }

  const std::vector<std::string>& given_;
  size_t at_ = 0;
  std::string language_;
  Words words_;
};

}  // namespace

Result<Words> read_words(const std::vector<std::string>& words) {
  const auto expanded = expand_response_files(words);
  if (!expanded) return expanded.error();
  return Reader(*expanded).read();
}

}  // namespace heddle::tools::hipcc
