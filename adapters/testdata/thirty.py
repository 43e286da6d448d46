"""A memory without a kit: what docs/adapters.md says of the protocol, in 30 lines."""
import json, os, re, sys

def words(text):
    return set(re.findall(r"\w+", text.lower()))

def serve(memories, method, p):
    if method == "initialize":
        return {"protocol": "recallbench-memory/1", "name": "thirty", "version": "1", "libraries": {}, "capabilities": {
            "search": True, "deterministic": True, "sources": "exact"}}
    if method == "memory/open":
        memories[p["memory"]] = []
    elif method == "memory/add":
        memories[p["memory"]] += [t for t in p["session"]["turns"] if t["text"].strip()]
    elif method == "memory/search":
        asked, turns = words(p["request"]["text"]), memories[p["memory"]]
        found = sorted(((len(asked & words(t["text"])), t) for t in turns), key=lambda f: -f[0])[:p["k"]]
        return {"blocks": [{"text": f"{t['speaker']}: {t['text']}", "score": n, "sources": [t["id"]]} for n, t in found if n]}
    elif method not in ("memory/finish", "memory/close", "shutdown"):
        raise ValueError("unknown method " + method)
    return {"items": len(memories.pop(p["memory"]) if method == "memory/close" else memories.get(p.get("memory"), []))}

with os.fdopen(1, "w", encoding="utf-8") as out:
    memories = {}
    for r in (r for r in map(json.loads, sys.stdin) if "id" in r):
        try:
            reply = {"result": serve(memories, r["method"], r.get("params") or {})}
        except Exception as e:
            reply = {"error": {"code": -32000, "message": repr(e), "data": {"kind": "bad_request"}}}
        print(json.dumps({"jsonrpc": "2.0", "id": r["id"], **reply}), file=out, flush=True)
