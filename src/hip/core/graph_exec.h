// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Graphs that can be launched.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "hip/core/graph.h"

namespace heddle::hip {

/// Why a graph could not take over what another does.
struct UpdateFailure {
  hipGraphExecUpdateResult result;
  GraphNode* node;  ///< of the other graph; null if it is none in particular
};

/// A copy of a graph with a plan: the work in an order that respects the edges, distributed over a few
/// branches, which are streams of its device while the graph is launched. Work of one branch needs no
/// synchronisation; what depends on work of another branch waits for a marker by a barrier packet.
///
/// Functions are called with graphs_lock() held.
class GraphExec {
 public:
  /// `flags` are of hipGraphInstantiateFlags. Throws Failure (InvalidValue) if the edges make a circle;
  /// `culprit` is then a node of it.
  explicit GraphExec(const Graph& graph, unsigned long long flags, GraphNode** culprit = nullptr);

  /// Submits the work. What the stream has is done before it, what the stream is given later after it. The
  /// user objects of the graph live until the work is done.
  void launch(Stream& stream);

  const Graph& graph() const { return *graph_; }
  unsigned long long flags() const { return flags_; }
  /// Returns the copy of a node of the graph from which this was made, or of a graph in it; null if there is
  /// none.
  GraphNode* find(const GraphNode& node) const;
  /// Takes over what all nodes of a graph do, if the graph is like this one; otherwise changes nothing.
  std::optional<UpdateFailure> update(const Graph& graph);
  /// The same for a graph that is a node of this.
  static std::optional<UpdateFailure> update_child(GraphNode& own, const Graph& child);

 private:
  struct Step {
    const GraphNode* node;
    std::vector<uint32_t> dependencies;  // steps of other branches
    uint32_t branch = 0;
    bool awaited = false;  // by a step of another branch
  };
  struct Branch {
    Device* device;
    size_t number;  // among those of the device
  };
  struct Running;

  std::vector<uint32_t> append(const Graph& graph, const std::vector<uint32_t>& before);
  void choose_branches();
  void group_steps();
  void submit(const Step& step, Running& running) const;
  static void join(Stream& stream, const Running& running);
  void keep_user_objects(Stream& stream) const;
  void prepare_memory(Stream& stream) const;
  void free_allocated() const;

  unsigned long long flags_;
  std::shared_ptr<Graph> graph_;
  std::vector<Step> steps_;
  std::vector<Branch> branches_;
  std::weak_ptr<Stream> last_stream_;
};

}  // namespace heddle::hip
