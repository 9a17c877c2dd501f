// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One field, one kernel, all agents: each computes as many rows as its speed allows. Their queues wait for
// each other after each step without the host, which only enqueues. The result is compared with the host's.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <optional>
#include <vector>

#include "common/example.h"
#include "common/picture.h"
#include "hetero/band.h"

namespace {

using namespace examples;
using Bands = std::vector<std::unique_ptr<Band>>;

struct Options {
  Reaction reaction;
  uint32_t steps = 3000;
  std::string module = HETERO_KERNELS "/reaction.brig";
  std::string out;
  bool all = false;
};

constexpr const char* usage =
    "usage: heddle-hetero [options]\n"
    "  --size WIDTHxHEIGHT   cells of the field (default 320x240)\n"
    "  --steps N             (default 3000)\n"
    "  --out FILE            write a picture in PNG\n"
    "  --kernel FILE         the BRIG module\n"
    "  --all                 give a row also to agents that are too slow for one\n"
    "HEDDLE_AGENTS chooses the agents. Exit code: 0, 1 if the result is wrong or something failed, 2 wrong "
    "usage.\n";

/** Returns whether the text is a number from 1 to `largest`, and sets it. */
bool number(const char* text, uint32_t largest, uint32_t& value, char end = 0, const char** rest = nullptr) {
  char* stop = nullptr;
  const unsigned long long read = std::strtoull(text, &stop, 10);
  if (*text < '0' || *text > '9' || *stop != end || read == 0 || read > largest) return false;
  value = static_cast<uint32_t>(read);
  if (rest != nullptr) *rest = stop + 1;
  return true;
}

std::optional<Options> parse(int argc, char** argv) {
  constexpr uint32_t largest_side = 16384, most_steps = 100'000;
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--all") {
      options.all = true;
      continue;
    }
    const char* value = ++i < argc ? argv[i] : "";
    const char* height = nullptr;
    bool good = i < argc;
    if (word == "--size")
      good = number(value, largest_side, options.reaction.width, 'x', &height) &&
             number(height, largest_side, options.reaction.height);
    else if (word == "--steps")
      good = number(value, most_steps, options.steps);
    else if (word == "--out")
      options.out = value;
    else if (word == "--kernel")
      options.module = value;
    else
      good = false;
    if (!good) return std::nullopt;
  }
  return options;
}

struct Measured {
  std::unique_ptr<Band> band;
  double speed;  ///< rows in a millisecond
};

/** Measures all agents. Unless all are wanted, leaves out those that are too slow for half a row. */
std::vector<Measured> measure(Bands bands, const Options& options) {
  std::vector<Measured> result;
  double sum = 0;
  for (auto& band : bands) {
    const double speed = band->measure();
    sum += speed;
    result.push_back({std::move(band), speed});
  }
  if (!options.all)
    std::erase_if(result,
                  [&](const Measured& one) { return one.speed / sum * options.reaction.height < 0.5; });
  if (result.size() > options.reaction.height) throw Error("there are more agents than rows");
  return result;
}

/** Gives each band rows in proportion to its speed, at least one. Returns those that have rows. */
Bands share(Bands bands, const Options& options) {
  std::vector<Measured> measured = measure(std::move(bands), options);
  double speed_left = 0;
  for (const Measured& one : measured) speed_left += one.speed;
  uint32_t first = 0;
  Bands result;
  for (auto& [band, speed] : measured) {
    const uint32_t rows_left = options.reaction.height - first;
    const auto others = static_cast<uint32_t>(measured.size() - result.size() - 1);
    const auto wanted = static_cast<uint32_t>(std::lround(rows_left * speed / speed_left));
    const uint32_t rows = others == 0 ? rows_left : std::clamp(wanted, 1U, rows_left - others);
    band->take(first, rows, options.steps);
    std::printf("hetero: %s computes rows %u to %u (alone %.3g rows a millisecond)\n", band->agent().c_str(),
                first, first + rows - 1, speed);
    first += rows;
    speed_left -= speed;
    result.push_back(std::move(band));
  }
  return result;
}

/** Does all steps. Returns the time in milliseconds. */
double compute(const Bands& bands, uint32_t steps) {
  constexpr uint32_t ahead = 64;  // so that the queues are never full, and the host sleeps instead of looking
  const auto start = std::chrono::steady_clock::now();
  const size_t count = bands.size();
  for (uint32_t step = 0; step < steps; ++step) {
    for (size_t i = 0; i < count; ++i)
      bands[i]->enqueue(step, *bands[(i + count - 1) % count], *bands[(i + 1) % count]);
    if (step >= ahead)
      for (const auto& band : bands) band->finish(step - ahead);
  }
  for (const auto& band : bands) band->finish(steps - 1);
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

/** Computes the same on the host and describes the first difference. Returns an empty text if there is none.
 */
std::string mistake_in(const Fields& fields, const Options& options) {
  const size_t cells = options.reaction.cells();
  std::vector<float> u(cells), v(cells), u_out(cells), v_out(cells);
  plant(options.reaction, u.data(), v.data());
  for (uint32_t i = 0; i < options.steps; ++i) {
    step(options.reaction, u.data(), v.data(), u_out.data(), v_out.data());
    u.swap(u_out);
    v.swap(v_out);
  }
  const std::string mistake = compare(fields.u[options.steps % 2], u);
  return mistake.empty() ? compare(fields.v[options.steps % 2], v) : mistake;
}

bool run(const Options& options) {
  const Runtime runtime;
  const std::vector<Agent> agents = kernel_agents();
  if (agents.empty()) throw Error("there is no kernel agent");
  Fields fields(agents.front(), options.reaction);
  plant(options.reaction, fields.u[0].data(), fields.v[0].data());
  Bands bands;
  for (const Agent& agent : agents)
    bands.push_back(std::make_unique<Band>(agent, options.module, options.reaction, fields));
  bands = share(std::move(bands), options);
  const double time = compute(bands, options.steps);

  const std::string mistake = mistake_in(fields, options);
  const double rate = static_cast<double>(options.reaction.cells()) * options.steps / time / 1e3;
  std::printf("hetero: %u x %u cells, %u steps on %zu agents: %s, %.0f ms, %.3g million cells a second\n",
              options.reaction.width, options.reaction.height, options.steps, bands.size(),
              mistake.empty() ? "OK" : mistake.c_str(), time, rate);
  if (!options.out.empty()) {
    const auto pixels = picture_of(options.reaction, fields.v[options.steps % 2].data());
    write_png(options.out, options.reaction.width, options.reaction.height, pixels.data());
  }
  return mistake.empty();
}

}  // namespace

int main(int argc, char** argv) {
  const auto options = parse(argc, argv);
  if (!options) {
    std::fputs(usage, stderr);
    return 2;
  }
  try {
    return run(*options) ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "hetero: %s\n", error.what());
    return 1;
  }
}
