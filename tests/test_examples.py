"""Records become examples, or are refused with a reason."""

from typing import Any

import pytest

from mtlprune.data.examples import BadExample, check
from mtlprune.specs import TASKS


def checked(task: str, fields: dict[str, Any], labelled: bool = True) -> dict[str, Any]:
    return check(fields, TASKS[task], labelled, "train-0")


def test_labels_get_their_canonical_spelling_and_ids_become_text():
    example = checked("pa", {"id": 7, "sentence1": "a", "sentence2": "b", "label": 1, "more": 2})
    assert example == {"id": "7", "sentence1": "a", "sentence2": "b", "label": "same"}
    assert checked("pa", {"sentence1": "a", "sentence2": "b", "label": "0"})["id"] == "train-0"


PAIR = {"premise": "a", "hypothesis": "b"}
SPAN = {"question": "q?", "context": "Ana lives in Lima, Ana."}


@pytest.mark.parametrize(
    ("task", "fields", "reason"),
    [
        ("nli", PAIR, "no label"),
        ("nli", {"premise": "a", "label": "neutral"}, "no hypothesis"),
        ("nli", {"premise": "a", "hypothesis": 3, "label": "neutral"}, "hypothesis is not text"),
        ("nli", {"premise": "a", "hypothesis": " \n", "label": "neutral"}, "empty hypothesis"),
        ("nli", PAIR | {"label": "maybe"}, "unknown label"),
        ("nli", PAIR | {"label": 0}, "unknown label"),
        ("nli", PAIR | {"label": True}, "bad label"),
        ("nli", PAIR | {"label": ["neutral"]}, "bad label"),
        ("nli", PAIR | {"label": "neutral", "id": {}}, "bad id"),
        ("nli", {"premise": "\ud800", "hypothesis": "b", "label": "neutral"}, "half a character"),
        ("stsb", {"sentence1": "a", "sentence2": "b", "score": "5.1"}, "bad score"),
        ("stsb", {"sentence1": "a", "sentence2": "b", "score": "nan"}, "bad score"),
        ("stsb", {"sentence1": "a", "sentence2": "b", "score": True}, "bad score"),
        ("stsb", {"sentence1": "a", "sentence2": "b", "score": "x"}, "bad score"),
        ("ner", {"tokens": ["a", "b"], "tags": ["O"]}, "tags do not fit"),
        ("ner", {"tokens": ["a"], "tags": ["B-DOG"]}, "unknown label"),
        ("ner", {"tokens": ["a"], "tags": [["O"]]}, "bad label"),
        ("ner", {"tokens": [], "tags": []}, "empty tokens"),
        ("ner", {"tokens": "ab", "tags": ["O", "O"]}, "no tokens"),
        ("ner", {"tokens": [1], "tags": ["O"]}, "no tokens"),
        ("ner", {"tokens": ["a\ud800"], "tags": ["O"]}, "half a character"),
        ("qa", SPAN | {"answers": "Lima"}, "bad answers"),
        ("qa", SPAN | {"answers": [{"text": "Lima"}]}, "bad answers"),
        ("qa", SPAN | {"answers": [{"text": "", "answer_start": 0}]}, "bad answers"),
        ("qa", SPAN | {"answers": [{"text": "Rome", "answer_start": 0}]}, "answer not in context"),
        ("qa", SPAN | {"answers": [{"text": "Ana", "answer_start": 9}]}, "answer not in context"),
        ("copa", {"premise": "p", "question": "cause", "choice1": "a", "label": 0}, "no choice2"),
        ("mlm", {"text": ""}, "empty text"),
    ],
)
def test_what_is_no_example_is_refused_with_a_reason(task: str, fields: Any, reason: str):
    with pytest.raises(BadExample) as caught:
        checked(task, fields)
    assert caught.value.reason == reason
    assert str(caught.value)


@pytest.mark.parametrize(
    ("start", "expected"),
    [
        (13, {"text": "Lima", "answer_start": 13}),  # right
        (14, {"text": "Lima", "answer_start": 13, "moved": True}),  # off by one
        (0, {"text": "Lima", "answer_start": 13, "moved": True}),  # far off, but there is only one
    ],
)
def test_a_wrong_answer_start_is_mended_when_the_place_is_beyond_doubt(start: int, expected: Any):
    example = checked("qa", SPAN | {"answers": [{"text": "Lima", "answer_start": start}]})
    assert example["answers"] == [expected]


def test_several_answers_are_kept_and_one_unplaced_among_them_is_marked():
    answers = [{"text": "Rome", "answer_start": 0}, {"text": "Lima", "answer_start": 13}]
    assert checked("qa", SPAN | {"answers": answers})["answers"] == [
        {"text": "Rome", "answer_start": -1, "moved": True},
        {"text": "Lima", "answer_start": 13},
    ]


def test_impossible_questions_have_an_empty_list_of_answers():
    plausible = [{"text": "Lima", "answer_start": 13}]
    assert checked("qa", SPAN | {"answers": plausible, "is_impossible": True})["answers"] == []
    assert checked("qa", SPAN | {"answers": []})["answers"] == []


def test_test_data_may_lack_its_target():
    assert "label" not in checked("nli", PAIR, labelled=False)
    assert "tags" not in checked("ner", {"tokens": ["a", ""]}, labelled=False)
    assert "answers" not in checked("qa", SPAN, labelled=False)
    assert "score" not in checked("stsb", {"sentence1": "a", "sentence2": "b"}, labelled=False)


def test_plain_text_needs_no_second_sentence():
    assert checked("mlm", {"text": "a"}) == {"id": "train-0", "text": "a"}
    assert checked("mlm", {"text": "a", "text2": "b"})["text2"] == "b"
