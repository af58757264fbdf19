"""What holds for every test: one thread a model, and nothing that leaves the machine."""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before torch is imported: tests run beside others
os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
