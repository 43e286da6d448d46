"""MemoryOS: pages of two turns; a search changes the heat of what it visits."""
import inspect

from recallbench import Block, LocalEmbedder, Memory, serve

LocalEmbedder.install()
from memoryos import Memoryos  # noqa: E402


class Adapter(Memory):
    name, libraries, mutates = "memoryos-pro", ["memoryos-pro", "openai"], True
    defaults = {"short_term_capacity": 10, "mid_term_capacity": 2000, "long_term_knowledge_capacity": 100, "mid_term_heat_threshold": 5.0,
                "top_k_sessions": 5, "top_k_knowledge": 20, "recent": True}

    def open(self):
        takes = inspect.signature(Memoryos).parameters
        settings = {name: value for name, value in self.options.items() if name in takes}
        if "embedding_model_name" in takes:
            settings["embedding_model_name"] = "all-MiniLM-L6-v2"  # replaced by LocalEmbedder
        self.system = Memoryos(user_id=self.id, openai_api_key=self.models.key, openai_base_url=self.models.base_url,
                               llm_model=self.models.chat, data_storage_path=self.work + "/memoryos", **settings)

    def add(self, session):
        time = session.time and session.time.strftime("%Y-%m-%d %H:%M:%S")
        for i in range(0, len(session.turns), 2):
            pair = [turn.line for turn in session.turns[i:i + 2]] + [""]
            self.system.add_memory(user_input=pair[0], agent_response=pair[1], timestamp=time)

    def search(self, request, k, tokens):
        found = self.system.retriever.retrieve_context(
            request.text, self.id, top_k_sessions=self.options["top_k_sessions"], top_k_knowledge=self.options["top_k_knowledge"])
        facts = found["retrieved_user_knowledge"] + found["retrieved_assistant_knowledge"]
        recent = self.system.short_term_memory.get_all() if self.options["recent"] else []  # its own answers see these too
        return (pages(found["retrieved_pages"]) + [Block(f["knowledge"], time=f.get("timestamp")) for f in facts] + pages(recent))[:k]


def pages(found):
    return [Block(f"{page['user_input']}\n{page['agent_response']}".strip(), time=page.get("timestamp")) for page in found]


serve(Adapter)
