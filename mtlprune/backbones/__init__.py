"""Encoder families of transformers: where their parts are, how they are loaded or made."""

from mtlprune.backbones.attaching import attach, check_gates_work, evaluating
from mtlprune.backbones.families import (
    FAMILIES,
    Anatomy,
    BackboneError,
    Family,
    LayerParts,
    Projection,
    check_vocabulary,
    describe,
    family_of,
    position_limit,
)
from mtlprune.backbones.loading import (
    LoadReport,
    attach_gates,
    from_config,
    load_backbone,
    read_pretrained,
)
from mtlprune.backbones.scratch import ScratchSpec

__all__ = [
    "FAMILIES",
    "Anatomy",
    "BackboneError",
    "Family",
    "LayerParts",
    "LoadReport",
    "Projection",
    "ScratchSpec",
    "attach",
    "attach_gates",
    "check_gates_work",
    "check_vocabulary",
    "describe",
    "evaluating",
    "family_of",
    "from_config",
    "load_backbone",
    "position_limit",
    "read_pretrained",
]
