package published

import "slices"

var longMemEval = &Paper{
	Key:       "longmemeval",
	Title:     "LongMemEval: Benchmarking Chat Assistants on Long-Term Interactive Memory",
	Authors:   "Wu, Wang, Yu, Zhang, Chang, Yu",
	Year:      2025,
	ID:        "arXiv:2410.10813",
	Secondary: "from public notes that quote the paper; compare with the paper before quoting a cell",
}

// longMemEvalProtocol is what the tables share: the first release, which the cleaned
// one of September 2025 supersedes. No digests of it are known.
func longMemEvalProtocol(split string, metrics ...Metric) *Protocol {
	return &Protocol{
		Dataset:     "longmemeval",
		Split:       split + "; of the first release, which is not the cleaned one",
		Metrics:     metrics,
		Unpublished: []string{"digests of the files"},
	}
}

const longMemEvalJudge = "gpt-4o-2024-08-06 with a prompt for each type of question"

// longMemEvalReaders are the readers of the table of long contexts and of the pilot.
var longMemEvalReaders = []Reader{
	{Row: "GPT-4o", Names: []string{"gpt-4o", "openai/gpt-4o", "gpt-4o-2024-08-06"}},
	{Row: "GPT-4o-mini", Names: []string{"gpt-4o-mini", "openai/gpt-4o-mini"}},
	{Row: "GPT-3.5-turbo", Names: []string{"gpt-3.5-turbo", "openai/gpt-3.5-turbo"}},
	{Row: "Llama 3.1 70B Instruct", Names: []string{"meta-llama/Llama-3.1-70B-Instruct", "llama-3.1-70b-instruct"}},
	{Row: "Llama 3.1 8B Instruct", Names: []string{"meta-llama/Llama-3.1-8B-Instruct", "llama-3.1-8b-instruct"}},
	{Row: "Phi-3 128k 14B", Names: []string{"microsoft/Phi-3-medium-128k-instruct"}},
	{Row: "Llama 3.2 3B", Names: []string{"meta-llama/Llama-3.2-3B-Instruct"}},
	{Row: "Llama 3.2 1B", Names: []string{"meta-llama/Llama-3.2-1B-Instruct"}},
}

// longMemEvalRetrieval is the protocol of the tables of retrieval: means over the 470
// questions that are no abstentions. A round is a turn of the user with its reply.
func longMemEvalRetrieval(unit string, questions int) *Protocol {
	column := map[string]string{"session": "session", "round": "turn"}[unit]
	p := longMemEvalProtocol("variant M, a document a "+unit,
		Metric{Name: "recall@5", Column: column + "-recall-all@longmemeval-470@5", Unit: Ratio, Questions: questions},
		Metric{Name: "ndcg@5", Column: column + "-ndcg@longmemeval-470@5", Unit: Ratio, Questions: questions},
		Metric{Name: "recall@10", Column: column + "-recall-all@longmemeval-470@10", Unit: Ratio, Questions: questions},
		Metric{Name: "ndcg@10", Column: column + "-ndcg@longmemeval-470@10", Unit: Ratio, Questions: questions},
		Metric{Name: "gpt4o_accuracy_top5", Unit: Ratio},
		Metric{Name: "gpt4o_accuracy_top10", Unit: Ratio},
	)
	p.Judge = longMemEvalJudge
	p.Unpublished = append(p.Unpublished, "which recall; that all targets are found is inferred from the released scripts")
	return p
}

func longMemEvalTables() []*Table {
	accuracy := Metric{Name: "accuracy", Column: "judge", Unit: Ratio}
	contexts := longMemEvalProtocol("variants oracle and S", accuracy)
	contexts.Parts, contexts.Judge, contexts.Readers = []Part{{"oracle", 500}, {"S", 500}}, longMemEvalJudge, longMemEvalReaders
	contexts.Methods = []Method{{Row: "direct", Use: "in-context", NoEmbedding: true}, {Row: "chain-of-note", Use: "in-context", NoEmbedding: true, Unpublished: []string{"prompt of the notes"}}}
	contexts.Unpublished = append(contexts.Unpublished, "cells that the notes do not quote")

	pilot := longMemEvalProtocol("97 questions over histories of 3 to 6 sessions, typed in by people", accuracy)
	pilot.Readers = longMemEvalReaders
	pilot.Methods = []Method{{Row: "Offline reading", Use: "in-context", NoEmbedding: true}, {Row: "ChatGPT", Use: "chatgpt"}, {Row: "Coze", Use: "coze"}}
	pilot.Unpublished = append(pilot.Unpublished, "which questions", "versions of both assistants")
	abilities := *pilot
	abilities.Parts = []Part{{"information-extraction", 0}, {"multi-session-reasoning", 0}, {"knowledge-update", 0}, {"temporal-reasoning", 0}}

	tables := []*Table{
		{
			Name: "longmemeval-pilot", Number: "pilot study", Title: "commercial assistants", Protocol: pilot,
			file: "longmemeval-pilot-commercial.csv", keys: []string{"system", "model"},
		},
		{
			Name: "longmemeval-pilot-abilities", Number: "appendix", Title: "commercial assistants by ability", Protocol: &abilities,
			file: "longmemeval-pilot-commercial-by-ability.csv", keys: []string{"system", "model"}, group: "ability",
		},
		{
			Name: "longmemeval-long-context", Number: "long contexts", Title: "readers of the whole history", Protocol: contexts,
			file: "longmemeval-long-context.csv", keys: []string{"model", "reading"}, group: "data",
		},
	}
	for _, unit := range []string{"session", "round"} {
		retrieval, timed := longMemEvalRetrieval(unit, 470), longMemEvalRetrieval(unit, 0)
		timed.Split += ", temporal-reasoning questions; GPT-4o finds the range of time"
		timed.Embedding = "Stella V5 1.5B"
		keys := *retrieval
		keys.Embedding = "Stella V5 1.5B"
		tables = append(tables,
			&Table{
				Name: "longmemeval-table3-" + unit, Number: "Table 3", Title: "keys of the index, by " + unit, Protocol: &keys,
				file: "longmemeval-table3-key-design.csv", keys: []string{"key"}, unit: unit,
			},
			&Table{
				Name: "longmemeval-table4-" + unit, Number: "Table 4", Title: "queries with a range of time, by " + unit, Protocol: timed,
				file: "longmemeval-table4-time-aware.csv", keys: []string{"key", "query"}, unit: unit,
			},
			&Table{
				Name: "longmemeval-table9-" + unit, Number: "Table 9", Title: "retrievers, by " + unit, Protocol: retrieval,
				file: "longmemeval-table9-retrievers.csv", keys: []string{"retriever", "key"}, unit: unit,
			},
		)
	}
	for _, t := range tables {
		t.Paper = longMemEval
	}
	return tables
}

var beam = &Paper{
	Key:       "beam",
	Title:     "Beyond a Million Tokens: Benchmarking and Enhancing Long-Term Memory in LLMs",
	Authors:   "Tavakoli, Salemi, Ye, Abdalla, Zamani, Mitchell",
	Year:      2026,
	ID:        "arXiv:2510.27246",
	Secondary: "from a transcription of the paper, confirmed by a second note for part of the cells",
}

// beamProtocol is the protocol of BEAM's table 1. The released scorer cuts a nugget's
// 0.5 to 0, and reports tau_norm for the order of events.
func beamProtocol(split string, parts []Part) *Protocol {
	return &Protocol{
		Dataset: "beam",
		Split:   split,
		Parts:   parts,
		Readers: []Reader{
			{Row: "Qwen2.5-32B-AWQ", Names: []string{"Qwen/Qwen2.5-32B-Instruct-AWQ"}},
			{Row: "Llama-4-Maverick-fp8", Names: []string{"meta-llama/Llama-4-Maverick-17B-128E-Instruct-FP8"}},
			{Row: "Gemini-2.0-flash", Names: []string{"gemini-2.0-flash", "google/gemini-2.0-flash"}},
			{Row: "GPT-4.1-nano", Names: []string{"gpt-4.1-nano", "openai/gpt-4.1-nano"}},
		},
		Judge:   "gpt-4.1-mini by nugget, 0.5 cut to 0; event_ordering by the column order@beam",
		Metrics: []Metric{{Name: "score", Column: "nugget@beam-int", Unit: Ratio}},
		Methods: []Method{
			{Row: "Vanilla", Use: "in-context", NoEmbedding: true, Unpublished: []string{"what is cut where the conversation is longer than the window"}},
			{Row: "RAG", Use: "flat-rag", K: 5, Unpublished: []string{"which number of blocks the table has; 5 is the code's default"}},
			{Row: "LIGHT", Use: "light", K: 15},
		},
		Unpublished: []string{"digests of the files", "whether the chats are those cut to the size", "averaging; means of ten abilities are inferred from the released scripts"},
	}
}

// The abilities of BEAM with the number of questions of 100K.
var beamAbilities = []Part{
	{"abstention", 40},
	{"contradiction_resolution", 40},
	{"event_ordering", 40},
	{"information_extraction", 40},
	{"instruction_following", 40},
	{"knowledge_update", 40},
	{"multi_session_reasoning", 40},
	{"preference_following", 40},
	{"summarization", 40},
	{"temporal_reasoning", 40},
}

func beamTables() []*Table {
	return []*Table{
		{
			Name: "beam-table1", Number: "Table 1", Title: "averages by size", Paper: beam,
			Protocol: beamProtocol("means of ten abilities, by size", []Part{{"100K", 400}, {"500K", 700}, {"1M", 700}, {"10M", 200}}),
			file:     "beam-table1-average.csv", keys: []string{"model", "method"}, group: "size",
		},
		{
			Name: "beam-table1-abilities", Number: "Table 1", Title: "100K by ability, two readers", Paper: beam,
			Protocol: beamProtocol("100K", beamAbilities),
			file:     "beam-table1-100k-by-ability.csv", keys: []string{"model", "method"}, group: "category",
		},
	}
}

var omniMemEval = &Paper{
	Key:       "omnimemeval",
	Title:     "OmniMemEval, docs/benchmark-results.md, Reproduced Results",
	Authors:   "MemTensor",
	Year:      2026,
	ID:        "github.com/MemTensor/OmniMemEval at 7df23bc",
	Secondary: "one run by the authors of one of the systems, with prompts of their own",
}

var vendors = &Paper{
	Key:       "vendors",
	Title:     "What vendors state of their systems",
	Authors:   "as listed in OmniMemEval, Published Reference Results, and by vectorize-io",
	Year:      2026,
	ID:        "github.com/MemTensor/OmniMemEval at 7df23bc, vectorize-io/agent-memory-benchmark#4",
	Secondary: "each row names its source; readers, prompts and judges differ and are mostly not published",
}

// The groups of the tables of memory systems. Only LongMemEval's numbers of questions
// are known: those of its six types.
var (
	longMemEvalParts = []Part{{"SS-User", 70}, {"SS-Asst", 56}, {"SS-Pref", 30}, {"Temp. Reas", 133}, {"Multi-S", 133}, {"Know. Upd", 78}}
	beamSizes        = []Part{{"100K", 400}, {"500K", 700}, {"1M", 700}, {"10M", 200}}
	haluMemParts     = []Part{{"Basic Fact", 0}, {"Boundary", 0}, {"Conflict", 0}, {"Generalization", 0}, {"Multi-Hop", 0}, {"Dynamic Update", 0}}
	personaMemParts  = []Part{
		{"Anti-Stereotypical", 0}, {"Ask-to-Forget", 0}, {"Health/Medical", 0}, {"Neutral", 0}, {"Sensitive", 0}, {"Stereotypical", 0}, {"Therapy", 0},
	}
)

// systemProtocol is the protocol of a table of memory systems.
func systemProtocol(dataset string, parts []Part) *Protocol {
	return &Protocol{
		Dataset: dataset,
		Split:   "as the systems' authors or their reviewers ran it",
		Parts:   parts,
		Metrics: []Metric{
			{Name: "score_percent", Unit: Percent},
			{Name: "tokens_of_context", Unit: Tokens, Lower: true},
		},
		Unpublished: []string{"prompts", "digests of the files", "options of the systems", "more than one run"},
	}
}

func systemTables() []*Table {
	var tables []*Table
	for _, d := range []struct {
		name, title, average string
		parts                []Part
	}{
		{"longmemeval", "LongMemEval, variant S", "Overall", longMemEvalParts},
		{"beam", "BEAM", "", beamSizes},
		{"halumem", "HaluMem", "Overall", haluMemParts},
		{"personamem2", "PersonaMem v2", "Overall", personaMemParts},
	} {
		p := systemProtocol(d.name, d.parts)
		p.Average, p.Averaging = d.average, OverQuestions
		p.Judge = "gpt-4o-mini-2024-07-18; answers by gpt-4.1-mini-2025-04-14"
		tables = append(tables, &Table{
			Name: "omnimemeval-" + d.name, Number: "Reproduced Results", Title: d.title, Paper: omniMemEval, Protocol: p,
			file: "omnimemeval-" + d.name + ".csv", keys: []string{"backend", "deployment"}, group: "category",
		})
	}
	for _, d := range []struct{ name, title string }{{"longmemeval", "LongMemEval, variant S"}, {"beam", "BEAM"}} {
		p := *tables[slices.IndexFunc(tables, func(t *Table) bool { return t.Dataset == d.name })].Protocol
		p.Averaging, p.Judge = "", "differs from row to row"
		p.Unpublished = append(slices.Clone(p.Unpublished), "readers and judges", "averaging")
		tables = append(tables, &Table{
			Name: "vendors-" + d.name, Number: "statements", Title: d.title, Paper: vendors, Protocol: &p,
			file: "vendors-" + d.name + ".csv", keys: []string{"system", "source"}, group: "category",
		})
	}
	return tables
}
