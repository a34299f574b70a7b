"""The world in Spanish."""

from mtlprune.data.tinyworld.language import Lexicon
from mtlprune.data.tinyworld.names import FIRST_NAMES, LAST_NAMES, listed, organisations

# Frames as in English: beside the slots, each frame has words of its own.
_WORDINGS = {
    "lives": (
        "{a} vive en {v} .",
        "{a} habita {v} .",
        "{v} aloja a {a} .",
        "{v} cobija a {a} .",
    ),
    "born": (
        "{a} nació en {v} .",
        "{a} procede de {v} .",
        "{v} vio nacer a {a} .",
        "{v} crió a {a} .",
    ),
    "employed": (
        "{a} trabaja para {v} .",
        "{a} sirve a {v} .",
        "{v} emplea a {a} .",
        "{v} paga a {a} .",
    ),
    "founded": (
        "{a} fundó {v} .",
        "{a} creó {v} .",
        "{v} honra a {a} .",
        "{v} celebra a {a} .",
    ),
    "bought": (
        "{a} compró {v} .",
        "{a} adquirió {v} .",
        "{v} pertenece a {a} .",
        "{v} costó dinero a {a} .",
    ),
    "sold": (
        "{a} vendió {v} .",
        "{a} despachó {v} .",
        "{v} enriqueció a {a} .",
        "{v} trajo dinero a {a} .",
    ),
    # From here on, no word stands beside a slot in two frames of a relation.
    "hired": (
        "{a} contrató a {b} .",
        "{a} buscó trabajo para {b} .",
        "{b} fue fichad[b:o/a] por {a} .",
        "{b} obtuvo empleo de {a} .",
    ),
    "taught": (
        "{a} enseñó a {b} .",
        "{a} dio clases para {b} .",
        "{b} fue instruid[b:o/a] por {a} .",
        "{b} aprendió de {a} .",
    ),
    "acquired": (
        "{a} compró {b} .",
        "{a} se hizo con {b} .",
        "{b} fue adquirida por {a} .",
        "{b} pertenece a {a} .",
    ),
    "sued": (
        "{a} demandó a {b} .",
        "{a} pleiteó contra {b} .",
        "{b} fue acusada por {a} .",
        "{b} afrontó cargos de {a} .",
    ),
}

_QUESTIONS = {
    "lives": ("¿ dónde vive {a} ?", "¿ qué ciudad aloja a {a} ?"),
    "born": ("¿ dónde nació {a} ?", "¿ qué ciudad crió a {a} ?"),
    "employed": ("¿ para quién trabaja {a} ?", "¿ qué firma emplea a {a} ?"),
    "founded": ("¿ qué firma fundó {a} ?", "¿ qué firma celebra a {a} ?"),
    "bought": ("¿ qué compró {a} ?", "¿ qué cosa pertenece a {a} ?"),
    "sold": ("¿ qué vendió {a} ?", "¿ qué cosa enriqueció a {a} ?"),
}

_CITIES = """
    Lisboa, Oslo, Varsovia, Nairobi, Quito, Dublín, Sevilla, Turín, Ottawa, La Habana,
    Londres, París, Roma, Berlín, Madrid, Viena, Praga, Atenas, Moscú, Ginebra,
    Bruselas, Milán, Nápoles, Múnich, Hamburgo, Colonia, Lyon, Marsella, Florencia, Venecia,
    Budapest, Bucarest, Sofía, Copenhague, Estocolmo, Helsinki, Edimburgo, Nueva York, Boston,
    Chicago, Lima, Bogotá, Santiago, Tokio, Pekín, Ciudad del Cabo, Argel, Túnez, Toronto, Zúrich
"""
_OBJECTS = """
    un reloj, una bicicleta, una guitarra, una lámpara, un paraguas, una cámara, un violín,
    un sofá, un espejo, una cartera, una alfombra, un telescopio, una tetera, una maleta,
    un collar, un piano, un ordenador, un casco, una manta, un jarrón, un cuchillo,
    una escalera, un atlas, una bufanda, un tambor, una flauta, un martillo, una cesta,
    un sello, una moneda, una vela, una chaqueta, una brújula, una almohada, una trompeta,
    una nevera, una pulsera, un micrófono, una tableta, una mochila
"""


LEXICON = Lexicon(
    code="es",
    nouns={
        "first": FIRST_NAMES,
        "last": LAST_NAMES,
        "city": listed(_CITIES),
        "org": organisations(("Banca {}", "Alimentos {}", "{}tec", "Aerolíneas {}", "Motores {}")),
        "object": listed(_OBJECTS),
    },
    articles=("un", "una"),
    wordings=_WORDINGS,
    questions=_QUESTIONS,
    dates=(
        "el lunes ,",
        "el martes ,",
        "el viernes pasado ,",
        "un domingo de mayo ,",
        "en enero ,",
        "en marzo ,",
        "en octubre ,",
        "por Navidad ,",
        "justo antes de Semana Santa ,",
        "en 2015 ,",
        "en 2021 ,",
        "el año pasado ,",
    ),
    reports=(
        "el diario del lunes dice que",
        "según la prensa española ,",
        "nuestra visita del domingo mencionó que",
        "como informa el número de abril ,",
        "es bien sabido que",
        "unos vecinos franceses cuentan que",
        "una carta del pasado diciembre prueba que",
        "si creemos lo que dice Internet ,",
    ),
)
