// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hsail/assemble/assemble.h"

#include <algorithm>
#include <cassert>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "hsail/assemble/parser.h"
#include "hsail/brig/module.h"
#include "hsail/brig/newer_features.h"

namespace heddle::assemble {
namespace {

void configure(Parser& parser, const std::string& file, const AssembleOptions& options) {
  if (options.add_locations) parser.add_locations(file);
  if (options.brig_minor) parser.write_version(*options.brig_minor);
}

/// Returns the text position of each entry. Only messages need the positions, so the text is parsed a second
/// time when there are any, and a successful assembly does not pay for the map.
SourceMap map_of(std::string_view text, const std::string& file, const AssembleOptions& options) {
  SourceMap map;
  Diagnostics known;
  Parser parser(text, known, &map);
  configure(parser, file, options);
  parser.parse_module();
  assert(!known.has_errors());
  return map;
}

/// Reports what brig::Module::open() found in the assembled module at the text it was assembled from. Omits
/// what the parser has reported already: both the parser and open() check against the instruction tables.
void report_at_text(const Diagnostics& found, const SourceMap& map, Diagnostics& out) {
  std::set<std::tuple<uint32_t, uint32_t, std::string>> said;
  for (const Diagnostic& diagnostic : out.all())
    said.emplace(diagnostic.location.line, diagnostic.location.column, diagnostic.id);
  for (Diagnostic diagnostic : found.all()) {
    diagnostic.location = map.find(diagnostic.location);
    for (Diagnostic& note : diagnostic.notes) note.location = map.find(note.location);
    const Location& at = diagnostic.location;
    if (!at.has_text() || !said.contains({at.line, at.column, diagnostic.id}))
      out.report(std::move(diagnostic));
  }
}

/// Gives the module the version that the options ask for. Returns false, and reports the reasons at their
/// place in the text, if that version cannot express it.
bool choose_version(const brig::Module& module, std::string_view text, const std::string& file,
                    const AssembleOptions& options, std::vector<std::byte>& bytes, Diagnostics& out) {
  unsigned minor = options.brig_minor.value_or(module.header().hsail_minor);
  const std::vector<brig::NewerFeature> newer = brig::newer_features(module, minor);
  if (newer.empty() || !options.brig_minor) {
    for (const brig::NewerFeature& feature : newer) minor = std::max(minor, feature.since);
    brig::set_version(module, bytes, minor);
    return true;
  }
  const SourceMap map = map_of(text, file, options);
  for (const brig::NewerFeature& feature : newer)
    out.error(feature.id, map.find(feature.location),
              fmt::format("{}, and BRIG 1.{} was asked for", feature.message, minor));
  return false;
}

}  // namespace

bool assemble(std::string_view text, const std::string& file, std::vector<std::byte>& brig,
              Diagnostics& diagnostics, const AssembleOptions& options) {
  brig.clear();
  diagnostics.set_source(file, text);
  size_t errors_before = diagnostics.error_count();
  Parser parser(text, diagnostics);
  configure(parser, file, options);
  parser.parse_module();
  if (diagnostics.error_count() != errors_before) return false;

  auto bytes = parser.finish();
  if (!bytes) {
    diagnostics.error("HSAIL-18-size", {}, bytes.error().message);
    return false;
  }
  Diagnostics found;
  const brig::Module module = brig::Module::open(*bytes, found);
  if (!found.all().empty()) report_at_text(found, map_of(text, file, options), diagnostics);
  if (!module || !choose_version(module, text, file, options, *bytes, diagnostics)) return false;
  brig = std::move(*bytes);
  return true;
}

}  // namespace heddle::assemble
