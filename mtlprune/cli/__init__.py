"""The ``mtlprune`` command: parse, call, write."""
