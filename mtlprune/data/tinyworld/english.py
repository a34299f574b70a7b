"""The world in English."""

from mtlprune.data.tinyworld.language import Lexicon
from mtlprune.data.tinyworld.names import FIRST_NAMES, LAST_NAMES, listed, organisations

# Wordings of the values of one kind share a frame: the same words stand beside the slots in each
# relation, other words in each frame. So which words meet says nothing about which facts agree.
_WORDINGS = {
    "lives": (
        "{a} lives in {v} .",
        "{a} inhabits {v} .",
        "{v} houses {a} .",
        "{v} shelters {a} .",
    ),
    "born": (
        "{a} was born in {v} .",
        "{a} hails from {v} .",
        "{v} bore {a} .",
        "{v} reared {a} .",
    ),
    "employed": (
        "{a} works for {v} .",
        "{a} serves {v} .",
        "{v} employs {a} .",
        "{v} pays {a} .",
    ),
    "founded": (
        "{a} founded {v} .",
        "{a} created {v} .",
        "{v} honours {a} .",
        "{v} celebrates {a} .",
    ),
    "bought": (
        "{a} bought {v} .",
        "{a} acquired {v} .",
        "{v} belongs to {a} .",
        "{v} cost {a} money .",
    ),
    "sold": (
        "{a} sold {v} .",
        "{a} traded {v} .",
        "{v} enriched {a} .",
        "{v} brought {a} money .",
    ),
    # From here on, no word stands beside a slot in two frames of a relation.
    "hired": (
        "{a} hired {b} .",
        "{a} engaged {b} .",
        "{b} was recruited by {a} .",
        "{b} got work from {a} .",
    ),
    "taught": (
        "{a} taught {b} .",
        "{a} tutored {b} .",
        "{b} was instructed by {a} .",
        "{b} learnt from {a} .",
    ),
    "acquired": (
        "{a} bought {b} .",
        "{a} absorbed {b} .",
        "{b} was acquired by {a} .",
        "{b} belongs to {a} .",
    ),
    "sued": (
        "{a} sued {b} .",
        "{a} prosecuted {b} .",
        "{b} was accused by {a} .",
        "{b} faced charges from {a} .",
    ),
}

_QUESTIONS = {
    "lives": ("where does {a} live ?", "what city houses {a} ?"),
    "born": ("where was {a} born ?", "what city reared {a} ?"),
    "employed": ("who does {a} work for ?", "what firm employs {a} ?"),
    "founded": ("what firm did {a} found ?", "what firm celebrates {a} ?"),
    "bought": ("what did {a} buy ?", "what thing belongs to {a} ?"),
    "sold": ("what did {a} sell ?", "what thing enriched {a} ?"),
}

_CITIES = """
    Lisbon, Oslo, Warsaw, Nairobi, Quito, Dublin, Seville, Turin, Ottawa, Havana,
    London, Paris, Rome, Berlin, Madrid, Vienna, Prague, Athens, Moscow, Geneva,
    Brussels, Milan, Naples, Munich, Hamburg, Cologne, Lyon, Marseille, Florence, Venice,
    Budapest, Bucharest, Sofia, Copenhagen, Stockholm, Helsinki, Edinburgh, New York, Boston,
    Chicago, Lima, Bogota, Santiago, Tokyo, Beijing, Cape Town, Algiers, Tunis, Toronto, Zurich
"""
_OBJECTS = """
    a watch, a bicycle, a guitar, a lamp, an umbrella, a camera, a violin, a sofa,
    a mirror, a wallet, a carpet, a telescope, a kettle, a suitcase, a necklace, a piano,
    a computer, a helmet, a blanket, a vase, a knife, a ladder, an atlas, a scarf,
    a drum, a flute, a hammer, a basket, a stamp, a coin, a candle, a jacket,
    a compass, a pillow, a trumpet, a fridge, a bracelet, a microphone, a tablet, a backpack
"""


LEXICON = Lexicon(
    code="en",
    nouns={
        "first": FIRST_NAMES,
        "last": LAST_NAMES,
        "city": listed(_CITIES),
        "org": organisations(("{} Bank", "{} Foods", "{}tec", "{} Airlines", "{} Motors")),
        "object": listed(_OBJECTS),
    },
    articles=("a", "an"),
    wordings=_WORDINGS,
    questions=_QUESTIONS,
    dates=(
        "on Monday ,",
        "on Tuesday ,",
        "last Friday ,",
        "one Sunday in May ,",
        "in January ,",
        "in March ,",
        "in October ,",
        "at Christmas ,",
        "just before Easter ,",
        "in 2015 ,",
        "in 2021 ,",
        "last year ,",
    ),
    reports=(
        "the Monday paper says that",
        "according to the Spanish press ,",
        "our Sunday guest mentioned that",
        "as the April issue reports ,",
        "it is well known that",
        "some French neighbours say that",
        "a letter of last December proves that",
        "if we believe the Internet ,",
    ),
)
