package published

// xpathClaims are what the text of the Semantic XPath paper says of its
// tables, in the words of this project.
func xpathClaims(a *audit) {
	single, multi := a.of("semantic-xpath-table1"), a.of("semantic-xpath-table2")
	const (
		pass, tokens = "pass_rate_percent", "tokens_per_request"
		sem, entail  = "Semantic XPath (Sem)", "Semantic XPath (Entail)"
		mini, flash  = "GPT-5 mini", "Gemini 3 Flash"
	)
	mean := func(t cells, model, method, metric string) number { return t.cell(model, method, "average", metric) }

	c := a.in("abstract")
	c.states("percent above flat RAG in pass rate", "176.7", mean(single, mini, entail, pass).gain(mean(single, mini, "Flat RAG", pass)))
	c.states("percent of the tokens of in-context, with another scorer and on other requests than the 176.7 %", "9.1", mean(multi, mini, sem, tokens).share(mean(multi, mini, "In-context", tokens)))
	c.states("percent of the tokens of in-context, with the scorer and on the requests of the 176.7 %", "9.1", mean(single, mini, entail, tokens).share(mean(single, mini, "In-context", tokens)))

	c = a.in("section 4.2, single-turn")
	for _, model := range []string{mini, flash} {
		// The text says "roughly" of both other methods. For Semantic XPath the
		// ratio is 4.2 to 4.6, which one may call so; flat RAG is another matter.
		c.states("in-context takes about 5 times the tokens of flat RAG", "5", mean(single, model, "In-context", tokens).over(mean(single, model, "Flat RAG", tokens)))
		for _, method := range []string{"In-context", sem, entail} {
			c.above("flat RAG has the lowest pass rate", mean(single, model, method, pass), mean(single, model, "Flat RAG", pass))
		}
	}

	c = a.in("section 4.2, multi-turn")
	for _, model := range []string{mini, flash} {
		c.below("the pass rate of in-context drops where requests reach back, if multi-turn requests are those", mean(multi, model, "In-context", pass), mean(single, model, "In-context", pass))
	}

	c = a.in("appendix B")
	for _, t := range []cells{single, multi} {
		for _, model := range []string{mini, flash} {
			c.above("entailment passes more than similarity", mean(t, model, entail, pass), mean(t, model, sem, pass))
			c.below("flat RAG is cheapest", mean(t, model, "Flat RAG", tokens), mean(t, model, "In-context", tokens), mean(t, model, sem, tokens), mean(t, model, entail, tokens))
		}
	}
}
