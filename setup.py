"""Package metadata; tool settings live in pyproject.toml."""

import re
from pathlib import Path

from setuptools import find_packages, setup

ROOT = Path(__file__).parent
VERSION = re.search(r'__version__ = "(.+)"', (ROOT / "mtlprune/__init__.py").read_text()).group(1)

setup(
    name="mtlprune",
    version=VERSION,
    description="Multilingual multi-task training on fairseq; study and prune attention heads",
    long_description=(ROOT / "README.md").read_text(encoding="utf-8"),
    long_description_content_type="text/markdown",
    license="MIT",
    packages=find_packages(include=["mtlprune", "mtlprune.*"]),
    package_data={"mtlprune": ["py.typed"]},
    python_requires=">=3.11,<3.13",
    install_requires=[
        # An open upper bound makes pip fetch gigabytes of CUDA packages on any machine.
        "torch>=2.6,<2.14",
        # fairseq 0.12.2 does not import on Python 3.11; this is the same code with its two
        # dataclass defaults mended, built as a wheel. The module is called fairseq.
        "ve-fairseq==0.12.3",
        "hydra-core>=1.3.2,<1.4",
        "omegaconf>=2.3,<2.4",
        "transformers>=5,<6",
        "sentencepiece>=0.2",
        "protobuf",  # reads the normaliser out of a sentencepiece model
        "numpy>=1.26",
        "safetensors",
        "tensorboard",
        "seqeval",
        "scikit-learn",
        "scipy",
        "matplotlib",
        "tqdm",
    ],
    extras_require={
        "onnx": ["onnx", "onnxruntime"],
        "hub": ["datasets"],
        "dev": ["pytest>=8", "hypothesis", "ruff==0.17.5", "mypy==2.4.1"],
    },
    entry_points={"console_scripts": ["mtlprune = mtlprune.cli.main:main"]},
)
