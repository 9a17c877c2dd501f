// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cycles of calls, and the private memory of nested activations.
#include "hsail/link/call_graph.h"

#include <map>
#include <random>

#include "build.h"

namespace heddle::testing {
namespace {

using Graph = std::vector<std::vector<uint32_t>>;

TEST(Components, OfGraphsThatHaveNone) {
  EXPECT_TRUE(link::find_components({}).of_node.empty());
  const auto alone = link::find_components({{}});
  EXPECT_EQ(alone.of_node, std::vector<uint32_t>{0});
  EXPECT_EQ(alone.is_cycle, std::vector<bool>{false});
  EXPECT_EQ(link::find_components({{0}}).is_cycle, std::vector<bool>{true});
}

/// Compares the components with their definition: two nodes share a component if each reaches the other.
void expect_components(const Graph& graph) {
  const auto nodes = static_cast<uint32_t>(graph.size());
  std::vector<std::vector<bool>> reaches(nodes, std::vector<bool>(nodes));  // over at least one edge
  for (uint32_t from = 0; from < nodes; ++from)
    for (const uint32_t to : graph[from]) reaches[from][to] = true;
  for (uint32_t over = 0; over < nodes; ++over)
    for (uint32_t from = 0; from < nodes; ++from)
      for (uint32_t to = 0; to < nodes; ++to)
        if (reaches[from][over] && reaches[over][to]) reaches[from][to] = true;
  const auto found = link::find_components(graph);
  ASSERT_EQ(found.of_node.size(), nodes);
  for (uint32_t a = 0; a < nodes; ++a) {
    ASSERT_LT(found.of_node[a], found.is_cycle.size());
    EXPECT_EQ(found.is_cycle[found.of_node[a]], reaches[a][a]);
    for (uint32_t b = 0; b < nodes; ++b) {
      EXPECT_EQ(found.of_node[a] == found.of_node[b], a == b || (reaches[a][b] && reaches[b][a]));
      if (reaches[a][b]) EXPECT_GE(found.of_node[a], found.of_node[b]) << "callees come first";
    }
  }
}

TEST(Components, OfRandomGraphs) {
  std::mt19937 random(3);
  for (int round = 0; round < 500; ++round) {
    Graph graph(1 + random() % 12);
    const size_t edges = random() % (2 * graph.size());
    for (size_t i = 0; i < edges; ++i)
      graph[random() % graph.size()].push_back(static_cast<uint32_t>(random() % graph.size()));
    expect_components(graph);
    if (HasFailure()) return;
  }
}

TEST(Components, OfChainsThatAreLongerThanAnyStack) {
  constexpr uint32_t length = 1000000;
  Graph chain(length);
  for (uint32_t i = 0; i + 1 < length; ++i) chain[i].push_back(i + 1);
  EXPECT_EQ(link::find_components(chain).is_cycle.size(), length);
  chain.back().push_back(0);
  EXPECT_EQ(link::find_components(chain).is_cycle, std::vector<bool>{true});
}

struct PrivateMemory : ::testing::Test {
  Built built{{module_of("&m", R"(
    decl function &ping()();
    decl function &pong()();
    function &leaf()() {};
    function &wide()() { { call &leaf()(); } };
    function &self()() { { call &self()(); } { call &leaf()(); } };
    function &ping()() { { call &pong()(); } };
    function &pong()() { { call &ping()(); } { call &wide()(); } };
    prog kernel &none() {};
    prog kernel &chain() { { call &leaf()(); } { call &wide()(); } };
    prog kernel &recursive() { { call &self()(); } };
    prog kernel &at_ping() { { call &ping()(); } };
    prog kernel &at_pong() { { call &pong()(); } };
  )")}};
  std::map<std::string, link::Frame> frames;

  uint64_t size_of(const std::string& kernel, uint64_t start = 0) {
    return built.program.private_size(built.definition(kernel), start, [&](link::Reference executable) {
      return frames[built.name(executable)];
    });
  }
};

TEST_F(PrivateMemory, IsThatOfTheDeepestCalls) {
  EXPECT_EQ(size_of("&none"), 0u);
  EXPECT_EQ(size_of("&none", 40), 40u);
  frames = {{"&none", {10}},   {"&chain", {10}},    {"&leaf", {100}},
            {"&wide", {1000}}, {"&recursive", {2}}, {"&self", {5000}}};
  EXPECT_EQ(size_of("&none", 40), 50u);
  EXPECT_EQ(size_of("&chain"), 1110u);
  EXPECT_EQ(size_of("&recursive", 7), 5109u);
  // The alignment of a callee can determine the size.
  frames["&leaf"] = {100, 4096};
  EXPECT_EQ(size_of("&chain"), 4196u);
}

TEST_F(PrivateMemory, CountsThePaddingThatAlignmentTakes) {
  frames = {{"&chain", {1, 4}}, {"&wide", {8, 8}}, {"&leaf", {3, 64}}};
  EXPECT_EQ(size_of("&chain"), 67u);
  EXPECT_EQ(size_of("&chain", 57), 131u);
}

TEST_F(PrivateMemory, OfACycleDependsNotOnWhereItIsEntered) {
  frames = {{"&ping", {4096}}, {"&pong", {16}}, {"&wide", {300}}, {"&leaf", {20}}};
  EXPECT_EQ(size_of("&at_ping"), 4432u);
  EXPECT_EQ(size_of("&at_pong"), 4432u);
  // The size suffices for either order in which the two can be active.
  frames = {{"&ping", {4, 64}}, {"&pong", {68, 4}}};
  EXPECT_GE(size_of("&at_ping"), 72u);
  EXPECT_GE(size_of("&at_pong"), 132u);
  EXPECT_EQ(size_of("&at_ping"), size_of("&at_pong"));
}

TEST_F(PrivateMemory, TooLargeFramesDoNotWrap) {
  frames = {{"&chain", {UINT32_MAX}}, {"&wide", {UINT32_MAX}}, {"&leaf", {UINT32_MAX, 256}}};
  EXPECT_GE(size_of("&chain"), 3 * uint64_t{UINT32_MAX});
}

}  // namespace
}  // namespace heddle::testing
