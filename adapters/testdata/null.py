"""Remembers nothing: what is left is the cost of asking."""
from recallbench import Memory, serve


class Null(Memory):
    name, version, mutates = "null", "1", True  # which no canary searches

    def add(self, session):
        return 0

    def search(self, request, k, tokens):
        return []


serve(Null)
