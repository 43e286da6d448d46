package published

// anchoringClaims are what the text of the Semantic Anchoring paper says of
// its tables, in the words of this project.
func anchoringClaims(a *audit) {
	multiwoz, dialogre, ablation := a.of("semantic-anchoring-table1"), a.of("semantic-anchoring-table2"), a.of("semantic-anchoring-table3")
	failures, latency := a.of("semantic-anchoring-table4"), a.of("semantic-anchoring-latency")
	const (
		gpt, ours  = "GPT-3.5-turbo", "Semantic Anchoring"
		fr, dc     = "factual_recall_percent", "discourse_coherence_percent"
		percentage = "percent_of_failures"
	)

	c := a.in("abstract")
	best := func(baseline string) number {
		var gains []number
		for _, t := range []cells{multiwoz, dialogre} {
			for _, m := range []string{fr, dc} {
				gains = append(gains, t.cell(gpt, ours, "", m).gain(t.cell(gpt, baseline, "", m)))
			}
		}
		return largest(gains[0], gains[1:]...)
	}
	c.states("largest gain in percent over Vector RAG, of both metrics and datasets", "18", best("Vector RAG"))
	c.states("largest gain in percent over Entity-RAG, of both metrics and datasets", "18", best("Entity-RAG"))

	for _, t := range []cells{multiwoz, dialogre} {
		c = a.in(map[string]string{multiwoz.table: "section 5.1", dialogre.table: "section 5.2"}[t.table])
		for _, m := range []string{fr, dc, "ucs_1_to_5"} {
			c.above("the best of all methods", t.cell(gpt, ours, "", m), t.cell(gpt, "Stateless LLM", "", m), t.cell(gpt, "Vector RAG", "", m), t.cell(gpt, "Entity-RAG", "", m))
		}
	}

	c = a.in("section 5.3")
	full := func(metric string) number { return ablation.cell(gpt, "Full Model", "", metric) }
	c.states("points of FR lost without discourse tagging", "4.7", full(fr).minus(ablation.cell(gpt, "without discourse tagging", "", fr)))
	c.states("points of DC lost without coreference resolution", "6.2", full(dc).minus(ablation.cell(gpt, "without coreference resolution", "", dc)))

	c = a.in("section 5.5")
	c.states("UCS", "4.3", multiwoz.cell(gpt, ours, "", "ucs_1_to_5"))

	c = a.in("section 5.6")
	kind := func(name string) number { return failures.cell("", name, "", percentage) }
	c.states("coreference mistakes", "27", kind("Coreference mistakes"))
	c.states("parsing errors", "19", kind("Parsing errors"))
	c.states("discourse mislabeling", "15", kind("Discourse mislabeling"))
	c.above("coreference mistakes are the most frequent of the named kinds", kind("Coreference mistakes"), kind("Parsing errors"), kind("Discourse mislabeling"))
	c.states("all kinds together", "100", kind("Parsing errors").plus(kind("Coreference mistakes")).plus(kind("Discourse mislabeling")).plus(kind("Other / miscellaneous")))

	c = a.in("section 4.4")
	c.states("dense search", "120", latency.cell("", "dense_search_ms", "", "mean_ms"))
	c.states("symbolic search", "40", latency.cell("", "symbolic_search_ms", "", "mean_ms"))
	c.states("fusion", "15", latency.cell("", "fusion_ms", "", "mean_ms"))
}
