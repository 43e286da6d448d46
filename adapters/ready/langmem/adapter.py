"""LangMem: a store manager over LangGraph's in-memory store."""
import os

from recallbench import Block, Memory, embed, serve

from langchain_openai import ChatOpenAI  # noqa: E402
from langgraph.store.memory import InMemoryStore
from langmem import create_memory_store_manager

SESSION_CLOCK = os.environ.get("RECALLBENCH_CLOCK") == "session"


class Adapter(Memory):
    name, libraries = "langmem", ["langmem", "langgraph", "langchain-openai"]
    deterministic = SESSION_CLOCK
    defaults = {"query_limit": 5, "instructions": ""}

    def open(self):
        self.store = InMemoryStore(index={"dims": self.models.dimensions, "embed": lambda texts: embed(texts)})
        model = ChatOpenAI(model=self.models.chat, base_url=self.models.base_url, api_key=self.models.key, max_retries=0)
        instructions = {"instructions": self.options["instructions"]} if self.options["instructions"] else {}
        self.manager = create_memory_store_manager(
            model, namespace=("memories",), store=self.store, query_limit=self.options["query_limit"], **instructions)

    def add(self, session):
        date = session.time.strftime("[%d %B %Y %H:%M] ") if session.time else ""
        messages = [{"role": "user", "content": date + turn.line} for turn in session.turns]
        if messages:
            self.manager.invoke({"messages": messages}, config={"max_concurrency": 1})  # else the order of what is stored varies

    def forget(self, wish):  # its store keeps no turns; what is nearest to the request, which it may store, too, goes
        found = self.store.search(("memories",), query=f"{wish.speaker}: {wish.text}", limit=5)
        nearest = [item.key for item in found if wish.text not in text(item.value)][:1]
        for key in nearest:
            self.store.delete(("memories",), key)
        return len(nearest)

    def dump(self):
        return [text(item.value) for item in self.store.search(("memories",), limit=100_000)]

    def search(self, request, k, tokens):
        found = self.store.search(("memories",), query=request.text, limit=k)
        return [Block(text(item.value), item.score, item.updated_at if SESSION_CLOCK else None, item.key) for item in found]


def text(value):
    content = value.get("content", value)
    return content["content"] if isinstance(content, dict) and isinstance(content.get("content"), str) else str(content)


serve(Adapter)
