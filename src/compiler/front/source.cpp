// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/front/source.h"

namespace heddle::compiler {
namespace {

struct Ending {
  std::string_view ending;
  Language language;
};
constexpr Ending endings[] = {{".cl", Language::opencl}, {".clcpp", Language::opencl},
                              {".hip", Language::hip},   {".cu", Language::hip},
                              {".ll", Language::ir},     {".bc", Language::ir}};

}  // namespace

std::optional<Language> language_of(std::string_view name) {
  for (const Ending& known : endings)
    if (name.ends_with(known.ending)) return known.language;
  return std::nullopt;
}

}  // namespace heddle::compiler
