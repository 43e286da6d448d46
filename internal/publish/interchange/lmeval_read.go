package interchange

import (
	"fmt"

	"recallbench/internal/files/jsontree"
)

// readLMEval reads samples_TASK_TIME.jsonl of lm-evaluation-harness. Of a task
// with several filters there is a line for each: those of the first count.
//
// A line needs doc with the question, or the ids that an export has put there, and
// filtered_resps or resps with a text.
func readLMEval(r *reading) error {
	filter, other := "", 0
	err := r.eachLine(func(c *jsontree.Cursor, line int) {
		f := scalar(c, "filter")
		if len(r.file.Answers) == 0 {
			filter = f
		}
		if f != filter {
			other++
			return
		}
		doc := c.Field("doc", jsontree.Object)
		if doc == nil {
			return
		}
		a := Answer{
			Line: line, Gold: scalar(c, "target"), Category: scalar(doc, "category"),
			Sample: scalar(doc, "sample", "sample_id", "conversation_id"), Request: scalar(doc, "request", "request_id", "question_id"),
			Question: scalar(doc, "question", "query", "input"), Evidence: ids(doc, "evidence"),
		}
		a.Conversation = a.Sample
		if a.Question == "" && (a.Sample == "" || a.Request == "") {
			doc.Faultf("there is neither a question nor sample and request to find it by")
			return
		}
		text, ok := firstText(c.Value.Get("filtered_resps"))
		if !ok {
			text, ok = firstText(c.Value.Get("resps"))
		}
		if !ok {
			c.Faultf("neither filtered_resps nor resps holds a text; want the samples of a task that generates")
			return
		}
		a.Text = text
		if e := doc.Optional("error"); e != nil && e.Value.Kind == jsontree.Object {
			a.failAs(scalar(doc, "status"), scalar(e, "kind"), scalar(e, "message"))
		}
		r.file.Answers = append(r.file.Answers, a)
	})
	if other > 0 {
		r.file.Ignored = append(r.file.Ignored, fmt.Sprintf("%d lines of other filters than %q", other, filter))
	}
	return err
}

// firstText returns the text that comes first in lists within lists.
func firstText(v *jsontree.Value) (string, bool) {
	for v != nil {
		switch {
		case v.Kind == jsontree.String:
			return v.Text, true
		case v.Kind == jsontree.Array && len(v.Items) > 0:
			v = &v.Items[0]
		default:
			return "", false
		}
	}
	return "", false
}
