/* SPDX-License-Identifier: Apache-2.0 */
/* Device code needs no declaration of threadIdx and its like; host code must not see them. */
