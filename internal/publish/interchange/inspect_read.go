package interchange

import (
	"encoding/json"
	"fmt"
	"strings"

	"recallbench/internal/files/jsontree"
	"recallbench/internal/result/record"
)

// readInspect reads a log of Inspect AI in JSON. Logs in Inspect's own .eval form
// are first made JSON by "inspect log convert --to json". Of several epochs the
// first counts.
//
// A sample is found by the ids that an export has put into its metadata, by an id
// such as "conv-26/q3", or by its input: the text, or the last message of a user.
func readInspect(r *reading) error {
	if _, err := r.begin("", "a log of Inspect AI in JSON", '{'); err != nil {
		return fmt.Errorf("%w; of an .eval file 'inspect log convert --to json' makes one", err)
	}
	samples, other := false, 0
	err := r.fields("", func(name string) error {
		switch name {
		case "version":
			var version json.Number
			if err := r.dec.Decode(&version); err != nil {
				return r.broken("version", err)
			}
			if version.String() != "2" {
				return fmt.Errorf("%s: the log is of version %s, want 2", r.file.Name, version)
			}
			return nil
		case "samples":
			samples = true
			if _, err := r.begin("samples", "an array", '['); err != nil {
				return err
			}
			return r.items("samples", func(at string, c *jsontree.Cursor, line int) {
				switch epoch := scalar(c, "epoch"); epoch { // none where it is no object
				case "", "1":
					r.inspectSample(at, c, line)
				default:
					other++
				}
			})
		default:
			return r.skip(name)
		}
	})
	if err != nil {
		return err
	}
	if !samples {
		return fmt.Errorf("%s: the log has no samples; Inspect leaves them out with --no-log-samples", r.file.Name)
	}
	if other > 0 {
		r.file.Ignored = append(r.file.Ignored, fmt.Sprintf("%d samples of later epochs", other))
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
	if m != nil && m.Value.Kind == jsontree.Object {
		a.Sample, a.Request, a.Category = scalar(m, "sample"), scalar(m, "request"), scalar(m, "category")
		a.Conversation, a.Evidence = scalar(m, "sample", "sample_id", "conversation_id"), ids(m, "gold_evidence")
	}
	if a.Sample == "" || a.Request == "" {
		a.setID(scalar(c, "id"))
	}
	if a.Question == "" && a.Request == "" {
		c.Faultf("there is neither an input nor an id such as \"conv-26/q3\" to find the question by")
		return
	}
	text, ok := completion(c.Value.Get("output"))
	failure, limit := c.Optional("error"), c.Optional("limit")
	switch {
	case failure != nil && failure.Value.Kind == jsontree.Object:
		a.fail("answer", scalar(failure, "message"))
		if m != nil && m.Value.Kind == jsontree.Object && scalar(m, "status") != "" {
			a.Failure.Kind, a.Failure.Message, _ = strings.Cut(a.Failure.Message, ": ")
			if status := record.Status(scalar(m, "status")); status == record.Refused || status == record.Limit {
				a.Status = status
			}
		}
	case limit != nil && limit.Value.Kind == jsontree.Object && !ok:
		a.Status, a.Failure = record.Limit, &record.Failure{Kind: "limit", Message: "the " + scalar(limit, "type") + " limit was reached"}
	case !ok:
		c.Faultf("output has no completion, and there is no error that says why")
		return
	}
	a.Text = text
	a.addStage("answer", seconds(c, "total_time"))
	if u := c.Optional("model_usage"); u != nil && u.Value.Kind == jsontree.Object {
		for i := range u.Value.Fields {
			model := u.At(i)
			if model.Value.Kind == jsontree.Object {
				cached := amount(model, "input_tokens_cache_read") // which Inspect leaves out of the input
				input := amount(model, "input_tokens") + cached + amount(model, "input_tokens_cache_write")
				a.addUsage(input, cached, amount(model, "output_tokens"), amount(model, "reasoning_tokens"))
			}
		}
	}
	a.Line = line
	r.file.Answers = append(r.file.Answers, a)
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
