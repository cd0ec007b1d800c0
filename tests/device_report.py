# SPDX-License-Identifier: Apache-2.0
"""Reports of the emulated device as tests compare them."""
import re


def report_of(result):
    """The report alone; addresses, offsets of instructions, numbers of cells and registers differ."""
    text = "".join(line + "\n" for line in result.traceback.splitlines() if line.startswith("="))
    text = re.sub(r"\+0x[0-9a-f]+", "+0x#", text)
    text = re.sub(r"In\[\d+\]", "In[#]", text)
    text = re.sub(r"cell \d+", "cell #", text)
    text = re.sub(r"%(rd?)[0-9]+", r"%\1#", text)
    return re.sub(r"0x[0-9a-f]{5,}", "0x#", text)
