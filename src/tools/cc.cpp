// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// heddle cc: compiles OpenCL C, HIP device code and LLVM IR to HSAIL. Its command line is that of C
// compilers.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "commands.h"
#include "compiler.h"
#include "console.h"
#include "files.h"

namespace heddle::tools {
namespace {

struct Job {
  std::vector<SourceFile> files;
  std::string output;
  std::vector<std::string> words;  ///< for the library
  bool text = false;
  bool save_temps = false;
};

struct LanguageName {
  std::string_view name;
  hsail_language language;
};
constexpr LanguageName languages[] = {{"cl", HSAIL_LANGUAGE_OPENCL},
                                      {"hip", HSAIL_LANGUAGE_HIP},
                                      {"ir", HSAIL_LANGUAGE_IR},
                                      {"none", HSAIL_LANGUAGE_BY_NAME}};

// Options of the library whose value may be, or is, the next word.
constexpr std::string_view with_next_word[] = {"-D",       "-U",      "-I",         "-include", "-imacros",
                                               "-isystem", "-iquote", "-idirafter", "-Xclang",  "-mllvm"};

/// Reads the words from left to right.
class Reader {
 public:
  explicit Reader(const std::vector<std::string>& words) : words_(words) {}

  Result<Job> read() {
    while (at_ < words_.size()) {
      auto done = read_word(words_[at_++]);
      if (!done) return done.error();
    }
    if (job_.files.empty()) return Error{"cc needs at least one FILE"};
    if (std::ranges::count(job_.files, "-", &SourceFile::path) > 1)
      return Error{"standard input cannot be read twice"};
    return std::move(job_);
  }

 private:
  Result<void> read_word(const std::string& word) {
    if (only_files_ || word == "-" || !word.starts_with('-')) return add_file(word);
    if (word == "--")
      only_files_ = true;
    else if (word == "-S")
      job_.text = true;
    else if (word == "-save-temps")
      job_.save_temps = true;
    else if (word == "-o" || word == "--output" || word.starts_with("--output="))
      return read_output(word);
    else if (word.starts_with("-x"))
      return read_language(word);
    else
      return pass(word);
    return {};
  }

  Result<void> add_file(const std::string& path) {
    if (path.empty()) return Error{"the name of a FILE is empty"};
    if (path == "-" && language_ == HSAIL_LANGUAGE_BY_NAME)
      return Error{"standard input has no name that tells its language: say -x cl, -x hip or -x ir before -"};
    job_.files.push_back({path, language_});
    return {};
  }

  Result<void> value_of(const std::string& option, std::string& value) {
    if (at_ == words_.size()) return Error{fmt::format("the option {} lacks its value", option)};
    value = words_[at_++];
    return {};
  }

  Result<void> read_output(const std::string& word) {
    if (word.starts_with("--output="))
      job_.output = word.substr(9);
    else if (auto read = value_of(word, job_.output); !read)
      return read;
    return job_.output.empty() ? Result<void>(Error{"the name of the output is empty"}) : Result<void>();
  }

  Result<void> read_language(const std::string& word) {
    std::string name = word.substr(2);
    if (name.empty()) {
      auto read = value_of(word, name);
      if (!read) return read;
    }
    const auto* const known = std::ranges::find(languages, std::string_view(name), &LanguageName::name);
    if (known == std::end(languages))
      return Error{fmt::format("there is no language '{}': -x takes cl, hip, ir or none", name)};
    language_ = known->language;
    return {};
  }

  Result<void> pass(const std::string& word) {
    job_.words.push_back(word);
    if (std::ranges::find(with_next_word, std::string_view(word)) == std::end(with_next_word)) return {};
    std::string value;
    auto read = value_of(word, value);
    if (read) job_.words.push_back(std::move(value));
    return read;
  }

  const std::vector<std::string>& words_;
  size_t at_ = 0;
  bool only_files_ = false;
  hsail_language language_ = HSAIL_LANGUAGE_BY_NAME;
  Job job_;
};

/// Returns the name of a file without what stands behind its last full stop.
std::string stem_of(const std::string& path) {
  const size_t dot = path.rfind('.');
  const size_t slash = path.rfind('/');
  const bool has_ending = dot != path.npos && dot != 0 && (slash == path.npos || dot > slash + 1);
  return has_ending ? path.substr(0, dot) : path;
}

std::string default_output(const Job& job) {
  const std::string& first = job.files.front().path;
  if (first == "-") return "-";
  return stem_of(first) + (job.text ? ".hsail" : ".brig");
}

/// Returns how the names of the intermediate forms beside the output begin.
Result<std::string> stem_of_forms(const std::string& output) {
  std::error_code absent;
  const bool exists = std::filesystem::exists(output, absent);
  if (output == "-" || (exists && !std::filesystem::is_regular_file(output, absent)))
    return Error{"-save-temps needs an output file, beside which it writes"};
  const std::string stem = stem_of(output);
  for (const char* ending : {".bc", ".opt.ll"})
    if (stem + ending == output)
      return Error{fmt::format("-save-temps would write {}, which is the output", output)};
  return stem;
}

int fail(const std::string& message, ExitCode code = exit_failure) {
  print_error(message);
  return code;
}

int compile_job(Job job) {
  if (job.output.empty()) job.output = default_output(job);
  if (job.output.ends_with(".hsail")) job.text = true;
  std::vector<std::string> inputs;
  inputs.reserve(job.files.size());
  for (const SourceFile& file : job.files) inputs.push_back(file.path);
  auto apart = check_output(job.output, inputs);
  if (!apart) return fail(apart.error().message, exit_usage);
  if (job.save_temps) {
    auto stem = stem_of_forms(job.output);
    if (!stem) return fail(stem.error().message, exit_usage);
    job.words.push_back("-save-temps=" + *stem);
  }
  auto module = compile(job.files, std::move(job.words), job.text ? HSAIL_MODULE_TEXT : HSAIL_MODULE_BRIG);
  if (!module) {
    const bool usage = module.error().status == HSAIL_COMPILE_INVALID_OPTION ||
                       module.error().status == HSAIL_COMPILE_INVALID_ARGUMENT;
    return fail(module.error().message, usage ? exit_usage : exit_failure);
  }
  auto written = write_file(job.output, module->bytes());
  return written ? exit_success : fail(written.error().message);
}

int run(const std::vector<std::string>& words) {
  auto job = Reader(words).read();
  return job ? compile_job(std::move(*job)) : fail(job.error().message, exit_usage);
}

OptionDescription described(std::vector<std::string> names, std::string value, std::string help) {
  OptionDescription option;
  option.names = std::move(names);
  option.value_name = std::move(value);
  option.help = std::move(help);
  return option;
}

OptionDescription repeatable(OptionDescription option) {
  option.repeatable = true;
  return option;
}

/// What help, manual page and completion say. The library checks the options
/// (src/compiler/front/options.cpp).
std::vector<OptionDescription> options_of_cc() {
  OptionDescription files =
      repeatable(described({}, "FILE", "sources, which become one module: .cl .clcpp .hip .cu .ll .bc"));
  files.required = true;
  OptionDescription language =
      described({"-x"}, "LANGUAGE",
                "language of the files that follow: cl, hip, ir (LLVM), or none for that of their names");
  language.choices = {"cl", "hip", "ir", "none"};
  return {
      files,
      described({"-o", "--output"}, "FILE",
                "where to write: text if it ends in .hsail, else BRIG; - is standard output (default: the "
                "first FILE with .brig)"),
      described({"-S"}, "", "write text"),
      language,
      described({"-O"}, "LEVEL", "how hard to optimise: 0, 1, 2 (default), 3, s or z"),
      described({"-g"}, "", "tell debuggers the lines and variables of the source"),
      repeatable(described({"-D"}, "NAME[=VALUE]", "define a macro")),
      repeatable(described({"-U"}, "NAME", "do not define a macro")),
      repeatable(
          described({"-I"}, "FOLDER", "look for included files there; also -isystem, -iquote, -idirafter")),
      repeatable(described({"-include"}, "FILE", "read this file first; also -imacros")),
      described(
          {"-cl-std="}, "VERSION",
          "CL1.0 to CL3.0 (default: CL1.2), or clc++2021; -std= is the same, and for HIP the version of C++"),
      described({"-cl-fast-relaxed-math"}, "",
                "compute faster and less exactly; all other -cl-* options of clang work, too"),
      described({"-cl-opt-disable"}, "", "the same as -O0"),
      repeatable(described({"-W"}, "WARNING",
                           "clang's options for warnings, such as -Wall and -Werror; -w for none")),
      repeatable(
          described({"-f"}, "FEATURE", "clang's options for features, such as -ffast-math; so do -m*")),
      described({"--rocm-path="}, "FOLDER", "where the headers of HIP are (include/hip); -nogpuinc for none"),
      repeatable(described({"-Xclang"}, "WORD", "pass a word to clang itself; -mllvm WORD to its passes")),
      described({"-save-temps"}, "",
                "keep the linked IR, the optimised IR, the text and the BRIG beside the output: .bc .opt.ll "
                ".hsail .brig"),
      described({"-v"}, "", "say which commands are run"),
  };
}

}  // namespace

void add_cc(CommandLine& heddle) {
  Command& command = heddle.add("cc", "Compile OpenCL C, HIP device code or LLVM IR to HSAIL");
  command.footer(
      "clang 22 reads OpenCL C and HIP (Debian packages clang-22, libclc-22; HEDDLE_CLANG names another "
      "program).\n"
      "Example:\n"
      "  heddle cc vector_add.cl -O3 -o vector_add.brig -save-temps\n"
      "Exit codes: 0 success; 1 the source is wrong, or something is not installed; 2 the command line is "
      "wrong.");
  command.reads_words(options_of_cc(), run);
}

}  // namespace heddle::tools
