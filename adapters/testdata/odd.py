"""Does what adapters should not, and what the kit has to bear."""
import asyncio
import ctypes
import datetime
import os
import subprocess
import time
import uuid

from recallbench import Block, Error, LocalEmbedder, Memory, chat, embed, log, serve

print("printed at import")


class Odd(Memory):
    name, version, libraries, defaults = "odd", "1.2", {"lib": "3.4"}, {"depth": 1}

    def open(self):
        self.turns, self.turn_ids = [], []

    def add(self, session):
        print("printed by add")
        os.write(1, b"written to 1\n")
        libc = ctypes.CDLL(None)
        libc.puts(b"put by C")
        libc.fflush(None)
        subprocess.run(["sh", "-c", "echo echoed by a child; cat"], check=True)
        self.turns += session.turns
        self.progress(len(self.turns), note="added")
        return len(self.turns)

    def forget(self, wish):
        return len(wish.turns)

    def dump(self):
        return [turn.line for turn in self.turns] + [7]

    async def finish(self):
        await asyncio.sleep(0.001)
        return {"items": len(self.turns), "bytes": 7}

    async def search(self, request, k, tokens):
        text = request.text
        if text == "fail":
            raise ValueError("no luck")
        if text == "refuse":
            raise Error("rate_limit", "slow down", retry_after=2.5)
        if text == "wrapped":
            try:
                raise Status(429)
            except Status as e:
                raise RuntimeError("the library gave up") from e
        if text == "stopped":
            raise Status(503, "recallbench_stopped")
        if text == "exit":
            raise SystemExit(3)
        if text == "hang":
            await asyncio.sleep(600)
        if text == "scores":
            return [Block("a", score=float("nan")), {"text": "b", "score": float("inf")}, "c", Block("d", 0.5, "2023-05-08T13:56:00Z", 7, ["1:1"])]
        if text == "clock":
            return [str(datetime.datetime.now()), str(datetime.date.today()), str(int(time.time())), str(uuid.uuid4()), time.strftime("%Y")]
        if text == "models":
            log("asking", "warn")
            return [chat("Hello?")["choices"][0]["message"]["content"], str(embed(["x", "yy"])), str(list(LocalEmbedder("m").encode("zzz")))]
        if text == "nothing":
            return [Block(None)]
        return [turn.line for turn in self.turns][:k]


class Status(Exception):
    def __init__(self, status, code=None):
        super().__init__(f"status {status}")
        self.status_code, self.code = status, code


serve(Odd)
