"""SimpleMem with LanceDB in the work folder and the run's embedder in place of its local one."""
from recallbench import Block, LocalEmbedder, Memory, serve

LocalEmbedder.install()
try:
    from simplemem import SimpleMemSystem
except ImportError:  # 0.3 and later
    from simplemem.text.system import SimpleMemSystem


class Adapter(Memory):
    name, libraries = "simplemem", ["simplemem", "lancedb", "openai"]
    defaults = {"streaming": True, "planning": True, "reflection": True, "parallel": False}

    def open(self):
        self.system = SimpleMemSystem(
            api_key=self.models.key, model=self.models.chat, base_url=self.models.base_url, db_path=self.work + "/lancedb", clear_db=True,
            use_streaming=self.options["streaming"], enable_planning=self.options["planning"], enable_reflection=self.options["reflection"],
            enable_parallel_processing=self.options["parallel"], enable_parallel_retrieval=self.options["parallel"])

    def add(self, session):
        for turn in session.turns:
            time = turn.time or session.time
            self.system.add_dialogue(turn.speaker, turn.content, time and time.isoformat())

    def finish(self):
        self.system.finalize()

    def search(self, request, k, tokens):  # it has no k: the first k of what it found
        found = self.system.hybrid_retriever.retrieve(request.text)
        return [Block(e.lossless_restatement, time=e.timestamp, id=e.entry_id) for e in found[:k]]

    def answer(self, request):
        return self.system.ask(request.text)


serve(Adapter)
