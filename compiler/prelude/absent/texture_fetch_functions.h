/* SPDX-License-Identifier: Apache-2.0 */
/* Clang's headers for CUDA include it; toolkits since 13 have none any more. Where there is one it
 * is found first. */
