"""From raw text to examples to arrays on disk."""
