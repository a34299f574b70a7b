"""One encoder, one decoder a task: what is trained, scored and pruned. Knows no fairseq."""

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from mtlprune.kinds import KINDS, Part, Shape
from mtlprune.specs import TaskSpec


class Network(nn.Module):
    """A transformers encoder shared by all pairs, and a decoder for each task."""

    def __init__(
        self,
        encoder: Any,
        specs: Mapping[str, TaskSpec],
        causal: bool = False,
        dropout: float = 0.1,
    ) -> None:
        super().__init__()
        self.encoder = encoder
        self.causal = causal
        self.specs = dict(specs)
        shape = Shape(encoder.config.hidden_size, encoder.get_input_embeddings(), dropout)
        self.uses_segments = getattr(encoder.config, "type_vocab_size", 0) > 1
        self.decoders = nn.ModuleDict(
            {task: KINDS[spec.kind].decoder(spec, shape) for task, spec in self.specs.items()}
        )

    def encode(self, tokens: Tensor, lengths: Tensor, segments: Tensor) -> Tensor:
        """Hidden states of the last layer, (sequences, time, size)."""
        places = torch.arange(tokens.size(1), device=tokens.device)
        inputs = {"input_ids": tokens, "attention_mask": (places < lengths.unsqueeze(1)).long()}
        if self.uses_segments:
            second = (places >= segments.unsqueeze(1)) & (places < lengths.unsqueeze(1))
            inputs["token_type_ids"] = second.long()
        return self.encoder(**inputs).last_hidden_state

    def forward(
        self, tokens: Tensor, lengths: Tensor, segments: Tensor, parts: Sequence[Part]
    ) -> list[Tensor]:
        """The outputs of each part's decoder: one pass of the encoder for all of them."""
        hidden = self.encode(tokens, lengths, segments)
        first = lengths - 1 if self.causal else torch.zeros_like(lengths)
        outputs = []
        for part in parts:
            start, stop = part["rows"]
            task = part["pair"].partition("-")[0]
            own = {**part, "first": first[start:stop]}
            outputs.append(self.decoders[task](hidden[start:stop], own))
        return outputs

    def kind(self, part: Part) -> Any:
        """What is known about the kind of a part's task."""
        return KINDS[self.specs[part["pair"].partition("-")[0]].kind]
