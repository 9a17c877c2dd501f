// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hip/core/graph_dot.h"

#include <fmt/format.h>

#include <array>
#include <iterator>

namespace heddle::hip {
namespace {

constexpr std::array names{"none",
                           "kernel",
                           "memcpy",
                           "memset",
                           "host",
                           "graph",
                           "empty",
                           "wait event",
                           "event record",
                           "memcpy",
                           "memcpy from symbol",
                           "memcpy to symbol",
                           "allocate",
                           "free"};
static_assert(names.size() == hipGraphNodeTypeCount);

bool wants(unsigned flags, hipGraphDebugDotFlags what) {
  return (flags & (unsigned{hipGraphDebugDotFlagsVerbose} | static_cast<unsigned>(what))) != 0;
}

/// Tells what nodes do, a line for each thing; empty for what nobody asked for.
struct Telling {
  const GraphNode& node;
  unsigned flags;

  std::string operator()(const std::shared_ptr<const KernelNode>& work) const {
    const hipKernelNodeParams& p = work->params();
    std::string told = "\\n" + work->launch().function.kernel.name;
    if (wants(flags, hipGraphDebugDotFlagsKernelNodeParams))
      told +=
          fmt::format("\\ngrid {} x {} x {}, blocks of {} x {} x {}, {} bytes of shared memory", p.gridDim.x,
                      p.gridDim.y, p.gridDim.z, p.blockDim.x, p.blockDim.y, p.blockDim.z, p.sharedMemBytes);
    if (wants(flags, hipGraphDebugDotFlagsKernelNodeAttributes))
      told += fmt::format("\\ncooperative {}, priority {}", node.attributes.cooperative,
                          node.attributes.priority);
    return told;
  }
  std::string operator()(const CopyBytes& work) const {
    return copy(fmt::format("{} bytes from {} to {}", work.size, fmt::ptr(work.from), fmt::ptr(work.to)));
  }
  std::string operator()(const CopySymbol& work) const {
    return copy(
        fmt::format("{} bytes at {} of a variable, {}", work.size, work.offset, fmt::ptr(work.other)));
  }
  std::string operator()(const hipMemcpy3DParms& work) const {
    return copy(fmt::format("{} x {} x {} from {} to {}", work.extent.width, work.extent.height,
                            work.extent.depth, fmt::ptr(work.srcPtr.ptr), fmt::ptr(work.dstPtr.ptr)));
  }
  std::string operator()(const HIP_MEMCPY3D& work) const {
    return copy(fmt::format("{} x {} x {}", work.WidthInBytes, work.Height, work.Depth));
  }
  std::string operator()(const hipMemsetParams& work) const {
    if (!wants(flags, hipGraphDebugDotFlagsMemsetNodeParams)) return {};
    return fmt::format("\\n{} x {} elements of {} bytes at {}, value {}", work.width, work.height,
                       work.elementSize, fmt::ptr(work.dst), work.value);
  }
  std::string operator()(const hipHostNodeParams& work) const {
    if (!wants(flags, hipGraphDebugDotFlagsHostNodeParams)) return {};
    return fmt::format("\\nfunction {}, data {}", fmt::ptr(reinterpret_cast<const void*>(work.fn)),
                       fmt::ptr(work.userData));
  }
  std::string operator()(const EventWork& work) const {
    if (!wants(flags, hipGraphDebugDotFlagsEventNodeParams)) return {};
    return fmt::format("\\nevent {}", fmt::ptr(work.handle));
  }
  std::string operator()(const AllocateWork& work) const {
    return fmt::format("\\n{} bytes at {}", work.params.bytesize, work.params.dptr);
  }
  std::string operator()(const FreeWork& work) const {
    return fmt::format("\\n{}", fmt::ptr(work.memory->address()));
  }
  std::string operator()(const ChildGraph&) const { return {}; }
  std::string operator()(const NoWork&) const { return {}; }

 private:
  std::string copy(const std::string& told) const {
    return wants(flags, hipGraphDebugDotFlagsMemcpyNodeParams) ? "\\n" + told : std::string();
  }
};

void write(std::string& to, const Graph& graph, unsigned flags) {
  for (const auto& node : graph.nodes()) {
    const auto type = static_cast<size_t>(type_of(node->work));
    to += fmt::format("  node_{} [label=\"{}{}", node->id, names[type],
                      std::visit(Telling{*node, flags}, node->work));
    if (wants(flags, hipGraphDebugDotFlagsHandles))
      to += fmt::format("\\nhandle {}", fmt::ptr(static_cast<const void*>(node.get())));
    to += "\"];\n";
    for (const GraphNode* const dependent : node->dependents)
      to += fmt::format("  node_{} -> node_{};\n", node->id, dependent->id);
    if (const auto* const child = std::get_if<ChildGraph>(&node->work)) {
      to += fmt::format("  subgraph cluster_{} {{\n  label=\"graph of node_{}\";\n", child->graph->id,
                        node->id);
      write(to, *child->graph, flags);
      to += "  }\n";
    }
  }
}

}  // namespace

std::string dot_of(Graph& graph, unsigned flags) {
  std::string text = fmt::format("digraph graph_{} {{\n  node [shape=box];\n", graph.id);
  write(text, graph, flags);
  return text + "}\n";
}

}  // namespace heddle::hip
