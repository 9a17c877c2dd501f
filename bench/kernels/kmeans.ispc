// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ispc twin of kmeans.hsail.
#include "parts.isph"

task void kmeans_part(uniform unsigned int32 labels[], const uniform float points[], const uniform float centres[],
                      uniform int n, uniform int k) {
  foreach (i = part_begin(n, taskIndex, taskCount) ... part_begin(n, taskIndex + 1, taskCount)) {
    const float p0 = points[i], p1 = points[n + i], p2 = points[2 * n + i], p3 = points[3 * n + i];
    unsigned int32 nearest = 0;
    float least = floatbits(0x7f800000);
    for (uniform int c = 0; c < k; ++c) {
      const float d0 = p0 - centres[4 * c], d1 = p1 - centres[4 * c + 1];
      const float d2 = p2 - centres[4 * c + 2], d3 = p3 - centres[4 * c + 3];
      const float square = d3 * d3 + (d2 * d2 + (d1 * d1 + d0 * d0));
      nearest = square < least ? c : nearest;
      least = square < least ? square : least;
    }
    labels[i] = nearest;
  }
}

export void kmeans_assign(uniform unsigned int32 labels[], const uniform float points[], const uniform float centres[],
                          uniform int n, uniform int k) {
  launch[tasks] kmeans_part(labels, points, centres, n, k);
}
