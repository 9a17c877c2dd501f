// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "../console.h"
#include "support/printable.h"

namespace heddle::tools {
namespace {

/// A unit that shows the shortest median with one to three digits before the point. All times of a table have
/// the same unit, so that a column can be compared at a glance.
struct TimeUnit {
  std::string_view name;
  double seconds;
};

TimeUnit unit_for(const std::vector<Timing>& timings) {
  double shortest = timings.empty() ? 1 : timings.front().summary.median;
  for (const Timing& timing : timings) shortest = std::min(shortest, timing.summary.median);
  if (shortest < 1e-6) return {"ns", 1e-9};
  if (shortest < 1e-3) return {"us", 1e-6};
  if (shortest < 1) return {"ms", 1e-3};
  return {"s", 1};
}

struct Column {
  std::string title;
  bool is_text = false;  ///< text stands on the left, numbers on the right
  std::vector<std::string> cells;
};

std::string aligned(const std::vector<Column>& columns) {
  std::string text;
  const size_t rows = columns.front().cells.size();
  for (size_t row = 0; row <= rows; ++row) {  // row 0 is the title
    std::string line;
    for (const Column& column : columns) {
      size_t width = column.title.size();
      for (const std::string& cell : column.cells) width = std::max(width, cell.size());
      const std::string& cell = row == 0 ? column.title : column.cells[row - 1];
      if (!line.empty()) line += "  ";
      line += column.is_text ? fmt::format("{:<{}}", cell, width) : fmt::format("{:>{}}", cell, width);
    }
    line.resize(line.find_last_not_of(' ') + 1);
    text += (row == 0 ? styled(1, Style::bold, line) : line) + "\n";
  }
  return text;
}

/// Makes a column of numbers from what `cell` returns for each timing.
template <typename Cell>
Column numbers(const BenchReport& report, std::string title, Cell cell) {
  Column column{std::move(title), false, {}};
  for (const Timing& timing : report.timings) column.cells.push_back(cell(timing));
  return column;
}

double rate(uint64_t amount, const Timing& timing) {
  return static_cast<double>(amount) / timing.summary.median;
}

bool several_agents(const BenchReport& report) {
  const auto& timings = report.timings;
  return std::any_of(timings.begin(), timings.end(),
                     [&](const Timing& timing) { return timing.name.agent != timings.front().name.agent; });
}

std::string format_timings(const BenchReport& report) {
  const TimeUnit unit = unit_for(report.timings);
  auto time = [&unit](double seconds) { return fmt::format("{:.2f}", seconds / unit.seconds); };
  auto title = [&unit](std::string_view name) { return fmt::format("{}/{}", name, unit.name); };
  std::vector<Column> columns;
  auto add = [&](std::string name, auto cell) { columns.push_back(numbers(report, std::move(name), cell)); };
  if (several_agents(report)) {
    add("agent", [](const Timing& timing) { return timing.name.agent; });
    columns.back().is_text = true;
  }
  add("ISA", [](const Timing& timing) { return timing.name.isa; });
  columns.back().is_text = true;
  add("finalize/ms", [](const Timing& timing) {
    return timing.finalize_seconds ? fmt::format("{:.2f}", *timing.finalize_seconds * 1e3) : "-";
  });
  add(title("min"), [&](const Timing& timing) { return time(timing.summary.least); });
  add(title("median"), [&](const Timing& timing) { return time(timing.summary.median); });
  add(title("p90"), [&](const Timing& timing) { return time(timing.summary.p90); });
  add("spread", [](const Timing& timing) { return fmt::format("{:.0f} %", timing.summary.spread() * 100); });
  if (report.bytes)
    add("GB/s",
        [&](const Timing& timing) { return fmt::format("{:.2f}", rate(*report.bytes, timing) * 1e-9); });
  if (report.operations)
    add("GFLOP/s",
        [&](const Timing& timing) { return fmt::format("{:.2f}", rate(*report.operations, timing) * 1e-9); });
  add("speed", [](const Timing& timing) { return fmt::format("{:.2f}", timing.speed); });
  return aligned(columns);
}

std::string format_name(const CandidateName& name) { return fmt::format("{} ({})", name.isa, name.agent); }

/// Returns text such as "7 launches" or "7 to 9 launches".
std::string warm_up_launches(const BenchReport& report) {
  uint32_t least = UINT32_MAX, most = 0;
  for (const Timing& timing : report.timings) {
    least = std::min(least, timing.warm_up_launches);
    most = std::max(most, timing.warm_up_launches);
  }
  return fmt::format("{}{} launch{}", least == most ? "" : fmt::format("{} to ", least), most,
                     most == 1 ? "" : "es");
}

/// Returns a word that begins a line, in ten columns; "not timed" is the longest one.
std::string heading(std::string_view word) {
  return styled(1, Style::bold, word) + std::string(10 - word.size(), ' ');
}

std::string format_measurement(const BenchReport& report) {
  const size_t rounds = report.timings.front().summary.count;
  std::string text = heading("time");
  text += fmt::format("{} round{} of one launch each, after {} to warm up{}", rounds, rounds == 1 ? "" : "s",
                      warm_up_launches(report), report.restores ? "; buffers restored before each" : "");
  if (report.timings.size() > 1) text += "; speeds are relative to the first line";
  text += fmt::format("\n{}{:.2f} at the start, {:.2f} at the end, on {} processor{}\n", heading("load"),
                      report.load_at_start[0], report.load_at_end[0], report.processors,
                      report.processors == 1 ? "" : "s");
  return text;
}

std::string format_difference(const BenchReport& report, const WrongResult& wrong) {
  const Difference& difference = wrong.difference;
  const bool looks_equal = difference.expected == difference.found;
  return fmt::format(
      "{}{}: arg {}: {} of {} elements are not those of {}; the first is [{}]: {} instead of {}\n",
      heading("result"), format_name(wrong.name), wrong.argument, difference.different, difference.elements,
      format_name(report.reference), difference.first, looks_equal ? difference.found_bits : difference.found,
      looks_equal ? difference.expected_bits : difference.expected);
}

std::string format_results(const BenchReport& report) {
  if (!report.compares && report.timings.size() > 1)
    return fmt::format("{}not compared\n", heading("result"));
  if (report.wrong.empty() && report.compared > 1)
    return fmt::format("{}the same from all {}\n", heading("result"), report.compared);
  std::string text;
  for (const WrongResult& wrong : report.wrong) text += format_difference(report, wrong);
  return text;
}

/// Says what makes the times less certain.
std::string format_notes(const BenchReport& report) {
  constexpr double wide = 0.2;  // of the median
  std::string text;
  for (const Timing& timing : report.timings) {
    if (!timing.steady)
      text += fmt::format("{}{} had not become steady when its warm-up ended; see --warm-up\n",
                          heading("note"), format_name(timing.name));
    if (timing.summary.spread() > wide)
      text += fmt::format("{}the times of {} spread widely; other work on the machine may be the reason\n",
                          heading("note"), format_name(timing.name));
  }
  return text;
}

// ---- JSON ----

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (char c : printable(text)) {
    if (c == '"' || c == '\\')
      out += fmt::format("\\{}", c);
    else if (c == '\n' || c == '\t')
      out += c == '\n' ? "\\n" : "\\t";
    else
      out += c;
  }
  return out + "\"";
}

template <typename Range, typename Format>
std::string list(const Range& values, Format format) {
  std::string text;
  for (const auto& value : values) {
    const std::string item = format(value);
    text += (text.empty() ? "" : item.starts_with('\n') ? "," : ", ") + item;
  }
  return "[" + text + "]";
}

std::string number(double value) { return fmt::format("{}", value); }

std::string json_extent(const Extent& extent, uint32_t dimensions) {
  return list(std::vector<uint64_t>(extent.size, extent.size + dimensions),
              [](uint64_t size) { return fmt::format("{}", size); });
}

std::string json_name(const CandidateName& name) {
  return fmt::format("\"agent\": {}, \"isa\": {}", quoted(name.agent), quoted(name.isa));
}

std::string json_timing(const BenchReport& report, const Timing& timing) {
  const TimeSummary& summary = timing.summary;
  std::string text = fmt::format(
      "\n    {{{}, \"finalize_seconds\": {}, \"load_seconds\": {},", json_name(timing.name),
      timing.finalize_seconds ? number(*timing.finalize_seconds) : "null", number(timing.load_seconds));
  text += fmt::format("\n     \"warm_up_launches\": {}, \"steady\": {}, \"rounds\": {},",
                      timing.warm_up_launches, timing.steady, summary.count);
  text += fmt::format(
      "\n     \"min\": {}, \"p10\": {}, \"median\": {}, \"p90\": {}, \"spread\": {}, \"speed\": {},",
      number(summary.least), number(summary.p10), number(summary.median), number(summary.p90),
      number(summary.spread()), number(timing.speed));
  if (report.bytes)
    text += fmt::format("\n     \"bytes_per_second\": {},", number(rate(*report.bytes, timing)));
  if (report.operations)
    text += fmt::format("\n     \"operations_per_second\": {},", number(rate(*report.operations, timing)));
  return text + fmt::format("\n     \"times\": {}}}", list(timing.times, number));
}

std::string json_not_timed(const NotTimed& candidate) {
  return fmt::format("\n    {{{}, \"reason\": {}}}", json_name(candidate.name), quoted(candidate.reason));
}

std::string json_wrong(const WrongResult& wrong) {
  const Difference& difference = wrong.difference;
  return fmt::format(
      "\n    {{{}, \"argument\": {}, \"elements\": {}, \"different\": {}, \"first\": {}, \"expected\": {}, "
      "\"found\": {}, \"expected_bits\": {}, \"found_bits\": {}}}",
      json_name(wrong.name), wrong.argument, difference.elements, difference.different, difference.first,
      quoted(difference.expected), quoted(difference.found), quoted(difference.expected_bits),
      quoted(difference.found_bits));
}

std::string optional_number(const std::optional<uint64_t>& value) {
  return value ? fmt::format("{}", *value) : "null";
}

}  // namespace

std::string format_table(const BenchReport& report) {
  std::string text = fmt::format("{}{}  grid {}  group {}\n", heading("kernel"), report.kernel,
                                 format_extent(report.grid, report.grid.dimensions),
                                 format_extent(report.group, report.grid.dimensions));
  if (!report.timings.empty()) {
    if (!several_agents(report)) text += heading("agent") + report.timings.front().name.agent + "\n";
    text += "\n" + format_timings(report) + "\n" + format_measurement(report);
  }
  text += format_results(report) + format_notes(report);
  for (const NotTimed& candidate : report.not_timed)
    text += fmt::format("{}{}: {}\n", heading("not timed"), format_name(candidate.name), candidate.reason);
  return text;
}

std::string format_json(const BenchReport& report) {
  std::string text =
      fmt::format("{{\n  \"file\": {}, \"kernel\": {},\n", quoted(report.file), quoted(report.kernel));
  text += fmt::format("  \"grid\": {}, \"group\": {},\n", json_extent(report.grid, report.grid.dimensions),
                      json_extent(report.group, report.grid.dimensions));
  text += fmt::format("  \"bytes\": {}, \"operations\": {}, \"restores\": {}, \"compares\": {},\n",
                      optional_number(report.bytes), optional_number(report.operations), report.restores,
                      report.compares);
  text +=
      fmt::format("  \"load_at_start\": {}, \"load_at_end\": {}, \"processors\": {},\n",
                  list(report.load_at_start, number), list(report.load_at_end, number), report.processors);
  text += fmt::format("  \"assemble_seconds\": {},\n", number(report.assemble_seconds));
  text +=
      fmt::format("  \"timings\": {},\n",
                  list(report.timings, [&](const Timing& timing) { return json_timing(report, timing); }));
  text += fmt::format("  \"not_timed\": {},\n", list(report.not_timed, json_not_timed));
  return text + fmt::format("  \"wrong_results\": {}\n}}\n", list(report.wrong, json_wrong));
}

}  // namespace heddle::tools
