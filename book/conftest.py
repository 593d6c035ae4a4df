"""Give the kernels that pytest starts here the environment that the runner gives its own."""

import os

from support.notebooks import KERNEL_ENVIRONMENT

os.environ.update(KERNEL_ENVIRONMENT)
