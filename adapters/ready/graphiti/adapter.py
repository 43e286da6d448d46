"""Graphiti with an embedded Kuzu graph; facts are ordered by rank fusion, so that no reranker asks for logprobs."""
import datetime
import os

from recallbench import UNKNOWN, Block, Memory, serve

os.environ.setdefault("GRAPHITI_TELEMETRY_ENABLED", "false")
from graphiti_core import Graphiti  # noqa: E402
from graphiti_core.cross_encoder.client import CrossEncoderClient
from graphiti_core.driver.driver import GraphProvider
from graphiti_core.driver.kuzu_driver import KuzuDriver
from graphiti_core.embedder.openai import OpenAIEmbedder, OpenAIEmbedderConfig
from graphiti_core.graph_queries import get_fulltext_indices
from graphiti_core.llm_client.config import LLMConfig
from graphiti_core.llm_client.openai_generic_client import OpenAIGenericClient
from graphiti_core.nodes import EpisodeType


class NoReranker(CrossEncoderClient):
    async def rank(self, query, passages):
        return [(passage, 0.0) for passage in passages]


class Adapter(Memory):
    name, libraries = "graphiti", ["graphiti-core", "kuzu", "openai"]
    defaults = {"unit": "session"}  # or turn: what an episode is

    async def open(self):
        driver = KuzuDriver(db=os.path.join(self.work, "graph.kuzu"))
        driver._database = self.id  # which its Graphiti compares with the group
        model = LLMConfig(api_key=self.models.key, base_url=self.models.base_url, model=self.models.chat, small_model=self.models.chat)
        embedder = OpenAIEmbedderConfig(api_key=self.models.key, base_url=self.models.base_url,
                                        embedding_model=self.models.embed, embedding_dim=self.models.dimensions)
        self.graph = Graphiti(graph_driver=driver, llm_client=OpenAIGenericClient(model), embedder=OpenAIEmbedder(embedder), cross_encoder=NoReranker())
        for query in get_fulltext_indices(GraphProvider.KUZU):  # its own call makes none for Kuzu
            await driver.execute_query(query)

    async def add(self, session):
        time = (session.time or UNKNOWN).replace(tzinfo=datetime.timezone.utc)
        units = [[turn] for turn in session.turns] if self.options["unit"] == "turn" else [session.turns]
        for turns in filter(None, units):
            await self.graph.add_episode(name=turns[0].id, episode_body="\n".join(turn.line for turn in turns), source_description="conversation",
                                         reference_time=time, source=EpisodeType.message, group_id=self.id)

    async def search(self, request, k, tokens):
        edges = await self.graph.search(request.text, group_ids=[self.id], num_results=k)
        return [Block(edge.fact, time=edge.valid_at, id=edge.uuid) for edge in edges]

    async def close(self):
        await self.graph.close()


serve(Adapter)
