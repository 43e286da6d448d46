"""NAME: a memory that keeps turns and finds those that share words with a question."""
import re

from recallbench import Block, Memory, serve


def words(text):
    return set(re.findall(r"\w+", text.lower()))


class Adapter(Memory):
    name, version = "NAME", "1.0"
    libraries = []  # names of installed packages whose versions matter
    deterministic, sources = True, "exact"
    defaults = {"overlap": 1}

    def open(self):  # self.models has base_url and key for an SDK; self.work is a folder of its own
        self.turns = []

    def add(self, session):
        self.turns += [(turn, session.time) for turn in session.turns if turn.content]
        return len(self.turns)

    def search(self, request, k, tokens):
        asked = words(request.text)
        found = [(len(asked & words(turn.line)), i, turn, time) for i, (turn, time) in enumerate(self.turns)]
        found = sorted((f for f in found if f[0] >= self.options["overlap"]), key=lambda f: (-f[0], f[1]))
        return [Block(turn.line, score, time, sources=[turn.id]) for score, _, turn, time in found[:k]]


serve(Adapter)
