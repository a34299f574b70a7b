"""Registers mtlprune with fairseq: ``fairseq-train --user-dir user_dir``."""

import mtlprune.plugin  # noqa: F401
