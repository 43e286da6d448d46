// Bench measures what conversational memories recall.
//
// It runs memory methods over datasets of conversations, scores the answers,
// and prints the tables of the papers with the published numbers beside the
// measured ones.
//
// # First run
//
// A config names datasets, methods, models and metrics. The quickstart needs
// no key, no network and no download:
//
//	bench run configs/quickstart.yaml
//
// It makes a folder below results/runs, appends a record for each answer,
// scores the records and prints tables. What a config may hold:
//
//	$ bench list methods
//	stateless
//	    answer from the question alone
//	    source: baseline of the Semantic Anchoring paper, section 4
//	in-context
//	    answer from the whole history, cut from the oldest side at the context limit
//	    source: baseline of the Semantic XPath paper, section 5
//	flat-rag
//	    retrieve the best chunks of the history, or nodes of a tree, and answer from them
//	    source: Naive RAG of the xMemory paper, section 5; chunking as in mem0's evaluation
//	vector-rag
//	    flat-rag with an utterance an entry: retrieve the nearest ten
//	    source: Vector RAG of the Semantic Anchoring paper, section 4.2
//	entity-rag
//	    retrieve the utterances that share named entities with the question
//	    source: Entity-RAG of the Semantic Anchoring paper, section 4.2
//	semantic-xpath
//	    translate requests to queries over a tree and answer or edit from what they retrieve
//	    source: Semantic XPath paper, sections 2 and 3
//	nemori
//	    retell episodes, keep what a prediction of them lacks, and retrieve from both
//	    source: Nemori, github.com/nemori-ai/nemori at ec47152 (v1) with its settings for LoCoMo
//	memoryos
//	    build short-, mid- and long-term memory as MemoryOS does, by heat
//	    source: MemoryOS paper (Kang et al. 2025); released code BAI-LAB/MemoryOS at 1d71706
//	xmemory
//	    build messages, episodes, facts and themes, and search them from the top down
//	    source: xMemory paper, section 3 and appendices B and C; released code at 375ae14
//	a-mem
//	    make a note of each turn, link it with those like it, and follow links from what is found
//	    source: A-Mem, the baseline of the xMemory paper; code at WujiangXu/A-mem d81fb22
//	lightmem
//	    shorten messages, group them by topic, and remember facts that are revised at the end
//	    source: LightMem, the baseline of the xMemory paper, section 5; zjunlp/LightMem at 8fc9a91
//	semantic-anchoring
//	    utterances with entities, dependencies and discourse relations beside their vectors
//	    source: Semantic Anchoring paper, section 3 and appendix A
//	external
//	    any memory system, as a program that speaks recallbench-memory/1, over HTTP, or as an MCP server
//	    source: this project; docs/adapters.md
//
// A fault of a config is shown where it is, with what would be right, and all
// faults come at once:
//
//	bench validate my.yaml
//
// # Runs
//
// The first Ctrl-C or SIGTERM starts no more calls and lets those in flight end for 8
// seconds. BENCH_GRACE sets another time, such as 1m. What they return is recorded. A
// second one aborts. A run that was stopped, killed or lost its machine has what was
// answered on the disk. It goes on with
//
//	bench resume DIR
//
// Wherever a run is asked for, latest names the newest one below results/runs.
// What failed, and why:
//
//	bench errors latest
//	bench resume latest --retry-errors
//
// A run folder that was damaged or edited is named by file and line, with exit
// code 9, by every verb that reads it. All of it is listed, and what is damaged is
// asked again, by
//
//	bench verify DIR
//	bench resume DIR --repair
//
// Scores and tables are derived from the records and can be made again, with
// other metrics, anywhere and without the dataset:
//
//	bench score DIR --metrics f1@locomo,exact-match
//	bench table DIR --by category --format markdown
//	bench table DIR --published xmemory-table1
//
// Whether a difference between two rows is more than chance, question by
// question, is tested with
//
//	bench table DIR --against "Naive RAG"
//
// Whether two runs, or two methods of one, differ is tested with
//
//	bench compare BASE NEW --by category
//	bench compare DIR:flat-rag DIR:xmemory
//
// where requests are paired, conversations are what was drawn, and p-values are
// adjusted by Holm. Which requests flipped, with both answers and evidence:
//
//	bench diff A B
//
// A config with seeds in place of seed runs everything for each of them; tables
// then have means over the seeds with their standard deviation:
//
//	bench run my.yaml --set 'seeds=[1, 2, 3]'
//
// # Sweeps and shards
//
// The keys matrix, include and exclude of a config make many cells of a few
// entries, and extends takes over another config. What would run, and at what
// price:
//
//	bench run sweep.yaml --plan
//
// Several machines can each run a part of the samples; merged, their folders are
// the one that a single machine would have written:
//
//	bench run my.yaml --shard 1/4 --out s1
//	bench merge s1 s2 s3 s4 --out whole
//
// Or one run gives its samples to workers on any machines, which share its budget,
// limits and recordings:
//
//	bench serve my.yaml --listen :4222
//	bench work tls://HOST:4222 --access worker.json
//
// # Gates
//
// A run that a person has blessed is a baseline, small enough for git. A gate holds
// another run against it, and exits with 4 where it is worse:
//
//	bench baseline set main DIR --note "release 1"
//	bench gate DIR --baseline main --rules gate.yaml --out gate.xml
//
// # Figures, pages and other tools
//
//	bench table DIR --ablation --format latex
//	bench plot DIR --out figures --format svg,tex
//	bench report DIR --out report.html
//	bench view --open
//	bench export DIR --to jsonl --out records.jsonl
//	bench import results.json --from mem0 --dataset locomo --out elsewhere
//
// A report is one file that loads nothing from anywhere. What is imported is a run
// like any other.
//
// # Scoring
//
// Predictions that were made elsewhere are scored line by line:
//
//	$ bench score --predictions testdata/answers.jsonl --metrics f1@mem0,f1@locomo
//	{"id":1,"category":2,"f1@mem0":1,"f1@locomo":1}
//	{"id":2,"category":4,"f1@mem0":0.4,"f1@locomo":0.6666666666666666}
//
// A language model can be asked afterwards which answers are right. It is named
// each time, and tables tell who judged and from which prompt:
//
//	bench judge DIR --model configs/models/openai.yaml
//
// People can rate answers without knowing whose they are. The sheets and the key
// to them lie apart, and no program fills a rating in:
//
//	bench rate export DIR --out sheets --raters 5
//	bench rate import DIR returned/*.csv --subject semantic-anchoring
//
// # Models
//
// Stand-in is what stands in for a model. A file of a models entry puts a
// language model in its place, behind any server with OpenAI's interface; its
// key comes from the environment:
//
//	bench doctor configs/quickstart.yaml --model configs/models/openai.yaml
//	bench estimate configs/quickstart.yaml --model configs/models/openai.yaml
//	bench run configs/quickstart.yaml --model configs/models/openai.yaml --limit 20
//
// Doctor tries what a run would need, from the server and its key to a question to a
// tiny memory of each method. It prints the remedy of what is missing:
//
//	bench doctor my.yaml --no-calls
//
// Estimate says how many calls, tokens and dollars a run will take, and calls
// nothing. Recordings, and what earlier runs measured, make it sharper.
//
// # Published tables
//
// The tables of the papers are part of the program, with their citation and
// protocol. An audit recomputes what can be recomputed in them and lists the
// cells that disagree with themselves:
//
//	bench published list
//	bench published show xmemory-table1
//	bench published audit
//
// # Data
//
// The sample conversation is part of the program. Other datasets have licences
// of their own and are fetched by their user:
//
//	bench data list
//	bench data fetch locomo
//
// Errata list what is wrong with their gold answers. A run with errata is scored
// under each answer key:
//
//	bench data fetch locomo-audit
//	bench data errata locomo-audit
//	bench score RUN --errata locomo-audit
//	bench table RUN --keys
//
// Some are built of others, the same bytes for the same seed:
//
//	bench data build multiwoz-long --from MultiWOZ_2.2 --out multiwoz-long
//
// The folder of the data is the first of these that is given or there: --data,
// BENCH_DATA, ./data, ../shared/datasets.
//
// A sentence embedder that runs on this machine is fetched likewise:
//
//	bench models fetch minilm
//
// # Semantic queries
//
// Xpath runs a query of the Semantic XPath language over a tree of anyone's: a
// path with positions, and conditions in words that weigh nodes.
//
//	$ bench xpath testdata/xpath/plan.xml //Day[3]
//	query    //Day[3]
//	matches  0
//
// Conditions are scored by shared words without a model (stand-in), by recorded scores,
// or by the models of an entry. --explain shows how each weight came about:
//
//	bench xpath plan.xml '//Day[avg(/POI[node ~= "outdoor"])]' --explain
//	bench xpath plan.xml '//POI[node ~= "museum"]' --scorer recorded=scores.jsonl
//	bench xpath plan.xml '//POI[node ~= "museum"]' --scorer sem --model configs/models/openai.yaml
//
// # Recordings
//
// What model servers reply is recorded and can be served again, so that nothing
// is paid for twice and a run can be repeated without a network:
//
//	bench run my.yaml --calls reuse
//	bench run my.yaml --calls replay
//
// The recordings of all runs lie in one folder: --store, BENCH_CALLS, or
// results/calls. To look at them, check them, and take them elsewhere:
//
//	bench calls stat
//	bench calls ls --role reader --since 12h
//	bench calls show 486f78cd
//	bench calls verify
//	bench calls export paper.calls --run DIR
//	bench calls import paper.calls
//	bench calls prune --older-than 90d --dry-run
//
// # Exit codes
//
// 0 done; 1 internal error; 2 usage or config; 3 finished, but more requests failed
// than the config allows; 4 a gate failed. 5 the budget is spent; 6 a provider, its
// key or its model is not to be had; 7 a replay needs a call that is not recorded. 8
// the data is not what its fingerprint says; 9 a run folder is damaged or was edited;
// 130 interrupted. After 5, 6, 7 and 130 the command to go on is printed.
package main
