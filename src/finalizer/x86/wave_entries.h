// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "finalizer/spmd/lane_masks.h"
#include "finalizer/x86/entry_builder.h"

namespace heddle::finalizer::x86 {

/// Builds an entry whose waves have several work-items (EntryRequest::waves).
class WaveEntryBuilder final : public EntryBuilder {
 public:
  WaveEntryBuilder(llvm::Module& module, const EntryRequest& request)
      : EntryBuilder(module, request),
        bodies_(request.waves),
        masks_(bodies_.wave, bodies_.has_mask_registers) {}

 protected:
  void group_items(const Dim3& sizes) override;
  void wave_items(llvm::Value* first, const Dim3& ids, const Dim3& sizes) override;

 private:
  struct Rows;
  struct RowBody;
  struct Range;
  struct GeneralWave;
  llvm::Value* lanes() { return ir().getInt32(bodies_.wave.lanes); }
  Rows rows_of(const Dim3& sizes);
  llvm::Value* are_slices(llvm::Value* is_one_row, const spmd::WaveShape& wave);
  llvm::PHINode* begin_loop(llvm::StringRef name, llvm::Value* first);
  void end_loop(llvm::PHINode& counter, llvm::Value* step, llvm::Value* end);
  void one_row(const Rows& rows, const Dim3& sizes, llvm::Value* row);
  Range begin_range(llvm::StringRef name);
  llvm::Value* end_of_wide(llvm::Value* begin, const Rows& rows);
  void go_to(const Range& range, llvm::Value* begin, llvm::Value* end);
  void whole_waves(const RowBody& body, llvm::Value* row, const Range& range, const Range& refused);
  void other_waves(const Rows& rows, const Dim3& sizes, llvm::Value* row, const Range& range);
  void store_first(const Dim3& first, unsigned dimension);
  void begin_wave(const Dim3& first);
  llvm::Value* row_wave(const Dim3& first, const RowBody& body);
  llvm::Value* mask_of_part(unsigned part, llvm::Value* left);
  llvm::Value* partial_row_wave(const Dim3& first, llvm::Value* left);
  Dim3 ids_of_part(unsigned part, llvm::Value* flat, const Dim3& sizes);
  void begin_general_wave(const GeneralWave& place, const Dim3& sizes);
  void general_wave(const GeneralWave& place, llvm::Value* left, const Dim3& sizes);
  void set_row(const Dim3& first, const spmd::WaveShape& wave, bool may_refuse);
  llvm::Value* is_refused();

  const WaveBodies& bodies_;
  const spmd::LaneMasks masks_;
};

}  // namespace heddle::finalizer::x86
