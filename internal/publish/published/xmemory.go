package published

var xmemory = &Paper{
	Key:     "xmemory",
	Title:   "Beyond RAG for Agent Memory: Retrieval by Decoupling and Aggregation",
	Authors: "Hu, Zhu, Yan, He, Gui",
	Year:    2026,
	ID:      "arXiv:2602.02007",
}

// The names that the models go by on the common servers.
var xmemoryReaders = []Reader{
	{Row: "Qwen3-8B", Names: []string{"qwen3-8b", "qwen3:8b", "Qwen/Qwen3-8B", "qwen/qwen3-8b"}, Tokenizer: "qwen3"},
	{Row: "Llama-3.1-8B-Ins", Names: []string{
		"Llama-3.1-8B-Instruct", "llama-3.1-8b-instruct", "meta-llama/Llama-3.1-8B-Instruct", "meta-llama/llama-3.1-8b-instruct", "llama3.1:8b",
	}, Tokenizer: "llama3.1"},
	{Row: "GPT-5 nano", Names: []string{"gpt-5-nano", "gpt-5-nano-2025-08-07", "openai/gpt-5-nano"}, Tokenizer: "o200k_base"},
}

// The rows' methods. Only Naive RAG's number of blocks is printed.
var xmemoryMethods = []Method{
	{Row: "Naive RAG", Use: "flat-rag", K: 20, Unpublished: []string{"chunk size"}},
	{Row: "Nemori", Use: "nemori", Unpublished: []string{"version", "number of memories", "slots of the answer prompt"}},
	{Row: "LightMem", Use: "lightmem", Unpublished: []string{"version", "number of memories", "slots of the answer prompt"}},
	{Row: "A-Mem", Use: "a-mem", Unpublished: []string{"version", "number of memories", "slots of the answer prompt"}},
	{Row: "MemoryOS", Use: "memoryos", Unpublished: []string{"version", "number of memories", "slots of the answer prompt"}},
	{Row: "xMemory", Use: "xmemory", Unpublished: []string{"thresholds of uncertainty"}},
	{Row: "xMemory", Model: "Llama-3.1-8B-Ins", Use: "xmemory"}, // the released code has its thresholds
	{Row: "RAG + Pruning", Use: "flat-rag", K: 20, Unpublished: []string{"chunk size", "rate of pruning"}},
	{Row: "Memory-only", Use: "xmemory", Unpublished: []string{"number of memories"}},
	{Row: "+RepSel", Use: "xmemory", Unpublished: []string{"number of episodes"}},
	{Row: "+UncSion", Use: "xmemory", Unpublished: []string{"thresholds of uncertainty"}},
	{Row: "w/o merge&split", Use: "xmemory", Unpublished: []string{"thresholds of uncertainty"}},
	{Row: "w/o split", Use: "xmemory", Unpublished: []string{"thresholds of uncertainty"}},
	{Row: "w/o merge", Use: "xmemory", Unpublished: []string{"thresholds of uncertainty"}},
	{Row: "14", Use: "xmemory", Unpublished: []string{"thresholds of uncertainty"}},
	{Row: "12", Use: "xmemory", Unpublished: []string{"thresholds of uncertainty"}},
	{Row: "10", Use: "xmemory", Unpublished: []string{"thresholds of uncertainty"}},
	{Row: "8", Use: "xmemory", Unpublished: []string{"thresholds of uncertainty"}},
}

// The dialects of F1 and BLEU-1 are those of the authors' released code, which
// has them from Mem0's evaluation.
var (
	bleu1 = Metric{Name: "bleu1", Column: "bleu1@nltk", Unit: Percent}
	f1    = Metric{Name: "f1", Column: "f1@mem0", Unit: Percent}
)

const tokensCounted = "the answer prompt and the answer, and what a method spends on measuring uncertainty, the beginning that its probes share once; not embeddings, not building the memory, not the chat template"

// xmemoryLoCoMo is the protocol of the tables on LoCoMo. The paper speaks of 50
// dialogues; the authors' repository ships the file of ten whose digest this
// is, and the averages of the table prove its counts. Tokens are a mean over
// all of its questions, adversarial ones included, as the released code loops.
var xmemoryLoCoMo = &Protocol{
	Dataset:   "locomo",
	Data:      []string{"79fa87e90f04081343b8c8debecb80a9a6842b76a7aa537dc9fdf651ea698ff4"},
	Split:     "the ten released conversations, categories 1 to 4",
	Parts:     []Part{{"multi-hop", 282}, {"temporal", 321}, {"open-domain", 96}, {"single-hop", 841}},
	Average:   "average",
	Averaging: OverQuestions,
	Category5: "drop",
	Readers:   xmemoryReaders,
	Embedding: "text-embedding-3-small",
	Decoding:  "greedy, temperature 0, at most 64 tokens",
	Metrics: []Metric{
		bleu1,
		f1,
		{Name: "tokens_per_query", Column: "tokens@xmemory", Unit: Tokens, Lower: true, Questions: 1986, Counting: tokensCounted},
		{Name: "blocks_for_coverage", Column: "prefix-blocks", Unit: Mean, Lower: true},
		{Name: "tokens_for_coverage", Column: "prefix-tokens", Unit: Tokens, Lower: true},
		{Name: "reassignment_ratio_percent", Column: "reassigned", Unit: Percent},
		{Name: "themes", Column: "themes", Unit: Whole},
		{Name: "semantics", Column: "semantics", Unit: Whole},
		{Name: "semantics_per_theme", Column: "semantics-per-theme", Unit: Mean},
		{Name: "two_hit_percent", Column: "hit-2", Unit: Percent},
		{Name: "multi_hit_percent", Column: "hit-3+", Unit: Percent},
	},
	Methods:     xmemoryMethods,
	Unpublished: []string{"chunk size of Naive RAG", "number of memories, versions and prompt slots of the other methods", "uncertainty thresholds, but for Llama"},
}

// xmemoryPerLTQA is the protocol of the table on PerLTQA. Neither the questions
// nor the averaging is printed, and no code was released.
var xmemoryPerLTQA = &Protocol{
	Dataset:   "perltqa",
	Split:     "not published",
	Average:   "average",
	Readers:   xmemoryReaders,
	Embedding: "text-embedding-3-small",
	Decoding:  "greedy, temperature 0",
	Metrics: []Metric{
		bleu1,
		f1,
		{Name: "rouge_l", Column: "rouge-l@rouge_score", Unit: Percent},
		{Name: "tokens_per_query", Column: "tokens@xmemory", Unit: Tokens, Lower: true, Counting: tokensCounted},
	},
	Methods:     xmemoryMethods,
	Unpublished: []string{"which questions, and how many", "averaging", "implementation of ROUGE-L", "how memories are ingested", "chunk size of Naive RAG", "number of memories, versions and prompt slots of the other methods"},
}

func xmemoryTables() []*Table {
	const qwen = "Qwen3-8B"
	table := func(n, title, file string, t Table) *Table {
		t.Name, t.Number, t.Title, t.file = "xmemory-table"+n, "Table "+n, title, "xmemory-table"+n+"-"+file+".csv"
		t.Paper = xmemory
		if t.Protocol == nil {
			t.Protocol = xmemoryLoCoMo
		}
		return &t
	}
	return []*Table{
		table("1", "LoCoMo, main results", "locomo", Table{keys: []string{"model", "method"}, group: "category"}),
		table("2", "PerLTQA, main results", "perltqa", Table{Protocol: xmemoryPerLTQA, keys: []string{"model", "method"}}),
		table("3", "LoCoMo, evidence coverage", "evidence-coverage", Table{keys: []string{"method"}, reader: qwen}),
		table("4", "LoCoMo, ablation", "ablation", Table{keys: []string{"setting"}, group: "category", reader: qwen}),
		table("5", "LoCoMo, evidence density and coverage", "evidence-density", Table{keys: []string{"framework"}, group: "category", reader: qwen}),
		table("6", "LoCoMo, restructuring", "restructuring", Table{keys: []string{"setting"}, group: "category", reader: qwen}),
		table("7", "LoCoMo, size of the structure", "structure", Table{keys: []string{"setting"}, reader: qwen}),
		table("8", "LoCoMo, cap on the size of a theme", "theme-cap", Table{keys: []string{"theme_cap"}, group: "category", reader: qwen}),
		{
			Name: "xmemory-figure4", Number: "Figure 4", Title: "LoCoMo, hit density of multi-hop questions, as far as the text quotes it",
			Paper: xmemory, Protocol: xmemoryLoCoMo, file: "xmemory-figure4-quoted-multi-hop.csv", keys: []string{"method"}, only: "multi-hop", reader: qwen,
		},
	}
}
