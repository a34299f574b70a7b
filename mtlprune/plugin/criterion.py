"""The loss of a mixed batch, and the counts that fairseq adds up."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from fairseq.criterions import FairseqCriterion, register_criterion
from fairseq.dataclass import ChoiceEnum, FairseqDataclass
from fairseq.logging import metrics
from torch import Tensor

from mtlprune.errors import SpecError

LOSS_MODES = ChoiceEnum(["example", "pair", "sum"])


@dataclass
class MultiTaskCriterionConfig(FairseqDataclass):
    """Options of the multi-task loss."""

    loss_mode: LOSS_MODES = field(  # type: ignore[valid-type]
        default="example",
        metadata={
            "help": "loss of a mixed batch: mean over its examples; mean over its pairs of the "
            "mean over each one's examples; or sum"
        },
    )
    pair_weights: str = field(
        default="",
        metadata={"help": "fixed weights of the losses of pairs, e.g. nli-en=2,qa-es=0.5"},
    )


def parse_weights(text: str, pairs: Sequence[str]) -> dict[str, float]:
    """Weights by pair, 1 where none is given."""
    weights = dict.fromkeys(pairs, 1.0)
    for item in filter(None, text.split(",")):
        name, _, value = item.partition("=")
        try:
            number = float(value)
        except ValueError:
            number = -1.0
        if name not in weights or not number >= 0:
            raise SpecError(
                f"--pair-weights '{item}': give PAIR=NUMBER with a number from 0 on "
                f"(pairs: {', '.join(pairs)})"
            )
        weights[name] = number
    return weights


@register_criterion("mtl_multitask", dataclass=MultiTaskCriterionConfig)
class MultiTaskCriterion(FairseqCriterion):
    """Sums weighted losses over rows; fairseq divides by the summed sample sizes."""

    def __init__(self, task: Any, loss_mode: str = "example", pair_weights: str = "") -> None:
        super().__init__(task)
        self.loss_mode = str(loss_mode)
        self.pairs = task.pair_names
        self.weights = parse_weights(pair_weights, self.pairs)
        self.row_losses: list[tuple[dict[str, Any], Tensor]] = []  # of the last batch, by part

    def forward(self, model: Any, sample: dict[str, Any], reduce: bool = True) -> tuple[Any, ...]:
        return self.judge(model, model(**sample["net_input"]), sample)

    def judge(
        self, model: Any, outputs: Sequence[Tensor], sample: dict[str, Any]
    ) -> tuple[Any, ...]:
        """Loss, sample size and log of a batch whose outputs are known already."""
        loss = torch.zeros((), device=outputs[0].device)
        log = self._empty_log(sample, loss)
        size: Any = 1.0 if self.loss_mode == "sum" else float(sample["nsentences"])
        if self.loss_mode == "pair":
            size = sum((1.0 / part["peers"]).sum() for part in sample["net_input"]["parts"])
        self.row_losses = []
        for part, output in zip(sample["net_input"]["parts"], outputs, strict=True):
            losses = self.task.kind_of(part["pair"]).losses(output, part)
            share = 1.0 / part["peers"] if self.loss_mode == "pair" else 1.0
            loss = loss + (losses * share).sum() * self.weights[part["pair"]]
            self.row_losses.append((part, losses.detach()))
            log[f"loss:{part['pair']}"] = losses.sum().detach()
            log[f"rows:{part['pair']}"] = len(losses)
        log |= {"loss": loss.detach(), "sample_size": size}
        return loss, size, log

    def _empty_log(self, sample: dict[str, Any], zero: Tensor) -> dict[str, Any]:
        """Every key in every batch, of one type: fairseq sums over processes by position."""
        log: dict[str, Any] = {f"loss:{pair}": zero for pair in self.pairs}
        return log | {
            **{f"rows:{pair}": 0 for pair in self.pairs},
            "loss": zero,
            "sample_size": 0,
            "nsentences": sample["nsentences"],
            "ntokens": sample["ntokens"],
            "places": sample["net_input"]["tokens"].numel(),
        }

    @classmethod
    def reduce_metrics(cls, logging_outputs: list[dict[str, Any]]) -> None:
        keys = logging_outputs[0]
        total = {key: float(sum(log.get(key, 0) for log in logging_outputs)) for key in keys}
        size = max(total["sample_size"], 1e-9)
        metrics.log_scalar("loss", total["loss"] / size, size, round=4)
        metrics.log_scalar_sum("_ntokens", total["ntokens"])
        metrics.log_scalar_sum("_places", total["places"])
        metrics.log_derived("padding", _padding)
        for key, value in total.items():
            kind, _, pair = key.partition(":")
            rows = total.get(f"rows:{pair}", 0)
            if kind == "loss" and pair and rows:
                metrics.log_scalar(f"{pair}_loss", value / rows, rows, round=4)

    @staticmethod
    def logging_outputs_can_be_summed() -> bool:
        return True


def _padding(meters: Any) -> float:
    """Percent of the places in the batches that held nothing."""
    places = max(meters["_places"].sum, 1)
    return round(100.0 * (1 - meters["_ntokens"].sum / places), 2)
