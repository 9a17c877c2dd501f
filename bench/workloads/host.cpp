// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "host.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <new>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t page = 4096;
constexpr unsigned most_runs = 10000;

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

const Entry* find(std::string_view name) {
  const auto all = workloads();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Entry& e) { return name == e.name; });
  return found == all.end() ? nullptr : &*found;
}

/// Throws unless all results are right.
void check_results(const Workload& workload, Loaded& loaded) {
  for (size_t i = 0; i < workload.buffers.size(); ++i) {
    const Buffer& buffer = workload.buffers[i];
    if (!buffer.expected) continue;
    const std::string wrong = difference(buffer, loaded.contents(i));
    if (!wrong.empty()) throw std::runtime_error("buffer " + std::to_string(i) + ": " + wrong);
  }
}

/// Writes a string of JSON.
std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  return out + '"';
}

/// The commands of serve().
class Server {
 public:
  Server(Host& host, Size size) : host_(host), size_(size) {}

  /// Returns the answer to a command.
  std::string answer(const std::string& line) {
    const auto space = line.find(' ');
    if (space == std::string::npos) throw std::runtime_error("a command has an argument");
    const std::string command = line.substr(0, space), argument = line.substr(space + 1);
    if (command == "load") return load(argument);
    if (command == "time") return time(argument);
    if (command == "pair") return pair(argument);
    throw std::runtime_error("unknown command: " + command);
  }

 private:
  std::string load(const std::string& name) {
    loaded_.reset();
    beside_.reset();
    const Entry* entry = find(name);
    if (entry == nullptr) throw std::runtime_error("no such workload: " + name);
    const Workload workload = entry->make(size_);
    auto start = Clock::now();
    auto loaded = host_.load(workload);
    const double load_ms = milliseconds_since(start);
    start = Clock::now();
    loaded->run();
    const double first_ms = milliseconds_since(start);
    check_results(workload, *loaded);
    loaded_ = std::move(loaded);
    beside_ = host_.load_beside(workload);
    if (beside_) {
      beside_->run();
      check_results(workload, *beside_);
    }
    char text[100];
    std::snprintf(text, sizeof text, "{\"load_ms\": %.3f, \"first_ms\": %.4f, \"problem\": ", load_ms,
                  first_ms);
    return text + quoted(workload.problem) + "}";
  }

  std::string time(const std::string& count) {
    if (!loaded_) throw std::runtime_error("nothing is loaded");
    std::vector<double> times(number_of_runs(count));
    for (double& time : times) time = timed(*loaded_);
    return "{\"ms\": " + list(times) + "}";
  }

  std::string pair(const std::string& count) {
    if (!loaded_ || !beside_) throw std::runtime_error("nothing is loaded, or nothing beside it");
    std::vector<double> times(number_of_runs(count)), others(times.size());
    for (size_t i = 0; i < times.size(); ++i) {
      // Who comes first finds caches and processors as the other has left them, so they take turns in this,
      // too.
      if (i % 2 == 0) times[i] = timed(*loaded_);
      others[i] = timed(*beside_);
      if (i % 2 != 0) times[i] = timed(*loaded_);
    }
    return "{\"ms\": " + list(times) + ", \"beside\": " + list(others) + "}";
  }

  static unsigned number_of_runs(const std::string& text) {
    unsigned runs = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), runs);
    if (error != std::errc() || end != text.data() + text.size() || runs == 0 || runs > most_runs)
      throw std::runtime_error("not a number of runs: " + text);
    return runs;
  }

  static double timed(Loaded& loaded) {
    const auto start = Clock::now();
    loaded.run();
    return milliseconds_since(start);
  }

  static std::string list(const std::vector<double>& times) {
    std::string out = "[";
    for (const double time : times) {
      char text[40];
      std::snprintf(text, sizeof text, "%s%.5f", out.size() == 1 ? "" : ", ", time);
      out += text;
    }
    return out + "]";
  }

  Host& host_;
  Size size_;
  std::unique_ptr<Loaded> loaded_;
  std::unique_ptr<Loaded> beside_;
};

int serve_commands(Host& host, Size size) {
  Server server(host, size);
  std::cout << "{\"host\": " << quoted(host.name()) << "}" << std::endl;
  for (std::string line; std::getline(std::cin, line);) {
    std::string answer;
    try {
      answer = server.answer(line);
    } catch (const std::exception& error) {
      answer = "{\"error\": " + quoted(error.what()) + "}";
    }
    std::cout << answer << std::endl;
  }
  return 0;
}

int check_all(Host& host, const Options& options) {
  bool all_right = true;
  for (const Entry& entry : workloads()) {
    if (!options.names.empty() &&
        std::find(options.names.begin(), options.names.end(), entry.name) == options.names.end())
      continue;
    try {
      const Workload workload = entry.make(options.size);
      const auto loaded = host.load(workload);
      loaded->run();
      check_results(workload, *loaded);
      std::printf("%-16s right\n", entry.name);
    } catch (const std::exception& error) {
      std::printf("%-16s %s\n", entry.name, error.what());
      all_right = false;
    }
    std::fflush(stdout);
  }
  return all_right ? 0 : 1;
}

[[noreturn]] void usage(const char* program) {
  std::fprintf(
      stderr,
      "usage: %s [--small] [--isa NAME] [--kernels FOLDER] [--beside FOLDER] (--list | --check "
      "[WORKLOAD...])\n"
      "Without --list and --check, reads commands: \"load WORKLOAD\", \"time RUNS\", \"pair RUNS\".\n",
      program);
  std::exit(2);
}

}  // namespace

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    const bool has_value = i + 1 < argc;
    if (word == "--small")
      options.size = Size::small;
    else if (word == "--check")
      options.check = true;
    else if (word == "--isa" && has_value)
      options.isa = argv[++i];
    else if (word == "--kernels" && has_value)
      options.kernels = argv[++i];
    else if (word == "--beside" && has_value)
      options.beside = argv[++i];
    else if (word == "--list") {
      for (const Entry& entry : workloads()) std::printf("%s\n", entry.name);
      std::exit(0);
    } else if (find(word) != nullptr)
      options.names.emplace_back(word);
    else
      usage(argv[0]);
  }
  if (!options.names.empty() && !options.check) usage(argv[0]);
  return options;
}

int serve(Host& host, const Options& options) {
  return options.check ? check_all(host, options) : serve_commands(host, options.size);
}

PageAligned::PageAligned(const Bytes& bytes)
    : data_(
          static_cast<std::byte*>(::operator new(std::max<size_t>(bytes.size(), 1), std::align_val_t{page}))),
      size_(bytes.size()) {
  std::memcpy(data_, bytes.data(), size_);
}

PageAligned::~PageAligned() { ::operator delete(data_, std::align_val_t{page}); }

PageAligned::PageAligned(PageAligned&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

}  // namespace bench
