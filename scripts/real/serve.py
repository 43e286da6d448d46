"""Serve a GGUF file with the llama.cpp server in xllamacpp's wheel.

It takes the flags of llama-server that real.sh and drills.py use, and ends when
the process that started it does.
"""

import argparse
import os
import time

import xllamacpp

a = argparse.ArgumentParser()
a.add_argument("-m", "--model", required=True)
a.add_argument("--alias", default="")
a.add_argument("--port", type=int, required=True)
a.add_argument("-c", "--ctx-size", type=int, default=2048, help="of all slots together")
a.add_argument("-np", "--parallel", type=int, default=1)
a.add_argument("-t", "--threads", type=int, default=1)
a.add_argument("--embeddings", action="store_true")
o = a.parse_args()
p = xllamacpp.CommonParams()
p.model.path = o.model
p.n_ctx, p.n_parallel, p.cpuparams.n_threads = o.ctx_size, o.parallel, o.threads
p.cpuparams_batch.n_threads = o.threads
p.hostnames, p.port = ["127.0.0.1"], o.port
if o.alias:
    p.model_alias = {o.alias}
p.embedding = o.embeddings
parent = os.getppid()
server = xllamacpp.Server(p)
print(server.listening_address, flush=True)
while os.getppid() == parent:
    time.sleep(0.2)
