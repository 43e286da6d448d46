package interchange

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"recallbench/internal/calc/lists"
	"recallbench/internal/door/llm"
	"recallbench/internal/files/jsontree"
)

// This file reads traces. Their items come in parts, which are gathered before they
// are taken; of each no more is held than its ids, its scores and its usage.

// A gathering is the items of a file by the id of their trace, in order.
type gathering struct {
	order []string
	items map[string]*Item
}

func (g *gathering) of(trace string) *Item {
	it := g.items[trace]
	if it == nil {
		if g.items == nil {
			g.items = make(map[string]*Item)
		}
		it = new(Item)
		g.items[trace], g.order = it, append(g.order, trace)
	}
	return it
}

// takeGathered takes the items of all files of a set.
func (r *reading) takeGathered() {
	for _, trace := range r.gathered.order {
		r.take(*r.gathered.items[trace])
	}
}

// readOTLP reads spans and log records of OpenTelemetry in JSON: one object, or one on
// each line. The item is the trace, and an attribute names it: test.case.id and
// langfuse.experiment.item.id where --id does not say. Scores are events
// gen_ai.evaluation.result (semantic conventions at 00c5325).
func readOTLP(r *reading) error {
	g := &r.gathered
	for r.dec.More() {
		if _, err := r.begin("", "an object with resourceSpans", '{'); err != nil {
			return err
		}
		if err := r.fields("", func(name string) error { return r.resource(g, name, name) }); err != nil {
			return err
		}
	}
	return nil
}

// resource reads a list of resources or scopes, down to the spans and log records.
func (r *reading) resource(g *gathering, name, path string) error {
	switch name {
	case "spans":
		return r.list(path, func(_ string, c *jsontree.Cursor, line int) { r.span(g, c, line) })
	case "logRecords":
		return r.list(path, func(_ string, c *jsontree.Cursor, _ int) {
			if cmp.Or(scalar(c, "eventName"), attributes(c)["event.name"].text) == evaluationEvent {
				g.of(scalar(c, "traceId")).evaluated(attributes(c))
			}
		})
	case "resourceSpans", "resourceLogs", "scopeSpans", "scopeLogs":
		if _, err := r.begin(path, "an array", '['); err != nil {
			return err
		}
		return r.each(path, func(at string) error {
			if _, err := r.begin(at, "an object", '{'); err != nil {
				return err
			}
			return r.fields(at, func(name string) error { return r.resource(g, name, at+"."+name) })
		})
	}
	return r.skip(path)
}

const evaluationEvent = "gen_ai.evaluation.result"

// An attribute is a value of a span.
type attribute struct {
	text   string
	number *float64
}

// attributes returns those of a span, event or log record.
func attributes(c *jsontree.Cursor) map[string]attribute {
	all := make(map[string]attribute)
	list := c.Value.Get("attributes")
	if list == nil {
		return all
	}
	for i := range list.Items {
		v := list.Items[i].Get("value")
		if v == nil {
			continue
		}
		for _, f := range v.Fields {
			a := attribute{text: f.Value.Text, number: valueOf(&f.Value)}
			if f.Name == "intValue" {
				if x, err := strconv.ParseFloat(f.Value.Text, 64); err == nil {
					a.number = &x
				}
			}
			all[text(&list.Items[i], "key")] = a
		}
	}
	return all
}

func (r *reading) span(g *gathering, c *jsontree.Cursor, line int) {
	it, has := g.of(scalar(c, "traceId")), attributes(c)
	if it.Line == 0 {
		it.Line = line
	}
	key := cmp.Or(r.fieldsAt.ID, "test.case.id")
	it.Key = cmp.Or(it.Key, has[key].text)
	if r.fieldsAt.ID == "" {
		it.Key = cmp.Or(it.Key, has["langfuse.experiment.item.id"].text)
	}
	it.Cluster = cmp.Or(it.Cluster, has[cmp.Or(r.fieldsAt.Cluster, "gen_ai.conversation.id")].text)
	if r.fieldsAt.Category != "" {
		it.Category = cmp.Or(it.Category, has[r.fieldsAt.Category].text)
	}
	if model := has["gen_ai.request.model"].text; model != "" {
		r.about["model"] = model
	}
	tokens := func(names ...string) (sum float64, ok bool) {
		for _, name := range names {
			if x := has["gen_ai.usage."+name].number; x != nil {
				return max(*x, 0), true
			}
		}
		return 0, false
	}
	input, has1 := tokens("input_tokens", "prompt_tokens")
	output, has2 := tokens("output_tokens", "completion_tokens")
	if has1 || has2 {
		it.addUsage(input, 0, output, 0)
	}
	if events := c.Optional("events"); events != nil {
		for _, e := range events.Items() {
			if scalar(e, "name") == evaluationEvent {
				it.evaluated(attributes(e))
			}
		}
	}
}

// evaluated adds the score of an event.
func (it *Item) evaluated(has map[string]attribute) {
	it.score(cmp.Or(has["gen_ai.evaluation.name"].text, "score"), has["gen_ai.evaluation.score.value"].number, false)
}

// readLangfuse reads observations and scores of an export of Langfuse (at 05bdc0e).
// The item is the trace: --id leads into its root observation, whose input else stands
// for it. Scores of words are left out but where the options give words values.
func readLangfuse(r *reading) error {
	return r.eachLine(func(c *jsontree.Cursor, line int) {
		trace := scalar(c, "trace_id")
		if trace == "" {
			return
		}
		it := r.gathered.of(trace)
		if c.Value.Get("data_type") != nil {
			r.langfuseScore(it, c)
			return
		}
		if u := c.Value.Get("usage_details"); u != nil {
			it.addUsage(amountOf(u, "input"), 0, amountOf(u, "output"), 0)
		}
		if scalar(c, "parent_observation_id") != "" {
			return
		}
		if model := scalar(c, "provided_model_name"); model != "" {
			r.about["model"] = model
		}
		it.Line, it.Cluster = line, scalar(c, "session_id")
		if input := c.Value.Get("input"); input != nil {
			it.Question, it.Key = inputText(input), canonical(input)
		}
		it.Text, _ = firstText(c.Value.Get("output"))
		if r.override(c, it) && r.fieldsAt.ID == "" {
			it.Key = r.occurrence(it.Key)
		}
	})
}

func amountOf(v *jsontree.Value, name string) float64 { return toAmount(v.Get(name)) }

func (r *reading) langfuseScore(it *Item, c *jsontree.Cursor) {
	name, kind := scalar(c, "name"), scalar(c, "data_type")
	switch kind {
	case "NUMERIC", "BOOLEAN":
		it.score(name, valueOf(c.Value.Get("value")), false)
	default:
		values, mapped := r.labels[name]
		if !mapped {
			r.notes = lists.AddNew(r.notes, name+" holds words, not numbers, and is left out; --map gives them values")
			return
		}
		word := scalar(c, "string_value")
		x, ok := values[word]
		if !ok {
			c.Faultf("%s is %q, which --map does not have; want one of %s", name, word, strings.Join(slices.Sorted(maps.Keys(values)), ", "))
			return
		}
		it.score(name, &x, false)
	}
}

// readHELM reads a run of HELM (at 63754d0): the statistics of each instance, then what
// was asked and answered.
func readHELM(r *reading) error {
	if r.first() == '[' {
		return r.list("", func(_ string, c *jsontree.Cursor, _ int) {
			r.helmScores(helmKey(c.Value, scalar(c, "instance_id")), c.Value.Get("stats"))
		})
	}
	return r.object("the state of a scenario of HELM", nil, map[string]func() error{
		"adapter_spec": func() error {
			c, _, err := r.value("adapter_spec")
			if err == nil && c != nil {
				r.about["model"] = text(c.Value, "model")
			}
			return err
		},
		"request_states": func() error {
			return r.list("request_states", func(at string, c *jsontree.Cursor, line int) {
				instance := c.Field("instance", jsontree.Object)
				if instance == nil {
					return
				}
				id := scalar(instance, "id")
				name := text(instance.Value, "perturbation.name")
				it := Item{Key: strings.TrimSpace(id + " " + name), Cluster: id}
				it.Line, it.Where, it.Question = line, at, text(instance.Value, "input.text")
				if trial, err := strconv.Atoi(scalar(c, "train_trial_index")); err == nil && trial < 1<<20 {
					it.Epoch = trial + 1
				}
				if done := lookup(c.Value, "result.completions"); done != nil && len(done.Items) > 0 {
					it.Text = text(&done.Items[0], "text")
				}
				it.addStage("answer", 1000*toAmount(lookup(c.Value, "result.request_time")))
				if had := r.gathered.items[helmID(it.Key, scalar(c, "train_trial_index"))]; had != nil {
					it.Scores, it.Usage = had.Scores, had.Usage
				}
				r.emit(instance, it)
			})
		},
	})
}

func helmID(key, trial string) string { return key + "\x00" + trial }

// helmKey identifies statistics as their instance, perturbation and trial do.
func helmKey(v *jsontree.Value, id string) string {
	return helmID(strings.TrimSpace(id+" "+text(v, "perturbation.name")), text(v, "train_trial_index"))
}

// helmUsage are statistics that say what was used.
var helmUsage = []string{"num_prompt_tokens", "num_completion_tokens", "inference_runtime"}

// helmScores notes the statistics of an instance, until its state comes.
func (r *reading) helmScores(key string, stats *jsontree.Value) {
	if stats == nil {
		return
	}
	it := r.gathered.of(key)
	for i := range stats.Items {
		s := &stats.Items[i]
		name, mean := text(s, "name.name"), valueOf(s.Get("mean"))
		if text(s, "count") == "0" {
			mean = nil
		}
		if !slices.Contains(helmUsage, name) {
			it.score(name, mean, false)
		} else if mean != nil && name != helmUsage[2] {
			used := llm.Usage{Input: int(min(max(*mean, 0), mostTokens))}
			if name == helmUsage[1] {
				used = llm.Usage{Output: used.Input}
			}
			if it.Usage == nil {
				it.Usage = new(llm.Usage)
			}
			*it.Usage = it.Usage.Add(used)
		}
	}
}
