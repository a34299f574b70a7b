"""The world in English."""

from mtlprune.data.tinyworld.language import Lexicon
from mtlprune.data.tinyworld.names import FIRST_NAMES, LAST_NAMES, listed, organisations

# Wordings of the values of one kind share a frame: the same words stand beside the slots in each
# relation, other words in each frame. So which words meet says nothing about which facts agree.
_WORDINGS = {
    "lives": (
        "{a} lives in {v} .",
        "the home of {a} is {v} .",
        "{v} is where {a} resides .",
        "{v} has {a} as a resident .",
    ),
    "born": (
        "{a} was born in {v} .",
        "the birthplace of {a} is {v} .",
        "{v} is where {a} came to life .",
        "{v} has {a} as a native .",
    ),
    "studied": (
        "{a} studied in {v} .",
        "the university of {a} is {v} .",
        "{v} is where {a} graduated .",
        "{v} has {a} as a student .",
    ),
    "is": (
        "{a} now works as {v} .",
        "the job of {a} is that of {v} .",
        "{v} is what {a} remains .",
        "being {v} feeds {a} .",
    ),
    "was": (
        "{a} once worked as {v} .",
        "the former job of {a} is that of {v} .",
        "{v} is what {a} stopped being .",
        "being {v} tired {a} .",
    ),
    "hopes": (
        "{a} wants work as {v} .",
        "the dream job of {a} is that of {v} .",
        "{v} is what {a} hopes to be .",
        "being {v} tempts {a} .",
    ),
    "employed": (
        "{a} works for {v} .",
        "the employer of {a} is {v} .",
        "{v} is the firm that employs {a} .",
        "{v} pays {a} .",
    ),
    "founded": (
        "{a} founded {v} .",
        "the creation of {a} is {v} .",
        "{v} is the firm started by {a} .",
        "{v} honours {a} .",
    ),
    "left": (
        "{a} quit {v} .",
        "the former firm of {a} is {v} .",
        "{v} is the firm abandoned by {a} .",
        "{v} misses {a} .",
    ),
    "bought": (
        "{a} bought {v} .",
        "the purchase of {a} was {v} .",
        "{v} is what {a} paid for .",
        "there is {v} that {a} acquired .",
    ),
    "sold": (
        "{a} sold {v} .",
        "the sale of {a} was {v} .",
        "{v} is what {a} got cash for .",
        "there is {v} that {a} traded .",
    ),
    "lost": (
        "{a} lost {v} .",
        "the loss of {a} was {v} .",
        "{v} is what {a} cannot find .",
        "there is {v} that {a} mislaid .",
    ),
    # From here on, no word stands beside a slot in two frames of a relation.
    "hired": (
        "{a} hired {b} .",
        "{a} gave work to {b} .",
        "{b} was recruited by {a} .",
        "{b} got a job from {a} .",
    ),
    "taught": (
        "{a} taught {b} .",
        "{a} gave lessons to {b} .",
        "{b} was instructed by {a} .",
        "{b} learnt much from {a} .",
    ),
    "beat": (
        "{a} beat {b} .",
        "{a} won against {b} .",
        "{b} was defeated by {a} .",
        "{b} lost to {a} .",
    ),
    "helped": (
        "{a} helped {b} .",
        "{a} gave a hand to {b} .",
        "{b} was assisted by {a} .",
        "{b} received support from {a} .",
    ),
    "acquired": (
        "{a} bought {b} .",
        "{a} took control of {b} .",
        "{b} was acquired by {a} .",
        "{b} belongs to {a} .",
    ),
    "sued": (
        "{a} sued {b} .",
        "{a} went to court against {b} .",
        "{b} was accused by {a} .",
        "{b} faced a lawsuit from {a} .",
    ),
}

_QUESTIONS = {
    "lives": ("where does {a} live ?", "which city is the home of {a} ?"),
    "born": ("where was {a} born ?", "which city is the birthplace of {a} ?"),
    "studied": ("where did {a} study ?", "in which city did {a} graduate ?"),
    "is": ("what does {a} work as now ?", "which job does {a} have ?"),
    "was": ("what did {a} work as once ?", "which job did {a} stop doing ?"),
    "hopes": ("what does {a} hope to be ?", "which job does {a} want ?"),
    "employed": ("who does {a} work for ?", "which firm employs {a} ?"),
    "founded": ("what did {a} found ?", "which firm was started by {a} ?"),
    "left": ("what did {a} quit ?", "which firm was abandoned by {a} ?"),
    "bought": ("what did {a} buy ?", "which thing was acquired by {a} ?"),
    "sold": ("what did {a} sell ?", "which thing was traded by {a} ?"),
    "lost": ("what did {a} lose ?", "which thing was mislaid by {a} ?"),
}

_CITIES = """
    Lisbon, Oslo, Warsaw, Nairobi, Quito, Dublin, Seville, Turin, Ottawa, Havana,
    London, Paris, Rome, Berlin, Madrid, Vienna, Prague, Athens, Moscow, Geneva,
    Brussels, Milan, Naples, Munich, Hamburg, Cologne, Lyon, Marseille, Florence, Venice,
    Budapest, Bucharest, Sofia, Copenhagen, Stockholm, Helsinki, Edinburgh, New York, Boston,
    Chicago, Lima, Bogota, Santiago, Tokyo, Beijing, Cape Town, Algiers, Tunis, Toronto, Zurich
"""
_JOBS = """
    a nurse, an engineer, a baker, a teacher, a painter, a lawyer, a cook, a waiter,
    a farmer, a sailor, an actor, a singer, a dentist, a journalist, a pilot, a plumber,
    a carpenter, a librarian, a photographer, a translator, an architect, a biologist,
    a hairdresser, a gardener, a mechanic, a detective, a judge, a tailor, a guide, a weaver,
    a butcher, a referee, a poet, a chemist, a dancer, a cashier, a diver, a firefighter,
    a miner, a secretary
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
        "job": listed(_JOBS),
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
