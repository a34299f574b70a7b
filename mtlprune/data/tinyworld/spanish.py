"""The world in Spanish."""

from mtlprune.data.tinyworld.language import Lexicon
from mtlprune.data.tinyworld.names import FIRST_NAMES, LAST_NAMES, listed, organisations

# Frames as in English: beside the slots, each frame has words of its own.
_WORDINGS = {
    "lives": (
        "{a} vive en {v} .",
        "el hogar de {a} es {v} .",
        "{v} es donde {a} reside .",
        "{v} registra a {a} como habitante .",
    ),
    "born": (
        "{a} nació en {v} .",
        "la cuna de {a} es {v} .",
        "{v} es donde {a} vino al mundo .",
        "{v} reivindica a {a} como nativ[o/a] .",
    ),
    "works": (
        "{a} trabaja en {v} .",
        "la sede laboral de {a} es {v} .",
        "{v} es donde {a} gana su sueldo .",
        "{v} ocupa a {a} como emplead[o/a] .",
    ),
    "studied": (
        "{a} estudió en {v} .",
        "la ciudad universitaria de {a} es {v} .",
        "{v} es donde {a} fue a la facultad .",
        "{v} formó a {a} como alumn[o/a] .",
    ),
    "holidays": (
        "{a} veranea en {v} .",
        "el destino vacacional de {a} es {v} .",
        "{v} es donde {a} descansa cada agosto .",
        "{v} acoge a {a} como turista .",
    ),
    "is": (
        "{a} se gana la vida como {v} .",
        "la profesión actual de {a} es la de {v} .",
        "{v} es lo que {a} sigue siendo hoy .",
        "ser {v} ahora mantiene a {a} en activo .",
    ),
    "was": (
        "{a} trabajaba antes como {v} .",
        "la ocupación anterior de {a} es la de {v} .",
        "{v} es lo que {a} dejó de ser hace años .",
        "ser {v} entonces le daba a {a} de comer .",
    ),
    "hopes": (
        "{a} quiere un futuro como {v} .",
        "el oficio soñado de {a} es el de {v} .",
        "{v} es lo que {a} espera llegar a ser .",
        "ser {v} algún día haría feliz a {a} .",
    ),
    "refused": (
        "{a} se negó a formarse como {v} .",
        "la carrera rechazada de {a} es la de {v} .",
        "{v} es lo que {a} nunca será .",
        "ser {v} siempre le pareció a {a} una pesadilla .",
    ),
    "employed": (
        "{a} trabaja para {v} .",
        "la empleadora de {a} es {v} .",
        "{v} es la firma que {a} tiene por patrón .",
        "{v} paga a {a} como miembro del personal .",
    ),
    "founded": (
        "{a} fundó {v} .",
        "la creación de {a} es {v} .",
        "{v} es la firma que {a} puso en marcha .",
        "{v} homenajea a {a} como impulsor[/a] .",
    ),
    "left": (
        "{a} dejó {v} .",
        "la antigua compañía de {a} es {v} .",
        "{v} es la firma que {a} abandonó un día .",
        "{v} recuerda a {a} como excolega .",
    ),
    "invests": (
        "{a} invierte en {v} .",
        "la apuesta financiera de {a} es {v} .",
        "{v} es la firma que {a} sostiene con su dinero .",
        "{v} inscribe a {a} como accionista .",
    ),
    "bought": (
        "{a} compró {v} .",
        "la adquisición de {a} fue {v} .",
        "{v} es lo que {a} pagó en la tienda .",
        "hay {v} que consiguió {a} por buen precio .",
    ),
    "sold": (
        "{a} vendió {v} .",
        "la mercancía de {a} fue {v} .",
        "{v} es lo que {a} entregó a la clientela .",
        "hay {v} que cambió {a} por efectivo .",
    ),
    "lost": (
        "{a} perdió {v} .",
        "la pérdida de {a} fue {v} .",
        "{v} es lo que {a} no logra localizar .",
        "hay {v} que extravió {a} por descuido .",
    ),
    "found": (
        "{a} encontró {v} .",
        "el hallazgo de {a} fue {v} .",
        "{v} es lo que {a} descubrió en el camino .",
        "hay {v} que recogió {a} por casualidad .",
    ),
    "repaired": (
        "{a} reparó {v} .",
        "el arreglo de {a} fue {v} .",
        "{v} es lo que {a} puso en buen estado .",
        "hay {v} que restauró {a} por encargo .",
    ),
    # From here on, no word stands beside a slot in two frames of a relation.
    "hired": (
        "{a} contrató a {b} .",
        "fue {a} quien buscó trabajo para {b} .",
        "{b} fue fichad[b:o/a] por {a} .",
        "{b} obtuvo un empleo de {a} .",
    ),
    "taught": (
        "{a} enseñó a {b} .",
        "fue {a} quien preparó lecciones para {b} .",
        "{b} fue instruid[b:o/a] por {a} .",
        "{b} aprendió mucho de {a} .",
    ),
    "beat": (
        "{a} venció a {b} .",
        "fue {a} quien ganó contra {b} .",
        "{b} fue derrotad[b:o/a] por {a} .",
        "{b} perdió el partido ante {a} .",
    ),
    "helped": (
        "{a} ayudó a {b} .",
        "fue {a} quien consiguió auxilio para {b} .",
        "{b} fue asistid[b:o/a] por {a} .",
        "{b} recibió apoyo de {a} .",
    ),
    "paid": (
        "{a} pagó a {b} .",
        "fue {a} quien sacó dinero para {b} .",
        "{b} fue recompensad[b:o/a] por {a} .",
        "{b} cobró un cheque de {a} .",
    ),
    "called": (
        "{a} llamó a {b} .",
        "fue {a} quien dejó un mensaje para {b} .",
        "{b} fue contactad[b:o/a] por {a} .",
        "{b} oyó la voz de {a} .",
    ),
    "acquired": (
        "{a} compró {b} .",
        "fue {a} la que se hizo con {b} .",
        "{b} fue adquirida por {a} .",
        "{b} pasó a ser filial de {a} .",
    ),
    "sued": (
        "{a} demandó a {b} .",
        "fue {a} la que pleiteó contra {b} .",
        "{b} fue acusada por {a} .",
        "{b} afrontó una querella de {a} .",
    ),
    "supplied": (
        "{a} abasteció a {b} .",
        "fue {a} la que fabricó género para {b} .",
        "{b} fue equipada por {a} .",
        "{b} obtuvo repuestos de {a} .",
    ),
    "moved": (
        "{p} se mudó de {a} a {b} .",
        "{p} abandonó {a} para empezar otra vida en {b} .",
        "{b} recibió a {p} , que ya no soportaba {a} .",
        "{p} eligió {b} tras dejar {a} .",
    ),
    "shipped": (
        "{p} envió un paquete de {a} a {b} .",
        "{p} recogió mercancía en {a} y la llevó hacia {b} .",
        "{b} recibió una caja que {p} había facturado desde {a} .",
        "{p} condujo un camión cargado hasta {b} tras abandonar {a} .",
    ),
}

_QUESTIONS = {
    "lives": (
        "¿ dónde vive {a} ?",
        "¿ de qué ciudad es residente {a} ?",
        "¿ en qué ciudad tiene {a} su casa ?",
    ),
    "born": (
        "¿ dónde nació {a} ?",
        "¿ de qué ciudad es nativ[o/a] {a} ?",
        "¿ en qué ciudad empezó la vida de {a} ?",
    ),
    "works": (
        "¿ dónde trabaja {a} ?",
        "¿ a qué ciudad va {a} cada mañana a trabajar ?",
        "¿ en qué ciudad tiene {a} su oficina ?",
    ),
    "studied": (
        "¿ dónde estudió {a} ?",
        "¿ de qué ciudad fue estudiante {a} ?",
        "¿ en qué ciudad fue {a} a la universidad ?",
    ),
    "holidays": (
        "¿ dónde veranea {a} ?",
        "¿ qué ciudad visita {a} como turista ?",
        "¿ en qué ciudad descansa {a} en vacaciones ?",
    ),
    "is": (
        "¿ a qué se dedica {a} ?",
        "¿ cuál es hoy la profesión de {a} ?",
        "¿ qué oficio tiene {a} ahora ?",
    ),
    "was": (
        "¿ a qué se dedicaba antes {a} ?",
        "¿ cuál fue la profesión anterior de {a} ?",
        "¿ qué oficio tenía {a} hace años ?",
    ),
    "hopes": (
        "¿ qué espera llegar a ser {a} ?",
        "¿ cuál es el sueño profesional de {a} ?",
        "¿ qué oficio quiere {a} para su futuro ?",
    ),
    "refused": (
        "¿ qué se negó a ser {a} ?",
        "¿ cuál es la carrera que rechazó {a} ?",
        "¿ qué oficio no tendrá nunca {a} ?",
    ),
    "employed": (
        "¿ para quién trabaja {a} ?",
        "¿ cuál es la empresa que emplea a {a} ?",
        "¿ qué firma tiene a {a} en su personal ?",
    ),
    "founded": (
        "¿ qué fundó {a} ?",
        "¿ cuál es la empresa que creó {a} ?",
        "¿ qué firma fue puesta en marcha por {a} ?",
    ),
    "left": (
        "¿ qué empresa dejó {a} ?",
        "¿ cuál es la antigua compañía de {a} ?",
        "¿ qué firma fue abandonada por {a} ?",
    ),
    "invests": (
        "¿ en qué empresa invierte {a} ?",
        "¿ cuál es la compañía que tiene a {a} de accionista ?",
        "¿ qué firma recibe dinero de {a} ?",
    ),
    "bought": (
        "¿ qué compró {a} ?",
        "¿ qué objeto pagó {a} ?",
        "¿ qué cosa fue adquirida por {a} ?",
    ),
    "sold": (
        "¿ qué vendió {a} ?",
        "¿ qué objeto cambió {a} por dinero ?",
        "¿ qué cosa recibió la clientela de {a} ?",
    ),
    "lost": (
        "¿ qué perdió {a} ?",
        "¿ qué objeto echa en falta {a} ?",
        "¿ qué cosa no puede localizar {a} ?",
    ),
    "found": (
        "¿ qué encontró {a} ?",
        "¿ qué objeto descubrió {a} ?",
        "¿ qué cosa fue hallada por {a} ?",
    ),
    "repaired": (
        "¿ qué reparó {a} ?",
        "¿ qué objeto arregló {a} ?",
        "¿ qué cosa fue restaurada por {a} ?",
    ),
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
