"""The built-in world: a bilingual micro-world, any size, by seed, for every task.

People, places, organisations, jobs, objects and facts about them are numbers; a language is one
module with a lexicon and wordings (see ``english``), and a row in ``generate.VOICES``.
"""

from mtlprune.data.tinyworld.entities import SPLITS
from mtlprune.data.tinyworld.generate import LANGUAGES, TASKS, examples
from mtlprune.data.tinyworld.writer import write_world

__all__ = ["LANGUAGES", "SPLITS", "TASKS", "examples", "write_world"]
