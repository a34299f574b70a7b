"""Write the tables of tasks and formats into README.md, from the code."""

import re
from pathlib import Path

from mtlprune.data.formats import FORMATS
from mtlprune.reports.tables import markdown_table
from mtlprune.specs import BENCHMARKS, TASKS

README = Path(__file__).parent.parent / "README.md"


def tasks() -> str:
    rows = []
    for spec in TASKS.values():
        fields = ", ".join((*spec.fields, *spec.choices, *filter(None, [spec.target])))
        rows.append((f"`{spec.name}`", spec.kind, spec.labels_text(), fields, spec.metric))
    return markdown_table(("task", "kind", "labels", "fields", "metric"), rows)


def formats() -> str:
    plain = {name: row for name, row in FORMATS.items() if not name.startswith("glue:")}
    rows = [(f"`{name}`", ", ".join(row.kinds), row.about) for name, row in plain.items()]
    glue = ", ".join(f"`{name}`" for name in FORMATS if name not in plain)
    rows.append((glue, "sentence, regression", "the files of GLUE"))
    return markdown_table(("format", "kinds of task", "what it is"), rows)


def benchmarks() -> str:
    """Which data of the literature are which task here, read by which format."""
    rows = [(name, f"`{task}`", f"`{form}`") for name, (task, form) in BENCHMARKS.items()]
    return markdown_table(("data", "task", "`--format`"), rows)


def with_tables(text: str) -> str:
    for name, table in (("tasks", tasks()), ("formats", formats()), ("data", benchmarks())):
        pattern = rf"(<!-- {name}: .*? -->\n).*?(<!-- end -->)"
        text = re.sub(pattern, lambda m, t=table: f"{m[1]}{t}\n{m[2]}", text, count=1, flags=re.S)
    return text


if __name__ == "__main__":
    README.write_text(with_tables(README.read_text(encoding="utf-8")), encoding="utf-8")
