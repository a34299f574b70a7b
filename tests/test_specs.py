"""The task table, pairs, and tasks of a user's own."""

import json
from pathlib import Path

import pytest

from mtlprune.errors import SpecError
from mtlprune.specs import KINDS, TASKS, TaskLanguage, TaskSpec, iob2, parse_pairs
from mtlprune.task_table import read_task_table


@pytest.mark.parametrize("spec", TASKS.values(), ids=str)
def test_every_row_fits_its_kind(spec: TaskSpec):
    kind = KINDS[spec.kind]
    assert spec.metric in kind.metrics
    assert kind.fields[0] <= len(spec.fields) <= kind.fields[1]
    assert bool(spec.labels) == kind.needs_labels
    assert set(spec.aliases.values()) <= set(spec.labels)
    assert len(spec.choices) == (len(spec.labels) if spec.kind == "choice" else 0)


@pytest.mark.parametrize("spec", TASKS.values(), ids=str)
def test_a_row_survives_json(spec: TaskSpec):
    assert TaskSpec.from_dict(json.loads(json.dumps(spec.to_dict()))) == spec


def test_a_pair_is_split_at_its_first_dash():
    assert TaskLanguage.parse("nli-zh-CN") == TaskLanguage("nli", "zh-CN")
    assert str(TaskLanguage.parse("nli-zh-CN")) == "nli-zh-CN"


@pytest.mark.parametrize(
    "text",
    ["", "nli", "nli-", "-es", "nli-../x", "nli-es\n", "nli-" + "x" * 99, "nli-e s", "NLI-es"],
)
def test_a_pair_that_is_no_pair_is_refused(text: str):
    with pytest.raises(SpecError, match="joined by a dash"):
        TaskLanguage.parse(text)


def test_all_wrong_pairs_are_told_at_once():
    with pytest.raises(SpecError) as caught:
        parse_pairs("nli-es,foo-en,bad,nli-es")
    message = str(caught.value)
    assert (
        "no task 'foo'" in message and "'bad'" in message and "'nli-es' is given twice" in message
    )
    assert "tasks: nli, pa, qa" in message


def test_labels_are_known_by_their_spellings_only():
    assert TASKS["pa"].label("1") == "same"
    assert TASKS["nli"].label("contradictory") == "contradiction"
    with pytest.raises(SpecError, match="entailment, neutral, contradiction"):
        TASKS["nli"].label("0")  # a number that nobody defined is not guessed


TABLE = """
[tasks.topic]
kind = "sentence"
labels = ["sports", "politics"]
metric = "accuracy"
fields = ["headline"]
aliases = { "0" = "sports", "1" = "politics" }

[tasks.wnut]
kind = "token"
entities = ["person", "creative-work"]
metric = "entity_f1"
fields = ["tokens"]

[tasks.rating]
kind = "regression"
metric = "spearman"
fields = ["review"]
bounds = [1, 5]
"""


def test_a_task_of_ones_own_is_a_row_in_a_toml_file(tmp_path: Path):
    path = tmp_path / "tasks.toml"
    path.write_text(TABLE)
    tasks = read_task_table(path)
    assert set(tasks) == set(TASKS) | {"topic", "wnut", "rating"}
    assert tasks["topic"].label("1") == "politics"
    assert tasks["wnut"].labels == iob2("person", "creative-work")
    assert tasks["wnut"].labels[3] == "B-creative-work"
    assert tasks["rating"].bounds == (1.0, 5.0)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("tasks = 3", "no section [tasks.NAME]"),
        ("[tasks.x\n", "not a TOML file"),
        ('[tasks.nli]\nkind="sentence"', "is built in"),
        ('[tasks."a-b"]\nkind="sentence"', "a name starts with"),
        ('[tasks.x]\nkind="magic"', "must be one of sentence, regression"),
        ('[tasks.x]\nkind="sentence"\ncolour="red"\nmetric="accuracy"', "unknown key 'colour'"),
        (
            '[tasks.x]\nkind="sentence"\nmetric="span_f1"',
            "metric is 'span_f1'; it must be one of accuracy",
        ),
        ('[tasks.x]\nkind="sentence"\nmetric="accuracy"\nfields=["a"]', "at least two labels"),
        ('[tasks.x]\nkind="sentence"\nmetric="f1"\nlabels=["a","a"]', "list of different"),
        (
            '[tasks.x]\nkind="span"\nmetric="span_f1"\nfields=["a"]',
            "fields must name 2 text field(s) of an example; it is: a",
        ),
        ('[tasks.x]\nkind="regression"\nmetric="pearson"\nfields=["a"]\nbounds=[5,1]', "bounds ="),
        (
            '[tasks.x]\nkind="choice"\nmetric="accuracy"\nfields=["a"]\nlabels=["0","1"]',
            "one field for each label",
        ),
        (
            '[tasks.x]\nkind="sentence"\nmetric="f1"\nfields=["a"]\nlabels=["n","y"]\n'
            'aliases={"1"="yes"}',
            "aliases must map",
        ),
    ],
)
def test_a_wrong_row_is_refused_with_its_reason(tmp_path: Path, text: str, expected: str):
    path = tmp_path / "tasks.toml"
    path.write_text(text)
    with pytest.raises(SpecError) as caught:
        read_task_table(path)
    assert expected in str(caught.value)
    assert str(path) in str(caught.value)


def test_a_missing_task_table_is_named(tmp_path: Path):
    with pytest.raises(SpecError, match="No such file"):
        read_task_table(tmp_path / "none.toml")
