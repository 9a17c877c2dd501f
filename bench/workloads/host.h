// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The part that the programs of the comparison share: each of them is a host, which runs workloads in one
// kernel language, and obeys commands. bench/run.py lets them take turns.
#pragma once

#include <memory>

#include "workload.h"

namespace bench {

/// A workload whose kernels are compiled and whose buffers have their initial values. Errors are exceptions.
class Loaded {
 public:
  virtual ~Loaded() = default;
  /// Makes all launches and waits until the last one is complete.
  virtual void run() = 0;
  /// Returns what a buffer contains.
  virtual Bytes contents(size_t buffer) = 0;
};

class Host {
 public:
  virtual ~Host() = default;
  /// Says what runs the kernels, for people.
  virtual std::string name() const = 0;
  virtual std::unique_ptr<Loaded> load(const Workload& workload) = 0;
  /// Loads the other texts of the kernels, which take turns with those of load(); null if there are none.
  virtual std::unique_ptr<Loaded> load_beside(const Workload&) { return nullptr; }
};

/// What the command line of a host says.
struct Options {
  Size size = Size::measured;
  bool check = false;
  std::string kernels;  ///< a folder with other texts of the kernels; empty if none is given
  std::string beside;   ///< a folder with texts that take turns with the others; empty if none is given
  std::string isa;      ///< empty: the host chooses
  std::vector<std::string> names;
};

/// Reads the command line; on an error, or if only help or the list of workloads is wanted, writes it and
/// exits.
Options parse(int argc, char** argv);

/// Does what the options say and returns the exit code. With --check, runs each workload once and says
/// whether its results are right; 1 if one is wrong or fails. Otherwise reads commands from the standard
/// input, one a line, and answers each with a line of JSON:
///
///     load NAME  loads a workload, runs it once and checks the results: {"load_ms": 3.1, "first_ms": 2.5}
///     time N     runs the loaded workload N times: {"ms": [1.25, 1.22]}
///     pair N     runs it N times, and the texts of --beside after each: {"ms": [1.25, 1.22], "beside":
///     [1.3, 1.2]}
///
/// The answer to a command that fails is {"error": "..."}.
int serve(Host& host, const Options& options);

/// Returns a buffer's bytes at the beginning of a page, as all hosts place them, so that none has a better
/// alignment.
class PageAligned {
 public:
  explicit PageAligned(const Bytes& bytes);
  ~PageAligned();
  PageAligned(PageAligned&& other) noexcept;
  PageAligned& operator=(PageAligned&&) = delete;
  std::byte* data() const { return data_; }
  size_t size() const { return size_; }

 private:
  std::byte* data_;
  size_t size_;
};

}  // namespace bench
