"""A kit for memories that recallbench measures: one file, standard library only.

Define a class over Memory and call serve(it); adapters/README.md shows one. Import
this file before the library: then what it prints goes to the log, and under
RECALLBENCH_CLOCK=session it reads the conversation's clock. Methods may be async.
"""
import asyncio, contextvars, ctypes, datetime, difflib, gc, hashlib, itertools, json, math, os, queue, random  # noqa: E401
import sys, threading, time, traceback, types, urllib.error, urllib.request, uuid  # noqa: E401
from dataclasses import dataclass, field
from importlib import machinery, metadata

__version__ = "1.0"
PROTOCOL, UTC = "recallbench-memory/1", datetime.timezone.utc
UNKNOWN = datetime.datetime(2024, 1, 1)  # what the clock shows before any time is known

class Error(Exception):
    """A failure with its kind: rate_limit, unavailable, timeout, not_ready, model, refused, schema, unsupported, bad_request, internal."""
    def __init__(self, kind, message, code=-32000, **data):  # data: retry_after, applied
        super().__init__(message)
        self.kind, self.rpc, self.data = kind, code, data

@dataclass
class Block:
    text: str
    score: float = None
    time: object = None  # datetime, ISO text or seconds
    id: str = None
    sources: list = None  # ids of turns

    def wire(self):
        if not isinstance(self.text, str):
            raise TypeError(f"the text of a block is {type(self.text).__name__}, want str")
        score, time = None if self.score is None else float(self.score), when(self.time)
        return {name: value for name, value in {
            "text": self.text, "score": score if score is None or math.isfinite(score) else None,
            "time": time and time.replace(microsecond=0).isoformat(), "id": self.id if self.id is None else str(self.id),
            "sources": [str(s) for s in self.sources or []] or None}.items() if value is not None}

@dataclass
class Turn:
    id: str
    speaker: str
    text: str
    time: datetime.datetime = None
    image: object = None  # has caption and query

    @property
    def content(self):
        """The text, and in brackets what an image shows."""
        caption, query = (self.image.caption, self.image.query) if self.image else ("", "")
        return " ".join(filter(None, [self.text, caption and f"[image: {caption}]", query and f"[image search: {query}]"]))

    line = property(lambda self: f"{self.speaker}: {self.content}")

@dataclass
class Session:
    id: str
    time: datetime.datetime = None
    turns: list = field(default_factory=list)
    speakers: list = field(default_factory=list)

    def messages(self, style="named"):
        """Chat messages: "named" (role user, "Name: text") or "roles" (the first speaker is the user, others the assistant)."""
        if style == "named":
            return [{"role": "user", "content": t.line} for t in self.turns]
        return [{"role": "user" if t.speaker in self.speakers[:1] else "assistant", "content": t.content} for t in self.turns]

def _missing(self, *args):
    raise NotImplementedError(f"{type(self).__name__} lacks it")

class Memory:
    """A memory of one conversation. The methods that a class defines are declared as its capabilities."""
    name, version, libraries = "", "", []  # libraries: names of distributions, or a dict of name to version
    mutates = deterministic = False
    sources = "none"
    defaults = None  # options with their defaults; None accepts any

    def open(self): pass  # self.id, .speakers, .options, .work, .models, .seed, .restore
    def finish(self): pass  # returns when all is searchable
    def close(self): pass
    add = _missing  # (session)
    search = _missing  # (request, k, tokens)
    answer = _missing  # (request)
    forget = _missing  # (wish): its text, speaker and the turns that told it; returns how many items went
    dump = _missing  # returns the texts that are stored
    snapshot = _missing  # (path)

    def progress(self, done, total=None, note=""):
        _channel.write(_line({"method": "$/progress", "params": {"memory": self.id, "done": done, "total": total, "note": note}}))

def log(text, level="info"):
    _channel.write(_line({"method": "$/log", "params": {"level": level, "text": str(text)}}))

def when(value):
    """The datetime without zone of a datetime, ISO text or seconds; None where it is none."""
    try:
        if isinstance(value, str):
            value = datetime.datetime.fromisoformat(value.strip().replace("Z", "+00:00"))
        elif isinstance(value, (int, float)):
            value = datetime.datetime.fromtimestamp(value, UTC)
        return value.astimezone(UTC).replace(tzinfo=None) if value.tzinfo else value
    except (ValueError, OverflowError, OSError, AttributeError):
        return None

def _post(path, body):
    models = _moment().memory.models
    ask = urllib.request.Request(models.base_url + path, json.dumps(body).encode(), {
        "Content-Type": "application/json", "Authorization": "Bearer " + models.key})
    try:
        with urllib.request.urlopen(ask) as reply:
            return json.load(reply)
    except urllib.error.HTTPError as e:
        raise Error("rate_limit" if e.code == 429 else "model", f"{path}: status {e.code}: {e.read()[:2000].decode('utf-8', 'replace')}") from None

def chat(messages, **params):
    """The chat completion as a dict; a text is a message of the user."""
    messages = [{"role": "user", "content": messages}] if isinstance(messages, str) else messages
    return _post("/chat/completions", {"model": _moment().memory.models.chat, "messages": messages, **params})

def embed(texts):
    """The vector of each text."""
    texts, out = list(texts), []
    for i in range(0, len(texts), 256):
        body = {"model": _moment().memory.models.embed, "input": texts[i:i + 256], "encoding_format": "float"}
        out += [d["embedding"] for d in sorted(_post("/embeddings", body)["data"], key=lambda d: d["index"])]
    return out

class LocalEmbedder:
    """Embeds with the run's model in place of a sentence-transformers model; install() it before the library is imported."""
    def __init__(self, *args, **kwargs):
        self.max_seq_length, self.device, self.prompts = 8192, "cpu", {}

    @classmethod
    def install(cls):
        module = sys.modules["sentence_transformers"] = types.ModuleType("sentence_transformers")
        module.SentenceTransformer, module.__spec__ = cls, machinery.ModuleSpec("sentence_transformers", None)

    def encode(self, texts, normalize_embeddings=False, **kwargs):
        vectors = embed([texts] if isinstance(texts, str) else texts)
        if normalize_embeddings:
            norms = [math.sqrt(sum(x * x for x in v)) or 1 for v in vectors]
            vectors = [[x / n for x in v] for v, n in zip(vectors, norms)]
        if "numpy" in sys.modules:
            vectors = sys.modules["numpy"].array(vectors, dtype="float32")
        return vectors[0] if isinstance(texts, str) else vectors

    def get_sentence_embedding_dimension(self):
        return _moment().memory.models.dimensions

@dataclass
class _Moment:
    """What the clock shows, and what random ids are drawn from, during one call."""
    memory: object = None
    time: datetime.datetime = UNKNOWN
    scope: str = ""
    readings: object = field(default_factory=itertools.count)
    ids: object = field(default_factory=itertools.count)

_latest, _current = _Moment(), contextvars.ContextVar("recallbench")

def _moment():
    return _current.get(_latest)  # the latest serves threads that a library started

def _enter(moment):
    global _latest
    _latest = moment
    _current.set(moment)
    if _session_clock:
        random.seed(moment.scope)
        if "numpy.random" in sys.modules:
            sys.modules["numpy"].random.seed(int(hashlib.sha256(moment.scope.encode()).hexdigest()[:8], 16))

def _time_ns():
    m = _moment()
    since = m.time - datetime.datetime(1970, 1, 1) + datetime.timedelta(milliseconds=next(m.readings))
    return (since.days * 86400 + since.seconds) * 10**9 + since.microseconds * 1000

def _uuid4():
    m = _moment()
    return uuid.UUID(bytes=hashlib.sha256(f"{m.scope}\n{next(m.ids)}".encode()).digest()[:16], version=4)

def _replace_clock():
    gmtime, localtime, strftime = time.gmtime, time.localtime, time.strftime
    time.time_ns = _time_ns
    time.time = lambda: _time_ns() / 10**9
    time.gmtime = lambda seconds=None: gmtime(time.time() if seconds is None else seconds)
    time.localtime = lambda seconds=None: localtime(time.time() if seconds is None else seconds)
    time.strftime = lambda text, t=None: strftime(text, time.localtime() if t is None else t)
    uuid.uuid4 = _uuid4

    def now(cls, tz=None):
        t = cls.fromtimestamp(time.time(), UTC)
        return t.astimezone(tz) if tz else t.replace(tzinfo=None)

    def today(cls):
        return now(cls) if issubclass(cls, datetime.datetime) else cls(*now(datetime.datetime).timetuple()[:3])

    # The classes are changed in place: neither the order of imports nor a test for the exact type matters.
    for cls, methods in (datetime.date, {"today": today}), (datetime.datetime, {"now": now, "utcnow": now}):
        gc.get_referents(cls.__dict__)[0].update({name: classmethod(f) for name, f in methods.items()})
        ctypes.pythonapi.PyType_Modified(ctypes.py_object(cls))

class _Channel:
    """Requests and replies, on descriptors that neither print nor C code nor children reach."""
    def __init__(self):
        os.environ.pop("RECALLBENCH_SEED", "")  # not for children
        self.out, self.input, self.lock = os.dup(1), os.fdopen(os.dup(0), "rb"), threading.Lock()
        os.set_inheritable(self.out, False)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(2, 1)
        sys.stdout.reconfigure(line_buffering=True)

    def write(self, line):
        with self.lock:
            while line:
                line = line[os.write(self.out, line):]

def _line(message):
    text = json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return memoryview(text.encode("utf-8", "replace") + b"\n")

class _Server:
    def __init__(self, cls):
        self.cls, self.start, self.loop = cls, None, asyncio.new_event_loop()
        self.memories, self.jobs, self.queue = {}, {}, queue.SimpleQueue()
        for target in (self.loop.run_forever, self.work):
            threading.Thread(target=target, daemon=True).start()

    def accept(self, line):
        try:
            m = json.loads(line)
            job = types.SimpleNamespace(id=m.get("id"), method=m["method"], params=m.get("params") or {}, task=None, cancelled=False)
        except (ValueError, KeyError, AttributeError) as e:
            return _channel.write(_line({"id": None, "error": {"code": -32700, "message": f"not a request: {e!r}"}}))
        if job.method == "$/cancel":
            job = self.jobs.get(job.params.get("id"), job)
            job.cancelled = True
            job.task and job.task.cancel()
        elif job.id is not None and (self.start is None or job.method in ("initialize", "shutdown")):
            self.reply(job, self.handshake)
        elif job.id is not None:
            self.jobs[job.id] = job
            self.queue.put(job)

    def work(self):
        while True:
            self.reply(self.queue.get(), self.call)

    def reply(self, job, f):
        try:
            if job.cancelled:
                raise asyncio.CancelledError
            line = _line({"id": job.id, "result": f(job)})
        except BaseException as e:  # a library's SystemExit too
            line = _line({"id": job.id, "error": _fault(e)})
        self.jobs.pop(job.id, None)
        _channel.write(line)

    def handshake(self, job):
        cls, p = self.cls, job.params
        if job.method == "shutdown":
            return {}
        if job.method != "initialize":
            raise Error("bad_request", "the first request is not initialize", -32600)
        if p.get("protocol") != PROTOCOL:
            raise Error("bad_request", f"protocol {p.get('protocol')!r}, want {PROTOCOL!r}", -32602)
        versions = dict(cls.libraries) if isinstance(cls.libraries, dict) else {d: metadata.version(d) for d in cls.libraries}
        does = {name: getattr(cls, name) is not _missing for name in ("search", "answer", "snapshot", "forget", "dump")}
        says = {name: getattr(cls, name) for name in ("mutates", "deterministic", "sources")}
        self.start = p
        return {"protocol": PROTOCOL, "name": cls.name or cls.__name__, "version": cls.version or next(iter(versions.values()), "0"),
                "libraries": versions, "capabilities": {**does, **says}}

    def call(self, job):
        p, what = job.params, job.method.partition("/")[2] if job.method.startswith("memory/") else ""
        if what not in ("open", "add", "forget", "finish", "search", "answer", "dump", "snapshot", "close"):
            raise Error("bad_request", f"unknown method {job.method!r}", -32601)
        name = _need(p, "memory", str)
        if what == "open":
            return self.open(job, name)
        m = self.memories.get(name)
        if m is None:
            raise Error("unknown_memory", f"no memory {name!r} is open", -32602)
        if what == "add":
            session = _session(_need(p, "session", dict), m.speakers)
            out = self.user(job, m, session.id, session.time or m.last, m.add, session)
            m.last = max(filter(None, [session.time, *(t.time for t in session.turns)]), default=m.last)
        elif what in ("search", "answer"):
            r = _need(p, "request", dict)
            request = types.SimpleNamespace(id=_need(r, "id", str), text=_need(r, "text", str), time=when(r.get("time")))
            bounds = (_need(p, "k", int), p.get("tokens") or 0) if what == "search" else ()
            out = self.user(job, m, request.id, request.time or m.last, getattr(m, what), request, *bounds)
            out = out if isinstance(out, dict) else {"blocks" if bounds else "text": out}
            return {**out, "blocks": _blocks(out.get("blocks"))}
        elif what == "forget":
            wish = types.SimpleNamespace(**{"text": "", "speaker": "", "turns": [], **_need(p, "wish", dict)})
            out = self.user(job, m, wish.text, m.last, m.forget, wish)
        elif what == "dump":
            return {"items": [str(text) for text in self.user(job, m, "", m.last, m.dump)]}
        elif what == "snapshot":
            self.user(job, m, "", m.last, m.snapshot, _need(p, "path", str))
        else:
            self.memories.pop(name if what == "close" else None, None)
            out = self.user(job, m, "", m.last, getattr(m, what))
        if what in ("add", "forget", "finish"):
            return out if isinstance(out, dict) else {"items": out} if isinstance(out, int) else {}
        return {}

    def open(self, job, name):
        p, m = job.params, self.cls()
        if name in self.memories:
            raise Error("bad_request", f"memory {name!r} is open already", -32602)
        models = {"base_url": "", "key": "", "chat": "", "embed": "", "dimensions": 0, **(self.start.get("models") or {}), **(p.get("models") or {})}
        m.id, m.speakers, m.options = name, (p.get("sample") or {}).get("speakers") or [], _options(m.defaults, p.get("options") or {})
        m.work, m.models, m.restore, m.seed = p.get("work") or os.getcwd(), types.SimpleNamespace(**models), p.get("restore"), self.start.get("seed", 0)
        m.last, m.gate = UNKNOWN, threading.Lock()
        os.makedirs(m.work, exist_ok=True)
        self.user(job, m, "", m.last, m.open)
        self.memories[name] = m
        return {}

    def user(self, job, m, which, at, f, *args):
        """Calls the adapter's code, with its clock set."""
        with m.gate:
            _enter(_Moment(m, at, f"{m.seed}\n{m.id}\n{job.method}\n{which}"))
            out = f(*args)
            if not asyncio.iscoroutine(out):
                return out
            job.task = asyncio.run_coroutine_threadsafe(_guarded(out), self.loop)
            if job.cancelled:  # before there was a task
                job.task.cancel()
            return job.task.result()

async def _guarded(call):
    try:
        return await call
    except (SystemExit, KeyboardInterrupt) as e:  # it would end the loop
        raise RuntimeError(f"{type(e).__name__}: {e}") from e

def _need(p, name, kind):
    if not isinstance(p.get(name), kind):
        raise Error("bad_request", f"{name} is {json.dumps(p.get(name))[:80]}, want {kind.__name__}", -32602)
    return p[name]

def _options(defaults, given):
    for name in set(given) - set(given if defaults is None else defaults):
        near = difflib.get_close_matches(name, defaults, 1) or sorted(defaults)
        raise Error("bad_request", f"unknown option {name!r}; have {', '.join(near) or 'none'}", -32602)
    return {**(defaults or {}), **given}

def _session(p, speakers):
    return Session(p.get("id") or "", when(p.get("time")), [
        Turn(t.get("id") or "", t.get("speaker") or "", t.get("text") or "", when(t.get("time")),
             types.SimpleNamespace(**{"caption": "", "query": "", **t["image"]}) if t.get("image") else None) for t in p.get("turns") or []], speakers)

def _blocks(found):
    return [(b if isinstance(b, Block) else Block(**b) if isinstance(b, dict) else Block(b)).wire() for b in found or []]

def _kind(e):
    code, status, name = str(getattr(e, "code", "")), getattr(e, "status_code", 0), type(e).__name__
    if isinstance(e, Error) or code.startswith(("recallbench_", "upstream_")):
        return getattr(e, "kind", "model")
    if status == 429 or name == "RateLimitError":
        return "rate_limit"
    if name in ("TimeoutError", "APITimeoutError"):
        return "timeout"
    if isinstance(status, int) and status >= 500 or isinstance(e, ConnectionError):
        return "unavailable"
    return "unsupported" if isinstance(e, NotImplementedError) else None

def _fault(e):
    if type(e).__name__ == "CancelledError":
        return {"code": -32800, "message": "cancelled"}
    if isinstance(e, Error):
        return {"code": e.rpc, "message": str(e)[:2000], "data": {"kind": e.kind, **e.data}}
    kind, cause = None, e
    while cause and not kind:  # libraries wrap what their client raised
        kind, cause = _kind(cause), cause.__cause__ or cause.__context__
    trace = "".join(traceback.format_exception(type(e), e, e.__traceback__))[-4000:]
    return {"code": -32000, "message": f"{type(e).__name__}: {e}"[:2000], "data": {"kind": kind or "internal", "trace": trace}}

def serve(cls):
    """Answers the harness until its input ends."""
    global _channel
    if "multiprocessing" in sys.modules and sys.modules["multiprocessing"].parent_process():
        return  # a child that imports the adapter's file again
    _channel = _channel or _Channel()
    server = _Server(cls)
    for line in filter(bytes.strip, _channel.input):
        server.accept(line)
    sys.stdout.flush()
    os._exit(0)  # threads of libraries do not hold it up

_channel = _Channel() if "RECALLBENCH_SEED" in os.environ else None
_session_clock = os.environ.get("RECALLBENCH_CLOCK") == "session"
if _session_clock:
    _replace_clock()
