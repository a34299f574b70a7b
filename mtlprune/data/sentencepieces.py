"""Train a sentencepiece (unigram) model and give it the layout that transformers loads."""

import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from tokenizers import Regex, Tokenizer, decoders, normalizers, pre_tokenizers, processors
from tokenizers.models import Unigram

from mtlprune.artifacts import new_folder
from mtlprune.data.tokenizers import import_transformers
from mtlprune.errors import TokenizerError

SPECIALS = {"pad": "[PAD]", "unk": "[UNK]", "cls": "[CLS]", "sep": "[SEP]", "mask": "[MASK]"}
OFTEN = 10  # times a word must come to be worth a piece of its own
LONGEST_LINE = 1 << 16  # bytes; sentencepiece leaves longer ones out, so they are cut


def train_tokenizer(
    texts: Iterable[str], size: int, out: Path, coverage: float = 1.0, overwrite: bool = False
) -> int:
    """Train on ``texts``, write a folder for ``AutoTokenizer``; the number of pieces it has."""
    with new_folder(out, overwrite, "tokenizer.json") as folder:
        backend = to_backend(train_model(texts, size, coverage))
        transformers = import_transformers()
        names = {f"{role}_token": token for role, token in SPECIALS.items()}
        wrapped = transformers.PreTrainedTokenizerFast(
            tokenizer_object=backend,
            model_input_names=["input_ids", "token_type_ids", "attention_mask"],
            clean_up_tokenization_spaces=False,
            **names,
        )
        wrapped.save_pretrained(folder)
    return backend.get_vocab_size()


def train_model(texts: Iterable[str], size: int, coverage: float = 1.0) -> bytes:
    """A sentencepiece unigram model, serialised. One thread, so that runs repeat exactly."""
    import sentencepiece

    model = io.BytesIO()
    lines = (text.replace("\n", " ") for text in with_lone_words(texts))
    try:
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=lines,
            model_writer=model,
            model_type="unigram",
            vocab_size=size,
            character_coverage=coverage,
            max_sentence_length=LONGEST_LINE,
            num_threads=1,
            minloglevel=3,
            pad_id=0,
            unk_id=1,
            bos_id=2,
            eos_id=3,
            pad_piece=SPECIALS["pad"],
            unk_piece=SPECIALS["unk"],
            bos_piece=SPECIALS["cls"],
            eos_piece=SPECIALS["sep"],
            control_symbols=[SPECIALS["mask"]],
        )
    except (RuntimeError, StopIteration) as problem:
        raise TokenizerError(_explain(str(problem), size)) from None
    return model.getvalue()


def with_lone_words(texts: Iterable[str]) -> Iterator[str]:
    """The texts, then every word that came often enough once more, with a full stop.

    sentencepiece takes as candidates only strings that it met in two different words. In a text
    of few words, most of them would never become a piece of their own, however often they come.
    """
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(filter(str.isalpha, text.split()))
        yield text
    yield from (f"{word}." for word, count in counts.items() if count >= OFTEN)


def _explain(problem: str, size: int) -> str:
    most = re.search(r"<= (\d+)", problem)
    if most:
        return f"--size {size} is more than this text supports; give {most[1]} or less"
    least = re.search(r"[Vv]ocabulary size is smaller than required_chars\. \d+ vs (\d+)", problem)
    if least:
        return f"--size {size} is less than the {least[1]} characters to cover; give more"
    if not problem.strip() or "sentences_.empty()" in problem:
        return "there is no text to train on in the given files"
    return f"sentencepiece could not train on this text: {problem.strip()}"


def to_backend(model: bytes) -> Tokenizer:
    """The same segmentation as sentencepiece's, in the tokenizers library; BERT's row layout."""
    from sentencepiece import sentencepiece_model_pb2

    proto = sentencepiece_model_pb2.ModelProto.FromString(model)
    pieces = [(piece.piece, piece.score) for piece in proto.pieces]
    backend = Tokenizer(Unigram(pieces, proto.trainer_spec.unk_id, byte_fallback=False))
    backend.normalizer = normalizers.Sequence(
        [
            normalizers.Precompiled(proto.normalizer_spec.precompiled_charsmap),
            normalizers.Strip(),
            normalizers.Replace(Regex(" {2,}"), " "),
        ]
    )
    backend.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always")
    backend.decoder = decoders.Metaspace(prepend_scheme="always")
    ids = {token: backend.token_to_id(token) for token in (SPECIALS["cls"], SPECIALS["sep"])}
    backend.post_processor = processors.TemplateProcessing(
        single="[CLS]:0 $A:0 [SEP]:0",
        pair="[CLS]:0 $A:0 [SEP]:0 $B:1 [SEP]:1",
        special_tokens=list(ids.items()),
    )
    return backend
