package interchange

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"recallbench/internal/calc/lists"
	"recallbench/internal/files/jsontree"
)

// This file reads what promptfoo writes.

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
			it.fail("answer", cmp.Or(text(c.Value, "error"), "the provider failed"))
		}
		if input := lookup(v, "tokenUsage.prompt"); input != nil {
			it.addUsage(max(0, numberOf(input)), max(0, numberOf(lookup(v, "tokenUsage.cached"))), max(0, numberOf(lookup(v, "tokenUsage.completion"))), 0)
		}
		it.addStage("answer", amountOf(c.Value, "latencyMs"))
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
