"""HippoRAG: a document a turn, indexed in one go when all sessions are there."""
import os

from recallbench import Block, Memory, serve

from hipporag import HippoRAG


class Adapter(Memory):
    name, libraries, sources = "hipporag", ["hipporag", "openai", "networkx"], "exact"
    defaults = {"unit": "turn"}  # or session

    def open(self):
        embedder = self.models.embed if "text-embedding" in self.models.embed else "text-embedding-3-small"  # the name selects its OpenAI client
        os.environ["OPENAI_API_KEY"] = self.models.key
        self.rag = HippoRAG(save_dir=os.path.join(self.work, "hipporag"), llm_model_name=self.models.chat, llm_base_url=self.models.base_url,
                            embedding_model_name=embedder, embedding_base_url=self.models.base_url)
        self.docs = {}  # text to the turns it holds and their time

    def add(self, session):
        date = session.time.strftime("[%d %B %Y %H:%M] ") if session.time else ""
        units = [[turn] for turn in session.turns] if self.options["unit"] == "turn" else [session.turns]
        for turns in filter(None, units):
            ids, _ = self.docs.setdefault(date + "\n".join(turn.line for turn in turns), ([], session.time))
            ids.extend(turn.id for turn in turns)
        return len(self.docs)

    def finish(self):
        if self.docs:
            self.rag.index(list(self.docs))

    def search(self, request, k, tokens):
        if not self.docs:
            return []
        found = self.rag.retrieve(queries=[request.text], num_to_retrieve=k)[0]
        return [Block(text, float(score), self.docs[text][1], sources=self.docs[text][0]) for text, score in zip(found.docs, found.doc_scores)]


serve(Adapter)
