"""Tokenizers of our own: sentencepiece's segmentation in transformers' layout."""

from pathlib import Path
from typing import Any

import pytest
import sentencepiece
from hypothesis import given, settings
from hypothesis import strategies as st

from mtlprune.cli.main import main
from mtlprune.data.corpus import texts, training_files
from mtlprune.data.sentencepieces import to_backend, train_model, train_tokenizer
from mtlprune.data.tokenizers import import_transformers, load_tokenizer
from mtlprune.errors import TokenizerError


@pytest.fixture(scope="module")
def sentences(raw: Path) -> list[str]:
    return [text for path in training_files([raw]) for text in texts(path)]


@pytest.fixture(scope="module")
def both(sentences: list[str]) -> tuple[Any, Any]:
    """One model, read by sentencepiece and by the tokenizers library."""
    model = train_model(sentences, 400)
    return sentencepiece.SentencePieceProcessor(model_proto=model), to_backend(model)


WORDS = st.lists(
    st.sampled_from(["Ana", "vive", "Lima.", "¿Dónde", "ﬁn", "Ⅷ", "xyz", "\u3000", "é"])
)


@given(WORDS.map(" ".join) | WORDS.map("  ".join) | WORDS.map("".join))
@settings(max_examples=200)
def test_segmentation_is_that_of_sentencepiece(both: tuple[Any, Any], text: str):
    theirs, ours = both
    assert ours.encode(text, add_special_tokens=False).ids == theirs.encode(text)


def test_transformers_loads_it_as_any_other(tokenizer_dir: Path):
    hf = import_transformers().AutoTokenizer.from_pretrained(tokenizer_dir)
    row = hf("Ana lives in Lima.", "Ana vive en Lima.")
    tokens = hf.convert_ids_to_tokens(row["input_ids"])
    assert (tokens[0], tokens[-1], tokens.count("[SEP]")) == ("[CLS]", "[SEP]", 2)
    second = tokens.index("[SEP]") + 1
    assert row["token_type_ids"] == [0] * second + [1] * (len(tokens) - second)
    assert (
        hf.decode(row["input_ids"], skip_special_tokens=True)
        == "Ana lives in Lima. Ana vive en Lima."
    )
    assert [hf.pad_token_id, hf.unk_token_id, hf.cls_token_id, hf.sep_token_id] == [0, 1, 2, 3]
    assert hf.mask_token == "[MASK]" and hf("[MASK]")["input_ids"][1] == hf.mask_token_id
    assert len(hf) == hf.vocab_size == 500


def test_training_repeats_exactly(sentences: list[str], tmp_path: Path):
    for name in "ab":
        train_tokenizer(sentences, 300, tmp_path / name)
    first, second = (load_tokenizer(str(tmp_path / name)) for name in "ab")
    assert first.fingerprint == second.fingerprint
    train_tokenizer(sentences, 299, tmp_path / "c")
    assert load_tokenizer(str(tmp_path / "c")).fingerprint != first.fingerprint


def test_a_size_that_cannot_be_tells_which_can(tmp_path: Path):
    lines = ["Ana vive en Lima.", "¿Dónde vive Ana?"] * 20
    with pytest.raises(TokenizerError, match=r"--size 5000 .* give (\d+) or less") as caught:
        train_tokenizer(lines, 5000, tmp_path / "t")
    most = int(str(caught.value).split("give ")[1].split()[0])
    assert train_tokenizer(lines, most, tmp_path / "t") == most
    with pytest.raises(TokenizerError, match=r"--size 10 is less than the \d+ characters"):
        train_tokenizer(lines, 10, tmp_path / "u")
    assert not (tmp_path / "u").exists()


def test_only_training_text_is_used(raw: Path):
    files = training_files([raw])
    assert len(files) == 10 and all(path.stem == "train" for path in files)
    assert next(texts(raw / "ner-en/train.jsonl")).count(" ") > 2


def test_the_command_writes_a_folder_or_says_why_not(raw: Path, tmp_path: Path, capsys: Any):
    out = str(tmp_path / "t")
    assert main(["tokenizer", "--raw", str(raw), "--size", "400", "--out", out]) == 0
    assert "400 pieces, trained on 10 file(s)" in capsys.readouterr().out
    assert main(["tokenizer", "--raw", str(raw), "--size", "400", "--out", out]) == 2
    assert "--overwrite" in capsys.readouterr().err
    assert main(["tokenizer", "--raw", str(tmp_path), "--out", out, "--overwrite"]) == 2
    assert "<pair>/train.jsonl" in capsys.readouterr().err
    assert load_tokenizer(out).vocabulary_size == 400, "the old one stays"


@pytest.mark.parametrize("make", [lambda p: None, lambda p: p.mkdir(), lambda p: p.write_text("x")])
def test_a_tokenizer_that_is_none_is_refused(tmp_path: Path, make: Any, monkeypatch: Any):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    path = tmp_path / "tok"
    make(path)
    with pytest.raises(TokenizerError, match=str(path)):
        load_tokenizer(str(path))
