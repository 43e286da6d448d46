package interchange

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"strings"

	"recallbench/internal/files/jsonout"
	"recallbench/internal/result/record"
)

// lmEvalFiles are what lm-evaluation-harness writes with --log_samples: for each
// model a folder with results_TIME.json and samples_TASK_TIME.jsonl, as
// lm_eval/loggers/evaluation_tracker.py names them and lm_eval/result_schema.py
// describes them (EleutherAI/lm-evaluation-harness, commits 034ab03 and 293c9df).
//
// What that program calls a model is here a method with its reader, and a task is
// a dataset. The time is that of the run's start.
func lmEvalFiles(e *Export) (files []file) {
	var models []string
	cells := make(map[string][]Cell)
	for _, c := range e.Cells {
		model := e.label(c)
		if cells[model] == nil {
			models = append(models, model)
		}
		cells[model] = append(cells[model], c)
	}
	for _, model := range models {
		folder := record.FileName(model) + "/"
		at := cells[model][0].Run.Header.Start.UTC().Format("2006-01-02T15-04-05.000000")
		for _, c := range cells[model] {
			files = append(files, file{folder + "samples_" + record.FileName(c.Cell.Dataset) + "_" + at + ".jsonl", func(w io.Writer) error { return e.writeLMEvalSamples(c, w) }})
		}
		files = append(files, file{folder + "results_" + at + ".json", func(w io.Writer) error { return e.writeLMEvalResults(model, cells[model], w) }})
	}
	return files
}

// writeLMEvalSamples writes a line for each request. Its metrics are the columns
// that have a value; a failed request has the score 0 of an empty response, and
// says so in doc.
func (e *Export) writeLMEvalSamples(c Cell, w io.Writer) error {
	enc := jsonout.NewEncoder(w)
	n := 0
	for r, err := range e.rows(c) {
		if err != nil {
			return err
		}
		doc := r.about()
		doc["question"], doc["answer"], doc["evidence"] = r.Gold.Question, r.Gold.Answer, append([]string{}, r.Gold.Evidence...)
		if r.Record.Error != nil {
			doc["error"] = r.Record.Error
		}
		hashed, err := pythonJSON(doc)
		if err != nil {
			return err
		}
		line := object{
			"doc_id": n, "doc": doc, "target": r.Gold.Answer,
			"arguments": object{"gen_args_0": object{"arg_0": r.Gold.Question, "arg_1": object{}}},
			"resps":     [][]string{{r.Record.Answer}}, "filtered_resps": []string{r.Record.Answer}, "filter": "none",
			"doc_hash": sha(hashed), "prompt_hash": sha(r.Gold.Question), "target_hash": sha(r.Gold.Answer),
		}
		names, scores := []string{}, e.scores(r)
		for _, name := range e.columnNames() {
			if x := scores[name]; x != nil {
				names, line[name] = append(names, name), *x
			}
		}
		line["metrics"] = names
		if err := enc.Encode(line); err != nil {
			return err
		}
		n++
	}
	return nil
}

// pythonJSON returns what json.dumps(v, indent=2, ensure_ascii=False) of Python
// does for what json.loads reads of v: lm-eval hashes that.
func pythonJSON(v any) (string, error) {
	var b strings.Builder
	if err := jsonout.Indented(&b, v); err != nil {
		return "", err
	}
	return lineSeparators.Replace(strings.TrimSuffix(b.String(), "\n")), nil
}

// lineSeparators undoes what package json always escapes, and passes over pairs of
// backslashes.
var lineSeparators = strings.NewReplacer(`\\`, `\\`, `\u2028`, "\u2028", `\u2029`, "\u2029")

// sha returns a hash as lm-eval's hash_string does.
func sha(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}

// writeLMEvalResults writes the means of a model. Standard errors have
// conversations as clusters; where there is but one, they are "N/A" as lm-eval
// has it.
func (e *Export) writeLMEvalResults(model string, cells []Cell, w io.Writer) error {
	c, header := cells[0], cells[0].Run.Header
	byTask := make(map[string]object)
	add := func(field, task string, value any) {
		if byTask[field] == nil {
			byTask[field] = object{}
		}
		byTask[field][task] = value
	}
	for _, c := range cells {
		in, err := c.Run.Reader(c.Cell)
		if err != nil {
			return err
		}
		task, all := c.Cell.Dataset, in.Briefs
		results := object{"name": task, "alias": task, "sample_len": len(all)}
		better, list := object{}, []object{}
		for _, m := range e.means(all) {
			results[m.Name+",none"], results[m.Name+"_stderr,none"], better[m.Name] = m.value, "N/A", nil
			if m.se != nil {
				results[m.Name+"_stderr,none"] = *m.se
			}
			if !m.Neutral {
				better[m.Name] = !m.Lower
			}
			if m.n == len(all) { // a reader of metric_list looks for it in every sample
				list = append(list, object{"metric": m.Name, "aggregation": m.how, "higher_is_better": better[m.Name]})
			}
		}
		metadata := object{"version": c.Dataset.Version, "sha256": c.Dataset.SHA256, "settings": c.Dataset.Settings}
		if len(c.Dataset.Errata) > 0 {
			metadata["answer_key"] = c.Dataset.AnswerKey()
		}
		add("results", task, results)
		add("group_subtasks", task, []string{})
		add("configs", task, object{"task": task, "dataset_name": c.Dataset.Name, "output_type": "generate_until", "metric_list": list, "metadata": metadata})
		add("versions", task, c.Dataset.Version)
		add("n-shot", task, 0)
		add("higher_is_better", task, better)
		add("n-samples", task, object{"original": c.Planned, "effective": len(all)})
	}
	out := object{
		"config": object{
			"model": c.Use, "model_args": object{"method": c.Method, "reader": c.Model.Reader, "backend": c.Model.Backend, "options": c.Options},
			"random_seed": c.Seed, "limit": nil, "bootstrap_iters": 0,
		},
		"git_hash": header.Binary.Commit, "date": float64(header.Start.UnixMicro()) / 1e6, "recallbench_version": e.Version,
		"model_source": c.Model.Backend, "model_name": model, "model_name_sanitized": record.FileName(model),
	}
	for field, tasks := range byTask {
		out[field] = tasks
	}
	return jsonout.Indented(w, out)
}
