package published

import (
	"slices"

	"recallbench/internal/calc/lists"
)

var (
	locomoParts   = []string{"multi-hop", "temporal", "open-domain", "single-hop"}
	answerMetrics = []string{"bleu1", "f1"}
	otherMethods  = []string{"Naive RAG", "Nemori", "LightMem", "A-Mem", "MemoryOS"}
)

// xmemoryClaims are what the text of the xMemory paper says of its tables, in
// the words of this project.
func xmemoryClaims(a *audit) {
	xmemoryMainClaims(a)
	xmemoryEfficiencyClaims(a)
	xmemoryAblationClaims(a)
	xmemoryEvidenceClaims(a)
	xmemoryStructureClaims(a)
}

func xmemoryMainClaims(a *audit) {
	locomo, perltqa := a.of("xmemory-table1"), a.of("xmemory-table2")
	c := a.in("section 4.2, LoCoMo")
	for _, r := range specs()[0].Readers {
		for _, m := range answerMetrics {
			others := lists.Map(otherMethods, func(method string) number { return locomo.cell(r.Row, method, "average", m) })
			c.above("the best average of all methods", locomo.cell(r.Row, "xMemory", "average", m), others...)
		}
		for _, g := range []string{"multi-hop", "temporal"} {
			for _, m := range answerMetrics {
				c.above("LightMem is behind on "+g, locomo.cell(r.Row, "xMemory", g, m), locomo.cell(r.Row, "LightMem", g, m))
			}
		}
	}
	c.states("Nemori with Qwen3-8B", "28.51", locomo.cell("Qwen3-8B", "Nemori", "average", "bleu1"))
	c.states("xMemory with Qwen3-8B", "34.48", locomo.cell("Qwen3-8B", "xMemory", "average", "bleu1"))
	c.states("Nemori with Qwen3-8B", "40.45", locomo.cell("Qwen3-8B", "Nemori", "average", "f1"))
	c.states("xMemory with Qwen3-8B", "43.98", locomo.cell("Qwen3-8B", "xMemory", "average", "f1"))
	c.states("Nemori with Qwen3-8B", "23.60", locomo.cell("Qwen3-8B", "Nemori", "temporal", "bleu1"))
	c.states("Nemori with Qwen3-8B", "33.74", locomo.cell("Qwen3-8B", "Nemori", "temporal", "f1"))
	c.states("xMemory with Qwen3-8B", "29.58", locomo.cell("Qwen3-8B", "xMemory", "temporal", "bleu1"))
	c.states("xMemory with Qwen3-8B", "37.46", locomo.cell("Qwen3-8B", "xMemory", "temporal", "f1"))
	c.states("Nemori with GPT-5 nano", "36.65", locomo.cell("GPT-5 nano", "Nemori", "average", "bleu1"))
	c.states("xMemory with GPT-5 nano", "38.71", locomo.cell("GPT-5 nano", "xMemory", "average", "bleu1"))
	c.states("Nemori with GPT-5 nano", "48.17", locomo.cell("GPT-5 nano", "Nemori", "average", "f1"))
	c.states("xMemory with GPT-5 nano", "50.00", locomo.cell("GPT-5 nano", "xMemory", "average", "f1"))
	c.states("Nemori with GPT-5 nano", "9155", locomo.cell("GPT-5 nano", "Nemori", "average", "tokens_per_query"))
	c.states("xMemory with GPT-5 nano", "6581", locomo.cell("GPT-5 nano", "xMemory", "average", "tokens_per_query"))

	c = a.in("section 4.2, PerLTQA")
	for _, claim := range []struct{ model, method, metric, printed string }{
		{"Qwen3-8B", "xMemory", "bleu1", "36.24"},
		{"Qwen3-8B", "xMemory", "f1", "47.08"},
		{"Qwen3-8B", "xMemory", "rouge_l", "42.50"},
		{"Qwen3-8B", "xMemory", "tokens_per_query", "5087"},
		{"Qwen3-8B", "MemoryOS", "bleu1", "35.14"},
		{"Qwen3-8B", "MemoryOS", "f1", "42.35"},
		{"Qwen3-8B", "MemoryOS", "rouge_l", "38.48"},
		{"GPT-5 nano", "xMemory", "f1", "46.23"},
		{"GPT-5 nano", "xMemory", "rouge_l", "41.25"},
		{"GPT-5 nano", "Nemori", "f1", "41.79"},
		{"GPT-5 nano", "Nemori", "rouge_l", "38.43"},
	} {
		c.states(claim.method+" with "+claim.model, claim.printed, perltqa.cell(claim.model, claim.method, "", claim.metric))
	}
}

func xmemoryEfficiencyClaims(a *audit) {
	locomo, perltqa := a.of("xmemory-table1"), a.of("xmemory-table2")
	c := a.in("section 4.2, efficiency")
	tokens := func(t cells, model, group string) []number {
		return lists.Map(otherMethods, func(method string) number { return t.cell(model, method, group, "tokens_per_query") })
	}
	qwen := tokens(locomo, "Qwen3-8B", "average")
	c.states("the most expensive baseline with Qwen3-8B", "9103", largest(qwen[0], qwen[1:]...))
	c.states("xMemory with Qwen3-8B", "4711", locomo.cell("Qwen3-8B", "xMemory", "average", "tokens_per_query"))
	nano := tokens(locomo, "GPT-5 nano", "average")
	c.states("the most expensive baseline with GPT-5 nano, if the sentence goes on as it begins; 9155 is Nemori's", "9155", largest(nano[0], nano[1:]...))
	for _, r := range specs()[0].Readers {
		c.below("fewer tokens than every baseline on LoCoMo", locomo.cell(r.Row, "xMemory", "average", "tokens_per_query"), tokens(locomo, r.Row, "average")...)
	}
	// With Llama, the text itself names LightMem as cheaper.
	for _, model := range []string{"Qwen3-8B", "GPT-5 nano"} {
		c.below("fewer tokens than every baseline on PerLTQA", perltqa.cell(model, "xMemory", "", "tokens_per_query"), tokens(perltqa, model, "")...)
	}
	c.below("LightMem is cheaper with Llama on PerLTQA",
		perltqa.cell("Llama-3.1-8B-Ins", "LightMem", "", "tokens_per_query"), perltqa.cell("Llama-3.1-8B-Ins", "xMemory", "", "tokens_per_query"))
	c.states("xMemory with Llama on PerLTQA", "42.68", perltqa.cell("Llama-3.1-8B-Ins", "xMemory", "", "bleu1"))
	c.states("LightMem with Llama on PerLTQA", "23.47", perltqa.cell("Llama-3.1-8B-Ins", "LightMem", "", "bleu1"))
}

func xmemoryAblationClaims(a *audit) {
	t := a.of("xmemory-table4")
	cell := func(setting, group, metric string) number { return t.cell("Qwen3-8B", setting, group, metric) }
	c := a.in("section 5.1")
	c.states("Naive RAG", "27.92", cell("Naive RAG", "average", "bleu1"))
	c.states("Memory-only", "31.81", cell("Memory-only", "average", "bleu1"))
	c.states("Naive RAG", "36.42", cell("Naive RAG", "average", "f1"))
	c.states("Memory-only", "40.77", cell("Memory-only", "average", "f1"))
	for _, stage := range []string{"+RepSel", "+UncSion"} {
		for _, m := range answerMetrics {
			c.above("either stage alone improves on Memory-only", cell(stage, "average", m), cell("Memory-only", "average", m))
			for _, g := range locomoParts {
				c.above("either stage alone improves on Memory-only, by category", cell(stage, g, m), cell("Memory-only", g, m))
			}
		}
	}
	for _, m := range answerMetrics {
		c.above("both stages together are best", cell("xMemory", "average", m), cell("Memory-only", "average", m), cell("+RepSel", "average", m), cell("+UncSion", "average", m))
	}
	tokens := func(setting string) number { return cell(setting, "average", "tokens_per_query") }
	c.states("thousand tokens of Memory-only", "7.24", tokens("Memory-only").times(0.001))
	c.states("thousand tokens of +RepSel", "6.32", tokens("+RepSel").times(0.001))
	c.above("Memory-only is the most expensive variant", tokens("Memory-only"), tokens("+RepSel"), tokens("+UncSion"), tokens("xMemory"))
	c.below("the full system is the cheapest", tokens("xMemory"), tokens("Naive RAG"), tokens("Memory-only"), tokens("+RepSel"), tokens("+UncSion"))

	c = a.in("appendix A.1")
	c.states("Memory-only", "7236", tokens("Memory-only"))
	for _, g := range locomoParts {
		for _, m := range answerMetrics {
			c.above("Memory-only gains over Naive RAG in every category", cell("Memory-only", g, m), cell("Naive RAG", g, m))
			c.above("both stages together are best in every category", cell("xMemory", g, m), cell("Memory-only", g, m), cell("+RepSel", g, m), cell("+UncSion", g, m))
		}
	}
	mostly := func(what, setting, base string, most ...string) {
		for _, m := range answerMetrics {
			gain := func(g string) number { return cell(setting, g, m).minus(cell(base, g, m)) }
			var rest []number
			for _, g := range locomoParts {
				if !slices.Contains(most, g) {
					rest = append(rest, gain(g))
				}
			}
			for _, g := range most {
				c.above(what+", in gains over "+base, gain(g), rest...)
			}
		}
	}
	mostly("Memory-only helps most on temporal and single-hop", "Memory-only", "Naive RAG", "temporal", "single-hop")
	mostly("+UncSion helps most on temporal and single-hop", "+UncSion", "Memory-only", "temporal", "single-hop")
	mostly("+RepSel helps most on multi-hop and open-domain", "+RepSel", "Memory-only", "multi-hop", "open-domain")
}

func xmemoryEvidenceClaims(a *audit) {
	t3, t5, fig := a.of("xmemory-table3"), a.of("xmemory-table5"), a.of("xmemory-figure4")
	const qwen = "Qwen3-8B"
	c := a.in("section 5.2")
	for i, m := range []string{"two_hit_percent", "multi_hit_percent"} {
		c.states("Naive RAG", []string{"7.82", "6.53"}[i], fig.cell(qwen, "Naive RAG", "multi-hop", m))
		c.states("with pruning", []string{"6.67", "6.29"}[i], fig.cell(qwen, "RAG + Pruning", "multi-hop", m))
		c.states("xMemory", []string{"13.14", "12.19"}[i], fig.cell(qwen, "xMemory", "multi-hop", m))
		c.above("pruning lowers it", fig.cell(qwen, "Naive RAG", "multi-hop", m), fig.cell(qwen, "RAG + Pruning", "multi-hop", m))
		c.above("xMemory raises it", fig.cell(qwen, "xMemory", "multi-hop", m), fig.cell(qwen, "Naive RAG", "multi-hop", m))
	}
	c.states("half of the tokens for coverage", "0.5", t3.cell(qwen, "xMemory", "", "tokens_for_coverage").over(t3.cell(qwen, "Naive RAG", "", "tokens_for_coverage")))
	c.below("pruning needs fewer tokens for coverage", t3.cell(qwen, "RAG + Pruning", "", "tokens_for_coverage"), t3.cell(qwen, "Naive RAG", "", "tokens_for_coverage"))
	c.above("pruning needs more blocks for coverage", t3.cell(qwen, "RAG + Pruning", "", "blocks_for_coverage"), t3.cell(qwen, "Naive RAG", "", "blocks_for_coverage"))

	c = a.in("appendix A.2")
	pruned := func(group, metric string) number { return t5.cell(qwen, "RAG + Pruning", group, metric) }
	naive := func(group, metric string) number { return t5.cell(qwen, "Naive RAG", group, metric) }
	c.above("pruning improves BLEU on multi-hop", pruned("multi-hop", "bleu1"), naive("multi-hop", "bleu1"))
	c.above("pruning improves BLEU on open-domain", pruned("open-domain", "bleu1"), naive("open-domain", "bleu1"))
	for _, g := range locomoParts {
		c.below("pruning reduces F1", pruned(g, "f1"), naive(g, "f1"))
	}
	for _, m := range answerMetrics {
		c.below("pruning is behind Naive RAG on single-hop", pruned("single-hop", m), naive("single-hop", m))
		c.below("pruning is behind Naive RAG on average", pruned("average", m), naive("average", m))
		for _, g := range locomoParts {
			c.above("xMemory is ahead of both in every category", t5.cell(qwen, "xMemory", g, m), naive(g, m), pruned(g, m))
		}
	}
}

func xmemoryStructureClaims(a *audit) {
	t6, t7, t8 := a.of("xmemory-table6"), a.of("xmemory-table7"), a.of("xmemory-table8")
	const qwen = "Qwen3-8B"
	frozen := []string{"w/o merge&split", "w/o split", "w/o merge"}
	ratio := func(setting string) number { return t6.cell(qwen, setting, "average", "reassignment_ratio_percent") }
	c := a.in("section 5.3")
	c.states("neither split nor merge", "38.59", t6.cell(qwen, "w/o merge&split", "average", "f1"))
	c.states("full system", "43.98", t6.cell(qwen, "xMemory", "average", "f1"))
	c.states("full system", "44.91", ratio("xMemory"))
	c.above("the full system reassigns most", ratio("xMemory"), ratio("w/o merge&split"), ratio("w/o split"), ratio("w/o merge"))
	c.above("split reassigns more than merge", ratio("w/o merge"), ratio("w/o split"))
	c.states("themes without merge", "1122", t7.cell(qwen, "w/o merge", "", "themes"))
	c.states("themes of the full system", "642", t7.cell(qwen, "xMemory", "", "themes"))

	c = a.in("appendix A.3")
	for _, g := range append(slices.Clone(locomoParts), "average") {
		for _, m := range answerMetrics {
			others := lists.Map(frozen, func(setting string) number { return t6.cell(qwen, setting, g, m) })
			c.above("the full system is best in every category", t6.cell(qwen, "xMemory", g, m), others...)
		}
	}

	c = a.in("appendix B.3")
	c.states("semantics of a theme", "4.5", t8.cell(qwen, "12", "average", "semantics_per_theme"))
	for _, m := range answerMetrics {
		others := lists.Map([]string{"14", "10", "8"}, func(theme string) number { return t8.cell(qwen, theme, "average", m) })
		c.above("12 is the best cap", t8.cell(qwen, "12", "average", m), others...)
	}
}
