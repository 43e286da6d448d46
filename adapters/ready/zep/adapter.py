"""Graphiti's server (Zep's open interface) over HTTP: it answers before anything is indexed, so finish waits."""
import json
import os
import time
import urllib.parse
import urllib.request

from recallbench import UNKNOWN, Block, Memory, serve

URL = os.environ["ZEP_URL"].rstrip("/")


def call(method, path, body=None):
    data = json.dumps(body).encode() if body is not None else None
    ask = urllib.request.Request(URL + path, data, {"Content-Type": "application/json"}, method=method)
    with urllib.request.urlopen(ask, timeout=600) as reply:
        return json.load(reply)


class Adapter(Memory):
    name, version = "zep", "graphiti-server"
    defaults = {"wait": 3600.0, "poll": 2.0}

    def open(self):
        call("DELETE", "/group/" + self.id)
        self.sent = 0

    def add(self, session):
        stamp = (session.time or UNKNOWN).isoformat() + "+00:00"
        call("POST", "/messages", {"group_id": self.id, "messages": [
            {"name": turn.id, "role_type": "user", "role": turn.speaker, "content": turn.content, "timestamp": stamp, "source_description": "conversation"}
            for turn in session.turns]})
        self.sent += len(session.turns)

    def finish(self):
        end = time.monotonic() + self.options["wait"]
        while True:
            done = len(call("GET", f"/episodes/{urllib.parse.quote(self.id)}?last_n={self.sent + 1}"))
            self.progress(done, self.sent)
            if done >= self.sent:
                return {"items": done}
            if time.monotonic() > end:
                raise TimeoutError(f"{done} of {self.sent} messages are indexed")
            time.sleep(self.options["poll"])

    def search(self, request, k, tokens):
        found = call("POST", "/search", {"group_ids": [self.id], "query": request.text, "max_facts": k})
        return [Block(f["fact"], time=f["valid_at"], id=f["uuid"]) for f in found["facts"]]

    def close(self):
        call("DELETE", "/group/" + self.id)


serve(Adapter)
