"""A-Mem from a clone of its repository, which the variable A_MEM names."""
import os
import subprocess
import sys

from recallbench import Block, LocalEmbedder, Memory, serve

LocalEmbedder.install()
CLONE = os.environ["A_MEM"]
sys.path.insert(0, CLONE)
from memory_layer import AgenticMemorySystem  # noqa: E402

COMMIT = subprocess.run(["git", "-C", CLONE, "rev-parse", "HEAD"], capture_output=True, text=True, check=True).stdout.strip()


class Adapter(Memory):
    name, version, libraries, sources = "a-mem", COMMIT[:12], {"a-mem": COMMIT}, "exact"
    defaults = {"evo_threshold": 100, "metadata": True}

    def open(self):
        self.system = AgenticMemorySystem(llm_backend="openai", llm_model=self.models.chat, api_key=self.models.key, evo_threshold=self.options["evo_threshold"])
        self.turns = {}  # id of a note to its turn and time

    def add(self, session):
        time = session.time and session.time.strftime("%Y%m%d%H%M")
        for turn in session.turns:
            note = self.system.add_note(f"Speaker {turn.speaker} says: {turn.content}", time=time)
            self.turns[note] = turn, session.time
        return len(self.turns)

    def search(self, request, k, tokens):
        _, indices = self.system.find_related_memories(request.text, k=min(k, max(1, len(self.turns))))
        notes = list(self.system.memories.values())
        return [self.block(notes[i]) for i in indices]

    def block(self, note):
        turn, time = self.turns[note.id]
        about = f" (context: {note.context}; keywords: {', '.join(map(str, note.keywords))}; tags: {', '.join(map(str, note.tags))})"
        return Block(note.content + (about if self.options["metadata"] else ""), time=time, id=note.id, sources=[turn.id])


serve(Adapter)
