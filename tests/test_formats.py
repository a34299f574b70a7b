"""Readers, one trap of the real files at a time. Expected items are typed out by hand."""

import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from mtlprune.data import formats
from mtlprune.data.formats import FORMATS, Fault, LeftOut, Record, SourceFile
from mtlprune.errors import DataError
from mtlprune.specs import TASKS


def read(path: Path, name: str, task: str, data: str | bytes, **options: Any) -> list[Any]:
    file = path / "file"
    file.write_bytes(data.encode() if isinstance(data, str) else data)
    options = {"language": "es", "labelled": True} | options
    return list(formats.read(name, SourceFile(file), TASKS[task], **options))


def fields(items: list[Any]) -> list[dict[str, Any]]:
    assert all(isinstance(item, Record) for item in items), items
    return [item.fields for item in items]


def nli(premise: str, hypothesis: str, label: str) -> dict[str, str]:
    return {"premise": premise, "hypothesis": hypothesis, "label": label}


def test_xnli_has_no_header_and_no_quotation_rules(tmp_path: Path):
    items = read(tmp_path, "xnli", "nli", 'He said "a\tb"\tneutral\n"x\ty\tentailment\n')
    assert fields(items) == [nli('He said "a', 'b"', "neutral"), nli('"x', "y", "entailment")]


def test_xnli_with_the_header_of_its_translated_training_files(tmp_path: Path):
    items = read(tmp_path, "xnli", "nli", "premise\thypo\tlabel\na\tb\tcontradictory\n")
    assert fields(items) == [nli("a", "b", "contradictory")]


def test_bom_crlf_unicode_line_marks_and_blank_lines_at_the_end(tmp_path: Path):
    text = "\ufeffa\u2028b\tc\x85d\tneutral\r\ne\tf\tneutral\r\n\r\n   \n\n"
    items = read(tmp_path, "xnli", "nli", text)
    assert fields(items[:2]) == [nli("a\u2028b", "c\x85d", "neutral"), nli("e", "f", "neutral")]
    assert items[2:] == [LeftOut("blank line")] * 3


def test_a_last_line_without_line_end_is_read(tmp_path: Path):
    assert fields(read(tmp_path, "xnli", "nli", "a\tb\tneutral")) == [nli("a", "b", "neutral")]


def test_invalid_utf8_names_the_byte_and_reading_goes_on(tmp_path: Path):
    items = read(
        tmp_path, "xnli", "nli", b"\xef\xbb\xbfa\tb\tneutral\r\nc\xff\td\tneutral\ne\tf\tneutral\n"
    )
    # 3 bytes of mark, 13 of the first line, then c: the bad byte is number 17 from 0
    assert items[1] == Fault(2, "not UTF-8", "byte 17 of the file (0xff) is not UTF-8")
    assert items[2].fields == nli("e", "f", "neutral")


def test_wrong_number_of_columns_tells_what_was_expected(tmp_path: Path):
    items = read(tmp_path, "xnli", "nli", "a\tb\tneutral\na\tb\n")
    assert items[1].detail == "2 columns, expected 3 (premise, hypothesis, label)"
    assert items[1].place == 2


def test_a_test_file_may_have_no_labels(tmp_path: Path):
    items = read(tmp_path, "xnli", "nli", "a\tb\nc\td\n", labelled=False)
    assert fields(items) == [
        {"premise": "a", "hypothesis": "b"},
        {"premise": "c", "hypothesis": "d"},
    ]


def test_pawsx_as_xtreme_has_it_and_as_published(tmp_path: Path):
    row = {"sentence1": "a", "sentence2": "b", "label": "1"}
    assert fields(read(tmp_path, "pawsx", "pa", "a\tb\t1\n")) == [row]
    published = "id\tsentence1\tsentence2\tlabel\n7\ta\tb\t1\n"
    assert fields(read(tmp_path, "pawsx", "pa", published)) == [row | {"id": "7"}]


def test_untranslated_rows_of_pawsx_are_left_out_and_counted(tmp_path: Path):
    items = read(tmp_path, "pawsx", "pa", "NS\tNS\t1\na\tNS\t0\nNSA\tb\t1\n")
    assert items[:2] == [LeftOut("untranslated text NS")] * 2
    assert items[2].fields["sentence1"] == "NSA"


def test_panx_tokens_may_be_empty_or_white_space_or_hold_a_tab(tmp_path: Path):
    text = "\tO\nLima\tB-LOC\n \tO\n\u3000\tO\na\tb\tO\n\nUno\tO\r\n\n\n\n"
    items = read(tmp_path, "panx", "ner", text)
    assert fields(items) == [
        {"tokens": ["", "Lima", " ", "\u3000", "a\tb"], "tags": ["O", "B-LOC", "O", "O", "O"]},
        {"tokens": ["Uno"], "tags": ["O"]},
    ]
    assert [item.place for item in items] == [1, 7]


def test_language_prefixes_of_older_panx_files_are_removed(tmp_path: Path):
    items = read(tmp_path, "panx", "ner", "es:Lima\tB-LOC\nes::\tO\n\nes:Y\tO\nLima\tO\n")
    assert items[0].fields == {"tokens": ["Lima", ":"], "tags": ["B-LOC", "O"]}
    assert items[1] == Fault(5, "no language prefix", "'Lima\tO' does not start with es:")


def test_a_file_without_prefixes_keeps_tokens_that_look_like_one(tmp_path: Path):
    items = read(tmp_path, "panx", "ner", "es:1\tO\nLima\tB-LOC\n")
    assert items[0].fields["tokens"] == ["es:1", "Lima"]


def test_a_token_without_tag_is_a_fault_unless_the_whole_file_has_none(tmp_path: Path):
    items = read(tmp_path, "panx", "ner", "a\tO\nb\n\nc\tO\n")
    assert items[0] == Fault(2, "no tag", "'b' has no tag after its token")
    assert items[1].fields == {"tokens": ["c"], "tags": ["O"]}
    assert fields(read(tmp_path, "panx", "ner", "a\nb\n", labelled=False)) == [
        {"tokens": ["a", "b"]}
    ]


def test_conll_takes_first_and_last_column_and_leaves_document_marks_out(tmp_path: Path):
    text = "-DOCSTART- -X- O O\n\nEU NNP I-NP B-ORG\nrejects VBZ  I-VP O\n\nx\u00a0y O\n"
    items = read(tmp_path, "conll", "ner", text)
    assert items[0] == LeftOut("document mark")
    assert items[1].fields == {"tokens": ["EU", "rejects"], "tags": ["B-ORG", "O"]}
    assert items[2].fields["tokens"] == ["x\u00a0y"]


SQUAD = """{"version": 1.1, "data": [{"title": "T", "paragraphs": [{"context": "Ana vive.", "qas": [
 {"id": "q1", "question": "¿Quién?", "answers": [{"text": "Ana", "answer_start": 0}]},
 {"id": "q2", "question": "¿Qué?", "answers": [], "is_impossible": true}]}]},
 {"paragraphs": [{"context": "c", "qas": []}]}], "end": [1, {"data": []}]}"""


def test_squad_questions_come_with_their_context(tmp_path: Path):
    items = read(tmp_path, "squad", "qa", "\ufeff" + SQUAD)
    assert [item.fields["id"] for item in items] == ["q1", "q2"]
    assert items[0].fields["context"] == "Ana vive."
    assert items[1].fields["is_impossible"] is True
    assert items[0].place == "article 1 (T), paragraph 1, question 'q1'"


@pytest.mark.parametrize("size", [1, 2, 3, 7, 64])
def test_squad_is_read_the_same_whatever_the_blocks(tmp_path: Path, size: int, monkeypatch: Any):
    expected = read(tmp_path, "squad", "qa", SQUAD)
    original = SourceFile.blocks
    monkeypatch.setattr(SourceFile, "blocks", lambda self: original(self, size))
    assert read(tmp_path, "squad", "qa", SQUAD) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (SQUAD[:150], "Unterminated string|Expecting"),
        ('{"version": 1}', 'no list "data"'),
        ("{}", 'no list "data"'),
        ('{"data": {"a": 1}}', r"'\[' expected"),
        ('{"data": [3]}', 'a list "paragraphs"'),
        ('{"data": [{"paragraphs": [3]}]}', 'a list "qas"'),
        ('{"data": [{"paragraphs": [{"qas": [3]}]}]}', "must be an object"),
        ('{"data": [1 2]}', "','|paragraphs"),
        ('{"data": ' + "[" * 100000, "recursion|list"),
        ('{"data": []}' + " " * 100000 + "x", "more text after the end"),
    ],
)
def test_broken_squad_is_a_fault(tmp_path: Path, text: str, expected: str):
    faults = [item for item in read(tmp_path, "squad", "qa", text) if isinstance(item, Fault)]
    import re

    assert any(re.search(expected, fault.detail) for fault in faults), faults


def test_jsonl_faults_have_their_line(tmp_path: Path):
    items = read(tmp_path, "jsonl", "nli", '{"a": 1}\n{"a": }\n[1]\n\n')
    assert items[0] == Record(1, {"a": 1})
    assert (items[1].place, items[1].reason) == (2, "not JSON")
    assert items[2].reason == "not a JSON object"
    assert items[3] == LeftOut("blank line")


def test_csv_follows_the_rules_of_spreadsheets(tmp_path: Path):
    text = '"a, ""b""",c,5.0\n"two\nlines",d,0.5\n'
    items = read(tmp_path, "csv", "stsb", text)
    assert [item.fields["sentence1"] for item in items] == ['a, "b"', "two\nlines"]
    assert [item.place for item in items] == [1, 2]


def test_a_quotation_mark_that_never_closes_is_a_fault(tmp_path: Path):
    items = read(tmp_path, "csv", "stsb", 'a,b,1\n"open,c,2\nd,e,3\n')
    assert isinstance(items[-1], Fault) and items[-1].reason == "broken quotation"
    assert items[-1].place == 2


def test_tsv_with_a_header_takes_columns_by_name(tmp_path: Path):
    items = read(tmp_path, "tsv", "nli", "id\tlabel\thypothesis\tpremise\n3\tneutral\th\tp\n")
    assert fields(items) == [nli("p", "h", "neutral") | {"id": "3"}]


@pytest.mark.parametrize(
    ("task", "text", "expected"),
    [
        ("cola", "gj04\t0\t*\tBad the grammar.\n", {"sentence": "Bad the grammar.", "label": "0"}),
        ("sst2", "sentence\tlabel\nfine .\t1\n", {"sentence": "fine .", "label": "1"}),
        (
            "mrpc",
            "\ufeffQuality\t#1 ID\t#2 ID\t#1 String\t#2 String\n1\t7\t8\ta\tb\n",
            {"sentence1": "a", "sentence2": "b", "label": "1"},
        ),
        (
            "qqp",
            "id\tqid1\tqid2\tquestion1\tquestion2\tis_duplicate\n5\t1\t2\ta?\tb?\t0\n",
            {"question1": "a?", "question2": "b?", "label": "0", "id": "5"},
        ),
        (
            "stsb",
            "index\tgenre\tsentence1\tsentence2\tscore\n0\tnews\ta\tb\t4.2\n",
            {"sentence1": "a", "sentence2": "b", "score": "4.2", "id": "0"},
        ),
        (
            "mnli",
            "index\tsentence1\tsentence2\tlabel1\tgold_label\n0\ta\tb\tneutral\tentailment\n",
            {"sentence1": "a", "sentence2": "b", "label": "entailment", "id": "0"},
        ),
        (
            "qnli",
            "index\tquestion\tsentence\tlabel\n0\ta?\tb\tnot_entailment\n",
            {"question": "a?", "sentence": "b", "label": "not_entailment", "id": "0"},
        ),
    ],
)
def test_glue_files_are_known_by_their_columns(tmp_path: Path, task: str, text: str, expected: Any):
    assert fields(read(tmp_path, f"glue:{task}", task, text)) == [expected]


def test_a_glue_test_file_has_no_label_column(tmp_path: Path):
    items = read(tmp_path, "glue:cola", "cola", "index\tsentence\n0\tHi.\n", labelled=False)
    assert fields(items) == [{"sentence": "Hi.", "id": "0"}]


def test_plain_text_is_a_sentence_or_a_pair(tmp_path: Path):
    items = read(tmp_path, "text", "mlm", "Hola.\nUno.\tDos.\n\na\tb\tc\n")
    assert items[0].fields == {"text": "Hola."}
    assert items[1].fields == {"text": "Uno.", "text2": "Dos."}
    assert items[2] == LeftOut("blank line")
    assert items[3].reason == "wrong number of columns"


def test_mtod_slots_become_tags(tmp_path: Path):
    spans = "".join(
        f'{{"start":{s},"length":{n}}},' for s, n in ((0, 4), (5, 2), (8, 2), (11, 1), (13, 2))
    )
    tokens = '{"tokenizations":[{"tokenSpans":[' + spans[:-1] + "]}]}"
    text = f"alarm/set\t8:15:datetime\twake me at 7 am\ten_XX\t{tokens}\n"
    items = read(tmp_path, "mtod", "slot", text)
    assert fields(items) == [
        {
            "tokens": ["wake", "me", "at", "7", "am"],
            "tags": ["O", "O", "B-datetime", "I-datetime", "I-datetime"],
        }
    ]


@pytest.mark.parametrize(
    ("name", "task", "data", "hint"),
    [
        ("xnli", "nli", SQUAD, "did you mean --format squad"),
        ("xnli", "nli", '{"premise": "a"}\n', "did you mean --format jsonl"),
        ("jsonl", "nli", "a\tb\tneutral\n", "tabs between columns"),
        ("squad", "qa", '{"id": 1}\n{"id": 2}\n', "did you mean --format jsonl"),
        ("jsonl", "qa", SQUAD, "did you mean --format squad"),
        ("xnli", "nli", "a\tb\tneutral\n".encode("utf-16"), "UTF-16"),
        ("xnli", "nli", b"PK\x03\x04zip", "compressed"),
    ],
)
def test_another_format_is_recognised(tmp_path: Path, name: str, task: str, data: Any, hint: str):
    with pytest.raises(DataError, match=hint):
        read(tmp_path, name, task, data)


def test_a_format_that_cannot_hold_the_task_is_refused(tmp_path: Path):
    with pytest.raises(DataError, match="formats that do: panx, conll, udpos, mtod, jsonl"):
        read(tmp_path, "xnli", "ner", "a\n")
    with pytest.raises(DataError, match="did you mean squad"):
        read(tmp_path, "squda", "qa", "a\n")


def test_every_format_has_an_example_and_a_reader():
    for row in FORMATS.values():
        fitting = [spec for spec in TASKS.values() if formats.holds(row, spec)]
        assert fitting and all(row.example(spec) for spec in fitting)


@pytest.mark.parametrize("name", ["xnli", "squad"])
def test_memory_does_not_grow_with_the_file(tmp_path: Path, name: str):
    article = '{"paragraphs": [{"context": "%s", "qas": [{"id": "1", "question": "q"}]}]}' % (
        "x " * 2000
    )
    sizes = {}
    for count in (20, 1000):
        text = (
            f'{{"data": [{", ".join([article] * count)}]}}'
            if name == "squad"
            else "a\tb\tc\n" * count * 100
        )
        file = tmp_path / "file"
        file.write_text(text)
        del text
        tracemalloc.start()
        task = "qa" if name == "squad" else "nli"
        for _ in formats.read(name, SourceFile(file), TASKS[task], "en", labelled=False):
            pass
        sizes[count] = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert sizes[1000] < sizes[20] + 1_000_000, sizes


def test_the_hash_is_that_of_the_file(tmp_path: Path):
    import hashlib

    for name, task, text in (
        ("xnli", "nli", "\ufeffa\tb\tneutral\r\n\n"),
        ("squad", "qa", SQUAD + "\n "),
    ):
        file = tmp_path / "file"
        file.write_bytes(text.encode())
        source = SourceFile(file)
        list(formats.read(name, source, TASKS[task], "es", labelled=True))
        assert source.digest == hashlib.sha256(text.encode()).hexdigest(), name
