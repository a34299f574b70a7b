"""Tokenizers: any fast one of transformers, and our own trained by sentencepiece."""

import hashlib
import importlib.util
import json
import logging
import sys
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer as Backend

from mtlprune.errors import TokenizerError

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Tokenizer:
    """A fast tokenizer, what models need to know of it, and a fingerprint to compare it by."""

    name: str
    backend_json: str  # the tokenizers library's own form, without padding and truncation
    vocabulary_size: int
    special_ids: dict[str, int | None]  # pad, unk, cls, sep, mask
    specials: tuple[int, int]  # how many special tokens a single text and a pair get
    uses_segments: bool  # whether the second text of a pair has token type 1
    max_length: int | None  # what the model behind it can take, if it says so
    transformers: Any = field(repr=False, compare=False)  # the object it came from

    def backend(self) -> Backend:
        """A fresh copy; whoever sets truncation on it disturbs nobody."""
        return Backend.from_str(self.backend_json)

    @cached_property
    def fingerprint(self) -> str:
        facts = json.dumps([self.special_ids, self.uses_segments], sort_keys=True)
        return hashlib.sha256((self.backend_json + facts).encode()).hexdigest()


def import_transformers() -> Any:
    """The transformers module, safe from a broken torchaudio.

    fairseq asks for torchaudio; the registry's build does not load beside a CPU torch, and
    transformers fails with it. One that does not load is hidden.
    """
    if "transformers" not in sys.modules and importlib.util.find_spec("torchaudio"):
        try:
            import torchaudio  # type: ignore  # noqa: F401
        except (ImportError, OSError):
            for name in [name for name in sys.modules if name.split(".")[0] == "torchaudio"]:
                del sys.modules[name]
            sys.modules["torchaudio"] = None  # type: ignore[assignment]
    import transformers

    return transformers


def load_tokenizer(name: str) -> Tokenizer:
    """A tokenizer by folder or hub name."""
    hf = _load(name)
    backend = Backend.from_str(hf.backend_tokenizer.to_str())
    backend.no_padding()
    backend.no_truncation()
    _check_segments(backend, name)
    limit = hf.model_max_length
    return Tokenizer(
        name,
        backend.to_str(),
        backend.get_vocab_size(),
        {role: getattr(hf, f"{role}_token_id") for role in ("pad", "unk", "cls", "sep", "mask")},
        (backend.num_special_tokens_to_add(False), backend.num_special_tokens_to_add(True)),
        "token_type_ids" in hf.model_input_names,
        limit if isinstance(limit, int) and limit < 1_000_000 else None,
        hf,
    )


def _load(name: str) -> Any:
    if Path(name).is_file():
        raise TokenizerError(f"tokenizer {name} is a file; give the folder it is in")
    is_folder = Path(name).is_dir()
    if not is_folder and (name.startswith((".", "/", "~")) or name.count("/") > 1):
        raise TokenizerError(f"tokenizer {name}: no such folder")
    files = ("tokenizer_config.json", "tokenizer.json", "vocab.txt", "vocab.json")
    if is_folder and not any((Path(name) / file).exists() for file in files):
        raise TokenizerError(
            f"tokenizer {name}: none of {', '.join(files)} in it; save one there with "
            f"save_pretrained, or train one: mtlprune tokenizer --raw RAW --out DIR"
        )
    transformers = import_transformers()
    logging.getLogger("huggingface_hub").setLevel(logging.ERROR)  # one message, not twenty retries
    if not is_folder:
        logger.warning(
            "tokenizer %s: no such folder; asking the hub (without network: a minute)", name
        )
    try:
        hf = transformers.AutoTokenizer.from_pretrained(name)
    except Exception as problem:  # transformers raises many types here, most with long texts
        first = str(problem).strip().split("\n")[0][:300]
        where = "a file in it is broken" if is_folder else "no such folder, and the hub says"
        raise TokenizerError(f"tokenizer {name}: {where}: {first}") from problem
    if not getattr(hf, "is_fast", False):
        raise TokenizerError(
            f"tokenizer {name}: {type(hf).__name__} has no fast form (tokenizer.json), and places "
            f"of words and answers need one; convert it with transformers' convert_slow_tokenizer"
        )
    return hf


def _check_segments(backend: Backend, name: str) -> None:
    """We store where the second segment starts: token types must be zeros, then ones."""
    types = backend.encode("a", "b").type_ids
    if types != sorted(types) or not set(types) <= {0, 1}:
        raise TokenizerError(f"tokenizer {name}: token types {types} of a pair are not 0…0 1…1")
