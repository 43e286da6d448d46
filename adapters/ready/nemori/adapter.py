"""Nemori over PostgreSQL and Qdrant, which have to run already."""
import os

from recallbench import Block, Memory, serve

from nemori.api.facade import NemoriMemory
from nemori.config import MemoryConfig


class Adapter(Memory):
    name, libraries = "nemori", ["nemori", "qdrant-client", "openai"]
    defaults = {"search_method": "hybrid", "episodes": 10}

    async def open(self):
        self.nemori = NemoriMemory(MemoryConfig(
            dsn=os.environ["DATABASE_URL"], agent_id=self.id, llm_model=self.models.chat, llm_api_key=self.models.key, llm_base_url=self.models.base_url,
            embedding_model=self.models.embed, embedding_api_key=self.models.key, embedding_base_url=self.models.base_url,
            embedding_dimension=self.models.dimensions, qdrant_collection_prefix="recallbench"))
        await self.nemori.__aenter__()
        await self.nemori.delete_user(self.id)  # what an earlier run left

    async def add(self, session):
        time = {"timestamp": session.time.isoformat()} if session.time else {}
        messages = [{**message, **time} for message in session.messages("named")]
        if messages:
            await self.nemori.add_messages(self.id, messages)

    async def finish(self):
        await self.nemori.flush(self.id)
        await self.nemori._system.drain(timeout=3600)  # facts are made behind the flush

    async def search(self, request, k, tokens):
        episodes = min(k, self.options["episodes"])
        found = await self.nemori.search(
            self.id, request.text, top_k_episodes=episodes, top_k_semantic=max(1, k - episodes), search_method=self.options["search_method"])
        blocks = [Block(f"{e['title']}: {e['content']}", time=first_time(e), id=e["id"]) for e in found["episodes"]]
        return (blocks + [Block(m["content"], id=m["id"]) for m in found["semantic_memories"]])[:k]

    async def close(self):
        await self.nemori.delete_user(self.id)
        await self.nemori.__aexit__(None, None, None)


def first_time(episode):
    return next((m["timestamp"] for m in episode["source_messages"] if m.get("timestamp")), None)


serve(Adapter)
