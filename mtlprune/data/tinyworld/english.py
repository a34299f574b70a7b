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
        "{v} counts {a} as an inhabitant .",
    ),
    "born": (
        "{a} was born in {v} .",
        "the birthplace of {a} is {v} .",
        "{v} is where {a} came into the world .",
        "{v} claims {a} as a native .",
    ),
    "works": (
        "{a} works in {v} .",
        "the workplace of {a} is {v} .",
        "{v} is where {a} earns a salary .",
        "{v} greets {a} as a commuter .",
    ),
    "studied": (
        "{a} studied in {v} .",
        "the university town of {a} is {v} .",
        "{v} is where {a} went to college .",
        "{v} trained {a} as a student .",
    ),
    "holidays": (
        "{a} spends every summer in {v} .",
        "the holiday resort of {a} is {v} .",
        "{v} is where {a} goes to relax .",
        "{v} welcomes {a} as a tourist .",
    ),
    "is": (
        "{a} makes a living as {v} .",
        "the current profession of {a} is that of {v} .",
        "{v} is what {a} remains today .",
        "being {v} now keeps {a} busy .",
    ),
    "was": (
        "{a} used to work as {v} .",
        "the previous occupation of {a} is that of {v} .",
        "{v} is what {a} stopped being long ago .",
        "being {v} formerly kept {a} occupied .",
    ),
    "hopes": (
        "{a} wants a future as {v} .",
        "the dream job of {a} is that of {v} .",
        "{v} is what {a} hopes to become .",
        "being {v} someday would make {a} happy .",
    ),
    "refused": (
        "{a} refused to train as {v} .",
        "the rejected career of {a} is that of {v} .",
        "{v} is what {a} will never be .",
        "being {v} always seemed to {a} a nightmare .",
    ),
    "employed": (
        "{a} works for {v} .",
        "the employer of {a} is {v} .",
        "{v} is the firm that {a} serves .",
        "{v} pays {a} as a staff member .",
    ),
    "founded": (
        "{a} founded {v} .",
        "the brainchild of {a} is {v} .",
        "{v} is the firm that {a} set up .",
        "{v} honours {a} as its creator .",
    ),
    "left": (
        "{a} quit {v} .",
        "the past company of {a} is {v} .",
        "{v} is the firm that {a} walked out of .",
        "{v} remembers {a} as a former colleague .",
    ),
    "invests": (
        "{a} invests in {v} .",
        "the financial bet of {a} is {v} .",
        "{v} is the firm that {a} put money into .",
        "{v} lists {a} as a shareholder .",
    ),
    "bought": (
        "{a} bought {v} .",
        "the purchase of {a} was {v} .",
        "{v} is what {a} paid for .",
        "there is {v} that {a} acquired .",
    ),
    "sold": (
        "{a} sold {v} .",
        "the merchandise of {a} was {v} .",
        "{v} is what {a} handed to a customer .",
        "there is {v} that {a} exchanged for cash .",
    ),
    "lost": (
        "{a} lost {v} .",
        "the missing property of {a} was {v} .",
        "{v} is what {a} misplaced .",
        "there is {v} that {a} cannot locate .",
    ),
    "found": (
        "{a} found {v} .",
        "the discovery of {a} was {v} .",
        "{v} is what {a} came across .",
        "there is {v} that {a} picked up in the street .",
    ),
    "repaired": (
        "{a} repaired {v} .",
        "the workshop project of {a} was {v} .",
        "{v} is what {a} fixed .",
        "there is {v} that {a} made as good as new .",
    ),
    # From here on, no word stands beside a slot in two frames of a relation.
    "hired": (
        "{a} hired {b} .",
        "it was {a} who gave work to {b} .",
        "{b} was recruited by {a} .",
        "{b} got a job from {a} .",
    ),
    "taught": (
        "{a} taught {b} .",
        "it was {a} who gave lessons to {b} .",
        "{b} was instructed by {a} .",
        "{b} learnt a lot from {a} .",
    ),
    "beat": (
        "{a} beat {b} .",
        "it was {a} who won against {b} .",
        "{b} was defeated by {a} .",
        "{b} lost the match to {a} .",
    ),
    "helped": (
        "{a} helped {b} .",
        "it was {a} who came to the aid of {b} .",
        "{b} was assisted by {a} .",
        "{b} received support from {a} .",
    ),
    "paid": (
        "{a} paid {b} .",
        "it was {a} who gave money to {b} .",
        "{b} was rewarded by {a} .",
        "{b} cashed a cheque from {a} .",
    ),
    "called": (
        "{a} called {b} .",
        "it was {a} who left a message for {b} .",
        "{b} was contacted by {a} .",
        "{b} heard the voice of {a} .",
    ),
    "acquired": (
        "{a} bought {b} .",
        "it was {a} that took control of {b} .",
        "{b} was acquired by {a} .",
        "{b} became a subsidiary under {a} .",
    ),
    "sued": (
        "{a} sued {b} .",
        "it was {a} that brought a charge against {b} .",
        "{b} was accused by {a} .",
        "{b} faced a lawsuit from {a} .",
    ),
    "supplied": (
        "{a} supplied {b} .",
        "it was {a} that delivered goods to {b} .",
        "{b} was equipped by {a} .",
        "{b} obtained spare parts from {a} .",
    ),
    "moved": (
        "{p} moved from {a} to {b} .",
        "{p} gave up {a} for a new life in {b} .",
        "{b} received {p} , who was tired of {a} .",
        "{p} chose {b} after leaving {a} .",
    ),
    "shipped": (
        "{p} sent a parcel from {a} to {b} .",
        "{p} collected freight in {a} and carried it towards {b} .",
        "{b} received a box that {p} had posted at {a} .",
        "{p} drove a loaded truck into {b} after leaving {a} .",
    ),
}

_QUESTIONS = {
    "lives": (
        "where does {a} live ?",
        "what city is {a} a resident of ?",
        "in which city does {a} have [his/her] home ?",
    ),
    "born": (
        "where was {a} born ?",
        "what city is {a} a native of ?",
        "in which city did the life of {a} begin ?",
    ),
    "works": (
        "where does {a} work ?",
        "what city does {a} commute to ?",
        "in which city does {a} have an office ?",
    ),
    "studied": (
        "where did {a} study ?",
        "what city was {a} a student in ?",
        "in which city did {a} go to university ?",
    ),
    "holidays": (
        "where does {a} go on holiday ?",
        "what city does {a} visit as a tourist ?",
        "in which city does {a} relax in summer ?",
    ),
    "is": (
        "what does {a} do for a living ?",
        "what is the profession of {a} today ?",
        "which job does {a} have now ?",
    ),
    "was": (
        "what did {a} use to be ?",
        "what was the previous profession of {a} ?",
        "which job did {a} have formerly ?",
    ),
    "hopes": (
        "what does {a} hope to become ?",
        "what is the dream of {a} for [his/her] future ?",
        "which job does {a} want someday ?",
    ),
    "refused": (
        "what did {a} refuse to become ?",
        "what is the career that {a} rejected ?",
        "which job will {a} never have ?",
    ),
    "employed": (
        "who does {a} work for ?",
        "what is the employer of {a} called ?",
        "which firm is {a} on the staff of ?",
    ),
    "founded": (
        "what did {a} found ?",
        "what is the company that {a} created ?",
        "which firm was set up by {a} ?",
    ),
    "left": (
        "what firm did {a} quit ?",
        "what is the former company of {a} ?",
        "which firm did {a} walk out of ?",
    ),
    "invests": (
        "who does {a} invest in ?",
        "what is the company that {a} holds shares of ?",
        "which firm did {a} put money into ?",
    ),
    "bought": (
        "what did {a} buy ?",
        "which thing did {a} pay for ?",
        "what was acquired by {a} ?",
    ),
    "sold": (
        "what did {a} sell ?",
        "which thing did {a} get cash for ?",
        "what did a customer receive from {a} ?",
    ),
    "lost": (
        "what did {a} lose ?",
        "which thing is {a} missing ?",
        "what was misplaced by {a} ?",
    ),
    "found": (
        "what did {a} find ?",
        "which thing did {a} come across ?",
        "what was discovered by {a} ?",
    ),
    "repaired": (
        "what did {a} repair ?",
        "which thing did {a} work on in the workshop ?",
        "what was fixed by {a} ?",
    ),
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
