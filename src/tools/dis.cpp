// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// heddle dis: disassembles BRIG to HSAIL text, and prints the code of code objects that is text.
#include <memory>
#include <optional>

#include <hsam/code_object.h>

#include "commands.h"
#include "console.h"
#include "files.h"
#include "toolchain.h"

namespace heddle::tools {
namespace {

struct Options {
  std::string input;
  std::string output = "-";
};

int fail(const Error& error, ExitCode code = exit_failure) {
  print_error(error.message);
  return code;
}

/// Returns the code of a code object for an NVIDIA GPU, which is PTX and ends with a zero byte. Returns
/// nothing for bytes that are no such file.
std::optional<std::span<const std::byte>> ptx_of(std::span<const std::byte> bytes) {
  hsam_code_object object;
  if (hsam_code_object_open(bytes.data(), bytes.size(), &object) != nullptr || !object.text)
    return std::nullopt;
  const std::string_view isa(object.isa, object.isa_size);
  if (!isa.starts_with("heddle:nvptx-") || object.text_size == 0) return std::nullopt;
  return std::as_bytes(std::span(object.text, object.text_size - 1));
}

int run(const Options& options) {
  auto apart = check_output(options.output, {&options.input, 1});
  if (!apart) return fail(apart.error(), exit_usage);
  auto bytes = read_file(options.input);
  if (!bytes) return fail(bytes.error());
  if (const auto ptx = ptx_of(*bytes)) {
    auto written = write_file(options.output, *ptx);
    return written ? exit_success : fail(written.error());
  }
  auto text = disassemble(options.input, *bytes);
  if (!text) return fail(text.error());
  auto written = write_file(options.output, text->bytes());
  return written ? exit_success : fail(written.error());
}

}  // namespace

void add_dis(CommandLine& heddle) {
  Command& command = heddle.add("dis", "Disassemble BRIG to HSAIL text, or print the PTX of a code object");
  auto options = std::make_shared<Options>();
  command.option("FILE", options->input, "BRIG file, or a code object for an NVIDIA GPU; - is standard input")
      .required()
      .value_name("");
  command.option("-o,--output", options->output, "text file (default: standard output)").value_name("FILE");
  command.action([options] { return run(*options); });
}

}  // namespace heddle::tools
