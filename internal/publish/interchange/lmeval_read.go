package interchange

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"recallbench/internal/files/datafile"
	"recallbench/internal/files/jsontree"
	"recallbench/internal/result/record"
)

// readLMEval reads samples_TASK_TIME.jsonl of lm-evaluation-harness. Each filter of a
// task is a side; of answers to import those of the first count.
//
// A line needs doc with the question, or the ids that an export has put there, and
// filtered_resps or resps with a text. Scores are the fields that metrics names.
func readLMEval(r *reading) error {
	if name, ok := strings.CutPrefix(filepath.Base(r.file.Name), "samples_"); ok {
		if at := strings.LastIndexByte(name, '_'); at > 0 {
			r.about["task"] = name[:at]
			results := filepath.Join(filepath.Dir(r.file.Name), "results"+strings.TrimSuffix(name[at:], "l"))
			if err := r.lmEvalDirections(results, name[:at]); err != nil {
				return err
			}
		}
	}
	return r.eachLine(func(c *jsontree.Cursor, line int) {
		doc := c.Field("doc", jsontree.Object)
		if doc == nil {
			return
		}
		a := Answer{
			Line: line, Gold: text(c.Value, "target"), Category: text(doc.Value, "category"),
			Sample: text(doc.Value, "sample", "sample_id", "conversation_id"), Request: text(doc.Value, "request", "request_id", "question_id"),
			Question: text(doc.Value, "question", "query", "input"), Evidence: idsOf(doc.Value.Get("evidence")),
		}
		a.Conversation = a.Sample
		it := Item{Answer: a, Side: text(c.Value, "filter"), Prompt: text(c.Value, "prompt_hash")}
		for _, name := range idsOf(c.Value.Get("metrics")) {
			it.score(name, valueOf(c.Value.Get(name)), false)
		}
		if !r.scores && a.Question == "" && (a.Sample == "" || a.Request == "") {
			doc.Faultf("there is neither a question nor sample and request to find it by")
			return
		}
		reply, ok := firstText(c.Value.Get("filtered_resps"))
		if !ok {
			reply, ok = firstText(c.Value.Get("resps"))
		}
		if !ok && !r.scores {
			c.Faultf("neither filtered_resps nor resps holds a text; want the samples of a task that generates")
			return
		}
		it.Text = reply
		if e := doc.Optional("error"); e != nil && e.Value.Kind == jsontree.Object {
			it.failAs(text(doc.Value, "status"), text(e.Value, "kind"), text(e.Value, "message"))
		}
		if hash := text(c.Value, "doc_hash"); hash != "" {
			it.Key = strings.TrimPrefix(r.occurrence(it.Side+" "+hash), it.Side+" ")
			// The harness appends to its files: a second run repeats documents.
			if document := it.Side + " " + hash + " " + text(c.Value, "doc_id"); r.scores && r.occurrence("document "+document) != "document "+document {
				c.Faultf("document %s is in the file twice: it holds a second run of the task; want one", text(c.Value, "doc_id"))
				return
			}
		}
		if it.Sample != "" && it.Request != "" { // an export has both
			it.Key, it.Cluster = it.Sample+"/"+it.Request, it.Sample
		}
		r.emit(c, it)
	})
}

// lmEvalDirections reads which direction is better from the file of results that lies
// beside the samples of a task, if there is one.
func (r *reading) lmEvalDirections(path, task string) error {
	if !r.scores || !exists(path) {
		return nil
	}
	data, err := datafile.Read(r.ctx, path, MaxSize)
	if err != nil {
		return err
	}
	var results struct {
		Higher map[string]map[string]*bool `json:"higher_is_better"`
	}
	if err := json.NewDecoder(newNullReader(bytes.NewReader(data))).Decode(&results); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	for name, columns := range results.Higher {
		for column, higher := range columns {
			if higher == nil || record.FileName(name) != record.FileName(task) {
				continue
			}
			lower := !*higher
			if said := r.columns[column].Lower; said != nil && *said != lower {
				return fmt.Errorf("%s: higher_is_better of %s is %t, and of another task %t", path, column, *higher, lower)
			}
			r.columns[column] = ResultColumn{Lower: &lower}
		}
	}
	return nil
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
