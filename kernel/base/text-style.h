/* SPDX-License-Identifier: Apache-2.0 */
/* How a part of an error stands out: bold (ECMA-48, SGR). Front ends show errors on red, on which
 * no colour can be read in both a light and a dark theme. */
#ifndef CGPU_KERNEL_BASE_TEXT_STYLE_H
#define CGPU_KERNEL_BASE_TEXT_STYLE_H

#define TEXT_BOLD "\033[1m"
#define TEXT_PLAIN "\033[0m"

#endif
