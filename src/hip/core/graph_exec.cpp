// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hip/core/graph_exec.h"

#include <algorithm>
#include <cassert>
#include <set>
#include <unordered_map>

#include "hip/core/cooperative.h"
#include "hip/core/failure.h"
#include "hip/core/graph_update.h"
#include "hip/core/graph_work.h"

namespace heddle::hip {
namespace {

/// So many branches of a device at most: as many as streams of normal priority have queues.
constexpr size_t most_branches = 4;

GraphNode* find_in(const Graph& graph, uint64_t origin) {
  for (const auto& node : graph.nodes()) {
    if (node->origin == origin) return node.get();
    if (const auto* const child = std::get_if<ChildGraph>(&node->work))
      if (GraphNode* const found = find_in(*child->graph, origin)) return found;
  }
  return nullptr;
}

std::optional<UpdateFailure> compare(const Graph& own, const Graph& other);

/// Returns the memory that work allocates or frees; null for other work.
const GraphMemory* memory_of(const Work& work) {
  if (const auto* const allocate = std::get_if<AllocateWork>(&work)) return allocate->memory.get();
  const auto* const free = std::get_if<FreeWork>(&work);
  return free == nullptr ? nullptr : free->memory.get();
}

std::optional<UpdateFailure> compare(const GraphNode& own, GraphNode& other) {
  if (type_of(own.work) != type_of(other.work))
    return UpdateFailure{hipGraphExecUpdateErrorNodeTypeChanged, &other};
  if (own.device != other.device) return UpdateFailure{hipGraphExecUpdateErrorNotSupported, &other};
  if (const auto* const child = std::get_if<ChildGraph>(&own.work))
    return compare(*child->graph, *std::get<ChildGraph>(other.work).graph);
  if (memory_of(own.work) != memory_of(other.work) || !can_become(own, other.work))
    return UpdateFailure{hipGraphExecUpdateErrorParametersChanged, &other};
  return std::nullopt;
}

/// Returns the places of the nodes that a node depends on, in ascending order.
std::vector<size_t> places(const Graph& graph, const std::vector<GraphNode*>& nodes) {
  std::vector<size_t> found;
  for (size_t i = 0; i < graph.nodes().size(); ++i)
    if (std::ranges::find(nodes, graph.nodes()[i].get()) != nodes.end()) found.push_back(i);
  return found;
}

std::optional<UpdateFailure> compare(const Graph& own, const Graph& other) {
  if (own.nodes().size() != other.nodes().size())
    return UpdateFailure{hipGraphExecUpdateErrorTopologyChanged, nullptr};
  for (size_t i = 0; i < own.nodes().size(); ++i) {
    const GraphNode& node = *own.nodes()[i];
    GraphNode& counterpart = *other.nodes()[i];
    if (node.dependencies.size() != counterpart.dependencies.size() ||
        places(own, node.dependencies) != places(other, counterpart.dependencies))
      return UpdateFailure{hipGraphExecUpdateErrorTopologyChanged, &counterpart};
    if (auto failure = compare(node, counterpart)) return failure;
  }
  return std::nullopt;
}

void take_over(Graph& own, const Graph& other) {
  own.user_objects = other.user_objects;
  for (size_t i = 0; i < own.nodes().size(); ++i) {
    Work& work = own.nodes()[i]->work;
    const Work& replacement = other.nodes()[i]->work;
    if (const auto* const child = std::get_if<ChildGraph>(&work))
      take_over(*child->graph, *std::get<ChildGraph>(replacement).graph);
    else
      work = replacement;
    own.nodes()[i]->attributes = other.nodes()[i]->attributes;
  }
}

std::optional<UpdateFailure> update_graph(Graph& own, const Graph& other) {
  if (auto failure = compare(own, other)) return failure;
  take_over(own, other);
  return std::nullopt;
}

}  // namespace

GraphExec::GraphExec(const Graph& graph, unsigned long long flags, GraphNode** culprit) : flags_(flags) {
  if (culprit != nullptr) graph.ordered(culprit);  // tells of a circle by a node that the program knows
  graph_ = graph.clone(Graph::Visible::no);
  note_operands(*graph_);
  append(*graph_, {});
  choose_branches();
  group_steps();
}

/// Adds steps for the nodes of a graph, which follow the steps `before`. Returns the steps that must be done
/// for the graph to be. Empty nodes and child graphs are no steps: they only pass dependencies on.
std::vector<uint32_t> GraphExec::append(const Graph& graph, const std::vector<uint32_t>& before) {
  std::unordered_map<const GraphNode*, std::vector<uint32_t>> ends;
  std::vector<uint32_t> leaves;
  for (const GraphNode* const node : graph.ordered()) {
    std::vector<uint32_t> needed;
    for (const GraphNode* const dependency : node->dependencies) {
      const auto& steps = ends.at(dependency);
      needed.insert(needed.end(), steps.begin(), steps.end());
    }
    if (node->dependencies.empty()) needed = before;
    std::ranges::sort(needed);
    needed.erase(std::ranges::unique(needed).begin(), needed.end());
    if (const auto* const child = std::get_if<ChildGraph>(&node->work)) {
      auto inside = append(*child->graph, needed);
      ends[node] = std::move(inside);
    } else if (std::holds_alternative<NoWork>(node->work)) {
      ends[node] = std::move(needed);
    } else {
      ends[node] = {static_cast<uint32_t>(steps_.size())};
      steps_.push_back({node, std::move(needed)});
    }
    if (node->dependents.empty()) leaves.insert(leaves.end(), ends[node].begin(), ends[node].end());
  }
  return graph.nodes().empty() ? before : leaves;
}

/// A step continues the branch of a step that it depends on, if nothing else has; otherwise it begins a
/// branch, or joins the shortest if there are enough.
void GraphExec::choose_branches() {
  std::vector<uint32_t> last, length;
  const auto begin = [&](Device* device) {
    const auto number = static_cast<size_t>(std::ranges::count(branches_, device, &Branch::device));
    branches_.push_back({device, number});
    last.push_back(UINT32_MAX);
    length.push_back(0);
    return static_cast<uint32_t>(branches_.size() - 1);
  };
  for (uint32_t i = 0; i < steps_.size(); ++i) {
    Step& step = steps_[i];
    Device* const device = step.node->device;
    std::optional<uint32_t> chosen;
    for (const uint32_t needed : step.dependencies) {
      const uint32_t branch = steps_[needed].branch;
      if (last[branch] == needed && branches_[branch].device == device) chosen = branch;
    }
    if (!chosen &&
        std::ranges::count(branches_, device, &Branch::device) < static_cast<std::ptrdiff_t>(most_branches))
      chosen = begin(device);
    for (uint32_t b = 0; !chosen && b < branches_.size(); ++b)
      if (branches_[b].device == device && std::ranges::all_of(branches_, [&](const Branch& other) {
            return other.device != device ||
                   length[b] <= length[static_cast<size_t>(&other - branches_.data())];
          }))
        chosen = b;
    assert(chosen);
    step.branch = *chosen;
    last[*chosen] = i;
    ++length[*chosen];
  }
  for (Step& step : steps_) {
    std::erase_if(step.dependencies, [&](uint32_t needed) { return steps_[needed].branch == step.branch; });
    for (const uint32_t needed : step.dependencies) steps_[needed].awaited = true;
  }
}

/// Brings steps of one branch together as far as their dependencies allow it, so that their packets become
/// visible to the agent at once.
void GraphExec::group_steps() {
  std::vector<std::vector<uint32_t>> waiting(branches_.size());
  for (uint32_t i = 0; i < steps_.size(); ++i) waiting[steps_[i].branch].push_back(i);
  std::vector<size_t> next(branches_.size());
  std::vector<uint32_t> place(steps_.size(), UINT32_MAX);
  std::vector<Step> grouped;
  const auto ready = [&](uint32_t step) {
    return std::ranges::all_of(steps_[step].dependencies, [&](uint32_t d) { return place[d] != UINT32_MAX; });
  };
  while (grouped.size() < steps_.size())
    for (size_t b = 0; b < branches_.size(); ++b)
      for (; next[b] < waiting[b].size() && ready(waiting[b][next[b]]); ++next[b]) {
        const uint32_t step = waiting[b][next[b]];
        place[step] = static_cast<uint32_t>(grouped.size());
        grouped.push_back(steps_[step]);
      }
  for (Step& step : grouped)
    for (uint32_t& needed : step.dependencies) needed = place[needed];
  steps_ = std::move(grouped);
}

/// A launch that is being submitted.
struct GraphExec::Running {
  std::vector<Stream*> streams;        // of the branches
  std::vector<MarkerPointer> markers;  // of the steps that are awaited
  std::optional<Stream::Batch> batch;  // of the kernels that were submitted last
  const Stream* batching = nullptr;

  void end_batch() {
    batch.reset();
    batching = nullptr;
  }
};

void GraphExec::submit(const Step& step, Running& running) const {
  Stream& stream = *running.streams[step.branch];
  const auto* const own = std::get_if<std::shared_ptr<const KernelNode>>(&step.node->work);
  const bool apart = !step.node->enabled || step.node->attributes.cooperative != 0;
  const auto* const kernel = apart ? nullptr : own;
  if (running.batching != &stream || kernel == nullptr || !step.dependencies.empty()) running.end_batch();
  if (!step.dependencies.empty()) {
    std::vector<MarkerPointer> markers;
    markers.reserve(step.dependencies.size());
    for (const uint32_t needed : step.dependencies) markers.push_back(running.markers[needed]);
    stream.wait_for(markers);
  }
  if (kernel != nullptr) {
    if (environment.serialize_kernel != serialize_none) running.end_batch();
    const Serialized serialized(stream, environment.serialize_kernel);
    if (running.batching == nullptr) running.batch.emplace(stream);
    running.batching = &stream;
    running.batch->launch((*kernel)->launch().packet, (*kernel)->launch().arguments);
    if (environment.serialize_kernel != serialize_none) running.end_batch();
  } else if (step.node->enabled) {
    if (own != nullptr)
      launch_cooperative((*own)->launch(), stream);
    else
      do_work(step.node->work, stream);
  }
  if (step.awaited) running.markers[static_cast<size_t>(&step - steps_.data())] = stream.mark();
}

/// Checks that memory which the graph allocates is not allocated, and that what it only frees is. With the
/// flag for it, what an earlier launch has left allocated is freed.
void GraphExec::prepare_memory(Stream& stream) const {
  std::set<const GraphMemory*> own;
  for (const Step& step : steps_) {
    const auto* const work = std::get_if<AllocateWork>(&step.node->work);
    if (work == nullptr) continue;
    own.insert(work->memory.get());
    if (!work->memory->allocated()) continue;
    if ((flags_ & hipGraphInstantiateFlagAutoFreeOnLaunch) == 0)
      throw Failure(hipErrorInvalidValue, "memory of an earlier launch was not freed");
    work->memory->free(&stream);
  }
  for (const Step& step : steps_)
    if (const auto* const work = std::get_if<FreeWork>(&step.node->work))
      if (!own.contains(work->memory.get()) && !work->memory->allocated())
        throw Failure(hipErrorInvalidValue, "the memory that a node frees is not allocated");
}

/// Frees what a launch that failed halfway has allocated, so that the next one can allocate it.
void GraphExec::free_allocated() const {
  for (const Step& step : steps_)
    if (const auto* const work = std::get_if<AllocateWork>(&step.node->work))
      if (work->memory->allocated()) work->memory->free(nullptr);
}

void GraphExec::launch(Stream& stream) {
  for (const Step& step : steps_)
    if (const auto* const kernel = std::get_if<std::shared_ptr<const KernelNode>>(&step.node->work))
      if ((*kernel)->launch().function.program.output_is_pressing()) step.node->device->synchronize();
  const auto last = last_stream_.lock();
  if (last != nullptr && last.get() != &stream) stream.wait_for(last->mark());
  last_stream_ = stream.weak_from_this();

  Running running;
  running.markers.resize(steps_.size());
  stream.begin();
  prepare_memory(stream);
  const MarkerPointer start = branches_.size() > 1 ? stream.mark() : nullptr;
  for (const Branch& branch : branches_) {
    const bool own = branch.device == &stream.device() && branch.number == 0;
    running.streams.push_back(own ? &stream : &branch.device->branch_stream(branch.number));
    if (!own) running.streams.back()->wait_for(start);
  }
  try {
    for (const Step& step : steps_) submit(step, running);
    running.end_batch();
    join(stream, running);
    keep_user_objects(stream);
  } catch (...) {
    // What was submitted may use what the program destroys after the failure, and nothing else waits for it.
    running.end_batch();
    for (Stream* const branch : running.streams) branch->finish();
    free_allocated();
    throw;
  }
}

/// Lets later work of the stream that a graph is launched in follow the work of all branches.
void GraphExec::join(Stream& stream, const Running& running) {
  std::vector<MarkerPointer> ends;
  for (Stream* const branch : running.streams)
    if (branch != &stream) ends.push_back(branch->mark());
  stream.wait_for(ends);
}

/// Holds what the graph keeps alive until the work of the stream is done, even if the graph is destroyed
/// before. The references end before the marker is reached: after the host has waited for the stream, an
/// object of a graph that no longer exists has ended, too.
void GraphExec::keep_user_objects(Stream& stream) const {
  auto objects = graph_->all_user_objects();
  if (objects.empty()) return;
  stream.run_until([kept = std::move(objects)](const MarkerPointer& end) mutable {
    kept.clear();
    end->finish();
  });
}

GraphNode* GraphExec::find(const GraphNode& node) const { return find_in(*graph_, node.id); }

std::optional<UpdateFailure> GraphExec::update(const Graph& graph) { return update_graph(*graph_, graph); }

std::optional<UpdateFailure> GraphExec::update_child(GraphNode& own, const Graph& child) {
  return update_graph(*std::get<ChildGraph>(own.work).graph, child);
}

}  // namespace heddle::hip
