"""Break a real model server in the middle of runs, and look what bench makes of it.

    python scripts/real/drills.py BENCH MODEL OTHER WORK -- SERVER...

BENCH is the program, MODEL and OTHER are GGUF files, WORK is an empty folder, and
SERVER is a command that takes llama-server's flags. Each drill prints what bench
said; the exit code is 1 where one did not end as it should. Requests that the
server finished are counted in its log: none may be paid twice.
"""

import json
import pathlib
import re
import resource
import signal
import socket
import subprocess
import sys
import time
import urllib.request

at = sys.argv.index("--")
bench, model, other, work = map(pathlib.Path, sys.argv[1:at])
command = sys.argv[at + 1 :]
here = pathlib.Path(__file__).parent
work.mkdir(parents=True, exist_ok=True)
with socket.socket() as s:
    s.bind(("127.0.0.1", 0))
    port = s.getsockname()[1]
failed = []
QUICK = ["--set", "models[0].options.chat.limits={max: 1, retries: 1, attempt: 4m, total: 8m}"]


class Server:
    """A server on the one port of all drills, started anew each time."""

    logs = []

    def __init__(self, file=model, alias="smollm2-135m", context=2048, memory=None, wait=True):
        self.log = work / f"server{len(Server.logs)}.log"
        Server.logs.append(self.log)
        limit = memory and (lambda: resource.setrlimit(resource.RLIMIT_AS, (memory, memory)))
        args = ["-m", str(file), "--alias", alias, "--port", str(port), "-c", str(context), "-np", "1", "-t", "1"]
        self.process = subprocess.Popen(command + args, stdout=self.log.open("w"), stderr=subprocess.STDOUT, preexec_fn=limit)
        for _ in range(1200 if wait else 0):
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=5)
                return
            except OSError:
                if self.process.poll() is not None:
                    sys.exit(f"drills.py: the server ended with {self.process.returncode}:\n" + self.log.read_text()[-2000:])
                time.sleep(0.1)

    def finished(self):
        return self.log.read_text().count("total time =")

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


def finished():
    return sum(log.read_text().count("total time =") for log in Server.logs)


def start(verb, *args):
    base = f"models[0].options.chat.base_url=http://127.0.0.1:{port}/v1"
    changes = [] if verb == "table" else ["--set", base]
    if verb != "table":
        changes += ["--store", str(store)]
    log = (work / "bench.log").open("w")
    return subprocess.Popen([str(bench), verb, *map(str, args), *changes], stdout=log, stderr=subprocess.STDOUT)


def call(verb, *args, code=0):
    return end(start(verb, *args), code)


def end(process, code):
    got = process.wait(timeout=900)
    text = (work / "bench.log").read_text()
    if got != code:
        failed.append(f"{drill}: exit code {got}, want {code}")
        print(text)
    return text


def shows(text, pattern):
    line = next((line for line in text.splitlines() if re.search(pattern, line)), None)
    if line is None:
        failed.append(f"{drill}: nothing matches {pattern!r}")
        print(text)
    else:
        print("   ", line.strip())


def records(folder):
    return [json.loads(line) for p in folder.glob("cells/*/records.jsonl") for line in p.open()]


def holds(what, got, want):
    print(f"    {what}: {got}")
    if got != want:
        failed.append(f"{drill}: {what}: {got}, want {want}")


def begin(name):
    global drill, store, before
    drill, store, before = name, work / name / "calls", finished()
    (work / name).mkdir()
    print(f"--- {name}", flush=True)
    return work / name / "run"


def answered(run, most):
    """Each request was answered, and what the server finished was paid once."""
    kept = records(run)
    holds("requests answered", len({(r["sample"], r["request"]) for r in kept if r["status"] == "ok"}), 10)
    paid = finished() - before
    print(f"    finished by the server: {paid}")
    if not 10 <= paid <= most:
        failed.append(f"{drill}: the server finished {paid} requests, want 10 to {most}")


def midway(run, n):
    """Starts a run and returns once the server has finished n requests."""
    process = start("run", here / "smoke.yaml", "--out", run, "--display", "none", *QUICK)
    while finished() - before < n and process.poll() is None:
        time.sleep(0.02)
    return process


# The server is killed, and started again.
run = begin("killed")
server = Server()
process = midway(run, 3)
server.kill()
text = end(process, 3)
shows(text, "connection: 7|connection: 6")
server = Server()
shows(call("resume", run, "--retry-errors", "--display", "none"), "flat-rag +│ 10 │ +0")
answered(run, 11)  # one may have been finished and not delivered

# The same, with other weights under the same name.
run = begin("other weights")
process = midway(run, 3)
server.kill()
end(process, 3)
server = Server(other)
call("resume", run, "--retry-errors", "--display", "none")
shows(call("table", run), "changed its weights")
answered(run, 11)
server.kill()

# And with another name.
run = begin("other name")
server = Server()
process = midway(run, 3)
server.kill()
end(process, 3)
server = Server(other, "qwen2.5-coder-0.5b")
shows(call("doctor", here / "smoke.yaml", "--out", work / "new"), "does not list it|and not by")
call("resume", run, "--retry-errors", "--display", "none")
shows(call("table", run), "served by")
answered(run, 14)  # doctor's own among them
server.kill()

# Prompts longer than the context are records, which a larger one answers.
run = begin("small context")
server = Server(context=256)
text = call("run", here / "smoke.yaml", "--out", run, "--display", "none", "--set", "methods[0].options.k=8", code=3)
shows(text, "exceed|longer than")
kinds = {r.get("error", {}).get("kind") for r in records(run) if r["status"] != "ok"}
holds("kinds of errors", kinds, {"rejected"})
shows(call("doctor", here / "smoke.yaml", "--out", work / "new"), "256 tokens")
server.kill()
server = Server()
call("resume", run, "--retry-errors", "--display", "none")
answered(run, 14)
server.kill()

# No memory for the context: the server is gone before it listens.
run = begin("no memory")
server = Server(context=1 << 22, memory=1 << 30, wait=False)
holds("the server ended", server.process.wait(timeout=120) != 0, True)
shows(call("doctor", here / "smoke.yaml", "--out", work / "new", code=6), "connection is refused")
text = call("run", here / "smoke.yaml", "--out", run, "--display", "none", *QUICK, code=3)
shows(text, "is the server running")
server = Server()
call("resume", run, "--retry-errors", "--display", "none")
answered(run, 10)
server.kill()

print("\n".join(["drills.py: failed:", *failed] if failed else ["drills.py: all drills ended as they should"]))
sys.exit(bool(failed))
