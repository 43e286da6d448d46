package published

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
