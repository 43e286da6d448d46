package interchange

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"maps"
	"slices"
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
// which the types of this file follow field by field.
const inspectVersion = 2

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
	out.add(`"plan": `, inspectPlan{Name: "plan", Steps: []inspectStep{{c.Use, options, options}}})
	out.add(`"results": `, inspectMeans(all))
	out.add(`"stats": `, inspectStats{
		Started: inspectTime(c.Run.Header.Start), Completed: inspectTime(c.Run.Header.End), Usage: c.inspectUsage(used),
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

func (e *Export) inspectSpec(c Cell, ids []string) inspectSpec {
	metadata := map[string]any{
		"method": c.Method, "seed": c.Seed, "offline": c.Model.Offline, "dataset_sha256": c.Dataset.SHA256, "cell": c.ID,
	}
	if c.Dataset.Caveat != "" {
		metadata["caveat"] = c.Dataset.Caveat
	}
	if c.Imported != nil {
		metadata["imported"] = c.Imported
	}
	s := inspectSpec{
		EvalID: c.ID, RunID: c.Run.Header.ID, Created: inspectTime(c.Run.Header.Start),
		Task: c.Cell.Dataset, TaskID: c.ID, TaskVersion: c.Dataset.Version,
		TaskAttribs: map[string]any{}, TaskArgs: map[string]any{}, TaskArgsPassed: map[string]any{},
		Solver: c.Use, SolverArgs: orEmpty(c.Options), SolverArgsPassed: orEmpty(c.Options), Tags: []string{},
		Dataset: inspectDataset{Name: c.Dataset.Name, Samples: len(ids), SampleIDs: ids},
		Model:   c.inspectModel(), ModelArgs: map[string]any{}, Config: inspectConfig{Epochs: 1},
		Packages: map[string]any{"recallbench": e.Version}, Metadata: metadata, Scorers: []inspectScorers{},
	}
	for _, name := range slices.Sorted(maps.Keys(c.Dataset.Settings)) {
		s.TaskArgs[name] = c.Dataset.Settings[name]
	}
	if len(c.Dataset.Errata) > 0 {
		s.TaskArgs["answer_key"] = c.Dataset.AnswerKey()
	}
	for _, column := range e.Columns {
		s.Scorers = append(s.Scorers, inspectScorers{column.Name})
	}
	return s
}

// inspectModel names a model as Inspect does: the provider, then the model.
func (c Cell) inspectModel() string { return c.Model.Backend + "/" + c.Model.Reader }

// inspectUsage sums up usage by role: Inspect has it by model.
func (c Cell) inspectUsage(roles map[string]llm.Usage) map[string]inspectUsage {
	var sum llm.Usage
	for role, u := range roles {
		if role != meter.EmbedRole {
			sum = sum.Add(u)
		}
	}
	if sum == (llm.Usage{}) {
		return map[string]inspectUsage{}
	}
	return map[string]inspectUsage{c.inspectModel(): usageOf(sum)}
}

// usageOf takes the tokens of a cache from the input: Inspect counts them apart.
func usageOf(u llm.Usage) inspectUsage {
	return inspectUsage{Input: max(0, u.Input-u.Cached), Output: u.Output, Total: u.Total(), CacheRead: u.Cached, Reasoning: u.Reasoning}
}

func inspectMeans(all *sums) inspectResults {
	results := inspectResults{Total: all.n, Completed: all.n - all.failed, Scores: []inspectScoreResult{}}
	for i, column := range all.columns {
		m, ok := all.mean(i)
		if !ok {
			continue
		}
		score := inspectScoreResult{
			Name: column.Name, Scorer: column.Name, Scored: m.n, Unscored: max(0, all.n-m.n), Params: map[string]any{},
			Metrics: map[string]inspectMetric{"mean": {"mean", m.value, map[string]any{}}},
		}
		if column.Total {
			score.Metrics = map[string]inspectMetric{"sum": {"sum", m.value, map[string]any{}}}
		}
		if m.se != nil {
			score.Metrics["stderr"] = inspectMetric{"stderr", *m.se, map[string]any{"cluster": "sample"}}
		}
		results.Scores = append(results.Scores, score)
	}
	return results
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
func (c Cell) conversation(r scored.Request, said *transcript.Transcript) (messages []inspectMessage, recorded bool) {
	rec := r.Record
	answer := inspectMessage{Content: rec.Answer, Source: "generate", Role: "assistant", Model: c.inspectModel()}
	if said == nil || len(said.Missing) > 0 || len(said.Calls) == 0 {
		messages = []inspectMessage{{Content: r.Gold.Question, Source: "input", Role: "user"}}
		if rec.Status == record.OK {
			messages = append(messages, answer)
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
		messages = append(messages, inspectMessage{Content: said.Text(m, blocks), Source: "input", Role: m.Role})
	}
	answer.Content = said.Text(last.Reply, blocks)
	return append(messages, answer), true
}

func (e *Export) inspectSample(c Cell, r scored.Request, said *transcript.Transcript) inspectSample {
	rec := r.Record
	id := rec.Sample + "/" + rec.Request
	uuid := sha256.Sum256([]byte(c.Run.Header.ID + " " + c.ID + " " + id))
	s := inspectSample{
		ID: id, Epoch: 1, Input: r.Gold.Question, Target: r.Gold.Answer,
		Output: inspectOutput{Model: c.inspectModel(), Choices: []inspectChoice{}, Completion: rec.Answer},
		Scores: make(map[string]inspectScore), Metadata: inspectMetadata(c, r), Store: map[string]any{}, Events: []any{},
		Usage: c.inspectUsage(rec.Usage["query"]), RoleUsage: make(map[string]inspectUsage),
		UUID: hex.EncodeToString(uuid[:])[:22], Attachments: map[string]string{},
	}
	for role, u := range rec.Usage["query"] {
		s.RoleUsage[role] = usageOf(u)
	}
	if len(r.Gold.Variants) > 0 {
		s.Target = append([]string{r.Gold.Answer}, r.Gold.Variants...)
	}
	if rec.Status == record.OK {
		message := inspectMessage{Content: rec.Answer, Source: "generate", Role: "assistant", Model: c.inspectModel()}
		s.Output.Choices = append(s.Output.Choices, inspectChoice{message, "stop"})
	}
	var recorded bool
	if s.Messages, recorded = c.conversation(r, said); !recorded && len(rec.Calls) > 0 {
		s.Metadata["messages"] = "question and answer of the record; the calls are not recorded here"
	}
	if rec.Error != nil {
		s.Error = &inspectError{Message: rec.Error.Kind + ": " + rec.Error.Message}
	}
	if ms, ok := latency(c, rec); ok {
		s.Time = new(ms / 1000)
	}
	if !rec.Time.Start.IsZero() {
		s.Started = inspectTime(rec.Time.Start)
		s.Completed = inspectTime(rec.Time.Start.Add(time.Duration(rec.Time.Total * float64(time.Millisecond))))
	}
	for i, x := range e.scores(r) {
		if x != nil {
			score := inspectScore{Value: *x, Answer: rec.Answer}
			if e.Columns[i].Name == metrics.PassSpec.Name {
				score.Explanation = strings.Join(r.Score.Why, "\n")
			}
			s.Scores[e.Columns[i].Name] = score
		}
	}
	return s
}

// inspectMetadata is what Inspect has no field for.
func inspectMetadata(c Cell, r scored.Request) map[string]any {
	m := map[string]any{
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
	if len(r.Evidence) > 0 {
		m["evidence"] = shownOf(r)
	}
	return m
}

func orEmpty(m map[string]any) map[string]any {
	if m == nil {
		return map[string]any{}
	}
	return m
}
