"""Losses and decoding of every kind, against values worked out another way."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from mtlprune.backbones import load_backbone
from mtlprune.batching import Rows, collate
from mtlprune.data.encoding import Limits, make_encoder
from mtlprune.data.tokenizers import Tokenizer, load_tokenizer
from mtlprune.kinds import KINDS
from mtlprune.kinds.kind import IGNORED
from mtlprune.kinds.mlm import hide_words
from mtlprune.kinds.span import LONGEST_ANSWER, best_spans
from mtlprune.network import Network
from mtlprune.predictor import MemorySplit
from mtlprune.specs import TASKS

EXAMPLES: dict[str, list[dict[str, Any]]] = {
    "nli": [
        {"premise": "Ana lives in Lima.", "hypothesis": "Ana resides.", "label": "neutral"},
        {"premise": "x", "hypothesis": "Mario bought a watch in Berlin.", "label": "entailment"},
    ],
    "stsb": [{"sentence1": "a", "sentence2": "b c", "score": 4.0}],
    "ner": [
        {"tokens": ["Ana", "works"], "tags": ["B-PER", "O"]},
        {"tokens": ["in", "Lima", "and", "Quito", "."], "tags": ["O", "B-LOC", "O", "B-LOC", "O"]},
    ],
    "qa": [
        {
            "question": "Where?",
            "context": "Ana lives in Lima.",
            "answers": [{"text": "Lima", "answer_start": 13}],
        },
        {"question": "Who is it that left?", "context": "Nobody left.", "answers": []},
    ],
    "copa": [
        {
            "premise": "Ana left.",
            "question": "cause",
            "choice1": "a",
            "choice2": "b c",
            "label": "1",
        },
        {"premise": "x", "question": "effect", "choice1": "d e f", "choice2": "g", "label": "0"},
    ],
    "mlm": [{"text": "Ana lives in Lima.", "text2": "Lima is where Ana resides."}, {"text": "x y"}],
}


@pytest.fixture(scope="module")
def tokenizer(tokenizer_dir: Path) -> Tokenizer:
    return load_tokenizer(str(tokenizer_dir))


@pytest.fixture(scope="module")
def network(tokenizer: Tokenizer) -> Network:
    encoder = load_backbone(
        "scratch:layers=2,heads=2,hidden=16", vocabulary_size=tokenizer.vocabulary_size, pad_id=0
    )
    torch.manual_seed(0)
    return Network(encoder, {task: TASKS[task] for task in EXAMPLES}).eval()


def rows_of(task: str, tokenizer: Tokenizer) -> Rows:
    encoder = make_encoder(TASKS[task], tokenizer, Limits(96, doc_stride=8, max_question=12))
    split = MemorySplit(EXAMPLES[task], encoder.encode(EXAMPLES[task]))
    facts = {"special_ids": tokenizer.special_ids, "vocabulary": tokenizer.vocabulary_size}
    return Rows(f"{task}-en", TASKS[task], split, facts)


def losses(network: Network, groups: list[Any]) -> dict[str, list[float]]:
    sample = collate(groups, 0)
    with torch.no_grad():
        outputs = network(**sample["net_input"])
    parts = sample["net_input"]["parts"]
    return {
        part["pair"]: network.kind(part).losses(output, part).tolist()
        for part, output in zip(parts, outputs, strict=True)
    }


def test_a_mixed_batch_has_the_losses_of_its_rows_alone(network: Network, tokenizer: Tokenizer):
    every = {task: rows_of(task, tokenizer) for task in EXAMPLES}
    groups = [(rows, [rows.item(n) for n in range(len(rows.split))]) for rows in every.values()]
    together = losses(network, groups)
    for task, rows in every.items():
        for number in range(len(rows.split)):
            (alone,) = losses(network, [(rows, [rows.item(number)])])[f"{task}-en"]
            assert alone == pytest.approx(together[f"{task}-en"][number], abs=1e-5), task


def test_losses_by_hand():
    sentence = KINDS["sentence"].losses(
        torch.tensor([[0.0, math.log(3)]]), {"target": torch.tensor([0])}
    )
    assert sentence.tolist() == pytest.approx([math.log(4)])  # softmax gives 1/4
    words = torch.tensor([[[0.0, math.log(3)], [0.0, 0.0], [9.0, 9.0]]])
    target = torch.tensor([[1, 0, IGNORED]])
    token = KINDS["token"].losses(words, {"target": target})
    assert token.tolist() == pytest.approx([(math.log(4 / 3) + math.log(2)) / 2])
    scores = torch.tensor([[[0.0, math.log(3)], [0.0, 0.0]]])
    span = KINDS["span"].losses(scores, {"target": torch.tensor([[1, 0]])})
    assert span.tolist() == pytest.approx([(math.log(4 / 3) + math.log(2)) / 2])
    number = KINDS["regression"].losses(torch.tensor([[2.0]]), {"target": torch.tensor([5.0])})
    assert number.tolist() == [9.0]


def test_rows_without_target_cost_nothing():
    unknown = {"target": torch.tensor([IGNORED])}
    assert KINDS["sentence"].losses(torch.randn(1, 3), unknown).tolist() == [0.0]
    nothing = {"target": torch.tensor([float("nan")])}
    assert KINDS["regression"].losses(torch.randn(1, 1), nothing).tolist() == [0.0]


def test_the_best_span_is_that_of_an_exhaustive_search():
    generator = torch.Generator().manual_seed(0)
    for time in (1, 5, 40, 70):
        start, end = torch.randn(2, 8, time, generator=generator)
        best, first, last = best_spans(start, end)
        for row in range(8):
            spans = {
                (a, b): float(start[row, a] + end[row, b])
                for a in range(time)
                for b in range(a, min(a + LONGEST_ANSWER, time))
            }
            winner = max(spans, key=spans.__getitem__)
            assert (int(first[row]), int(last[row])) == winner
            assert float(best[row]) == pytest.approx(spans[winner])


def test_answers_come_from_the_context_only(network: Network, tokenizer: Tokenizer):
    rows = rows_of("qa", tokenizer)
    sample = collate([(rows, [rows.item(0), rows.item(1)])], 0)
    with torch.no_grad():
        (output,) = network(**sample["net_input"])
    part = sample["net_input"]["parts"][0]
    found = rows.kind.outcomes(output, part)
    answers = rows.kind.answers(rows.spec, rows.split, dict(zip(part["row"], found, strict=True)))
    for number, example in enumerate(EXAMPLES["qa"]):
        assert answers[number]["answer"] and answers[number]["answer"] in example["context"]


def test_whole_words_are_hidden_the_same_for_the_same_salt():
    tokens = np.array([2, 10, 11, 12, 20, 30, 31, 3])
    words = np.array([1, 4, 5])  # 10 11 12, 20, 30 31; then a special token
    item = {"tokens": tokens, "words": words, "row": 4, "salt": 9, "special": {2, 3}}
    spans = [range(1, 4), range(4, 5), range(5, 7)]
    seen = set()
    for salt in range(60):
        hidden, target = hide_words({**item, "salt": salt}, 0.4, mask=99, vocabulary=50)
        again = hide_words({**item, "salt": salt}, 0.4, mask=99, vocabulary=50)
        assert hidden.tolist() == again[0].tolist() and target.tolist() == again[1].tolist()
        chosen = [at for at in range(8) if target[at] != IGNORED]
        assert chosen in [list(span) for span in spans]  # 0.4 of three words is one
        assert all(target[at] == tokens[at] for at in chosen)
        assert all(hidden[at] == tokens[at] for at in range(8) if at not in chosen)
        seen.add((chosen[0], hidden[chosen[0]] == 99))
    assert {place for place, _ in seen} == {1, 4, 5} and len(seen) > 3
