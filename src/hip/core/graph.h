// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Graphs of HIP: nodes of work and the edges between them.
#pragma once

#include <hip/runtime/types.h>

#include <memory>
#include <mutex>
#include <optional>
#include <variant>
#include <vector>

#include "hip/core/event.h"
#include "hip/core/graph_memory.h"
#include "hip/core/handles.h"
#include "hip/core/launch.h"
#include "hip/core/user_object.h"

namespace heddle::hip {

class Graph;
class GraphExec;

/// A launch of a kernel, checked, with a copy of its arguments. It does not change once it is made.
class KernelNode {
 public:
  /// Throws Failure, as a launch would.
  KernelNode(const hipKernelNodeParams& params, const Function& function);
  KernelNode(const void* host, const Function& function, const LaunchShape& shape,
             const LaunchArguments& arguments);
  KernelNode(const KernelNode&) = delete;
  KernelNode& operator=(const KernelNode&) = delete;

  const PreparedLaunch& launch() const { return launch_; }
  /// What hipGraphKernelNodeGetParams() says; the arguments are those of this object.
  const hipKernelNodeParams& params() const { return params_; }

 private:
  PreparedLaunch launch_;
  std::vector<void*> each_;
  hipKernelNodeParams params_{};
};

struct CopyBytes {
  void* to = nullptr;
  const void* from = nullptr;
  size_t size = 0;
  hipMemcpyKind kind = hipMemcpyDefault;
};

/// A copy to or from a variable of device code.
struct CopySymbol {
  bool to_symbol = false;
  const void* symbol = nullptr;
  const void* other = nullptr;
  size_t size = 0;
  size_t offset = 0;
  hipMemcpyKind kind = hipMemcpyDefault;
};

struct ChildGraph {
  std::shared_ptr<Graph> graph;
};

struct NoWork {};

struct EventWork {
  bool records = false;  ///< otherwise it waits
  hipEvent_t handle = nullptr;
  std::shared_ptr<Event> event;
};

/// Allocates memory, with what the program said of it.
struct AllocateWork {
  std::shared_ptr<GraphMemory> memory;
  hipMemAllocNodeParams params;
  std::shared_ptr<const std::vector<hipMemAccessDesc>> access;  // to which the parameters point
};

struct FreeWork {
  std::shared_ptr<GraphMemory> memory;
};

using Work =
    std::variant<std::shared_ptr<const KernelNode>, hipMemcpy3DParms, CopyBytes, CopySymbol, hipMemsetParams,
                 hipHostNodeParams, ChildGraph, NoWork, EventWork, HIP_MEMCPY3D, AllocateWork, FreeWork>;

hipGraphNodeType type_of(const Work& work);

/// What a launch of a kernel node is told besides its shape.
struct KernelAttributes {
  hipAccessPolicyWindow window{};
  int cooperative = 0;
  int priority = 0;
};

/// Where the memory is that a copy or fill writes and reads, and the kind of the copy.
struct Operands {
  static constexpr int host = -1;  ///< also memory that the library does not know, which is the program's own
  int to = host, from = host;      ///< numbers of devices
  std::optional<hipMemcpyKind> kind = std::nullopt;  ///< if the program has said one
};

struct GraphNode {
  Graph& graph;
  uint64_t id;      ///< of this node, in the process
  uint64_t origin;  ///< id of the node that it was cloned from; its own for others
  Device* device;   ///< where the work is done
  Work work;
  std::vector<GraphNode*> dependencies, dependents;
  KernelAttributes attributes = {};
  bool enabled = true;  ///< whether launches do the work; only nodes of instantiated graphs can be disabled
  Operands operands =
      {};  ///< of nodes of instantiated graphs: what they keep, whatever becomes of the memory
};

/// What a graph and the graphs in it keep alive. Whoever changes or destroys a graph holds this until
/// graphs_lock() is released: the functions of programs that end objects run without it, and memory that ends
/// waits for the work that uses it.
struct KeptByGraph {
  UserObjects objects;
  std::vector<std::shared_ptr<GraphMemory>> memory;
};

/// Functions are called with graphs_lock() held.
class Graph {
 public:
  /// Whether programs know the nodes by handles. Instantiated graphs have copies that they do not know.
  enum class Visible : bool { no, yes };

  explicit Graph(Visible visible) : visible_(visible) {}
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  /// Adds a node. The dependencies are different nodes of this graph.
  GraphNode& add(Work work, Device& device, const std::vector<GraphNode*>& dependencies);
  void remove(GraphNode& node);
  const std::vector<std::shared_ptr<GraphNode>>& nodes() const { return nodes_; }
  /// Returns a copy, also of the graphs in it.
  std::shared_ptr<Graph> clone(Visible visible) const;
  /// Returns the nodes such that each follows all that it depends on. Throws Failure (InvalidValue) if edges
  /// make a circle; `culprit` is then a node of it.
  std::vector<GraphNode*> ordered(GraphNode** culprit = nullptr) const;

  uint64_t origin = 0;  ///< id of the graph that this was cloned from; 0 if none
  const uint64_t id = next_id();
  /// Whether it belongs to a node, or takes the nodes of a capture: then the program must not destroy it.
  bool of_node = false, captures = false;
  /// What this graph keeps alive; copies of it do so, too.
  UserObjects user_objects;
  /// Returns what this graph and the graphs in it keep alive.
  UserObjects all_user_objects() const;
  KeptByGraph all_kept() const;
  /// Whether this graph, or one in it, takes the nodes of a capture.
  bool is_captured_into() const;
  /// Whether this graph, or one in it, allocates or frees memory. Such graphs cannot be copied, nor lose
  /// nodes or edges, and are instantiated once at a time.
  bool has_memory_nodes() const;
  /// What was instantiated of this graph last.
  std::weak_ptr<const GraphExec> executable;

  static uint64_t next_id();

 private:
  void add_memory(std::vector<std::shared_ptr<GraphMemory>>& memory) const;

  Visible visible_;
  std::vector<std::shared_ptr<GraphNode>> nodes_;
};

void add_edge(GraphNode& from, GraphNode& to);
bool has_edge(const GraphNode& from, const GraphNode& to);
void remove_edge(GraphNode& from, GraphNode& to);

/// Everything that programs know of graphs by handles.
struct GraphHandles {
  Handles<Graph, hipGraph_t> graphs;
  Handles<GraphNode, hipGraphNode_t> nodes;
  Handles<GraphExec, hipGraphExec_t> executables;

  static GraphHandles& get();
};

/// Graphs, captures and what streams and events know of them change under one lock, which is taken before
/// that of a device.
std::unique_lock<std::recursive_mutex> graphs_lock();

/// These find what a handle names. Throw Failure (InvalidValue) if there is no such object.
std::shared_ptr<Graph> find_graph(hipGraph_t handle);
GraphNode& find_node(hipGraphNode_t handle);
std::shared_ptr<GraphExec> find_executable(hipGraphExec_t handle);
/// The same for a list of different nodes of one graph.
std::vector<GraphNode*> find_nodes(const Graph& graph, const hipGraphNode_t* handles, size_t count);

hipGraph_t handle_of(Graph& graph);
hipGraphNode_t handle_of(GraphNode& node);

}  // namespace heddle::hip
