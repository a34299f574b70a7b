"""What fairseq sees of mtlprune; the only part that imports it. Importing it registers all."""

import collections
import typing

import omegaconf
import torch
from fairseq.distributed.utils import _TensorPlaceholder

from mtlprune.plugin import criterion, model, task
from mtlprune.plugin.checkpoints import make_checkpoints_safe
from mtlprune.plugin.mistakes import tell_mistakes_plainly

__all__ = ["criterion", "model", "task"]

tell_mistakes_plainly()
make_checkpoints_safe()

# Types in fairseq's own checkpoints and broadcasts, so that torch loads them with
# weights_only=True, in one process and in several.
torch.serialization.add_safe_globals(
    [
        collections.defaultdict,
        typing.Any,
        dict,
        int,
        list,
        omegaconf.DictConfig,
        omegaconf.ListConfig,
        omegaconf.base.ContainerMetadata,
        omegaconf.base.Metadata,
        omegaconf.nodes.AnyNode,
        _TensorPlaceholder,
    ]
)
