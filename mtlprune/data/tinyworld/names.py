"""Names that languages in Latin script share. The order is that of the world's numbers."""

from collections.abc import Sequence


def listed(text: str) -> tuple[str, ...]:
    """The items of a list with commas."""
    return tuple(item.strip() for item in text.split(","))


# Male and female by turns; the first twelve of each list are kept from train.
FIRST_NAMES = listed(
    """
    Oscar, Ingrid, Felix, Greta, Bruno, Nadia, Hugo, Olga, Ivan, Petra, Leon, Vera,
    Adam, Alice, Alan, Anna, Albert, Amelia, Carlos, Carla, Cesar, Carmen, Daniel, Clara,
    David, Diana, Diego, Elena, Edgar, Elsa, Enrique, Emma, Eric, Eva, Frank, Gloria,
    George, Helen, Henry, Irene, Jorge, Isabel, Kevin, Julia, Louis, Karen, Lucas, Laura,
    Mario, Linda, Martin, Martha, Miguel, Monica, Pablo, Nora, Robert, Paula, Samuel, Teresa
    """
)
LAST_NAMES = listed(
    """
    Novak, Larsen, Okafor, Ferrara, Ibarra, Lindgren, Petrov, Quiroga, Sandoval, Tanaka, Urbina,
    Whitaker,
    Keller, Rossi, Moreno, Walker, Adams, Alonso, Bauer, Bennett, Blanco, Brown, Castro, Clark,
    Collins, Cooper, Cruz, Davies, Delgado, Dubois, Evans, Fischer, Flores, Foster, Garcia, Gomez,
    Gray, Harris, Hoffman, Hughes, Iglesias, Jensen, Jones, Klein, Lopez, Marino, Meyer, Molina,
    Morris, Navarro, Ortega, Parker, Ramos, Reyes, Rivera, Schmidt, Torres, Turner, Vargas, Weber
    """
)
# Some organisations bear a surname, so that the word alone does not tell a person from a firm.
ROOTS = listed("Nova, Keller, Orion, Rossi, Boreal, Moreno, Delta, Walker, Zenit, Adams")


def organisations(patterns: Sequence[str]) -> tuple[str, ...]:
    """Every root in every one of five patterns, such as ``{} Bank``.

    The steps 3 and 1 give firms with the same key different roots and different patterns, and
    spread the reserved ones (the first ten) over all roots and patterns.
    """
    roots, kinds = len(ROOTS), len(patterns)
    return tuple(
        patterns[(key + turn) % kinds].format(ROOTS[(key + 3 * turn) % roots])
        for turn in range(kinds)
        for key in range(roots)
    )
