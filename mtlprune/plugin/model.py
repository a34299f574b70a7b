"""The fairseq model: a network over any encoder, by backbone folder, hub name or from scratch."""

import logging
from dataclasses import dataclass, field
from typing import Any

import torch
from fairseq.dataclass import FairseqDataclass
from fairseq.models import BaseFairseqModel, register_model
from omegaconf import II

from mtlprune.backbones import check_vocabulary, describe, from_config, load_backbone
from mtlprune.network import Network
from mtlprune.reports.tables import text_table

logger = logging.getLogger(__name__)
DECODERS = "network.decoders."


@dataclass
class EncoderConfig(FairseqDataclass):
    """Options of the encoder."""

    backbone: str = field(
        default="scratch:layers=4,heads=4,hidden=128",
        metadata={"help": "folder or hub name of a transformers model, or scratch:layers=..,..."},
    )
    autocast: bool = field(
        default=False,
        metadata={
            "help": "train in mixed precision: matrix products in bfloat16, weights in float32; "
            "fast where the processor has bfloat16 (GPUs; CPUs with AVX512-BF16 or AMX)"
        },
    )
    decoder_dropout: float = field(default=0.1, metadata={"help": "dropout in the decoders"})
    seed: int = II("common.seed")


@register_model("mtl_encoder", dataclass=EncoderConfig)
class EncoderModel(BaseFairseqModel):
    """A shared encoder and the decoders of the task's tasks."""

    def __init__(self, network: Network, autocast: bool = False) -> None:
        super().__init__()
        self.network = network
        self.autocast = autocast

    @classmethod
    def build_model(cls, cfg: Any, task: Any) -> "EncoderModel":
        facts = task.tokenizer_facts
        if "encoder" in task.bundle:  # a checkpoint brings its own; its weights follow
            encoder = from_config(task.bundle["encoder"])
        else:
            encoder = load_backbone(
                cfg.backbone,
                vocabulary_size=facts["vocabulary"],
                pad_id=facts["special_ids"]["pad"] or 0,
                seed=cfg.seed,
            )
        check_vocabulary(encoder, facts["vocabulary"], facts["name"])
        anatomy = describe(encoder)
        network = Network(encoder, task.specs, causal=anatomy.causal, dropout=cfg.decoder_dropout)
        logger.info("parameters:\n%s", parameter_table(network))
        return cls(network, cfg.autocast)

    def forward(self, **batch: Any) -> Any:
        """Validation never rounds: its numbers do not depend on how a run was made fast."""
        if not (self.autocast and self.training):
            return self.network(**batch)
        with torch.autocast(batch["tokens"].device.type, torch.bfloat16):
            return self.network(**batch)

    def upgrade_state_dict_named(self, state_dict: dict[str, Any], name: str) -> None:
        """Fit the weights of a run with other tasks: the encoder and shared decoders are taken.

        Decoders of tasks that the weights do not know start afresh, those of tasks that are not
        trained here are left aside; both are told.
        """
        super().upgrade_state_dict_named(state_dict, name)
        known = {key.split(".")[2] for key in state_dict if key.startswith(DECODERS)}
        wanted = set(self.network.decoders)
        for key in [key for key in state_dict if key.startswith(DECODERS)]:
            if key.split(".")[2] not in wanted:
                del state_dict[key]
        for key, value in self.state_dict().items():
            if key.startswith(DECODERS) and key.split(".")[2] not in known:
                state_dict[key] = value
        for names, fate in ((wanted - known, "start afresh"), (known - wanted, "are left aside")):
            if names:
                logger.info("decoders of %s %s", ", ".join(sorted(names)), fate)

    def max_positions(self) -> int | None:
        return describe(self.network.encoder).position_limit

    def get_targets(self, sample: Any, net_output: Any) -> None:
        return None


def parameter_table(network: Network) -> str:
    """Parameters by part, all and trainable."""
    embeddings = {id(p) for p in network.encoder.get_input_embeddings().parameters()}
    parts = {
        "word embeddings": [p for p in network.encoder.parameters() if id(p) in embeddings],
        "encoder": [p for p in network.encoder.parameters() if id(p) not in embeddings],
    }
    parts |= {f"decoder {name}": list(d.parameters()) for name, d in network.decoders.items()}
    rows = [
        (name, sum(p.numel() for p in own), sum(p.numel() for p in own if p.requires_grad))
        for name, own in parts.items()
    ]
    rows.append(("all", sum(row[1] for row in rows), sum(row[2] for row in rows)))
    return text_table(("part", "parameters", "trainable"), rows)
