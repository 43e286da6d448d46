package interchange

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"strings"
	"time"

	"recallbench/internal/door/llm"
	"recallbench/internal/door/meter"
	"recallbench/internal/result/record"
	"recallbench/internal/result/scored"
	"recallbench/internal/result/transcript"
	"recallbench/metrics"
)

// inspectVersion is the version of the log format: that of EvalLog in
// src/inspect_ai/log/_log.py at commit 020dd01 of UKGovernmentBEIS/inspect_ai,
// which the fields that this file writes follow.
const inspectVersion = 2

// An object is a JSON object.
type object = map[string]any

// inspectFiles are a log in JSON for each cell, named as Inspect names them: the
// time, the task and the id, with the method between them. Inspect takes a name
// apart at underscores, so the parts have none.
func inspectFiles(e *Export) ([]file, error) {
	var files []file
	for _, c := range e.Cells {
		parts := []string{c.Run.Header.Start.UTC().Format("2006-01-02T15-04-05+00-00"), record.FileName(c.Cell.Dataset), record.FileName(e.label(c, false)), c.ID}
		for i := range parts {
			parts[i] = strings.ReplaceAll(parts[i], "_", "-")
		}
		name := strings.Join(parts, "_") + ".json"
		files = append(files, file{name, func(w io.Writer) error { return e.writeInspect(c, w) }})
	}
	return files, nil
}

// writeInspect writes the log of a cell. It reads the records twice, for the means
// that stand before them, so that they need not be held.
func (e *Export) writeInspect(c Cell, w io.Writer) error {
	all := newSums(e.Columns)
	ids := []string{}
	used := make(map[string]llm.Usage)
	for r, err := range c.Run.Requests(c.Cell) {
		if err != nil {
			return err
		}
		all.add(r)
		ids = append(ids, r.Record.Sample+"/"+r.Record.Request)
		for role, u := range r.Record.Usage["query"] {
			used[role] = used[role].Add(u)
		}
	}
	out := list{w: w, open: "{", close: "\n}\n"}
	out.add(`"version": `, inspectVersion)
	out.add(`"status": `, inspectStatus(c.Run.Header.Status))
	out.add(`"eval": `, e.inspectSpec(c, ids))
	options := orEmpty(c.Options)
	out.add(`"plan": `, object{
		"name": "plan", "steps": []object{{"solver": c.Use, "params": options, "params_passed": options}}, "config": object{},
	})
	out.add(`"results": `, inspectMeans(all))
	out.add(`"stats": `, object{
		"started_at": inspectTime(c.Run.Header.Start), "completed_at": inspectTime(c.Run.Header.End), "model_usage": c.inspectUsage(used),
	})
	samples := list{w: w, open: `"samples": [`, close: "\n]"}
	if out.err == nil {
		_, out.err = io.WriteString(w, ",\n")
	}
	samples.err = out.err
	for r, err := range c.Run.Requests(c.Cell) {
		if err != nil {
			return err
		}
		said, err := e.transcript(r)
		if err != nil {
			return err
		}
		samples.add("", e.inspectSample(c, r, said))
		if samples.err != nil {
			break
		}
	}
	out.err = samples.end()
	return out.end()
}

func inspectStatus(s record.Status) string {
	switch s {
	case record.Complete:
		return "success"
	case record.Interrupted:
		return "cancelled"
	default:
		return "started"
	}
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

// inspectUsage sums up usage by role: Inspect has it by model.
func (c Cell) inspectUsage(roles map[string]llm.Usage) object {
	var sum llm.Usage
	for role, u := range roles {
		if role != meter.EmbedRole {
			sum = sum.Add(u)
		}
	}
	if sum == (llm.Usage{}) {
		return object{}
	}
	return object{c.inspectModel(): usageOf(sum)}
}

// usageOf takes the tokens of a cache from the input: Inspect counts them apart.
func usageOf(u llm.Usage) object {
	return object{
		"input_tokens": max(0, u.Input-u.Cached), "output_tokens": u.Output, "total_tokens": u.Total(), "input_tokens_cache_read": u.Cached, "reasoning_tokens": u.Reasoning,
	}
}

func inspectMeans(all *sums) object {
	scores := []object{}
	for i, column := range all.columns {
		m, ok := all.mean(i)
		if !ok {
			continue
		}
		metric := func(name string, value float64, params object) object {
			return object{"name": name, "value": value, "params": params}
		}
		metrics := object{"mean": metric("mean", m.value, object{})}
		if column.Total {
			metrics = object{"sum": metric("sum", m.value, object{})}
		}
		if m.se != nil {
			metrics["stderr"] = metric("stderr", *m.se, object{"cluster": "sample"})
		}
		scores = append(scores, object{
			"name": column.Name, "scorer": column.Name, "scored_samples": m.n, "unscored_samples": max(0, all.n-m.n), "params": object{}, "metrics": metrics,
		})
	}
	return object{"total_samples": all.n, "completed_samples": all.n - all.failed, "scores": scores}
}

// transcript returns what models were asked for a request; nil where nothing is
// recorded.
func (e *Export) transcript(r scored.Request) (*transcript.Transcript, error) {
	if e.Transcripts == nil || len(r.Record.Calls) == 0 {
		return nil, nil
	}
	return e.Transcripts.Read(transcript.Of(r))
}

// conversation returns the messages of the call that led to the answer: the reader's
// last one, else the last one of all. Without its recording the question and the
// answer stand for it, and real is false.
func (c Cell) conversation(r scored.Request, said *transcript.Transcript) (messages []object, recorded bool) {
	rec := r.Record
	if said == nil || len(said.Missing) > 0 || len(said.Calls) == 0 {
		messages = []object{inputMessage("user", r.Gold.Question)}
		if rec.Status == record.OK {
			messages = append(messages, c.answerMessage(rec.Answer))
		}
		return messages, false
	}
	last := said.Calls[len(said.Calls)-1]
	for _, call := range said.Calls {
		if call.Role == "reader" {
			last = call
		}
	}
	blocks := transcript.Of(r).Blocks
	for _, m := range last.Messages {
		messages = append(messages, inputMessage(m.Role, said.Text(m, blocks)))
	}
	return append(messages, c.answerMessage(said.Text(last.Reply, blocks))), true
}

func inputMessage(role, text string) object {
	return object{"content": text, "source": "input", "role": role}
}

func (c Cell) answerMessage(text string) object {
	return object{"content": text, "source": "generate", "role": "assistant", "model": c.inspectModel()}
}

func (e *Export) inspectSample(c Cell, r scored.Request, said *transcript.Transcript) object {
	rec := r.Record
	id := rec.Sample + "/" + rec.Request
	uuid := sha256.Sum256([]byte(c.Run.Header.ID + " " + c.ID + " " + id))
	messages, recorded := c.conversation(r, said)
	metadata, choices, scores, roles := inspectMetadata(c, r), []object{}, object{}, object{}
	if !recorded && len(rec.Calls) > 0 {
		metadata["messages"] = "question and answer of the record; the calls are not recorded here"
	}
	if rec.Status == record.OK {
		choices = append(choices, object{"message": c.answerMessage(rec.Answer), "stop_reason": "stop"})
	}
	for role, u := range rec.Usage["query"] {
		roles[role] = usageOf(u)
	}
	for i, x := range e.scores(r) {
		if x == nil {
			continue
		}
		score := object{"value": *x, "answer": rec.Answer}
		if why := strings.Join(r.Score.Why, "\n"); why != "" && e.Columns[i].Name == metrics.PassSpec.Name {
			score["explanation"] = why
		}
		scores[e.Columns[i].Name] = score
	}
	s := object{
		"id": id, "epoch": 1, "input": r.Gold.Question, "target": r.Gold.Answer, "messages": messages,
		"output": object{"model": c.inspectModel(), "choices": choices, "completion": rec.Answer},
		"scores": scores, "metadata": metadata, "store": object{}, "events": []any{},
		"model_usage": c.inspectUsage(rec.Usage["query"]), "role_usage": roles, "uuid": hex.EncodeToString(uuid[:])[:22], "attachments": object{},
	}
	if len(r.Gold.Variants) > 0 { // several texts are as right
		s["target"] = append([]string{r.Gold.Answer}, r.Gold.Variants...)
	}
	if rec.Error != nil {
		s["error"] = object{"message": rec.Error.Kind + ": " + rec.Error.Message, "traceback": "", "traceback_ansi": ""}
	}
	if ms, ok := latency(c, rec); ok {
		s["total_time"] = ms / 1000
	}
	if !rec.Time.Start.IsZero() {
		s["started_at"] = inspectTime(rec.Time.Start)
		s["completed_at"] = inspectTime(rec.Time.End())
	}
	return s
}

// inspectMetadata is what Inspect has no field for.
func inspectMetadata(c Cell, r scored.Request) object {
	m := object{
		"sample": r.Record.Sample, "request": r.Record.Request, "category": r.Gold.Category, "category_name": c.Dataset.CategoryName(r.Gold.Category),
		"status": r.Record.Status,
	}
	if r.Gold.Abstain {
		m["abstain"] = true
	}
	if len(r.Gold.Labels) > 0 {
		m["labels"] = r.Gold.Labels
	}
	if len(r.Gold.Evidence) > 0 {
		m["gold_evidence"] = r.Gold.Evidence
	}
	if e := r.Record.Error; e != nil {
		m["error_kind"], m["error_message"] = e.Kind, e.Message
	}
	if len(r.Evidence) > 0 {
		m["evidence"] = shownOf(r)
	}
	return m
}

func orEmpty(m object) object {
	if m == nil {
		return object{}
	}
	return m
}
