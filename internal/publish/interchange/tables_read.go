package interchange

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"recallbench/internal/calc/lists"
	"recallbench/internal/files/jsontree"
)

// This file reads what programs that evaluate memories write.

// object reads an object whose fields are taken by read, which skips what it does not
// know. A scalar field that read has no use for is noted under its name.
func (r *reading) object(what string, about map[string]string, read map[string]func() error) error {
	if _, err := r.begin("", what, '{'); err != nil {
		return err
	}
	return r.fields("", func(name string) error {
		if f := read[name]; f != nil {
			return f()
		}
		to, ok := about[name]
		if !ok {
			return r.skip(name)
		}
		c, _, err := r.value(name)
		if err == nil && c != nil {
			r.about[to] = c.Value.Text
		}
		return err
	})
}

// list reads the items of a field that is an array.
func (r *reading) list(path string, read func(at string, c *jsontree.Cursor, line int)) error {
	if _, err := r.begin(path, "an array", '['); err != nil {
		return err
	}
	return r.items(path, func(at string, c *jsontree.Cursor, line int) {
		if c.Is(jsontree.Object) {
			read(at, c, line)
		}
	})
}

// groups reads an object of lists, or of single items, by the name of the group.
func (r *reading) groups(path string, read func(group, at string, c *jsontree.Cursor, line int)) error {
	if _, err := r.begin(path, "an object with a list of answers for each conversation", '{'); err != nil {
		return err
	}
	return r.fields(path, func(group string) error {
		at := strings.TrimPrefix(path+"."+strconv.Quote(group), ".")
		c, line, err := r.value(at)
		switch {
		case err != nil || c == nil:
			return err
		case c.Value.Kind == jsontree.Object:
			read(group, at, c, line)
			return nil
		}
		for i, item := range c.Items() { // faults where it is no list
			if item.Is(jsontree.Object) {
				read(group, fmt.Sprintf("%s[%d]", at, i), item, r.lines.at(r.dec.InputOffset()))
			}
		}
		return nil
	})
}

// answer is what an item of one of these files says in fields of the given names.
func answer(c *jsontree.Cursor, at string, line int, question, gold, reply string) Answer {
	return Answer{
		Line: line, Where: at, Question: scalar(c, question), Gold: scalar(c, gold), Text: scalar(c, reply), Category: scalar(c, "category"),
	}
}

// readAMB reads the results of agent-memory-benchmark (vectorize-io, at de83fa7).
func readAMB(r *reading) error {
	return r.object("results of AMB", map[string]string{"dataset": "task", "split": "dataset", "answer_llm": "model", "judge_llm": "judge", "memory_provider": "memory"}, map[string]func() error{
		"results": func() error {
			return r.list("results", func(at string, c *jsontree.Cursor, line int) {
				it := Item{Answer: answer(c, at, line, "query", "", "answer"), Key: scalar(c, "query_id")}
				if gold, ok := firstText(c.Value.Get("gold_answers")); ok {
					it.Gold = gold
				}
				axis, _ := firstText(lookup(c.Value, "category_axes.Conversation"))
				it.Category, _ = firstText(lookup(c.Value, "category_axes.Question Type"))
				it.Cluster = cmp.Or(text(c.Value, "meta.sample_id"), axis, text(c.Value, "meta.user_id"))
				it.Conversation = it.Cluster
				it.Blocks = memories(c, "context")
				it.addStage("search", amount(c, "retrieve_time_ms"))
				it.score("correct", valueOf(c.Value.Get("correct")), true)
				r.emit(c, it)
			})
		},
	})
}

// readEverMemOS reads evaluation results of EverMemOS (at facd7b6), which
// locomo-audit shares.
func readEverMemOS(r *reading) error {
	return r.object("results of EverMemOS", nil, map[string]func() error{
		"detailed_results": func() error {
			return r.groups("detailed_results", func(group, at string, c *jsontree.Cursor, line int) {
				it := Item{Answer: answer(c, at, line, "question", "golden_answer", "generated_answer"), Key: scalar(c, "question_id"), Cluster: group}
				it.Conversation = lastNumber(group)
				it.votes("judge", c.Optional("llm_judgments"), r.combine == Majority)
				r.emit(c, it)
			})
		},
	})
}

// lastNumber is the place of a conversation that its name ends in, else the name.
func lastNumber(group string) string { return group[strings.LastIndexByte(group, '_')+1:] }

// readOmniMemEval reads judged results of OmniMemEval (at 7df23bc). An item has no id:
// its question in its group stands for it.
func readOmniMemEval(r *reading) error {
	return r.groups("", func(group, at string, c *jsontree.Cursor, line int) {
		it := Item{Answer: answer(c, at, line, "question", "golden_answer", "answer"), Cluster: group}
		it.Key = r.occurrence(cmp.Or(scalar(c, "key"), group+" "+collapsed(it.Question)))
		it.Conversation = lastNumber(group)
		it.addStage("search", amount(c, "search_duration_ms"))
		it.addStage("answer", amount(c, "response_duration_ms"))
		if status := scalar(c, "status"); status == "failed" || status == "skipped" {
			it.fail("answer", "the file says "+status)
		}
		if c.Value.Get("nugget_score") != nil {
			it.Category = cmp.Or(scalar(c, "dimension"), it.Category)
			it.score("nuggets", valueOf(c.Value.Get("nugget_score")), true)
		} else {
			it.votes("judge", c.Optional("llm_judgments"), r.combine == Majority)
		}
		if lexical := lookup(c.Value, "nlp_metrics.lexical"); lexical != nil {
			for _, f := range lexical.Fields {
				it.score(f.Name, valueOf(&f.Value), true)
			}
		}
		r.emit(c, it)
	})
}

// readMemoryBenchmarks reads results of mem0's memory-benchmarks: a side for each
// cutoff. Layout 1.0 has id, group and generation in place of their older names.
func readMemoryBenchmarks(r *reading) error {
	return r.object("results of memory-benchmarks", nil, map[string]func() error{
		"schema_version": func() error { return r.version("schema_version", "1.0", "1") },
		"metadata": func() error {
			c, _, err := r.value("metadata")
			if err == nil && c != nil {
				for to, from := range map[string]string{"task": "benchmark", "model": "answerer_model", "judge": "judge_model", "k": "top_k"} {
					r.about[to] = text(c.Value, from)
				}
			}
			return err
		},
		"evaluations": func() error {
			return r.list("evaluations", func(at string, c *jsontree.Cursor, line int) {
				it := Item{Answer: answer(c, at, line, "question", "ground_truth_answer", "")}
				it.Key = cmp.Or(scalar(c, "question_id"), scalar(c, "id"))
				it.Cluster = cmp.Or(scalar(c, "conversation_idx"), scalar(c, "group"))
				it.Conversation, it.Evidence = it.Cluster, ids(c, "evidence")
				it.Gold = cmp.Or(it.Gold, scalar(c, "ground_truth"))
				it.addStage("search", toAmount(lookup(c.Value, "retrieval.search_latency_ms")))
				if found := lookup(c.Value, "retrieval.search_results"); found != nil {
					for i := range found.Items {
						it.Blocks = append(it.Blocks, Block{Text: text(&found.Items[i], "memory")})
					}
				}
				r.cutoffs(c, it)
			})
		},
	})
}

// cutoffs emits an item for each cutoff of an evaluation. Without one the item is
// not scored.
func (r *reading) cutoffs(c *jsontree.Cursor, it Item) {
	it.Text = text(c.Value, "generation.generated_answer")
	if input, output := lookup(c.Value, "generation.prompt_tokens"), lookup(c.Value, "generation.completion_tokens"); input != nil && output != nil {
		it.addUsage(toAmount(input), 0, toAmount(output), 0)
	}
	results := c.Value.Get("cutoff_results")
	if results == nil || len(results.Fields) == 0 {
		it.score("score", nil, true)
		r.emit(c, it)
		return
	}
	for _, f := range results.Fields {
		of := it
		of.Side, of.Text = f.Name, cmp.Or(text(&f.Value, "generated_answer"), it.Text)
		if reason := text(&f.Value, "error"); reason != "" {
			of.fail("answer", reason)
		}
		of.score("score", valueOf(f.Value.Get("score")), true)
		r.emit(c, of)
	}
}

// amountOf is [toAmount] of a field.
func amountOf(v *jsontree.Value, name string) float64 { return toAmount(v.Get(name)) }

func toAmount(v *jsontree.Value) float64 {
	if x := valueOf(v); x != nil && *x > 0 {
		return *x
	}
	return 0
}

// readMemorybench reads a checkpoint of supermemory's memorybench (at 25729a7), or the
// report, which leaves out what failed.
func readMemorybench(r *reading) error {
	item := func(at string, c *jsontree.Cursor, line int) {
		it := Item{Answer: answer(c, at, line, "question", "groundTruth", ""), Key: scalar(c, "questionId")}
		it.Category = scalar(c, "questionType")
		if r.about["task"] == "locomo" {
			if i := strings.LastIndex(it.Key, "-q"); i > 0 {
				it.Cluster = it.Key[:i]
				it.Conversation = it.Cluster
			}
		}
		score, phases := c.Value.Get("score"), c.Value.Get("phases")
		it.Text = scalar(c, "hypothesis")
		if phases != nil {
			score, it.Text = lookup(phases, "evaluate.score"), text(phases, "answer.hypothesis")
			it.addStage("search", toAmount(lookup(phases, "search.durationMs")))
			it.addStage("answer", toAmount(lookup(phases, "answer.durationMs")))
			for _, f := range phases.Fields {
				if text(&f.Value, "status") == "failed" {
					it.fail("answer", "the phase "+f.Name+" failed")
				}
			}
		}
		it.score("correct", valueOf(score), true)
		r.emit(c, it)
	}
	return r.object("a checkpoint of memorybench", map[string]string{"provider": "memory", "benchmark": "task", "judge": "judge", "answeringModel": "model"}, map[string]func() error{
		"questions": func() error {
			return r.groups("questions", func(_, at string, c *jsontree.Cursor, line int) { item(at, c, line) })
		},
		"evaluations": func() error {
			r.notes = append(r.notes, "a report of memorybench leaves out what failed; its checkpoint.json has it")
			return r.list("evaluations", item)
		},
	})
}

// readLongMemEval reads hypotheses of LongMemEval (at 9e0b455), with the labels of its
// evaluation where the file has them: lines, or one list.
func readLongMemEval(r *reading) error {
	return r.linesOrList(func(at string, c *jsontree.Cursor, line int) {
		it := Item{Answer: answer(c, at, line, "question", "answer", "hypothesis"), Key: scalar(c, "question_id")}
		it.Request = it.Key
		if strings.Contains(it.Key, "_abs") {
			it.Category = "abstention"
		}
		if label := c.Value.Get("autoeval_label"); label != nil {
			r.about["judge"] = text(label, "model")
			it.score("judge:longmemeval", valueOf(label.Get("label")), true)
		}
		r.emit(c, it)
	})
}

// linesOrList reads objects that stand on lines or in one list.
func (r *reading) linesOrList(read func(at string, c *jsontree.Cursor, line int)) error {
	if r.first() == '[' {
		return r.list("", read)
	}
	return r.eachLine(func(c *jsontree.Cursor, line int) { read("", c, line) })
}

// readPromptfoo reads results of promptfoo (at 0011eb0), version 2 or 3.
func readPromptfoo(r *reading) error { return r.promptfooResults(r.promptfooItems()) }

// readPromptfooLines reads the same results as lines.
func readPromptfooLines(r *reading) error {
	item := r.promptfooItems()
	return r.eachLine(func(c *jsontree.Cursor, line int) { item("", c, line) })
}

// promptfooItems returns what reads results: a side for each provider and prompt.
func (r *reading) promptfooItems() func(at string, c *jsontree.Cursor, line int) {
	prompts := make(map[string]string) // the first prompt of a provider
	tests := make(map[string][]string) // places of tests with the same key
	epochs := make(map[string]int)
	return func(at string, c *jsontree.Cursor, line int) {
		v := c.Value
		reply, _ := firstText(lookup(v, "response.output"))
		it := Item{
			Answer: Answer{Line: line, Where: at, Text: reply, Question: text(v, "vars.question")},
			Side:   cmp.Or(text(v, "provider.label"), text(v, "provider.id")),
		}
		label := text(v, "prompt.label")
		if prompts[it.Side] == "" {
			prompts[it.Side] = label
		}
		if prompts[it.Side] != label {
			it.Side += "/" + label
		}
		vars := cmp.Or(lookup(v, "testCase.vars"), v.Get("vars"))
		switch id := text(v, "testCase.metadata.id"); {
		case id != "":
			it.Key = id
		case vars != nil && len(vars.Fields) > 0:
			it.Key = canonical(vars)
		default:
			it.Key = "test " + text(v, "testIdx")
		}
		// The results of one test are epochs; another test with the same variables is
		// another item.
		same, place := it.Side+"\x00"+it.Key, text(v, "testIdx")
		if tests[same] = lists.AddNew(tests[same], place); tests[same][0] != place {
			it.Key += "#" + strconv.Itoa(slices.Index(tests[same], place)+1)
		}
		epochs[same+"\x00"+place]++
		it.Epoch = epochs[same+"\x00"+place]
		if text(v, "failureReason") == "2" {
			it.fail("answer", cmp.Or(scalar(c, "error"), "the provider failed"))
		}
		if input := lookup(v, "tokenUsage.prompt"); input != nil {
			it.addUsage(toAmount(input), toAmount(lookup(v, "tokenUsage.cached")), toAmount(lookup(v, "tokenUsage.completion")), 0)
		}
		it.addStage("answer", amount(c, "latencyMs"))
		it.score("success", valueOf(v.Get("success")), true)
		it.score("score", valueOf(v.Get("score")), true)
		if named := v.Get("namedScores"); named != nil {
			for _, f := range named.Fields {
				it.score(f.Name, valueOf(&f.Value), true)
			}
		}
		r.emit(c, it)
	}
}

func (r *reading) promptfooResults(item func(at string, c *jsontree.Cursor, line int)) error {
	if _, err := r.begin("", "results of promptfoo", '{'); err != nil {
		return err
	}
	return r.fields("", func(name string) error {
		if name != "results" {
			return r.skip(name)
		}
		t, err := r.begin("results", "an object or a list", '{', '[')
		switch {
		case err != nil:
			return err
		case t == '[':
			return r.items("results", item)
		}
		return r.fields("results", func(name string) error {
			if name == "version" {
				return r.version("results.version", "2", "3")
			}
			if name != "results" {
				return r.skip(name)
			}
			return r.list("results.results", item)
		})
	})
}

// version reads a field that has to be one of some versions.
func (r *reading) version(path string, known ...string) error {
	c, line, err := r.value(path)
	if err == nil && c != nil && !slices.Contains(known, c.Value.Text) {
		r.faults.Addf(line, "%s is %q, want %s: the file is of another version of its tool", path, c.Value.Text, strings.Join(known, " or "))
	}
	return err
}

// canonical returns the SHA-256 of a value with the fields of objects in order.
func canonical(v *jsontree.Value) string {
	data, _ := json.Marshal(plainValue(v)) // strings, numbers, lists and maps of them
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

func plainValue(v *jsontree.Value) any {
	switch v.Kind {
	case jsontree.Object:
		m := make(map[string]any)
		for _, f := range v.Fields {
			m[f.Name] = plainValue(&f.Value)
		}
		return m
	case jsontree.Array:
		list := make([]any, len(v.Items))
		for i := range v.Items {
			list[i] = plainValue(&v.Items[i])
		}
		return list
	case jsontree.String:
		return v.Text
	case jsontree.Null, jsontree.Bool, jsontree.Number:
	}
	return json.RawMessage(cmp.Or(v.Text, "null"))
}
