package interchange

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"strconv"
	"strings"

	"recallbench/internal/files/jsonout"
	"recallbench/internal/result/record"
	"recallbench/internal/result/scored"
)

// lmEvalFiles are what lm-evaluation-harness writes with --log_samples: for each
// model a folder with results_TIME.json and samples_TASK_TIME.jsonl, as
// lm_eval/loggers/evaluation_tracker.py names them and lm_eval/result_schema.py
// describes them (EleutherAI/lm-evaluation-harness, commits 034ab03 and 293c9df).
//
// What that program calls a model is here a method with its reader, and a task is
// a dataset. The time is that of the run's start.
func lmEvalFiles(e *Export) ([]file, error) {
	type model struct {
		name  string
		cells []Cell
	}
	var models []*model
	byName := make(map[string]*model)
	for _, c := range e.Cells {
		name := e.label(c, false)
		m := byName[name]
		if m == nil {
			m = &model{name: name}
			byName[name] = m
			models = append(models, m)
		}
		m.cells = append(m.cells, c)
	}
	var files []file
	for _, m := range models {
		folder := record.FileName(m.name) + "/"
		at := m.cells[0].Run.Header.Start.UTC().Format("2006-01-02T15-04-05.000000")
		for _, c := range m.cells {
			files = append(files, file{
				folder + "samples_" + record.FileName(c.Cell.Dataset) + "_" + at + ".jsonl",
				func(w io.Writer) error { return e.writeLMEvalSamples(c, w) },
			})
		}
		files = append(files, file{folder + "results_" + at + ".json", func(w io.Writer) error { return e.writeLMEvalResults(m.name, m.cells, w) }})
	}
	return files, nil
}

// writeLMEvalSamples writes a line for each request. Its metrics are the columns
// that have a value; a failed request has the score 0 of an empty response, and
// says so in doc.
func (e *Export) writeLMEvalSamples(c Cell, w io.Writer) error {
	enc := jsonout.NewEncoder(w)
	n := 0
	for r, err := range c.Run.Requests(c.Cell) {
		if err != nil {
			return err
		}
		line, err := e.lmEvalSample(c, r, n)
		if err != nil {
			return err
		}
		if err := enc.Encode(line); err != nil {
			return err
		}
		n++
	}
	return nil
}

func (e *Export) lmEvalSample(c Cell, r scored.Request, n int) (map[string]any, error) {
	doc := map[string]any{
		"sample": r.Record.Sample, "request": r.Record.Request, "category": r.Gold.Category, "category_name": c.Dataset.CategoryName(r.Gold.Category),
		"question": r.Gold.Question, "answer": r.Gold.Answer, "evidence": append([]string{}, r.Gold.Evidence...), "status": r.Record.Status,
	}
	if r.Record.Error != nil {
		doc["error"] = r.Record.Error
	}
	data, err := pythonJSON(doc)
	if err != nil {
		return nil, err
	}
	line := map[string]any{
		"doc_id": n, "doc": doc, "target": r.Gold.Answer,
		"arguments": map[string]any{"gen_args_0": map[string]any{"arg_0": r.Gold.Question, "arg_1": map[string]any{}}},
		"resps":     [][]string{{r.Record.Answer}}, "filtered_resps": []string{r.Record.Answer}, "filter": "none",
		"doc_hash": sha(data), "prompt_hash": sha(r.Gold.Question), "target_hash": sha(r.Gold.Answer),
	}
	names := []string{}
	for i, x := range e.scores(r) {
		if x != nil {
			names = append(names, e.Columns[i].Name)
			line[e.Columns[i].Name] = *x
		}
	}
	line["metrics"] = names
	return line, nil
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
	header := cells[0].Run.Header
	results, higher, versions, shots := map[string]any{}, map[string]any{}, map[string]any{}, map[string]any{}
	samples, tasks, subtasks, hashes := map[string]any{}, map[string]any{}, map[string]any{}, map[string]any{}
	for _, c := range cells {
		all := newSums(e.Columns)
		var hashed []byte
		n := 0
		for r, err := range c.Run.Requests(c.Cell) {
			if err != nil {
				return err
			}
			line, err := e.lmEvalSample(c, r, n)
			if err != nil {
				return err
			}
			for _, hash := range []string{"doc_hash", "prompt_hash", "target_hash"} {
				hashed = append(hashed, line[hash].(string)...)
			}
			all.add(r)
			n++
		}
		task := c.Cell.Dataset
		means := map[string]any{"name": task, "alias": task, "sample_len": all.n}
		better, list := map[string]any{}, []map[string]any{}
		for i, column := range e.Columns {
			m, ok := all.mean(i)
			if !ok {
				continue
			}
			means[column.Name+",none"] = m.value
			means[column.Name+"_stderr,none"] = "N/A"
			if m.se != nil {
				means[column.Name+"_stderr,none"] = *m.se
			}
			better[column.Name] = nil
			if !column.Neutral {
				better[column.Name] = !column.Lower
			}
			if m.n < all.n {
				continue // a reader of metric_list looks for it in every sample
			}
			aggregation := "mean"
			if column.Total {
				aggregation = "sum"
			}
			list = append(list, map[string]any{"metric": column.Name, "aggregation": aggregation, "higher_is_better": better[column.Name]})
		}
		results[task], higher[task], versions[task], shots[task], subtasks[task] = means, better, c.Dataset.Version, 0, []string{}
		hashes[task] = sha(string(hashed))
		samples[task] = map[string]any{"original": c.Planned, "effective": all.n}
		metadata := map[string]any{"version": c.Dataset.Version, "sha256": c.Dataset.SHA256, "settings": c.Dataset.Settings}
		if len(c.Dataset.Errata) > 0 {
			metadata["answer_key"] = c.Dataset.AnswerKey()
		}
		tasks[task] = map[string]any{
			"task": task, "dataset_name": c.Dataset.Name, "output_type": "generate_until", "metric_list": list, "metadata": metadata,
		}
	}
	c := cells[0]
	data, err := json.MarshalIndent(map[string]any{
		"results": results, "group_subtasks": subtasks, "configs": tasks, "versions": versions, "n-shot": shots,
		"higher_is_better": higher, "n-samples": samples, "task_hashes": hashes,
		"config": map[string]any{
			"model": c.Use, "model_args": map[string]any{"method": c.Method, "reader": c.Model.Reader, "backend": c.Model.Backend, "options": c.Options},
			"random_seed": c.Seed, "limit": nil, "bootstrap_iters": 0,
		},
		"git_hash": header.Binary.Commit, "date": float64(header.Start.UnixMicro()) / 1e6, "lm_eval_version": nil, "recallbench_version": e.Version,
		"model_source": c.Model.Backend, "model_name": model, "model_name_sanitized": record.FileName(model),
		"total_evaluation_time_seconds": lasted(header),
	}, "", "  ")
	if err != nil {
		return err
	}
	_, err = w.Write(append(data, '\n'))
	return err
}

// lasted is how many seconds a run took; nil where it has no end.
func lasted(h record.Header) *string {
	if h.End.IsZero() {
		return nil
	}
	return new(strconv.FormatFloat(h.End.Sub(h.Start).Seconds(), 'f', -1, 64))
}
