"""What a user can get wrong. Every command turns these into one message and exit code 2."""


class MtlPruneError(Exception):
    """A mistake the user can mend; its text says what, where, what is allowed and how to fix it."""


class SpecError(MtlPruneError):
    """A task, pair or task table that does not make sense."""


class DataError(MtlPruneError):
    """A raw file that cannot be read as what it was said to be."""


class TokenizerError(MtlPruneError):
    """A tokenizer that cannot be loaded, trained or used."""


class StoreError(MtlPruneError):
    """Prepared data that is missing, damaged, or does not fit together."""


class ArtifactError(MtlPruneError):
    """A JSON file of ours that is missing, damaged, or of another kind or version."""


class CheckpointError(MtlPruneError):
    """A checkpoint that cannot be written, is damaged, or is none of ours."""


class TrainingError(MtlPruneError):
    """A run that cannot go on."""
