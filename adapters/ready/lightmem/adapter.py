"""LightMem from a clone of its repository, which the variable LIGHTMEM names; without LLMLingua-2 unless a model is given."""
import os
import subprocess
import sys

from recallbench import UNKNOWN, Block, Memory, serve

CLONE = os.environ["LIGHTMEM"]
sys.path.insert(0, os.path.join(CLONE, "src"))
from lightmem.memory.lightmem import LightMemory  # noqa: E402

COMMIT = subprocess.run(["git", "-C", CLONE, "rev-parse", "HEAD"], capture_output=True, text=True, check=True).stdout.strip()


class Adapter(Memory):
    name, version, libraries = "lightmem", COMMIT[:12], {"lightmem": COMMIT}
    defaults = {"offline_update": True, "score_threshold": 0.9, "max_tokens": 16000, "messages_use": "hybrid", "extra": {}}

    def open(self):
        api = {"api_key": self.models.key, "openai_base_url": self.models.base_url}
        self.light = LightMemory.from_config({
            "pre_compress": False, "topic_segment": False, "messages_use": self.options["messages_use"], "metadata_generate": True, "text_summary": True,
            "memory_manager": {"model_name": "openai", "configs": {**api, "model": self.models.chat, "max_tokens": self.options["max_tokens"]}},
            "index_strategy": "embedding", "retrieve_strategy": "embedding", "update": "offline", "extract_threshold": 0.1,
            "text_embedder": {"model_name": "openai", "configs": {**api, "model": self.models.embed, "embedding_dims": self.models.dimensions}},
            "embedding_retriever": {"model_name": "qdrant", "configs": {
                "collection_name": "memories", "embedding_model_dims": self.models.dimensions, "path": self.work + "/qdrant", "on_disk": True}},
            **self.options["extra"]})

    def add(self, session):
        stamp = (session.time or UNKNOWN).isoformat()
        for i, turn in enumerate(session.turns):
            who = {"speaker_id": f"speaker_{self.speakers.index(turn.speaker)}" if turn.speaker in self.speakers else turn.speaker, "speaker_name": turn.speaker}
            last = i == len(session.turns) - 1
            pair = [{"role": "user", "content": turn.content, "time_stamp": stamp, **who}, {"role": "assistant", "content": "", "time_stamp": stamp, **who}]
            self.light.add_memory(pair, force_segment=last, force_extract=last)

    def finish(self):
        if self.options["offline_update"]:
            self.light.construct_update_queue_all_entries()
            self.light.offline_update_all_entries(score_threshold=self.options["score_threshold"])

    def search(self, request, k, tokens):
        return [Block(text, time=text.split(" ")[0]) for text in self.light.retrieve(request.text, limit=k)]


serve(Adapter)
