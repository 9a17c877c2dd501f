/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* An agent driver whose main function succeeds and registers nothing. */
#include <hsam/hsam.h>

__attribute__((visibility("default"))) int hsam_agent_driver_main(const hsam_host* host);

int hsam_agent_driver_main(const hsam_host* host) {
  (void)host;
  return 0;
}
