"""What we know about tasks and pairs, in tables. Text from users becomes a type here."""

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any

from mtlprune.errors import SpecError


@dataclass(frozen=True)
class KindSpec:
    """How examples of one kind look, whatever the task."""

    target: str  # name of the field that holds the answer; "" when the text is its own answer
    fields: tuple[int, int]  # least and largest number of text fields
    needs_labels: bool
    metrics: tuple[str, ...]
    max_length: int  # default length of a row in tokens


KINDS = {
    "sentence": KindSpec("label", (1, 2), True, ("accuracy", "f1", "mcc"), 128),
    "regression": KindSpec("score", (1, 2), False, ("spearman", "pearson"), 128),
    "token": KindSpec("tags", (1, 1), True, ("entity_f1", "token_accuracy"), 128),
    "span": KindSpec("answers", (2, 2), False, ("span_f1", "mlqa_f1"), 384),
    "choice": KindSpec("label", (1, 2), True, ("accuracy",), 128),
    "mlm": KindSpec("", (1, 2), False, ("masked_accuracy",), 128),
}


@dataclass(frozen=True)
class TaskSpec:
    """Everything the toolkit knows about a task that is not a tensor."""

    name: str
    kind: str
    labels: tuple[str, ...]
    metric: str
    fields: tuple[str, ...]
    aliases: Mapping[str, str] = field(default_factory=dict)  # spellings in published files
    choices: tuple[str, ...] = ()  # kind choice: the fields to choose from
    bounds: tuple[float, float] | None = None  # kind regression: least and largest score

    @property
    def target(self) -> str:
        return KINDS[self.kind].target

    @cached_property
    def spellings(self) -> dict[str, str]:
        """Every accepted spelling of a label, and the label."""
        return {label: label for label in self.labels} | dict(self.aliases)

    def label(self, text: str) -> str:
        """The label behind a spelling; an unknown one is refused, never guessed."""
        found = self.spellings.get(text)
        if found is None:
            known = ", ".join(self.spellings)
            known = known if len(known) < 300 else known[:300] + " ..."
            raise SpecError(
                f"unknown label {text!r:.80} (task {self.name} knows: {known}); other labels or "
                f"spellings: a task of your own in a file given with --task-table"
            )
        return found

    def labels_text(self) -> str:
        """The labels in a few words, for tables."""
        more = f", … ({len(self.labels)})" if self.labels[4:] else ""
        return ", ".join(self.labels[:4]) + more

    def to_dict(self) -> dict[str, Any]:
        """A JSON-ready copy; ``TaskSpec.from_dict`` reads it back."""
        return asdict(self)

    @classmethod
    def from_dict(cls, row: Mapping[str, Any]) -> "TaskSpec":
        tuples = {key: tuple(row[key]) for key in ("labels", "fields", "choices")}
        bounds = tuple(row["bounds"]) if row.get("bounds") else None
        return cls(**{**row, **tuples, "bounds": bounds})


def iob2(*entities: str) -> tuple[str, ...]:
    """The tags of a set of entity types: O, then B- and I- of each."""
    return ("O", *(f"{prefix}-{entity}" for entity in entities for prefix in "BI"))


NLI_LABELS = ("entailment", "neutral", "contradiction")
UPOS = tuple(
    "ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X".split()
)
MTOD_SLOTS = (
    "alarm/alarm_modifier",
    "datetime",
    "demonstrative_reference",
    "location",
    "negation",
    "news/type",
    "reminder/noun",
    "reminder/recurring_period",
    "reminder/reference",
    "reminder/reminder_modifier",
    "reminder/todo",
    "timer/attributes",
    "timer/noun",
    "weather/attribute",
    "weather/noun",
    "weather/temperatureUnit",
)
PAIR_FIELDS = ("sentence1", "sentence2")
NO_YES = {"0": "no", "1": "yes"}

TASKS = {
    spec.name: spec
    for spec in (
        TaskSpec(
            "nli",
            "sentence",
            NLI_LABELS,
            "accuracy",
            ("premise", "hypothesis"),
            {"contradictory": "contradiction"},  # so spelt in XNLI's translated training files
        ),
        TaskSpec(
            "pa",
            "sentence",
            ("different", "same"),
            "accuracy",
            PAIR_FIELDS,
            {"0": "different", "1": "same"},
        ),
        TaskSpec("qa", "span", (), "span_f1", ("question", "context")),
        TaskSpec("mlqa", "span", (), "mlqa_f1", ("question", "context")),
        TaskSpec("ner", "token", iob2("PER", "LOC", "ORG"), "entity_f1", ("tokens",)),
        TaskSpec("pos", "token", UPOS, "token_accuracy", ("tokens",)),
        TaskSpec("slot", "token", iob2(*MTOD_SLOTS), "entity_f1", ("tokens",)),
        TaskSpec(
            "cola",
            "sentence",
            ("unacceptable", "acceptable"),
            "mcc",
            ("sentence",),
            {"0": "unacceptable", "1": "acceptable"},
        ),
        TaskSpec(
            "sst2",
            "sentence",
            ("negative", "positive"),
            "accuracy",
            ("sentence",),
            {"0": "negative", "1": "positive"},
        ),
        TaskSpec("mrpc", "sentence", ("no", "yes"), "f1", PAIR_FIELDS, NO_YES),
        TaskSpec("qqp", "sentence", ("no", "yes"), "f1", ("question1", "question2"), NO_YES),
        TaskSpec("stsb", "regression", (), "spearman", PAIR_FIELDS, bounds=(0.0, 5.0)),
        TaskSpec("mnli", "sentence", NLI_LABELS, "accuracy", PAIR_FIELDS),
        TaskSpec(
            "qnli",
            "sentence",
            ("entailment", "not_entailment"),
            "accuracy",
            ("question", "sentence"),
        ),
        TaskSpec("rte", "sentence", ("entailment", "not_entailment"), "accuracy", PAIR_FIELDS),
        TaskSpec("wnli", "sentence", ("no", "yes"), "accuracy", PAIR_FIELDS, NO_YES),
        TaskSpec(
            "copa",
            "choice",
            ("0", "1"),
            "accuracy",
            ("premise", "question"),
            choices=("choice1", "choice2"),
        ),
        TaskSpec("mlm", "mlm", (), "masked_accuracy", ("text", "text2")),
    )
}

# Where well-known data goes: task and raw format.
BENCHMARKS = {
    "xnli": ("nli", "xnli"),
    "pawsx": ("pa", "pawsx"),
    "squad": ("qa", "squad"),
    "xquad": ("qa", "squad"),
    "tydiqa": ("qa", "squad"),
    "panx": ("ner", "panx"),
    "wikiann": ("ner", "panx"),
    "udpos": ("pos", "udpos"),
    "mtod": ("slot", "mtod"),
}

TASK_NAME = re.compile(r"[a-z][a-z0-9_]{0,31}")
LANGUAGE_NAME = re.compile(r"[A-Za-z0-9]{1,16}(-[A-Za-z0-9]{1,16}){0,3}")


@dataclass(frozen=True, order=True)
class TaskLanguage:
    """One task in one language, written ``nli-es``; the split is at the first dash."""

    task: str
    language: str

    def __str__(self) -> str:
        return f"{self.task}-{self.language}"

    @classmethod
    def parse(cls, text: str, tasks: Mapping[str, TaskSpec] = TASKS) -> "TaskLanguage":
        task, _, language = text.partition("-")
        meant = f"{language}-{task}" if language in tasks else ""
        if task in BENCHMARKS and BENCHMARKS[task][0] in tasks:
            meant = f"{BENCHMARKS[task][0]}-{language} (with --format {BENCHMARKS[task][1]})"
        hint = f"; did you mean {meant}?" if meant else ""
        if not TASK_NAME.fullmatch(task) or not LANGUAGE_NAME.fullmatch(language):
            raise SpecError(
                f"pair {text!r}: a pair is a task and a language joined by a dash, such as "
                f"nli-es or nli-zh-CN (the task in small letters, digits and _; the language in "
                f"letters, digits and dashes){hint}"
            )
        if task not in tasks:
            raise SpecError(
                f"pair '{text}': there is no task '{task}' (tasks: {', '.join(tasks)}); "
                f"a task of your own is a row in a file given with --task-table{hint}"
            )
        return cls(task, language)


def parse_pairs(text: str, tasks: Mapping[str, TaskSpec] = TASKS) -> tuple[TaskLanguage, ...]:
    """Comma-separated pairs; all mistakes are told at once."""
    pairs: list[TaskLanguage] = []
    problems = []
    for item in text.split(","):
        try:
            pairs.append(TaskLanguage.parse(item.strip(), tasks))
        except SpecError as problem:
            problems.append(str(problem))
    problems += [
        f"pair '{pair}' is given twice" for pair in dict.fromkeys(pairs) if pairs.count(pair) > 1
    ]
    if problems:
        raise SpecError("\n".join(problems))
    return tuple(pairs)
