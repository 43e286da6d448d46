package interchange

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"strings"
	"time"

	"recallbench/internal/door/llm"
	"recallbench/internal/files/jsonout"
	"recallbench/internal/result/record"
	"recallbench/internal/result/scored"
	"recallbench/metrics"
)

// inspectVersion is the version of the log format: that of EvalLog in
// src/inspect_ai/log/_log.py at commit 020dd01 of UKGovernmentBEIS/inspect_ai,
// which the fields that this file writes follow.
const inspectVersion = 2

// inspectFiles are a log in JSON for each cell, named as Inspect names them: the
// time, the task and the id, with the method between them. Inspect takes a name
// apart at underscores, so the parts have none.
func inspectFiles(e *Export) (files []file) {
	for _, c := range e.Cells {
		parts := []string{c.Run.Header.Start.UTC().Format("2006-01-02T15-04-05+00-00"), record.FileName(c.Cell.Dataset), record.FileName(e.label(c)), c.ID}
		for i := range parts {
			parts[i] = strings.ReplaceAll(parts[i], "_", "-")
		}
		files = append(files, file{strings.Join(parts, "_") + ".json", func(w io.Writer) error { return e.writeInspect(c, w) }})
	}
	return files
}

// writeInspect writes the log of a cell.
func (e *Export) writeInspect(c Cell, w io.Writer) error {
	var all []scored.Request
	samples, ids, failed := []object{}, []string{}, 0
	used := make(map[string]llm.Usage)
	for r, err := range e.rows(c) {
		if err != nil {
			return err
		}
		samples = append(samples, e.inspectSample(r))
		ids = append(ids, r.Record.Sample+"/"+r.Record.Request)
		for role, u := range r.Record.Usage["query"] {
			used[role] = used[role].Add(u)
		}
		if r.Record.Status != record.OK {
			failed++
		}
		r.Evidence = nil // the means need none
		all = append(all, r.Request)
	}
	status := map[record.Status]string{record.Complete: "success", record.Interrupted: "cancelled"}[c.Run.Header.Status]
	return jsonout.Lines(w, struct { // Inspect reads the fields in this order
		Version int      `json:"version"`
		Status  string   `json:"status"`
		Eval    object   `json:"eval"`
		Plan    object   `json:"plan"`
		Results object   `json:"results"`
		Stats   object   `json:"stats"`
		Samples []object `json:"samples"`
	}{
		inspectVersion, cmp.Or(status, "started"), e.inspectSpec(c, ids),
		object{"name": "plan", "steps": []object{{"solver": c.Use, "params": orEmpty(c.Options), "params_passed": orEmpty(c.Options)}}, "config": object{}},
		object{"total_samples": len(all), "completed_samples": len(all) - failed, "scores": e.inspectMeans(all)},
		object{"started_at": inspectTime(c.Run.Header.Start), "completed_at": inspectTime(c.Run.Header.End), "model_usage": c.inspectUsage(used)},
		samples,
	})
}

// inspectTime prints a time as Inspect does; empty for none.
func inspectTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02T15:04:05.000000-07:00")
}

func (e *Export) inspectSpec(c Cell, ids []string) object {
	metadata := object{
		"method": c.Method, "seed": c.Seed, "offline": c.Model.Offline, "dataset_sha256": c.Dataset.SHA256, "cell": c.ID,
	}
	if c.Dataset.Caveat != "" {
		metadata["caveat"] = c.Dataset.Caveat
	}
	if c.Imported != nil {
		metadata["imported"] = c.Imported
	}
	args, scorers := object{}, []object{}
	for name, value := range c.Dataset.Settings {
		args[name] = value
	}
	if len(c.Dataset.Errata) > 0 {
		args["answer_key"] = c.Dataset.AnswerKey()
	}
	for _, column := range e.Columns {
		scorers = append(scorers, object{"name": column.Name})
	}
	return object{
		"eval_id": c.ID, "run_id": c.Run.Header.ID, "created": inspectTime(c.Run.Header.Start),
		"task": c.Cell.Dataset, "task_id": c.ID, "task_version": c.Dataset.Version,
		"task_attribs": object{}, "task_args": args, "task_args_passed": object{},
		"solver": c.Use, "solver_args": orEmpty(c.Options), "solver_args_passed": orEmpty(c.Options), "tags": []string{},
		"dataset": object{"name": c.Dataset.Name, "samples": len(ids), "sample_ids": ids, "shuffled": false},
		"model":   c.inspectModel(), "model_generate_config": object{}, "model_args": object{}, "config": object{"epochs": 1},
		"packages": object{"recallbench": e.Version}, "metadata": metadata, "scorers": scorers,
	}
}

// inspectModel names a model as Inspect does: the provider, then the model.
func (c Cell) inspectModel() string { return c.Model.Backend + "/" + c.Model.Reader }

// inspectUsage sums up usage by role: Inspect has it by model, and counts the tokens of a
// cache apart from the input.
func (c Cell) inspectUsage(roles map[string]llm.Usage) object {
	sum := ofModels(roles)
	if sum == (llm.Usage{}) {
		return object{}
	}
	return object{c.inspectModel(): object{
		"input_tokens": max(0, sum.Input-sum.Cached), "output_tokens": sum.Output, "total_tokens": sum.Total(), "input_tokens_cache_read": sum.Cached, "reasoning_tokens": sum.Reasoning,
	}}
}

func (e *Export) inspectMeans(all []scored.Request) []object {
	scores := []object{}
	for _, m := range e.means(all) {
		metrics := object{m.how: object{"name": m.how, "value": m.value, "params": object{}}}
		if m.se != nil {
			metrics["stderr"] = object{"name": "stderr", "value": *m.se, "params": object{"cluster": "sample"}}
		}
		scores = append(scores, object{
			"name": m.Name, "scorer": m.Name, "scored_samples": m.n, "unscored_samples": max(0, len(all)-m.n), "params": object{}, "metrics": metrics,
		})
	}
	return scores
}

// inspectSample is a request. Its messages are the question and the answer.
func (e *Export) inspectSample(r row) object {
	rec, model := r.Record, r.inspectModel()
	id := rec.Sample + "/" + rec.Request
	uuid := sha256.Sum256([]byte(r.Run.Header.ID + " " + r.ID + " " + id))
	messages := []object{{"content": r.Gold.Question, "source": "input", "role": "user"}}
	choices, scores := []object{}, object{}
	if rec.Status == record.OK {
		answer := object{"content": rec.Answer, "source": "generate", "role": "assistant", "model": model}
		messages, choices = append(messages, answer), append(choices, object{"message": answer, "stop_reason": "stop"})
	}
	for name, x := range e.scores(r) {
		if x == nil {
			continue
		}
		score := object{"value": *x, "answer": rec.Answer}
		if why := strings.Join(r.Score.Why, "\n"); why != "" && name == metrics.PassSpec.Name {
			score["explanation"] = why
		}
		scores[name] = score
	}
	s := object{
		"id": id, "epoch": 1, "input": r.Gold.Question, "target": r.Gold.Answer, "messages": messages,
		"output": object{"model": model, "choices": choices, "completion": rec.Answer},
		"scores": scores, "metadata": r.inspectMetadata(), "store": object{}, "events": []any{},
		"model_usage": r.inspectUsage(rec.Usage["query"]), "uuid": hex.EncodeToString(uuid[:])[:22], "attachments": object{},
	}
	if len(r.Gold.Variants) > 0 { // several texts are as right
		s["target"] = append([]string{r.Gold.Answer}, r.Gold.Variants...)
	}
	if rec.Error != nil {
		s["error"] = object{"message": rec.Error.Kind + ": " + rec.Error.Message, "traceback": "", "traceback_ansi": ""}
	}
	if r.timed() {
		s["total_time"] = rec.Time.Total / 1000
	}
	if !rec.Time.Start.IsZero() {
		s["started_at"], s["completed_at"] = inspectTime(rec.Time.Start), inspectTime(rec.Time.End())
	}
	return s
}

// inspectMetadata is what Inspect has no field for.
func (r row) inspectMetadata() object {
	m := r.about()
	if r.Gold.Abstain {
		m["abstain"] = true
	}
	if e := r.Record.Error; e != nil {
		m["error_kind"], m["error_message"] = e.Kind, e.Message
	}
	if len(r.Gold.Labels) > 0 {
		m["labels"] = r.Gold.Labels
	}
	addList(m, "gold_evidence", r.Gold.Evidence)
	addList(m, "evidence", r.shown())
	return m
}

func orEmpty(m object) object {
	if m == nil {
		return object{}
	}
	return m
}
