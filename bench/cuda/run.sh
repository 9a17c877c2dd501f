#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Does everything that needs an NVIDIA GPU: tests on the GPU, examples, and the comparison with CUDA.
#
#     bench/cuda/run.sh BUILD OUT [STEP...]
#
# BUILD is a build folder (build/release), OUT a folder for logs and the page of results. Without steps: all of info, conformance,
# differential, faults, litmus, fuzz, examples, hip, bench. A step whose programs have not been built fails. The environment:
#     HEDDLE_GPU_ISA        of generated programs (nvptx-sm_90)
#     HEDDLE_GPU_PROGRAMS   number of generated programs (10000), of which one in four observes waves; another tenth of that number is generated with --walks
#     HEDDLE_GPU_SECONDS    the most that a step may take (540)
#     HEDDLE_REVISION       what is measured, where there is no git
#     HEDDLE_BENCH_OPTIONS  options of bench-cuda, by words
set -u
if [ $# -lt 2 ]; then
  sed -n '3,14s/^# \{0,1\}//p' "$0" >&2
  exit 2
fi
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "$1" && pwd) || exit 2
mkdir -p "$2" && out=$(cd "$2" && pwd) || exit 2
shift 2
steps=("$@")
[ ${#steps[@]} -gt 0 ] || steps=(info conformance differential faults litmus fuzz examples hip bench)
bin=$build/bin
export HEDDLE_CACHE=0 HEDDLE_TEST_AGENT=cuda

step_info() { HEDDLE_AGENTS=cpu,cuda "$bin/heddle" info | tee /dev/stderr | grep -q nvptx; }

# The code object is one of the benchmark: its kernel does nothing.
step_conformance() {
  "$bin/heddle-driver-conformance" --existing-programs "$build/lib/heddle/agents/libheddle-agent-cuda.so" \
    "${HEDDLE_GPU_EMPTY:-$build/bench/cuda/code/empty.nvptx-sm_90.hco}"
}

step_differential() {
  "$bin/agents_differential_test" --gtest_brief=1 "--gtest_flagfile=$root/tests/differential/gpu.flags"
}

# With the driver in the program at first, and in a process of its own from the start.
step_faults() {
  local helper test
  for helper in 0 1; do
    for test in '*leave_the_program*' '*to_be_left_behind' '*copies_to_go_on*' '*of_one_gpu*'; do
      HEDDLE_AGENTS=cpu,cuda HEDDLE_CUDA_HELPER=$helper "$bin/agents_cuda_faults_test" --gtest_brief=1 "--gtest_filter=$test" || return 1
    done
  done
}

step_litmus() { "$bin/litmus_test" --gtest_brief=1 '--gtest_filter=*/cuda'; }

step_fuzz() {
  local programs=${HEDDLE_GPU_PROGRAMS:-10000} count walks=()
  for count in "$programs" $((programs / 10 + 1)); do
    HEDDLE_AGENTS=interpreter,cuda "$bin/heddle" fuzz-exec "${walks[@]}" --isa "${HEDDLE_GPU_ISA:-nvptx-sm_90}" \
      --programs "$count" --seed "${HEDDLE_GPU_SEED:-1}" || return
    walks=(--walks)
  done
}

step_examples() {
  HEDDLE_AGENTS=cuda "$bin/heddle-examples" ${HEDDLE_GPU_SMALL:+--small} --kernels "$build/examples/kernels" --data "$root/examples/data" &&
    HEDDLE_AGENTS=cpu,cuda "$bin/heddle-hetero" --kernel "$build/examples/kernels/reaction.brig" --size 320x240 --steps "${HEDDLE_GPU_STEPS:-1000}"
}

step_hip() {
  local example
  for example in vector_add mandelbrot nbody; do
    HEDDLE_AGENTS=cuda "$bin/hip_$example" | tee /dev/stderr | grep -q ': OK' || return 1
  done
}

# Builds the CUDA side unless it has been built; without nvcc, heddle is measured alone.
step_bench() {
  local side=$build/lib/libbench-cuda-side.so nvcc options=()
  nvcc=$(PATH=$PATH:/usr/local/cuda/bin command -v nvcc)
  if [ ! -f "$side" ] && [ -n "$nvcc" ]; then
    side=$out/libbench-cuda-side.so
    "$root/bench/cuda/build_side.sh" "$side" "$nvcc" || return 1
  fi
  if [ -f "$side" ] && [ -z "${HEDDLE_GPU_NO_CUDA-}" ]; then options+=(--cuda "$side"); fi
  # shellcheck disable=SC2206
  options+=(--kernels "$build/bench/cuda/code" ${HEDDLE_BENCH_OPTIONS-})
  python3 "$root/bench/cuda/record.py" --program "$bin/bench-cuda" --out "$out" ${HEDDLE_REVISION:+--revision "$HEDDLE_REVISION"} \
    -- "${options[@]}"
}

failed=0
for step in "${steps[@]}"; do
  if ! declare -F "step_$step" >/dev/null; then
    echo "run.sh: no step is called $step" >&2
    exit 2
  fi
done
# Each step has a process group of its own, whose end timeout sees to.
export -f step_info step_conformance step_differential step_faults step_litmus step_fuzz step_examples step_hip step_bench
export root build out bin
for step in "${steps[@]}"; do
  begin=$SECONDS
  timeout "${HEDDLE_GPU_SECONDS:-540}" bash -c "step_$step" >"$out/$step.log" 2>&1
  code=$?
  if [ $code -eq 0 ]; then verdict=passed; else verdict="FAILED ($code)"; failed=1; fi
  printf '%-14s %s in %d s: %s\n' "$step" "$verdict" $((SECONDS - begin)) "$(tail -n 1 "$out/$step.log")"
done
exit $failed
