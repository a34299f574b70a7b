"""From a language's tables to a voice that says facts as text or as tagged tokens."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from mtlprune.data.tinyworld.entities import SIZES, Person
from mtlprune.data.tinyworld.relations import FRAMES, PERSON, QUESTIONS, RELATIONS, Relation

DATES, REPORTS = 12, 8  # openings of a sentence; a date goes with an event only
TAGS = {PERSON: "PER", "city": "LOC", "org": "ORG"}
_AGREEMENT = re.compile(r"\[(b:)?([^/\]]*)/([^\]]*)\]")
_GENDERS = range(4)  # bit 0: gender of the first thing mentioned, bit 1: of the second


@dataclass(frozen=True)
class Lexicon:
    """One language as it is written down. Nouns and names are in the order of their numbers.

    Wordings are tokens separated by spaces. ``[o/a]`` agrees with the fact's first person,
    ``[b:o/a]`` with its second. A noun is ``male/female`` where it has two forms, and stands
    with its article where sentences need one.
    """

    code: str
    nouns: Mapping[str, tuple[str, ...]]  # first, last, city, org, job, object
    articles: tuple[str, ...]
    wordings: Mapping[str, tuple[str, ...]]
    questions: Mapping[str, tuple[str, ...]]
    dates: tuple[str, ...]
    reports: tuple[str, ...]


class Fact(NamedTuple):
    """A relation and what fills its places, in the order of its slots."""

    relation: Relation
    things: tuple[Person | int, ...]

    @property
    def person(self) -> Person:
        """Whom a fact with a value is about."""
        assert isinstance(self.things[0], Person)
        return self.things[0]


class Wording(NamedTuple):
    """One compiled wording: ``say`` formats it, ``parts`` are literal tokens or a slot's place."""

    say: Callable[..., str]
    parts: tuple[tuple[str, ...] | int, ...]


def joined(tokens: str) -> str:
    """Text as it is written, from tokens separated by spaces."""
    return re.sub(r"(?<=¿) | (?=[.,?])", "", tokens)


def capitalised(text: str) -> str:
    return text[0].upper() + text[1:]


def _agreed(template: str, genders: int) -> str:
    def choose(match: re.Match[str]) -> str:
        bit = 1 if match[1] else 0
        return match[3] if genders >> bit & 1 else match[2]

    return _AGREEMENT.sub(choose, template)


def _parts(tokens: list[str], slots: tuple[str, ...]) -> tuple[tuple[str, ...] | int, ...]:
    places = {f"{{{slot}}}": place for place, slot in enumerate(slots)}
    parts: list[tuple[str, ...] | int] = []
    for token in tokens:
        if token in places:
            parts.append(places[token])
        elif parts and isinstance(parts[-1], tuple):
            parts[-1] = (*parts[-1], token)
        else:
            parts.append((token,))
    return tuple(parts)


def _compiled(template: str, slots: tuple[str, ...]) -> tuple[Wording, ...]:
    """The wording for each combination of genders."""
    assert sorted(re.findall(r"\{(\w)\}", template)) == sorted(slots), template
    assert "} {" not in template, f"names would run together: {template}"
    variants = []
    for genders in _GENDERS:
        tokens = _agreed(template, genders)
        parts = _parts(tokens.split(), slots)
        for place, slot in enumerate(slots):
            tokens = tokens.replace(f"{{{slot}}}", f"{{{place}}}")
        variants.append(Wording(joined(tokens).format, parts))
    return tuple(variants)


def _question(template: str) -> tuple[Callable[..., str], ...]:
    """The question for each gender, beginning with a capital after any question mark."""
    start = 2 if template.startswith("¿") else 0
    template = template[:start] + capitalised(template[start:])
    return tuple(say for say, _ in _compiled(template, ("a",)))


class Voice:
    """A language at work. The same fact, frame and opening mean the same in every voice."""

    def __init__(self, lexicon: Lexicon) -> None:
        self.lexicon = lexicon
        for kind, size in SIZES.items():
            assert len(lexicon.nouns[kind]) == size, (lexicon.code, kind)
        assert (len(lexicon.dates), len(lexicon.reports)) == (DATES, REPORTS), lexicon.code
        self._openings = (*lexicon.reports, *lexicon.dates)
        self._first, self._last = lexicon.nouns["first"], lexicon.nouns["last"]
        # [kind][gender][number]; the first form for 0, the last, perhaps the same, for -1
        self._nouns = {
            kind: tuple(tuple(noun.split("/")[-gender] for noun in nouns) for gender in (0, 1))
            for kind, nouns in lexicon.nouns.items()
        }
        self._wordings = tuple(
            tuple(_compiled(template, relation.slots) for template in lexicon.wordings[name])
            for relation in RELATIONS
            for name in (relation.name,)
        )
        assert {len(frames) for frames in self._wordings} == {FRAMES}, lexicon.code
        self._questions = {
            name: tuple(map(_question, templates)) for name, templates in lexicon.questions.items()
        }
        assert {len(asked) for asked in self._questions.values()} == {QUESTIONS}, lexicon.code

    def name(self, person: Person) -> str:
        first = self._first[person.first]
        return first if person.last is None else f"{first} {self._last[person.last]}"

    def _mentions(self, fact: Fact) -> tuple[list[str], int]:
        """The words for each thing in the fact, and the genders that wordings agree with."""
        mentions, genders = [], 0
        for place, (kind, thing) in enumerate(zip(fact.relation.kinds, fact.things, strict=True)):
            if isinstance(thing, Person):
                genders |= (thing.first & 1) << place
                mentions.append(self.name(thing))
            else:
                mentions.append(self._nouns[kind][genders & 1][thing])
        return mentions, genders

    def sentence(self, fact: Fact, frame: int, opening: int | None = None) -> str:
        mentions, genders = self._mentions(fact)
        text = self._wordings[fact.relation.number][frame][genders].say(*mentions)
        if opening is not None:
            text = f"{joined(self._openings[opening])} {text}"
        return capitalised(text)

    def tagged(
        self, fact: Fact, frame: int, opening: int | None = None
    ) -> tuple[list[str], list[str]]:
        """The sentence as tokens, with IOB2 tags."""
        mentions, genders = self._mentions(fact)
        tokens = [] if opening is None else self._openings[opening].split()
        tags = ["O"] * len(tokens)
        for part in self._wordings[fact.relation.number][frame][genders].parts:
            if isinstance(part, int):
                words = mentions[part].split()
                tokens += words
                tags += _tags(fact.relation.kinds[part], len(words))
            else:
                tokens += part
                tags += ["O"] * len(part)
        tokens[0] = capitalised(tokens[0])
        return tokens, tags

    def question(self, fact: Fact, wording: int) -> str:
        """Asks for the value of a fact about a person."""
        mentions, genders = self._mentions(fact)
        return self._questions[fact.relation.name][wording][genders](mentions[0])

    def answer(self, fact: Fact) -> str:
        """The fact's value without its article."""
        value = self._mentions(fact)[0][1]
        article, _, rest = value.partition(" ")
        return rest if article in self.lexicon.articles else value


def _tags(kind: str, length: int) -> list[str]:
    label = TAGS.get(kind)
    return ["O"] * length if label is None else [f"B-{label}"] + [f"I-{label}"] * (length - 1)
