"""Multilingual multi-task encoders on fairseq: train them, study their heads, prune them."""

from typing import Any

__version__ = "0.1.0"


def load(path: Any, data: Any = None, device: str = "cpu") -> Any:
    """A trained checkpoint as an object that answers; see ``mtlprune.predictor``."""
    from mtlprune.predictor import load

    return load(path, data, device)
