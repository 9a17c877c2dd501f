// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The OpenCL C twin of kmeans.hsail.
#pragma OPENCL FP_CONTRACT OFF

kernel void kmeans_assign(global uint *labels, global const float *points, global const float4 *centres, uint n, uint k) {
  uint i = get_global_id(0);
  if (i >= n) return;
  float p0 = points[i], p1 = points[n + i], p2 = points[2 * n + i], p3 = points[3 * n + i];
  uint nearest = 0;
  float least = INFINITY;
  for (uint c = 0; c < k; ++c) {
    float4 centre = centres[c];
    float d0 = p0 - centre.x, d1 = p1 - centre.y, d2 = p2 - centre.z, d3 = p3 - centre.w;
    float square = fma(d3, d3, fma(d2, d2, fma(d1, d1, d0 * d0)));
    nearest = square < least ? c : nearest;
    least = square < least ? square : least;
  }
  labels[i] = nearest;
}
