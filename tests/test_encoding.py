"""Round trips: what is encoded comes back, by another way than it went in."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer as Backend
from tokenizers import decoders, models, pre_tokenizers, processors, trainers

from mtlprune.data.encoding import Encoder, Limits, Rows, make_encoder
from mtlprune.data.encoding.span import decode_span
from mtlprune.data.encoding.token import plan_windows
from mtlprune.data.examples import check
from mtlprune.data.tokenizers import Tokenizer, import_transformers, load_tokenizer
from mtlprune.errors import TokenizerError
from mtlprune.specs import TASKS


@pytest.fixture(scope="session")
def byte_level_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small tokenizer of RoBERTa's kind: bytes, no token types."""
    backend = Backend(models.BPE())
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    backend.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=400,
        special_tokens=["<s>", "<pad>", "</s>", "<unk>", "<mask>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
    )
    backend.train_from_iterator(
        ["Ana lives in Lima and works in Quito", "the cat sat"] * 9, trainer
    )
    backend.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0))
    names = {"bos": "<s>", "cls": "<s>", "eos": "</s>", "sep": "</s>"}
    names |= {"pad": "<pad>", "unk": "<unk>", "mask": "<mask>"}
    wrapped = import_transformers().PreTrainedTokenizerFast(
        tokenizer_object=backend,
        model_input_names=["input_ids", "attention_mask"],
        **{f"{role}_token": token for role, token in names.items()},
    )
    out = tmp_path_factory.mktemp("bytes") / "tokenizer"
    wrapped.save_pretrained(out)
    return out


@pytest.fixture(scope="session", params=["own", "bytes", "real"])
def tokenizer(request: pytest.FixtureRequest) -> Tokenizer:
    fixture = {"own": "tokenizer_dir", "bytes": "byte_level_dir", "real": "real_tokenizer"}
    return load_tokenizer(str(request.getfixturevalue(fixture[request.param])))


_encoders: dict[Any, Encoder] = {}


def encoder_of(tokenizer: Tokenizer, task: str, length: int = 32, **limits: int) -> Encoder:
    """An encoder, made once: a tokenizer of 64,000 pieces takes its time to copy."""
    key = (tokenizer.name, task, length, *limits.items())
    if key not in _encoders:
        _encoders[key] = make_encoder(TASKS[task], tokenizer, Limits(length, **limits))
    return _encoders[key]


def row(rows: Rows, column: str, number: int) -> list[Any]:
    ragged = rows.columns[column]
    ends = np.cumsum(ragged.sizes)
    return ragged.values[ends[number] - ragged.sizes[number] : ends[number]].tolist()


TEXT = st.text(min_size=1, max_size=120).filter(str.strip)
WORDY = st.lists(
    st.sampled_from("Ana lives in Lima , ¿Quién vive? 北京 naïve 😀 e\u0301".split()), min_size=1
)


@given(st.lists(st.tuples(TEXT, TEXT), min_size=1, max_size=4))
@settings(max_examples=60)
def test_a_pair_has_the_tokenizers_own_encoding(tokenizer: Tokenizer, pairs: list[tuple[str, str]]):
    encoder = encoder_of(tokenizer, "nli", 24)
    examples = [{"premise": a, "hypothesis": b, "label": "neutral"} for a, b in pairs]
    rows = encoder.encode(examples)
    for number, (first, second) in enumerate(pairs):
        own = tokenizer.transformers(first, second, truncation="longest_first", max_length=24)
        ids = own["input_ids"]
        assert row(rows, "tokens", number) == ids
        boundary = row(rows, "segment", number)[0]
        types = own.get("token_type_ids", [0] * len(ids))
        assert [int(at >= boundary) for at in range(len(ids))] == types
        assert row(rows, "target", number) == [1]
    whole = [len(tokenizer.transformers(a, b)["input_ids"]) for a, b in pairs]
    assert rows.notes["truncated"] == sum(length > 24 for length in whole)


@given(st.lists(st.text(max_size=12), min_size=1, max_size=60), st.integers(0, 6))
@settings(max_examples=120)
def test_every_word_has_one_place_and_keeps_its_tag(
    tokenizer: Tokenizer, words: list[str], kind: int
):
    encoder = encoder_of(tokenizer, "ner", 16)
    tags = [TASKS["ner"].labels[(kind + at) % 7] for at in range(len(words))]
    example = check({"tokens": words, "tags": tags}, TASKS["ner"], True, "x")
    rows = encoder.encode([example])
    labels = [tag for number in range(len(rows.example)) for tag in row(rows, "target", number)]
    assert [TASKS["ner"].labels[label] for label in labels] == tags
    owned = 0
    for number in range(len(rows.example)):
        tokens, places = row(rows, "tokens", number), row(rows, "words", number)
        assert len(tokens) <= 16
        assert places == sorted(set(places)) and all(0 <= at < len(tokens) for at in places)
        special = set(tokenizer.special_ids.values()) - {tokenizer.special_ids["unk"]}
        for place, word in zip(places, words[owned:], strict=False):
            if not any(mark in word for mark in "<["):  # a word may itself spell a special token
                assert tokens[place] not in special
        owned += len(places)
    assert owned == len(words)


@given(WORDY)
@settings(max_examples=60)
def test_a_word_starts_with_the_token_it_has_when_alone(tokenizer: Tokenizer, words: list[str]):
    encoder = encoder_of(tokenizer, "ner", 24)
    rows = encoder.encode([{"tokens": words, "tags": ["O"] * len(words)}])
    first = [
        row(rows, "tokens", number)[at]
        for number in range(len(rows.example))
        for at in row(rows, "words", number)
    ]
    hf = tokenizer.transformers
    alone = [
        hf.backend_tokenizer.encode(" " + word, add_special_tokens=False).ids[0] for word in words
    ]
    assert first == alone


@given(st.lists(st.text(min_size=1, max_size=12), min_size=1, max_size=20))
@settings(max_examples=150)
def test_a_list_of_words_has_the_tokenizers_own_encoding(tokenizer: Tokenizer, words: list[str]):
    encoder = encoder_of(tokenizer, "ner", 512)
    whole = encoder.backend.encode(words, is_pretokenized=True)
    visible = {word for word in whole.word_ids if word is not None}
    words = [word for at, word in enumerate(words) if at in visible]
    rows = encoder.encode([{"tokens": words}]) if words else None
    if rows is not None:
        assert row(rows, "tokens", 0) == whole.ids
        starts = [whole.word_ids.index(word) for word in sorted(visible)]
        assert row(rows, "words", 0) == starts


@pytest.mark.parametrize(
    ("counts", "room", "expected"),
    [
        ([1] * 6, 6, [(0, 6, 0, 6)]),
        # room 4, overlap 1: words 0-3, 3-6, 6-...; a shared word goes to the window on its left
        ([1] * 6, 4, [(0, 4, 0, 4), (3, 6, 4, 6)]),
        ([9, 1, 1], 4, [(0, 1, 0, 1), (1, 3, 1, 3)]),  # a word longer than a window stands alone
    ],
)
def test_windows_by_hand(counts: list[int], room: int, expected: list[tuple[int, ...]]):
    windows = plan_windows(counts, room)
    assert [(w.first, w.last, w.own, w.end) for w in windows] == expected


@given(st.lists(st.integers(1, 9), min_size=1, max_size=80), st.integers(2, 20))
def test_windows_own_every_word_once_and_fit(counts: list[int], room: int):
    windows = plan_windows(counts, room)
    assert [at for w in windows for at in range(w.own, w.end)] == list(range(len(counts)))
    for window in windows:
        assert window.first <= window.own < window.end <= window.last
        size = sum(counts[window.first : window.last])
        assert size <= room or window.last == window.first + 1


@st.composite
def questions(draw: Any) -> dict[str, Any]:
    words = draw(
        st.lists(
            st.sampled_from("Ana lives in Lima Quito 北京 naïve 😀 the".split()),
            min_size=1,
            max_size=60,
        )
    )
    context = " ".join(words)
    first = draw(st.integers(0, len(words) - 1))
    last = draw(st.integers(first, min(first + 3, len(words) - 1)))
    start = len(" ".join(words[:first])) + (first > 0)
    text = " ".join(words[first : last + 1])
    question = draw(st.sampled_from(["Who?", "¿Dónde vive?", "x " * 40]))
    answer = {"text": text, "answer_start": start}
    return {"id": "q", "question": question, "context": context, "answers": [answer]}


@given(st.lists(questions(), min_size=1, max_size=3))
@settings(max_examples=80)
def test_an_answer_comes_back_as_its_exact_characters(tokenizer: Tokenizer, examples: list[Any]):
    encoder = encoder_of(tokenizer, "qa", 48, doc_stride=8, max_question=12)
    rows = encoder.encode(examples)
    exact = inexact = absent = 0
    for number, example in enumerate(examples):
        mine = [at for at, owner in enumerate(rows.example) if owner == number]
        answer = example["answers"][0]
        decoded = set()
        for at in mine:
            start, end = row(rows, "context", at)
            flat = row(rows, "offsets", at)
            offsets = list(zip(flat[::2], flat[1::2], strict=True))
            assert len(offsets) == end - start
            assert len(row(rows, "tokens", at)) <= 48
            first, last = row(rows, "target", at)
            if first >= 0:
                assert start <= first <= last < end
                decoded.add(decode_span(example["context"], offsets, first - start, last - start))
        absent += not decoded
        exact += decoded == {answer["text"]}
        inexact += bool(decoded) and decoded != {answer["text"]}
    assert exact + inexact + absent == len(examples)
    assert inexact == rows.notes["answer ends inside a sub-word"]
    assert absent == rows.notes["answer longer than a window"]


@given(st.text(min_size=1, max_size=300).filter(str.strip))
@settings(max_examples=60)
def test_windows_cover_the_whole_context(tokenizer: Tokenizer, context: str):
    encoder = encoder_of(tokenizer, "qa", 48, doc_stride=8, max_question=12)
    rows = encoder.encode([{"question": "Who?", "context": context}])
    covered: set[int] = set()
    for at in range(len(rows.example)):
        flat = row(rows, "offsets", at)
        for start, end in zip(flat[::2], flat[1::2], strict=True):
            covered |= set(range(start, end))
        assert row(rows, "target", at) == []
    whole = tokenizer.transformers(
        context, add_special_tokens=False, return_offsets_mapping=True, truncation=False
    )["offset_mapping"]
    assert covered == {at for start, end in whole for at in range(start, end)}


def test_spans_by_hand(tokenizer_dir: Path):
    encoder = encoder_of(
        load_tokenizer(str(tokenizer_dir)), "qa", 64, doc_stride=8, max_question=12
    )
    context = "Ana lives in Lima."
    example = {
        "question": "Where?",
        "context": context,
        "answers": [{"text": "Lima", "answer_start": 13}],
    }
    nothing = {"question": "Where?", "context": context, "answers": []}
    rows = encoder.encode([example, nothing])
    assert row(rows, "target", 1) == [-1, -1]
    assert rows.labels == {"answer": 1, "no answer": 1}
    first, last = row(rows, "target", 0)
    start, _ = row(rows, "context", 0)
    flat = row(rows, "offsets", 0)
    assert context[flat[2 * (first - start)] : flat[2 * (last - start) + 1]].strip() == "Lima"


def test_choices_stand_end_to_end(tokenizer_dir: Path):
    tokenizer = load_tokenizer(str(tokenizer_dir))
    example = {
        "premise": "Ana sold a car.",
        "question": "cause",
        "choice1": "She left.",
        "choice2": "x",
    }
    rows = encoder_of(tokenizer, "copa", 32).encode([example | {"label": "1"}])
    parts = row(rows, "parts", 0)
    text = "Ana sold a car. cause"
    own = [tokenizer.transformers(text, choice) for choice in ("She left.", "x")]
    assert parts == [len(part["input_ids"]) for part in own]
    assert row(rows, "tokens", 0) == own[0]["input_ids"] + own[1]["input_ids"]
    assert row(rows, "segment", 0) == [part["token_type_ids"].index(1) for part in own]
    assert row(rows, "target", 0) == [1]


@given(st.lists(st.tuples(TEXT, st.none() | TEXT), min_size=1, max_size=3))
@settings(max_examples=40)
def test_plain_text_knows_where_its_words_start(
    tokenizer: Tokenizer, lines: list[tuple[str, str | None]]
):
    examples = [{"text": a} | ({"text2": b} if b else {}) for a, b in lines]
    rows = encoder_of(tokenizer, "mlm", 24).encode(examples)
    for number, example in enumerate(examples):
        own = tokenizer.transformers(*example.values(), truncation=True, max_length=24)
        pairs = list(zip(own.sequence_ids(), own.word_ids(), strict=True))
        expected = [
            at
            for at, pair in enumerate(pairs)
            if pair[1] is not None and (at == 0 or pair != pairs[at - 1])
        ]
        assert row(rows, "words", number) == expected
        assert row(rows, "tokens", number) == own["input_ids"]


def test_regression_keeps_the_score(tokenizer_dir: Path):
    encoder = encoder_of(load_tokenizer(str(tokenizer_dir)), "stsb")
    rows = encoder.encode([{"sentence1": "a", "sentence2": "b", "score": 2.615}])
    assert row(rows, "target", 0) == [2.615]


@pytest.mark.parametrize(
    ("task", "length", "limits", "message"),
    [
        ("nli", 4, {}, "--max-length 4 leaves room for 1"),
        ("qa", 100, {"doc_stride": 40}, "a smaller stride"),
    ],
)
def test_limits_that_cannot_work_are_refused(
    tokenizer_dir: Path, task: str, length: int, limits: dict[str, int], message: str
):
    with pytest.raises(TokenizerError, match=message):
        encoder_of(load_tokenizer(str(tokenizer_dir)), task, length, **limits)


def test_more_tokens_than_the_model_takes_are_refused(real_tokenizer: str):
    with pytest.raises(TokenizerError, match="more than the 512 tokens"):
        encoder_of(load_tokenizer(real_tokenizer), "nli", 513)
