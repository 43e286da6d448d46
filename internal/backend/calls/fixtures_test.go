package calls

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"recallbench/internal/door/llm"
	"recallbench/internal/door/meter"
	"recallbench/internal/testkit/realdata"
	"recallbench/internal/testkit/try"
)

// A recorded is a line of a file of recorded model replies: one request to a
// pipeline, with the tokens of each of its stages where they were kept.
type recorded struct {
	Experiment string `json:"experiment"`
	Model      string `json:"model"`
	Domain     string `json:"domain"`
	Number     int    `json:"request_no"`
	Request    string `json:"request"`
	Tokens     tokens `json:"tokens"`
	Stages     map[string]struct {
		tokens
		Milliseconds float64 `json:"ms"`
	} `json:"stages"`
	Milliseconds float64 `json:"ms"`

	// What models replied; the experiments kept it under different names.
	Result     string `json:"result_xml"`
	Query      string `json:"xpath"`
	Selector   string `json:"version_selector"`
	Resolution struct {
		Raw string `json:"raw_response"`
	} `json:"version_resolution"`
	Handler json.RawMessage `json:"handler_output"`
	Raw     string          `json:"handler_raw_response"`
}

// reply returns what the model replied at a stage.
func (r recorded) reply(stage string) string {
	switch stage {
	case "version_resolution":
		return cmp.Or(r.Resolution.Raw, r.Selector)
	case "query_generation", "xpath_generation":
		return r.Query
	default:
		return cmp.Or(r.Raw, string(r.Handler))
	}
}

type tokens struct {
	Prompt     int `json:"prompt_tokens"`
	Completion int `json:"completion_tokens"`
	Total      int `json:"total_tokens"`
}

// A converted is a call of a recorded experiment.
type converted struct {
	experiment string
	request    llm.Request
	reply      llm.Reply
}

// convert reads a file of recorded replies as calls: one for each stage that
// asked a model, or one for the whole request. The prompts were not kept; a
// call stands under its stage and the user's request.
func convert(t *testing.T, file string) (all []converted, want map[string]llm.Usage) {
	t.Helper()
	f := try.Get(os.Open(filepath.Join(realdata.Fixtures(t), "semantic-xpath", file)))(t)
	defer f.Close()
	want = make(map[string]llm.Usage)
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for n := 0; lines.Scan(); n++ {
		var r recorded
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatalf("%s:%d: %v", file, n+1, err)
		}
		want[r.Experiment] = want[r.Experiment].Add(llm.Usage{Input: r.Tokens.Prompt, Output: r.Tokens.Completion})
		add := func(stage string, used tokens, text string) {
			if used.Total != used.Prompt+used.Completion {
				t.Errorf("%s:%d: %s: %+v does not add up", file, n+1, stage, used)
			}
			all = append(all, converted{
				experiment: r.Experiment,
				request: llm.Request{
					Role:     stage,
					Messages: []llm.Message{{Role: llm.User, Content: r.Request}},
					Repeat:   n, // the same words were asked in several sessions
				},
				reply: llm.Reply{
					Text: text, Finish: "stop", Model: r.Model, Attempts: 1,
					Usage: llm.Usage{Calls: 1, Input: used.Prompt, Output: used.Completion},
				},
			})
		}
		before := len(all)
		for _, stage := range slices.Sorted(maps.Keys(r.Stages)) {
			if s := r.Stages[stage]; s.Total > 0 {
				add(stage, s.tokens, r.reply(stage))
			}
		}
		if len(all) == before {
			add("answer", r.Tokens, r.Result)
		}
	}
	try.Do(t, lines.Err())
	return all, want
}

// TestRecordedExperiments imports recorded replies of real models, replays
// them, and compares the tokens of each experiment with those that were
// recorded.
func TestRecordedExperiments(t *testing.T) {
	for _, file := range []string{"replay_incontext.jsonl", "replay_semantic_xpath.jsonl"} {
		t.Run(file, func(t *testing.T) {
			all, want := convert(t, file)
			if len(all) < 20 {
				t.Fatalf("%d calls, want at least one of each line", len(all))
			}
			dir := t.TempDir()
			s := openStore(t, dir)
			for _, c := range all {
				g := NewRecorder(s, Record).Generator(experiment(c), llm.GeneratorFunc(func(context.Context, llm.Request) (llm.Reply, error) {
					return c.reply, nil
				}))
				try.Get(g.Generate(t.Context(), c.request))(t)
			}
			s.Close()

			// They go through an export, as a paper's recordings would.
			s = openStore(t, dir)
			path := filepath.Join(t.TempDir(), "paper.db")
			try.Do(t, os.WriteFile(path, export(t, s), 0o644))
			s = openStore(t, t.TempDir())
			if in, err := s.Import(t.Context(), path); err != nil || in.New != len(all) {
				t.Fatalf("imported %+v of %d, error %v", in, len(all), err)
			}

			stages := make(map[string]llm.Usage)
			wantStages := make(map[string]llm.Usage)
			got := make(map[string]llm.Usage)
			for _, c := range all {
				ctx, m := meter.With(t.Context(), time.Now, meter.Limits{})
				g := meter.Generator(NewRecorder(s, Replay).Generator(experiment(c), nil), wrongCounter{}, nil)
				reply := try.Get(g.Generate(ctx, c.request))(t)
				if !reply.Reused || len(m.Seen().IDs()) != 1 {
					t.Errorf("%s: reused %v, calls %v", c.request.Role, reply.Reused, m.Seen().IDs())
				}
				if diff := gocmp.Diff(c.reply, reply, unmarked); diff != "" {
					t.Errorf("%s: reply (-recorded +replayed):\n%s", c.request.Role, diff)
				}
				for role, u := range m.Seen().Usage {
					key := c.experiment + " " + role
					stages[key] = stages[key].Add(llm.Usage{Input: u.Input, Output: u.Output})
					got[c.experiment] = got[c.experiment].Add(llm.Usage{Input: u.Input, Output: u.Output})
				}
				key := c.experiment + " " + c.request.Role
				wantStages[key] = wantStages[key].Add(llm.Usage{Input: c.reply.Usage.Input, Output: c.reply.Usage.Output})
			}
			if diff := gocmp.Diff(want, got); diff != "" {
				t.Errorf("tokens by experiment (-recorded +replayed):\n%s", diff)
			}
			if diff := gocmp.Diff(wantStages, stages); diff != "" {
				t.Errorf("tokens by stage (-recorded +replayed):\n%s", diff)
			}
			for _, name := range slices.Sorted(maps.Keys(got)) {
				t.Logf("%s: %d tokens read, %d written", name, got[name].Input, got[name].Output)
			}
		})
	}
}

func experiment(c converted) Identity {
	return Identity{Class: "openai", Provider: "api.openai.com", Model: c.reply.Model, Fixed: json.RawMessage(fmt.Sprintf("{%q:%q}", "experiment", c.experiment))}
}

// wrongCounter would spoil the sums: every recorded reply has its provider's
// usage.
type wrongCounter struct{}

func (wrongCounter) Name() string     { return "wrong" }
func (wrongCounter) Count(string) int { return 1 << 20 }
