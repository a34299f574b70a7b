"""The built-in world: reproducible, parallel, without overlap of splits, without shortcuts."""

import json
import re
from collections import Counter
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import pytest
from scipy.sparse import hstack
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_limits

from mtlprune.data.tinyworld import LANGUAGES, SPLITS, TASKS, examples, write_world
from mtlprune.data.tinyworld.entities import RESERVED
from mtlprune.data.tinyworld.generate import VOICES
from mtlprune.data.tinyworld.language import capitalised, joined
from mtlprune.data.tinyworld.relations import RELATIONS, ROLE_RELATIONS, VALUE_RELATIONS
from mtlprune.errors import DataError, SpecError

TEXTS = {"nli": ("premise", "hypothesis"), "pa": ("sentence1", "sentence2")}
TASK_LANGUAGES = [(task, language) for task in TASKS for language in LANGUAGES]
HARD_PAIRS = [(task, language) for task in TEXTS for language in LANGUAGES]


def rows(task: str, language: str, split: str = "train", count: int = 300, seed: int = 1):
    return list(examples(task, language, split, count, seed))


# --- Reading sentences back: an independent way from text to facts ---


def noun_forms(language: str, kind: str) -> dict[str, int]:
    """Every way to write a noun, with and without article, to its number."""
    forms: dict[str, int] = {}
    lexicon = VOICES[language].lexicon
    for number, noun in enumerate(lexicon.nouns[kind]):
        for form in noun.split("/"):
            article, _, rest = form.partition(" ")
            for text in (form, rest if article in lexicon.articles else form):
                forms[text] = forms[capitalised(text)] = number
    return forms


class Reader:
    """Finds the facts in a text by trying every wording of the language."""

    def __init__(self, language: str) -> None:
        lexicon = VOICES[language].lexicon
        self.nouns = {kind: noun_forms(language, kind) for kind in lexicon.nouns}
        self.openings = [joined(opening) + " " for opening in (*lexicon.dates, *lexicon.reports)]
        self.wordings = [
            (relation, self.pattern(wording))
            for relation in RELATIONS
            for wording in lexicon.wordings[relation.name]
        ]
        self.questions = [
            (name, self.pattern(wording))
            for name, wordings in lexicon.questions.items()
            for wording in wordings
        ]

    @staticmethod
    def pattern(wording: str) -> re.Pattern[str]:
        text = re.escape(joined(re.sub(r"\[(?:b:)?(\w*)/(\w*)\]", r"<\1!\2>", wording)))
        text = re.sub(r"<(\w*)!(\w*)>", r"(?:\1|\2)", text)
        return re.compile(re.sub(r"\\{(\w)\\}", r"(?P<\1>.+)", text), re.IGNORECASE)

    def thing(self, kind: str, text: str) -> tuple[int, ...] | None:
        if kind != "person":
            return (self.nouns[kind][text],) if text in self.nouns[kind] else None
        first, _, last = text.partition(" ")
        parts = [self.nouns["first"].get(first), self.nouns["last"].get(last, -1 if last else -2)]
        return None if None in parts or -1 in parts else tuple(parts)  # type: ignore[arg-type]

    def facts(self, text: str) -> list[tuple[Any, ...]]:
        return [self.fact(sentence) for sentence in re.split(r"(?<=\.) ", text)]

    def fact(self, sentence: str) -> tuple[Any, ...]:
        if "? " in sentence:
            return self.answered(*sentence.split("? "))
        for opening in self.openings:
            if sentence.startswith(capitalised(opening)):
                sentence = capitalised(sentence[len(opening) :])
        found = set()
        for relation, pattern in self.wordings:
            if match := pattern.fullmatch(sentence):
                slots = zip(relation.kinds, relation.slots, strict=True)
                things = tuple(self.thing(kind, match[slot]) for kind, slot in slots)
                if None not in things:
                    found.add((relation.name, *things))
        assert len(found) == 1, (sentence, found)
        return found.pop()

    def answered(self, question: str, answer: str) -> tuple[Any, ...]:
        """The fact in a question and its answer."""
        relation, person = self.question(f"{question}?")
        (kind,) = (r.kinds[1] for r in RELATIONS if r.name == relation)
        return relation, person, self.thing(kind, answer.removesuffix("."))

    def question(self, text: str) -> tuple[Any, ...]:
        found = {
            (name, self.thing("person", match["a"]))
            for name, pattern in self.questions
            if (match := pattern.fullmatch(text)) and self.thing("person", match["a"])
        }
        assert len(found) == 1, (text, found)
        return found.pop()


READERS = {language: Reader(language) for language in LANGUAGES}


def facts_of(task: str, language: str, row: dict[str, Any]) -> list[Any]:
    """All that a row says, in order."""
    read = READERS[language]
    if task == "ner":
        return read.facts(joined(" ".join(row["tokens"])))
    if task == "qa":
        return [*read.facts(row["context"]), read.question(row["question"])]
    keys = TEXTS.get(task, ("text", "text2"))
    return [read.facts(row[key]) for key in keys if key in row]


# --- Reproducible and parallel ---


def test_same_seed_writes_the_same_bytes_and_another_seed_others(tmp_path: Path):
    for folder, seed in (("one", 5), ("two", 5), ("other", 6)):
        write_world(tmp_path / folder, {"train": 40, "valid": 10}, seed)
    for file in (tmp_path / "one").rglob("*.*"):
        if file.is_file():
            name = file.relative_to(tmp_path / "one")
            assert file.read_bytes() == (tmp_path / "two" / name).read_bytes()
            assert file.read_bytes() != (tmp_path / "other" / name).read_bytes()


@pytest.mark.parametrize(("task", "language"), TASK_LANGUAGES)
def test_first_rows_do_not_depend_on_the_count(task: str, language: str):
    assert rows(task, language, count=200)[:50] == rows(task, language, count=50)


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("task", TASKS)
def test_rows_say_the_same_facts_in_every_language(task: str, split: str):
    for english, spanish in zip(rows(task, "en", split), rows(task, "es", split), strict=True):
        assert english.get("id") == spanish.get("id")
        assert english.get("label") == spanish.get("label")
        assert facts_of(task, "en", english) == facts_of(task, "es", spanish)


# --- Labels mean what they say ---


@pytest.mark.parametrize("language", LANGUAGES)
def test_nli_labels_follow_from_the_facts(language: str):
    new = 0
    for row in rows("nli", language, count=600):
        premise, [(relation, person, value)] = facts_of("nli", language, row)
        ((stated, one, first), (again, two, second)) = premise
        assert stated == again and one != two and first != second
        held = {one: first, two: second}
        new += value not in held.values()
        expected = "neutral"
        if relation == stated:
            expected = "entailment" if held[person] == value else "contradiction"
        assert row["label"] == expected, row
    assert 50 < new < 110  # a fifth of the two thirds that do not follow: 80


@pytest.mark.parametrize("language", LANGUAGES)
def test_pa_labels_follow_from_the_facts(language: str):
    twins = 0
    for row in rows("pa", language, count=600):
        first, second = facts_of("pa", language, row)
        if len(first) == 1:  # who did it to whom
            relation, doer, done_to = first[0]
            swapped = {(relation, done_to, doer)}
        else:  # who has which value
            (relation, one, value), (again, two, other) = first
            assert relation == again and one != two and value != other
            swapped = {(relation, one, other), (relation, two, value)}
            twins += 1
        assert set(second) == {"same": set(first), "different": swapped}[row["label"]], row
        assert row["sentence1"] != row["sentence2"] and len(first) == len(second)
    assert 250 < twins < 350  # half


@pytest.mark.parametrize("language", LANGUAGES)
def test_qa_answers_follow_from_the_facts_and_have_rivals(language: str):
    positions: Counter[int] = Counter()
    confusable = rivalled = 0
    for row in rows("qa", language, count=600):
        *facts, (relation, person) = facts_of("qa", language, row)
        answers = [fact for fact in facts if fact[:2] == (relation, person)]
        assert len(answers) == 1
        positions[facts.index(answers[0])] += 1
        (kind,) = (k for k, table in VALUE_RELATIONS.items() if relation in {r.name for r in table})
        (number,) = answers[0][2]
        assert READERS[language].nouns[kind][row["answers"][0]["text"]] == number
        rivals = {r.name for r in VALUE_RELATIONS[kind]} - {relation}
        rivalled += any(name == relation and someone != person for name, someone, _ in facts)
        assert any(name != relation and who == person for name, who, _ in facts)
        confusable += any(name in rivals and who == person for name, who, _ in facts)
        assert len({who for _, who, _ in facts}) == 2
    assert min(positions[place] for place in range(3)) > 120  # 600 / 3 or 600 / 4, mixed
    assert 240 < confusable < 360  # half of the people have another value of the same kind
    assert 240 < rivalled < 360  # in half of the contexts another person has one too


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_plain_text_says_again_it_has_said_before(language: str):
    asked = 0
    for row in rows("mlm", language, count=600):
        if "text2" in row:
            first, [again] = facts_of("mlm", language, row)
            assert again in first
            asked += "?" in row["text2"]
    assert 100 < asked < 200  # 600 * 3/4 * 2/3 about a value, half of them asked: 150


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_qa_answers_are_exact_and_unique_spans(language: str, split: str):
    for row in rows("qa", language, split, 3000):
        (answer,) = row["answers"]
        start = answer["answer_start"]
        assert row["context"][start : start + len(answer["text"])] == answer["text"]
        assert row["context"].lower().count(answer["text"].lower()) == 1, row


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_answer_hides_inside_another_word_of_the_world(language: str):
    lexicon = VOICES[language].lexicon
    kinds = ("city", "org", "object")
    nouns = [
        (kind, number, form)
        for kind in kinds
        for form, number in noun_forms(language, kind).items()
    ]
    words = {
        w for group in (lexicon.wordings, lexicon.questions) for ws in group.values() for w in ws
    }
    for (kind, number, one), (kind2, number2, two) in combinations(nouns, 2):
        if (kind, number) != (kind2, number2):
            assert one.lower() not in two.lower()
            assert two.lower() not in one.lower()
    for _, _, noun in nouns:
        assert not any(noun.lower() in wording.lower() for wording in words), noun


@pytest.mark.parametrize("language", LANGUAGES)
def test_ner_tags_are_legal_and_cover_exactly_the_mentions(language: str):
    reader = READERS[language]
    kinds = {"LOC": "city", "ORG": "org", "PER": "person"}
    for row in rows("ner", language, "test", 2000):
        tokens, tags = row["tokens"], row["tags"]
        assert len(tokens) == len(tags)
        mentions: list[tuple[str, str]] = []
        for before, token, tag in zip(["O", *tags], tokens, tags, strict=False):
            if tag.startswith("I-"):
                assert before[2:] == tag[2:], row
                mentions[-1] = (tag[2:], f"{mentions[-1][1]} {token}")
            elif tag != "O":
                mentions.append((tag[2:], token))
        expected = Counter(
            (kind, thing)
            for name, *things in reader.facts(joined(" ".join(tokens)))
            for kind, thing in zip(
                next(r.kinds for r in RELATIONS if r.name == name), things, strict=True
            )
            if kind in kinds.values()
        )
        assert expected == Counter((kinds[t], reader.thing(kinds[t], text)) for t, text in mentions)


def test_capital_letters_alone_do_not_mark_entities():
    for language in LANGUAGES:
        capitals = Counter(
            tag == "O"
            for row in rows("ner", language)
            for token, tag in zip(row["tokens"], row["tags"], strict=True)
            if token[0].isupper()
        )
        assert capitals[True] > 0.15 * capitals[False]


@pytest.mark.parametrize("task", TEXTS)
def test_labels_are_balanced(task: str):
    labels = Counter(row["label"] for row in rows(task, "en", count=6000))
    assert max(labels.values()) - min(labels.values()) < 0.05 * 6000


# --- Splits ---


def identity(task: str, row: dict[str, Any]) -> list[Any]:
    """What two splits must not share."""
    return {
        "nli": lambda: [row["premise"], (row["premise"], row["hypothesis"])],
        "pa": lambda: [tuple(sorted((row["sentence1"], row["sentence2"])))],
        "qa": lambda: [row["context"]],
        "ner": lambda: [tuple(row["tokens"])],
        "mlm": lambda: ["\t".join(row.values()), *row.values()],
    }[task]()


@pytest.mark.parametrize(("task", "language"), TASK_LANGUAGES)
def test_splits_share_nothing(task: str, language: str):
    seen = [
        {key for row in rows(task, language, split, 5000) for key in identity(task, row)}
        for split in SPLITS
    ]
    assert all(one.isdisjoint(two) for one, two in combinations(seen, 2))


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_sentence_of_any_task_crosses_splits(language: str):
    def sentences(split: str) -> set[str]:
        texts = [
            t
            for row in rows("nli", language, split, 4000)
            for t in (row["premise"], row["hypothesis"])
        ]
        texts += [row["context"] for row in rows("qa", language, split, 4000)]
        texts += [t for row in rows("mlm", language, split, 4000) for t in row.values()]
        return {sentence for text in texts for sentence in re.split(r"(?<=\.) ", text)}

    assert all(one.isdisjoint(two) for one, two in combinations(map(sentences, SPLITS), 2))


@pytest.mark.parametrize("language", LANGUAGES)
def test_reserved_entities_occur_outside_train_only(language: str):
    nouns = VOICES[language].lexicon.nouns
    reserved = {noun for kind, limit in RESERVED.items() for noun in nouns[kind][:limit]}
    mention = re.compile(rf"\b({'|'.join(reserved)})\b")
    for split in SPLITS:
        text = "\n".join(
            str(row)
            for task in ("nli", "pa", "qa", "mlm")
            for row in rows(task, language, split, 2000)
        )
        assert set(mention.findall(text)) == (set() if split == "train" else reserved)


# --- No shortcuts ---

NGRAMS = {"ngram_range": (1, 2), "token_pattern": r"\w+", "min_df": 2}
MAKERS = {
    "counts": lambda: CountVectorizer(**NGRAMS),
    "binary": lambda: CountVectorizer(**NGRAMS, binary=True),
    "tfidf": lambda: TfidfVectorizer(**NGRAMS),
}
LIMIT = {"nli": 0.45, "pa": 0.60}
Pairs = list[tuple[str, str]]


def ngram_features(weights: str, separate: bool, train: Pairs, test: Pairs):
    """Bags of words and bigrams of both texts together, or of each in a space of its own."""
    columns = ([0], [1]) if separate else ([0, 1],)
    parts = []
    for column in columns:
        bag = MAKERS[weights]()
        texts = [[" ".join(pair[c] for c in column) for pair in pairs] for pairs in (train, test)]
        parts.append((bag.fit_transform(texts[0]), bag.transform(texts[1])))
    return tuple(hstack(half).tocsr() for half in zip(*parts, strict=True))


def ngram_accuracy(train: tuple[Pairs, list[str]], test: tuple[Pairs, list[str]], how) -> float:
    known, unknown = ngram_features(*how, train[0], test[0])
    with threadpool_limits(1):  # with a busy machine, more threads take a hundred times as long
        model = LogisticRegression(C=0.3, max_iter=1000).fit(known, train[1])
    return float(model.score(unknown, test[1]))


def pairs_of(task: str, language: str, split: str, count: int) -> tuple[Pairs, list[str]]:
    one, two = TEXTS[task]
    found = rows(task, language, split, count)
    return [(row[one], row[two]) for row in found], [row["label"] for row in found]


FEATURES = [(weights, separate) for weights in MAKERS for separate in (False, True)]


@pytest.mark.slow
@pytest.mark.parametrize(("task", "language"), HARD_PAIRS)
def test_bags_of_ngrams_stay_near_chance(task: str, language: str):
    train, test = pairs_of(task, language, "train", 5000), pairs_of(task, language, "test", 2000)
    found = {how: ngram_accuracy(train, test, how) for how in FEATURES}
    assert max(found.values()) <= LIMIT[task], found


@pytest.mark.slow
@pytest.mark.parametrize("task", TEXTS)
def test_bags_of_ngrams_find_a_leak_where_there_is_one(task: str):
    def leak(data: tuple[Pairs, list[str]]) -> tuple[Pairs, list[str]]:
        """One word more in the second text of two thirds of the rows with one label."""
        marked = {"nli": "contradiction", "pa": "different"}[task]
        pairs = [
            (one, f"{two} Also." if label == marked and place % 3 else two)
            for place, ((one, two), label) in enumerate(zip(*data, strict=True))
        ]
        return pairs, data[1]

    train = leak(pairs_of(task, "en", "train", 5000))
    test = leak(pairs_of(task, "en", "test", 2000))
    found = {how: ngram_accuracy(train, test, how) for how in FEATURES}
    assert min(found.values()) > LIMIT[task], found


def lengths(one: list[str], two: list[str]) -> list[float]:
    return [len(one), len(two), len(" ".join(one)), len(" ".join(two))]


def overlap(one: list[str], two: list[str]) -> list[float]:
    """Shares of the second text's words and bigrams that the first has too."""
    words, bigrams = set(one) & set(two), set(pairwise(one)) & set(pairwise(two))
    return [len(words) / len(set(one) | set(two)), len(words) / len(two), len(bigrams) / len(two)]


def name_order(one: list[str], two: list[str]) -> list[float]:
    """Whether the capitalised words that both texts have come in the same order, and where."""
    shared = [[w for w in text if w[0].isupper() and w in one and w in two] for text in (one, two)]
    return [shared[0] == shared[1], one[0] == two[0], one[-1] == two[-1], one[-1] == two[0]]


@pytest.mark.parametrize("measure", [lengths, overlap, name_order])
@pytest.mark.parametrize(("task", "language"), HARD_PAIRS)
def test_surface_measures_do_not_tell_the_label(task: str, language: str, measure):
    def measured(split: str, count: int) -> tuple[list[list[float]], list[str]]:
        pairs, labels = pairs_of(task, language, split, count)
        return [measure(*(re.findall(r"\w+", text) for text in pair)) for pair in pairs], labels

    tree = DecisionTreeClassifier(max_depth=8, min_samples_leaf=20, random_state=0)
    assert tree.fit(*measured("train", 5000)).score(*measured("test", 2000)) <= LIMIT[task]


def neighbours(wording: str, slot: str) -> tuple[str, str]:
    """The words left and right of a slot; empty at the ends."""
    tokens = ["", *wording.replace(" .", "").split(), ""]
    place = tokens.index(f"{{{slot}}}")
    return tokens[place - 1], tokens[place + 1]


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_word_stands_beside_a_value_in_two_frames_of_its_kind(language: str):
    wordings = VOICES[language].lexicon.wordings
    for relations in VALUE_RELATIONS.values():
        for side in (0, 1):
            frames = [
                {neighbours(wordings[r.name][frame], "v")[side] for r in relations} - {""}
                for frame in range(4)
            ]
            for one, two in combinations(frames, 2):
                assert one.isdisjoint(two), (language, one & two)


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_word_stands_beside_two_roles_or_in_two_frames_of_a_role_relation(language: str):
    for relation in ROLE_RELATIONS:
        wordings = VOICES[language].lexicon.wordings[relation.name]
        for side in (0, 1):
            beside = [neighbours(wording, slot)[side] for wording in wordings for slot in "ab"]
            words = [word for word in beside if word]
            assert len(words) == len(set(words)), (relation.name, words)
        assert all((w.index("{a}") < w.index("{b}")) == (f < 2) for f, w in enumerate(wordings))


@pytest.mark.parametrize("language", LANGUAGES)
def test_wordings_are_all_different(language: str):
    for table in (VOICES[language].lexicon.wordings, VOICES[language].lexicon.questions):
        for name, wordings in table.items():
            assert len(set(wordings)) == len(wordings), name


def test_english_articles_fit_their_nouns():
    nouns = VOICES["en"].lexicon.nouns
    for noun in nouns["object"]:
        article, word = noun.split(" ")
        assert (article == "an") == (word[0] in "aeiou"), noun


# --- On disk ---


def test_files_hold_the_rows_and_the_counts_are_told(tmp_path: Path):
    heard: list[int] = []
    counts = {"train": 1200, "valid": 3, "test": 0}
    told = write_world(tmp_path, counts, 2, ("es",), ("qa", "mlm"), heard.append)
    assert told == {pair: {"train": 1200, "valid": 3} for pair in ("qa-es", "mlm-es")}
    assert sum(heard) == 2406
    lines = (tmp_path / "qa-es" / "valid.jsonl").read_text("utf-8").splitlines()
    assert [json.loads(line) for line in lines] == rows("qa", "es", "valid", 3, seed=2)
    assert "¿" in lines[0]
    plain = (tmp_path / "mlm-es" / "train.txt").read_text("utf-8").splitlines()
    assert len(plain) == 1200
    assert 0.7 < sum(line.count("\t") for line in plain) / 1200 < 0.8
    assert sorted(file.name for file in tmp_path.rglob("*")) == sorted(
        ["qa-es", "mlm-es", "train.jsonl", "valid.jsonl", "train.txt", "valid.txt"]
    )


def test_an_existing_folder_is_refused_before_anything_is_written(tmp_path: Path):
    (tmp_path / "ner-es").mkdir()
    with pytest.raises(DataError, match=r"ner-es already exists.*remove it"):
        write_world(tmp_path, {"train": 5}, 1)
    assert [path.name for path in tmp_path.iterdir()] == ["ner-es"]


def test_nothing_half_written_remains_after_an_error(tmp_path: Path):
    def stop(_: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_world(tmp_path, {"train": 5}, 1, progress=stop)
    assert list(tmp_path.iterdir()) == []


def test_what_the_world_does_not_have_is_refused_by_name(tmp_path: Path):
    with pytest.raises(SpecError, match=r"language 'de'.*en, es"):
        examples("nli", "de", "train", 1, 1)
    with pytest.raises(SpecError, match="split 'dev'"):
        write_world(tmp_path, {"dev": 1}, 1)
    with pytest.raises(DataError, match="not a folder"):
        write_world(Path(__file__), {"train": 1}, 1)
    with pytest.raises(DataError, match="train: -1"):
        write_world(tmp_path, {"train": -1}, 1)
