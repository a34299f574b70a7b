"""Imports go downward only."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "mtlprune"

LAYERS = {
    "errors": 0,
    "specs": 0,
    "task_table": 0,
    "artifacts": 0,
    "metrics": 0,
    "reports": 0,
    "data": 1,
    "attention": 1,
    "batching": 1,
    "backbones": 1,
    "kinds": 1,
    "network": 1,
    "checkpoints": 1,
    "predictor": 1,
    "sampling": 1,
    "plugin": 2,
    "cli": 3,
}
FORBIDDEN = {
    0: ("torch", "fairseq", "transformers", "tokenizers"),
    1: ("fairseq",),
    2: (),
    3: ("fairseq",),
}


def imported_names(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def part_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


SOURCES = [p for p in sorted(PACKAGE.rglob("*.py")) if p != PACKAGE / "__init__.py"]


def test_every_part_has_a_layer():
    assert {part_of(path) for path in SOURCES} == set(LAYERS)


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: str(p.relative_to(ROOT)))
def test_part_imports_nothing_above_its_layer(path: Path):
    layer = LAYERS[part_of(path)]
    for name in imported_names(path):
        top, *rest = name.split(".")
        assert top not in FORBIDDEN[layer], f"imports {name}"
        if top == "mtlprune" and rest and rest[0] in LAYERS:
            assert LAYERS[rest[0]] <= layer, f"imports {name} of a higher layer"


def test_the_check_sees_imports_inside_functions(tmp_path: Path):
    source = tmp_path / "x.py"
    source.write_text("def f():\n    from fairseq import tasks\n    import torch.nn\n")
    assert list(imported_names(source)) == ["fairseq.tasks", "torch.nn"]
