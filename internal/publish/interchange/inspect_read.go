package interchange

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"recallbench/internal/calc/lists"
	"recallbench/internal/files/jsontree"
	"recallbench/internal/result/record"
)

// readInspect reads a log of Inspect AI in JSON. Of answers to import the first epoch
// counts.
//
// A sample is found by the ids that an export has put into its metadata, by an id
// such as "conv-26/q3", or by its input: the text, or the last message of a user.
func readInspect(r *reading) error {
	if _, err := r.begin("", "a log of Inspect AI in JSON", '{'); err != nil {
		return err
	}
	samples, err := r.inspectLog()
	if err == nil && !samples {
		return fmt.Errorf("%s: the log has no samples; Inspect leaves them out with --no-log-samples", r.file.Name)
	}
	return err
}

// inspectLog reads the fields of a log, and reports whether there are samples.
func (r *reading) inspectLog() (samples bool, err error) {
	err = r.fields("", func(name string) error {
		switch name {
		case "version", "status", "eval":
			c, _, err := r.value(name)
			if err != nil || c == nil {
				return err
			}
			return r.inspectHead(name, c.Value)
		case "samples":
			samples = true
			if _, err := r.begin("samples", "an array", '['); err != nil {
				return err
			}
			return r.items("samples", r.inspectSample)
		default:
			return r.skip(name)
		}
	})
	return samples, err
}

// inspectHead takes a field of the head of a log.
func (r *reading) inspectHead(name string, v *jsontree.Value) error {
	switch {
	case name == "version" && v.Text != "2":
		return fmt.Errorf("%s: the log is of version %s, want 2", r.file.Name, v.Text)
	case name == "status" && v.Text != "success" && r.scores && !r.partial:
		return fmt.Errorf("%s: the log's status is %q: it is not finished; --partial takes what there is", r.file.Name, v.Text)
	case name == "eval":
		r.about["task"], r.about["model"], r.about["dataset"] = text(v, "task"), text(v, "model"), text(v, "dataset.name")
	}
	return nil
}

func (r *reading) inspectSample(at string, c *jsontree.Cursor, line int) {
	if !c.Is(jsontree.Object) {
		return
	}
	a := Answer{Where: at, Question: inputText(c.Value.Get("input"))}
	if target, ok := firstText(c.Value.Get("target")); ok {
		a.Gold = target
	}
	m := c.Optional("metadata")
	cluster := ""
	if m != nil && m.Value.Kind == jsontree.Object {
		a.Blocks = shownBlocks(m)
		a.Sample, a.Request, a.Category = text(m.Value, "sample"), text(m.Value, "request"), text(m.Value, "category")
		a.Conversation, a.Evidence = text(m.Value, "sample", "sample_id", "conversation_id"), idsOf(m.Value.Get("gold_evidence"))
	}
	if a.Sample == "" || a.Request == "" {
		a.setID(text(c.Value, "id"))
	} else {
		cluster = a.Sample // of an export
	}
	it := Item{Key: text(c.Value, "id"), Cluster: cluster, Invalid: c.Optional("invalidation") != nil}
	it.Epoch, _ = strconv.Atoi(text(c.Value, "epoch"))
	if scores := c.Optional("scores"); scores != nil {
		for _, f := range scores.Value.Fields {
			r.inspectScore(&it, f.Name, f.Value.Get("value"))
		}
	}
	if !r.scores && a.Question == "" && a.Request == "" && it.Epoch <= 1 {
		c.Faultf("there is neither an input nor an id such as \"conv-26/q3\" to find the question by")
		return
	}
	reply, ok := completion(c.Value.Get("output"))
	failure, limit := c.Optional("error"), c.Optional("limit")
	switch {
	case failure != nil && failure.Value.Kind == jsontree.Object:
		a.fail("answer", text(failure.Value, "message"))
		if m != nil && m.Value.Kind == jsontree.Object && text(m.Value, "status") != "" {
			a.Failure.Kind, a.Failure.Message, _ = strings.Cut(a.Failure.Message, ": ")
			if status := record.Status(text(m.Value, "status")); status == record.Refused || status == record.Limit {
				a.Status = status
			}
		}
	case limit != nil && limit.Value.Kind == jsontree.Object && !ok:
		a.Status, a.Failure = record.Limit, &record.Failure{Kind: "limit", Message: "the " + text(limit.Value, "type") + " limit was reached"}
	case !ok && !r.scores && it.Epoch <= 1:
		c.Faultf("output has no completion, and there is no error that says why")
		return
	}
	a.Text = reply
	a.addStage("answer", amountOf(c.Value, "total_time")*1000)
	if u := c.Optional("model_usage"); u != nil && u.Value.Kind == jsontree.Object {
		for i := range u.Value.Fields {
			model := u.At(i)
			if model.Value.Kind == jsontree.Object {
				cached := amountOf(model.Value, "input_tokens_cache_read") // which Inspect leaves out of the input
				input := amountOf(model.Value, "input_tokens") + cached + amountOf(model.Value, "input_tokens_cache_write")
				a.addUsage(input, cached, amountOf(model.Value, "output_tokens"), amountOf(model.Value, "reasoning_tokens"))
			}
		}
	}
	a.Line = line
	it.Answer = a
	r.emit(c, it)
}

// inspectScore adds the value of a scorer, by Inspect's own reading of it: a mapping
// is a column for each of its keys, a list is undefined.
func (r *reading) inspectScore(it *Item, scorer string, v *jsontree.Value) {
	if v != nil && v.Kind == jsontree.Object {
		for _, f := range v.Fields {
			r.inspectScore(it, scorer+"/"+f.Name, &f.Value)
		}
		return
	}
	x, letter := inspectValue(v)
	if x == nil && v != nil && v.Kind != jsontree.Null {
		r.notes = lists.AddNew(r.notes, scorer+" has values that are no number, which Inspect counts as 0 and which are undefined here")
	}
	it.score(scorer, x, letter)
}

// inspectMarks are Inspect's words for values.
var inspectMarks = map[string]float64{"C": 1, "P": 0.5, "I": 0, "N": 0, "yes": 1, "true": 1, "no": 0, "false": 0}

// inspectValue returns a value as Inspect's value_to_float has it, nil where it is
// undefined, and whether it is a mark of correctness.
func inspectValue(v *jsontree.Value) (x *float64, mark bool) {
	if v == nil || v.Kind != jsontree.String {
		return valueOf(v), v != nil && v.Kind == jsontree.Bool
	}
	for _, word := range []string{v.Text, strings.ToLower(v.Text)} {
		if x, ok := inspectMarks[word]; ok {
			return &x, true
		}
	}
	if x, err := strconv.ParseFloat(strings.TrimSpace(v.Text), 64); err == nil && !math.IsNaN(x) && !math.IsInf(x, 0) {
		return &x, false
	}
	return nil, false
}

// setID takes ids apart: a sample's and, behind the last slash, a request's.
func (a *Answer) setID(id string) {
	if i := strings.LastIndexByte(id, '/'); i > 0 && i < len(id)-1 {
		a.Sample, a.Request = id[:i], id[i+1:]
	}
}

// inputText returns what was asked: a text, or that of the last message of a user.
func inputText(v *jsontree.Value) string {
	if v == nil {
		return ""
	}
	if v.Kind == jsontree.String {
		return v.Text
	}
	text := ""
	for i := range v.Items {
		if role := v.Items[i].Get("role"); role != nil && role.Text == "user" {
			text = contentText(v.Items[i].Get("content"))
		}
	}
	return text
}

// contentText returns the content of a message: a text, or the texts among its
// parts.
func contentText(v *jsontree.Value) string {
	if v == nil {
		return ""
	}
	if v.Kind == jsontree.String {
		return v.Text
	}
	var parts []string
	for i := range v.Items {
		if t := v.Items[i].Get("text"); t != nil && t.Kind == jsontree.String {
			parts = append(parts, t.Text)
		}
	}
	return strings.Join(parts, "\n")
}

// completion returns what the model wrote, and whether it wrote anything: an
// output without choices is of a sample that failed.
func completion(output *jsontree.Value) (string, bool) {
	if output == nil {
		return "", false
	}
	if c := output.Get("completion"); c != nil && c.Kind == jsontree.String && c.Text != "" {
		return c.Text, true
	}
	choices := output.Get("choices")
	if choices == nil || len(choices.Items) == 0 {
		return "", false
	}
	message := choices.Items[0].Get("message")
	if message == nil {
		return "", false
	}
	return contentText(message.Get("content")), true
}
