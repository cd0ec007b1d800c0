/* SPDX-License-Identifier: Apache-2.0 */
/* Clang's headers for CUDA include it, for two declarations that it makes; an installation without
 * cuRAND has it not. */
