// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// heddle reference: writes manual pages and the completion of shells, which an installation contains.
#include <filesystem>
#include <memory>
#include <span>
#include <system_error>

#include "commands.h"
#include "console.h"
#include "files.h"
#include "tools/reference/completion.h"
#include "tools/reference/manual_page.h"

namespace heddle::tools {
namespace {

struct Options {
  std::string folder;
  std::string text;
};

/// Writes a file below the folder, and makes the folders that it needs.
Result<void> write(const std::filesystem::path& path, const std::string& text) {
  std::error_code error;
  std::filesystem::create_directories(path.parent_path(), error);
  if (error) return Error{path.parent_path().string() + ": " + error.message()};
  return write_file(path.string(), std::as_bytes(std::span(text)));
}

/// Returns what is written by hand for a page, or nothing if nobody has written any.
Result<std::string> handwritten(const Options& options, const std::string& page) {
  if (options.text.empty()) return std::string();
  const std::filesystem::path path = std::filesystem::path(options.text) / (page + ".man");
  if (!std::filesystem::exists(path)) return std::string();
  auto bytes = read_file(path.string());
  if (!bytes) return bytes.error();
  return std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size());
}

Result<void> write_manual(const CommandLine& heddle, const Options& options) {
  const std::filesystem::path folder = std::filesystem::path(options.folder) / "man" / "man1";
  const auto commands = heddle.describe_commands();
  auto text = handwritten(options, "heddle");
  if (!text) return text.error();
  auto written = write(folder / "heddle.1", main_page(heddle.describe(), commands, HEDDLE_VERSION, *text));
  for (const CommandDescription& command : commands) {
    if (!written) return written;
    text = handwritten(options, "heddle-" + command.name);
    if (!text) return text.error();
    written = write(folder / ("heddle-" + command.name + ".1"), command_page(command, HEDDLE_VERSION, *text));
  }
  return written;
}

Result<void> write_completion(const CommandLine& heddle, const Options& options) {
  const std::filesystem::path folder = options.folder;
  const auto line = heddle.describe();
  const auto commands = heddle.describe_commands();
  auto written = write(folder / "bash-completion/completions/heddle", bash_completion(line, commands));
  if (written) written = write(folder / "zsh/vendor-completions/_heddle", zsh_completion(line, commands));
  if (written)
    written = write(folder / "fish/vendor_completions.d/heddle.fish", fish_completion(line, commands));
  return written;
}

int run(const CommandLine& heddle, const Options& options) {
  auto written = write_manual(heddle, options);
  if (written) written = write_completion(heddle, options);
  if (written) return exit_success;
  print_error(written.error().message);
  return exit_failure;
}

}  // namespace

void add_reference(CommandLine& heddle) {
  Command& command = heddle.add("reference", "Write manual pages and completion of bash, zsh and fish");
  auto options = std::make_shared<Options>();
  command.option("FOLDER", options->folder, "where to write, such as ~/.local/share").required();
  command
      .option("--text", options->text, "folder with text to be added to the pages (docs/man of the sources)")
      .value_name("FOLDER");
  command.action([&heddle, options] { return run(heddle, *options); });
}

}  // namespace heddle::tools
