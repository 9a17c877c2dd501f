// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hsail/assemble/assemble.h"

#include <set>
#include <string>
#include <tuple>

#include "hsail/assemble/parser.h"
#include "hsail/brig/module.h"

namespace heddle::assemble {
namespace {

/// What the reader of modules has against our result, told at the statement that it came from. The parser may
/// have said the same already: it warns of some things that the check of the module warns of.
void report_at_statements(const Diagnostics& found, const Parser& parser, Diagnostics& out) {
  std::set<std::tuple<uint32_t, uint32_t, std::string>> said;
  for (const Diagnostic& diagnostic : out.all())
    said.emplace(diagnostic.location.line, diagnostic.location.column, diagnostic.id);
  for (Diagnostic diagnostic : found.all()) {
    if (diagnostic.location.section == "hsa_code")
      diagnostic.location = parser.location_of(static_cast<brig::Offset>(diagnostic.location.offset));
    const Location& at = diagnostic.location;
    if (!at.has_text() || !said.contains({at.line, at.column, diagnostic.id}))
      out.report(std::move(diagnostic));
  }
}

}  // namespace

bool assemble(std::string_view text, const std::string& file, std::vector<std::byte>& brig,
              Diagnostics& diagnostics, const AssembleOptions& options) {
  brig.clear();
  diagnostics.set_source(file, text);
  size_t errors_before = diagnostics.error_count();
  Parser parser(text, diagnostics);
  if (options.add_locations) parser.add_locations(file);
  parser.parse_module();
  if (diagnostics.error_count() != errors_before) return false;

  auto bytes = parser.finish();
  if (!bytes) {
    diagnostics.error("HSAIL-18-size", {}, bytes.error().message);
    return false;
  }
  Diagnostics found;
  if (!brig::Module::open(*bytes, found)) {
    report_at_statements(found, parser, diagnostics);
    return false;
  }
  report_at_statements(found, parser, diagnostics);
  brig = std::move(*bytes);
  return true;
}

}  // namespace heddle::assemble
