package published

var anchoring = &Paper{
	Key:     "semantic-anchoring",
	Title:   "Semantic Anchoring in Agentic Memory: Leveraging Linguistic Structures for Persistent Conversational Context",
	Authors: "Chatterjee, Agarwal",
	Year:    2025,
	ID:      "arXiv:2508.12630",
}

// anchoringProtocol is the protocol of the paper's tables. Neither code nor
// data was released: both datasets are described in words only.
func anchoringProtocol(dataset, split string) *Protocol {
	return &Protocol{
		Dataset:   dataset,
		Split:     split,
		Readers:   []Reader{{Row: "GPT-3.5-turbo", Names: []string{"gpt-3.5-turbo", "openai/gpt-3.5-turbo"}}},
		Embedding: "all-mpnet-base-v2",
		Metrics: []Metric{
			{Name: "factual_recall_percent", Column: "fr", Unit: Percent},
			{Name: "discourse_coherence_percent", Column: "dc@b3", Unit: Percent},
			{Name: "ucs_1_to_5", Column: "ucs", Unit: Rating},
			{Name: "percent_of_failures", Unit: Percent, Lower: true},
			{Name: "mean_ms", Unit: Millis, Lower: true},
		},
		Methods: []Method{
			{Row: "Stateless LLM", Use: "stateless", NoEmbedding: true},
			{Row: "Vector RAG", Use: "vector-rag", Unpublished: []string{"number of entries"}},
			{Row: "Entity-RAG", Use: "entity-rag", Unpublished: []string{"number of entries", "scoring"}},
			{Row: "Semantic Anchoring", Use: "semantic-anchoring", Unpublished: []string{"number of entries", "weights of the score"}},
			{Row: "Full Model", Use: "semantic-anchoring", Unpublished: []string{"number of entries", "weights of the score"}},
			{Row: "without discourse tagging", Use: "semantic-anchoring", Unpublished: []string{"number of entries", "weights of the score"}},
			{Row: "without coreference resolution", Use: "semantic-anchoring", Unpublished: []string{"number of entries", "weights of the score"}},
			{Row: "without dependency parsing", Use: "semantic-anchoring", Unpublished: []string{"number of entries", "weights of the score"}},
			{Row: "Dense-only (Vector RAG)", Use: "vector-rag", Unpublished: []string{"number of entries"}},
		},
		Unpublished: []string{"the dataset and its questions, and how many", "averaging", "number of entries retrieved", "weights of the score", "decoding", "code of both automatic metrics"},
	}
}

func anchoringTables() []*Table {
	const gpt = "GPT-3.5-turbo"
	multiwoz := anchoringProtocol("multiwoz-long", "built from MultiWOZ 2.2; mean of three runs")
	dialogre := anchoringProtocol("dialogre-l", "built from DialogRE")
	method := []string{"method"}
	return []*Table{
		{
			Name: "semantic-anchoring-table1", Number: "Table 1", Title: "MultiWOZ-Long, main results", Paper: anchoring, Protocol: multiwoz,
			file: "semantic-anchoring-table1-multiwoz-long.csv", keys: method, reader: gpt,
		},
		{
			Name: "semantic-anchoring-table2", Number: "Table 2", Title: "DialogRE-L, main results", Paper: anchoring, Protocol: dialogre,
			file: "semantic-anchoring-table2-dialogre-l.csv", keys: method, reader: gpt,
		},
		{
			Name: "semantic-anchoring-table3", Number: "Table 3", Title: "MultiWOZ-Long, ablation", Paper: anchoring, Protocol: multiwoz,
			file: "semantic-anchoring-table3-ablation.csv", keys: []string{"variant"}, reader: gpt,
		},
		{
			Name: "semantic-anchoring-table4", Number: "Table 4", Title: "MultiWOZ-Long, kinds of failures", Paper: anchoring, Protocol: multiwoz,
			file: "semantic-anchoring-table4-error-types.csv", keys: []string{"error_type"}, values: []string{"percent_of_failures"},
		},
		{
			Name: "semantic-anchoring-latency", Number: "Section 4.4", Title: "latency by stage", Paper: anchoring, Protocol: multiwoz,
			file: "semantic-anchoring-latency.csv", keys: []string{"stage"}, values: []string{"mean_ms"},
		},
	}
}

var xpath = &Paper{
	Key:     "semantic-xpath",
	Title:   "Semantic XPath: Structured Agentic Memory Access for Conversational AI",
	Authors: "Liu, Wu, Gallagher, Liang, Toroghi, Sanner",
	Year:    2026,
	ID:      "arXiv:2603.01160",
}

// xpathProtocol is the protocol of both tables, but for the requests. The
// evaluation set, the judge and the runs were not released.
func xpathProtocol(split string, n int) *Protocol {
	return &Protocol{
		Dataset:   "tasks",
		Split:     split,
		Parts:     []Part{{"itinerary", n}, {"todo", n}, {"mealkit", n}},
		Average:   "average",
		Averaging: OverGroups,
		Readers: []Reader{
			{Row: "GPT-5 mini", Names: []string{"gpt-5-mini", "gpt-5-mini-2025-08-07", "openai/gpt-5-mini"}},
			{Row: "Gemini 3 Flash", Names: []string{"gemini-3-flash", "gemini-3-flash-preview", "google/gemini-3-flash", "google/gemini-3-flash-preview"}},
		},
		Embedding: "Qwen3-Embedding-8B",
		Metrics: []Metric{
			{Name: "pass_rate_percent", Column: "pass", Unit: Percent, Binary: true},
			{
				Name: "tokens_per_request", Column: "tokens-query", Unit: Tokens, Lower: true,
				Counting: "prompt and completion, reasoning included, as the provider reports them, over all calls of a request",
			},
		},
		Methods: []Method{
			{Row: "In-context", Use: "in-context", NoEmbedding: true},
			{Row: "Flat RAG", Use: "flat-rag", Unpublished: []string{"number of items", "prompt"}},
			{Row: "Semantic XPath (Sem)", Use: "semantic-xpath", Unpublished: []string{"threshold", "mapping of cosines to [0, 1]"}},
			{Row: "Semantic XPath (Entail)", Use: "semantic-xpath", Unpublished: []string{"threshold"}},
		},
		Unpublished: []string{"requests and trees", "who or what judged an answer", "decoding", "number of items of Flat RAG"},
	}
}

func xpathTables() []*Table {
	keys := []string{"model", "method", "scorer"}
	return []*Table{
		{
			Name: "semantic-xpath-table1", Number: "Table 1", Title: "single-turn requests", Paper: xpath,
			Protocol: xpathProtocol("20 single-turn conversations a domain", 20),
			file:     "semantic-xpath-table1-single-turn.csv", keys: keys, group: "domain",
		},
		{
			Name: "semantic-xpath-table2", Number: "Table 2", Title: "multi-turn requests", Paper: xpath,
			Protocol: xpathProtocol("5 multi-turn conversations a domain; the number of requests is not published", 0),
			file:     "semantic-xpath-table2-multi-turn.csv", keys: keys, group: "domain",
		},
	}
}
