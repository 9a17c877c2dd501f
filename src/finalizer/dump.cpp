// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/dump.h"

#include <filesystem>
#include <fstream>

#include <llvm/Support/raw_ostream.h>

namespace heddle::finalizer {

void dump(const FinalizeOptions& options, const char* name, llvm::StringRef contents) {
  if (options.dump_folder.empty()) return;
  std::error_code ignored;
  std::filesystem::create_directories(options.dump_folder, ignored);
  std::ofstream(std::filesystem::path(options.dump_folder) / name, std::ios::binary)
      << std::string_view(contents);
}

void dump_module(const FinalizeOptions& options, const char* name, const llvm::Module& module) {
  if (options.dump_folder.empty()) return;
  std::string text;
  llvm::raw_string_ostream out(text);
  module.print(out, nullptr);
  dump(options, name, text);
}

}  // namespace heddle::finalizer
