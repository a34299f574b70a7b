"""The world in Spanish."""

from mtlprune.data.tinyworld.language import Lexicon
from mtlprune.data.tinyworld.names import FIRST_NAMES, LAST_NAMES, listed, organisations

# Frames as in English: beside the slots, each frame has words of its own.
_WORDINGS = {
    "lives": (
        "{a} vive en {v} .",
        "el hogar de {a} es {v} .",
        "{v} es donde {a} reside .",
        "{v} tiene a {a} como vecin[o/a] .",
    ),
    "born": (
        "{a} nació en {v} .",
        "la cuna de {a} es {v} .",
        "{v} es donde {a} vino al mundo .",
        "{v} tiene a {a} como nativ[o/a] .",
    ),
    "studied": (
        "{a} estudió en {v} .",
        "la universidad de {a} es {v} .",
        "{v} es donde {a} se graduó .",
        "{v} tiene a {a} como alumn[o/a] .",
    ),
    "is": (
        "{a} trabaja ahora como {v} .",
        "el oficio de {a} es el de {v} .",
        "{v} es lo que {a} sigue siendo .",
        "ser {v} alimenta a {a} .",
    ),
    "was": (
        "{a} trabajó antes como {v} .",
        "el antiguo oficio de {a} es el de {v} .",
        "{v} es lo que {a} dejó de ser .",
        "ser {v} cansó a {a} .",
    ),
    "hopes": (
        "{a} quiere trabajar como {v} .",
        "el oficio soñado de {a} es el de {v} .",
        "{v} es lo que {a} espera ser .",
        "ser {v} tienta a {a} .",
    ),
    "employed": (
        "{a} trabaja para {v} .",
        "la empleadora de {a} es {v} .",
        "{v} es la firma que emplea a {a} .",
        "{v} paga a {a} .",
    ),
    "founded": (
        "{a} fundó {v} .",
        "la creación de {a} es {v} .",
        "{v} es la firma que inició {a} .",
        "{v} honra a {a} .",
    ),
    "left": (
        "{a} dejó {v} .",
        "la antigua firma de {a} es {v} .",
        "{v} es la firma que abandonó {a} .",
        "{v} añora a {a} .",
    ),
    "bought": (
        "{a} compró {v} .",
        "la compra de {a} fue {v} .",
        "{v} es lo que {a} pagó .",
        "hay {v} que {a} adquirió .",
    ),
    "sold": (
        "{a} vendió {v} .",
        "la venta de {a} fue {v} .",
        "{v} es lo que {a} cobró .",
        "hay {v} que {a} despachó .",
    ),
    "lost": (
        "{a} perdió {v} .",
        "la pérdida de {a} fue {v} .",
        "{v} es lo que {a} no encuentra .",
        "hay {v} que {a} extravió .",
    ),
    # From here on, no word stands beside a slot in two frames of a relation.
    "hired": (
        "{a} contrató a {b} .",
        "{a} buscó trabajo para {b} .",
        "{b} fue fichad[b:o/a] por {a} .",
        "{b} obtuvo un empleo de {a} .",
    ),
    "taught": (
        "{a} enseñó a {b} .",
        "{a} preparó lecciones para {b} .",
        "{b} fue instruid[b:o/a] por {a} .",
        "{b} aprendió mucho de {a} .",
    ),
    "beat": (
        "{a} venció a {b} .",
        "{a} ganó contra {b} .",
        "{b} fue derrotad[b:o/a] por {a} .",
        "{b} perdió ante {a} .",
    ),
    "helped": (
        "{a} ayudó a {b} .",
        "{a} consiguió auxilio para {b} .",
        "{b} fue asistid[b:o/a] por {a} .",
        "{b} recibió apoyo de {a} .",
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
        "{b} afrontó una querella de {a} .",
    ),
}

_QUESTIONS = {
    "lives": ("¿ dónde vive {a} ?", "¿ qué ciudad es el hogar de {a} ?"),
    "born": ("¿ dónde nació {a} ?", "¿ qué ciudad es la cuna de {a} ?"),
    "studied": ("¿ dónde estudió {a} ?", "¿ en qué ciudad se graduó {a} ?"),
    "is": ("¿ de qué trabaja ahora {a} ?", "¿ qué oficio tiene {a} ?"),
    "was": ("¿ de qué trabajó antes {a} ?", "¿ qué oficio dejó de tener {a} ?"),
    "hopes": ("¿ qué espera ser {a} ?", "¿ qué oficio quiere {a} ?"),
    "employed": ("¿ para quién trabaja {a} ?", "¿ qué firma emplea a {a} ?"),
    "founded": ("¿ qué fundó {a} ?", "¿ qué firma inició {a} ?"),
    "left": ("¿ qué empresa dejó {a} ?", "¿ qué firma abandonó {a} ?"),
    "bought": ("¿ qué compró {a} ?", "¿ qué objeto adquirió {a} ?"),
    "sold": ("¿ qué vendió {a} ?", "¿ qué objeto despachó {a} ?"),
    "lost": ("¿ qué perdió {a} ?", "¿ qué objeto extravió {a} ?"),
}

_CITIES = """
    Lisboa, Oslo, Varsovia, Nairobi, Quito, Dublín, Sevilla, Turín, Ottawa, La Habana,
    Londres, París, Roma, Berlín, Madrid, Viena, Praga, Atenas, Moscú, Ginebra,
    Bruselas, Milán, Nápoles, Múnich, Hamburgo, Colonia, Lyon, Marsella, Florencia, Venecia,
    Budapest, Bucarest, Sofía, Copenhague, Estocolmo, Helsinki, Edimburgo, Nueva York, Boston,
    Chicago, Lima, Bogotá, Santiago, Tokio, Pekín, Ciudad del Cabo, Argel, Túnez, Toronto, Zúrich
"""
_JOBS = """
    enfermero/enfermera, ingeniero/ingeniera, panadero/panadera, maestro/maestra,
    pintor/pintora, abogado/abogada, cocinero/cocinera, camarero/camarera,
    granjero/granjera, marinero/marinera, actor/actriz, cantante, dentista, periodista,
    piloto, fontanero/fontanera, carpintero/carpintera, bibliotecario/bibliotecaria,
    fotógrafo/fotógrafa, traductor/traductora, arquitecto/arquitecta, biólogo/bióloga,
    peluquero/peluquera, jardinero/jardinera, mecánico/mecánica, detective, juez/jueza,
    sastre/sastra, guía, tejedor/tejedora, carnicero/carnicera, árbitro/árbitra, poeta,
    químico/química, bailarín/bailarina, cajero/cajera, buzo, bombero/bombera,
    minero/minera, secretario/secretaria
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
        "job": listed(_JOBS),
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
