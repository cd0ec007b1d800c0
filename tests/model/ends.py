# SPDX-License-Identifier: Apache-2.0
"""How a cell ends. Each end has the C text behind the cell's steps, the errors that it may be shown as, and whether what
the cell has done before is kept."""
from dataclasses import dataclass


@dataclass(frozen=True)
class End:
    weight: float
    text: str = ""
    enames: tuple = ()     # () for a cell that succeeds
    kept: bool = False
    act: str = ""          # what the test does when the cell has said that it is ready: "interrupt" or "kill"
    runs: bool = True      # False: nothing of the cell is run, not even the show() in front


ENDS = {
    "ok": End(60, kept=True),
    "null": End(3, "*(volatile int *)0 = 1;", ("SegmentationFault",)),
    "wild": End(1, "*(volatile int *)0x123456789000 = 1;", ("SegmentationFault",)),
    "device pointer": End(1, "*(volatile int *)0x300000200000 = 1;", ("SegmentationFault",)),
    "abort": End(2, "abort();", ("Aborted",)),
    "exit": End(2, "exit(3);", ("CellExited",)),
    "_exit": End(1, "_exit(0);", ("CellExited",)),
    "division": End(1, "zero = 5 / zero;", ("ArithmeticFault",)),
    "stack": End(0.5, "deep(1);", ("StackOverflow",)),
    "double free": End(1, "free_twice();", ("HeapMisuse",)),
    "wrong free": End(1, "free((void *)&zero);", ("HeapMisuse",)),
    "out of memory": End(1, "fill_memory();", ("OutOfMemory",)),
    "SIGKILL": End(1, "kill(getpid(), 9);", ("WorkerKilled",)),
    "illegal address": End(1.5, "store<<<1, 1>>>((int *)0x30ffff000000); cudaDeviceSynchronize();",
                           ("CudaIllegalAddress",)),
    "trap": End(0.5, "trap<<<1, 1>>>(); cudaDeviceSynchronize();", ("CudaLaunchFailure", "CudaIllegalInstruction")),
    "syntax": End(2, "int = ;", ("CompileError",), runs=False),
    "unknown name": End(2, "this_is_declared_nowhere = 1;", ("CompileError",), runs=False),
    "undefined symbol": End(0.5, "extern int defined_nowhere(void); defined_nowhere();", ("LinkError",), runs=False),
    "interrupt": End(2, "wait_for_it();", ("Interrupted",), act="interrupt"),
    "interrupt in malloc": End(1, "churn_for_ever();", ("Interrupted",), act="interrupt"),
    "kill": End(2, "wait_for_it();", ("WorkerKilled",), act="kill"),
}
