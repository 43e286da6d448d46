"""mem0 (mem0ai, the open-source class) with its own Qdrant on disk."""
import os
import shutil

from recallbench import Block, Memory, serve

os.environ.setdefault("MEM0_TELEMETRY", "False")
from mem0 import Memory as Mem0  # noqa: E402


class Adapter(Memory):
    name, libraries = "mem0-python", ["mem0ai", "qdrant-client", "openai"]
    deterministic = os.environ.get("RECALLBENCH_CLOCK") == "session"
    defaults = {"infer": True, "messages": "named", "batch": 0, "threshold": 0.0}

    def open(self):
        if self.restore:
            shutil.copytree(self.restore, self.work, dirs_exist_ok=True)
        self.connect()

    def connect(self):
        api = {"api_key": self.models.key, "openai_base_url": self.models.base_url}
        self.mem0 = Mem0.from_config({
            "llm": {"provider": "openai", "config": {**api, "model": self.models.chat}},
            "embedder": {"provider": "openai", "config": {**api, "model": self.models.embed, "embedding_dims": self.models.dimensions}},
            "vector_store": {"provider": "qdrant", "config": {
                "path": os.path.join(self.work, "qdrant"), "embedding_model_dims": self.models.dimensions, "on_disk": True}},
            "history_db_path": os.path.join(self.work, "history.db"),
        })

    def add(self, session):
        messages = session.messages(self.options["messages"])
        size = self.options["batch"] or len(messages) or 1
        metadata = {"session_time": session.time.isoformat()} if session.time else {}
        for i in range(0, len(messages), size):
            self.mem0.add(messages[i:i + size], user_id=self.id, metadata=metadata, infer=self.options["infer"])

    def finish(self):  # vectors read back from the disk are those of a restored memory, to the last bit
        self.close()
        self.connect()

    def search(self, request, k, tokens):
        found = self.mem0.search(request.text, top_k=k, filters={"user_id": self.id}, threshold=self.options["threshold"])
        return [Block(r["memory"], r.get("score"), (r.get("metadata") or {}).get("session_time"), r["id"]) for r in found["results"]]

    def forget(self, wish):  # mem0 keeps no turns; what is nearest to the request, which it stores, too, goes
        found = self.mem0.search(f"{wish.speaker}: {wish.text}", top_k=5, filters={"user_id": self.id}, threshold=0.0)["results"]
        nearest = [memory["id"] for memory in found if wish.text not in memory["memory"]][:1]
        for memory in nearest:
            self.mem0.delete(memory)
        return len(nearest)

    def dump(self):
        return [r["memory"] for r in self.mem0.get_all(filters={"user_id": self.id}, top_k=100_000)["results"]]

    def snapshot(self, path):  # nothing writes meanwhile
        shutil.copytree(self.work, path)

    def close(self):
        self.mem0.vector_store.client.close()


serve(Adapter)
