package judge

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"recallbench/internal/door/llm"
	"recallbench/internal/door/prompt"
	"recallbench/internal/testkit/golden"
	"recallbench/internal/testkit/try"
	"recallbench/metrics"
)

const (
	accepted = `{"why": "It does.", "correct": true}`
	halfway  = `{"why": "In part.", "verdict": "partial"}`
)

func judgeBy(t *testing.T, profile string, f *replies) *Judge {
	t.Helper()
	p := try.Get(FindProfile(profile))(t)
	j := try.Get(New(p, f, Words{}))(t)
	return j
}

// TestProfilePrompts shows the prompts of the profiles with words of ours.
func TestProfilePrompts(t *testing.T) {
	gone := metrics.Item{Question: "Where does Ann's brother live?", Abstain: true, Explanation: "No brother is mentioned.", Prediction: "That is not known."}
	var b strings.Builder
	for _, tt := range []struct {
		profile, reply string
		task           metrics.Item
		want           float64
	}{
		{"strict", halfway, metrics.Item{Question: "Which pets?", Gold: "a dog and a cat", Prediction: "A dog."}, 0.5},
		{"recallbench", accepted, gone, 1},
		{"longmemeval", accepted, metrics.Item{Question: "How many days?", Category: "temporal-reasoning", Gold: "18", Prediction: "19"}, 1},
		{"longmemeval", accepted, metrics.Item{Question: "What to cook?", Category: "single-session-preference", Gold: "knows that she is vegan", Prediction: "Lentils."}, 1},
		{"longmemeval", accepted, metrics.Item{Question: "Which city?", Category: "knowledge-update", Gold: "Rome", Prediction: "Rome now."}, 1},
		{"longmemeval", accepted, func() metrics.Item { g := gone; g.Category = "multi-session"; return g }(), 1},
		{"beam", halfway, metrics.Item{Question: "What happened?", Rubric: []string{"says when", "names Ann"}, Prediction: "In May."}, 0.5},
	} {
		f := &replies{texts: []string{tt.reply}}
		j := judgeBy(t, tt.profile, f)
		v, err := j.Ask(t.Context(), tt.task)
		if err != nil || v.Score != tt.want {
			t.Errorf("%s: %+v, %v; want %g", tt.profile, v, err, tt.want)
		}
		for _, r := range f.asked {
			b.WriteString("=== " + tt.profile + "\n" + r.Messages[1].Content + "\n")
		}
		if len(f.asked) != max(len(tt.task.Rubric), 1) || tt.task.Rubric != nil && len(v.Votes) != 2 {
			t.Errorf("%s: %d calls and %d votes kept", tt.profile, len(f.asked), len(v.Votes))
		}
	}
	golden.Check(t, "profiles.txt", b.String())
}

// TestOrderCalls asks of each line whether it tells of an event that none told before.
func TestOrderCalls(t *testing.T) {
	no := `{"why": "Another.", "correct": false}`
	f := &replies{texts: []string{halfway, halfway, no, no, accepted, no}}
	j := judgeBy(t, "beam", f)
	v, err := j.Ask(t.Context(), metrics.Item{Question: "In which order?", Rubric: []string{"first", "second"}, Ordered: true, Prediction: "Well:\n\nfirst\nthen"})
	if err != nil || len(f.asked) != 6 {
		t.Fatalf("%d calls, %v; want 2 of nuggets and 4 of lines", len(f.asked), err)
	}
	if len(v.Order) != 4 || v.Order[2] != 1 || v.Order[0]+v.Order[1]+v.Order[3] != 0 {
		t.Errorf("lines tell of %v, want the third of the first event", v.Order)
	}
}

// TestUnfit refuses verdicts that the prompt does not offer, and tasks without a prompt.
func TestUnfit(t *testing.T) {
	j := judgeBy(t, "strict", &replies{texts: []string{`{"why": "w", "verdict": "mostly"}`}})
	if _, err := j.Ask(t.Context(), metrics.Item{Question: "q", Gold: "g", Prediction: "a"}); err == nil || !strings.Contains(err.Error(), "verdict") {
		t.Errorf("a verdict that is none: %v", err)
	}
	for profile, want := range map[string]string{"beam": "a rubric of nuggets", "longmemeval": "one of the categories", "strict": "a gold answer"} {
		j := judgeBy(t, profile, &replies{})
		if _, err := j.Ask(t.Context(), metrics.Item{Question: "q", Prediction: "a"}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s without anything to hold against: %v, want %q", profile, err, want)
		}
	}
	for name, want := range map[string]string{"strikt": `did you mean "strict"`, "locomo-community": ""} {
		p, err := FindProfile(name)
		if err == nil {
			_, err = New(p, &replies{}, Words{})
			want = "clone https://github.com/nemori-ai/nemori at d2a6dff"
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
}

// TestParse has replies to prompts of others: terse, verbose and cut off.
func TestParse(t *testing.T) {
	const none = -1 // no verdict
	for _, tt := range []struct {
		read, text string
		want       float64
	}{
		{"says-yes", "Yes.", 1},
		{"says-yes", "No, yes would be wrong", 1}, // as the source reads it
		{"says-yes", "no", 0},
		{"says-yes", " ", none},
		{"begins-with-yes", "  Yes, it does", 1},
		{"begins-with-yes", "No, yes would be wrong", 0},
		{"begins-with-yes", "So: yes", 0},
		{"label", "It names the day.\n```json\n{\"label\": \"CORRECT\"}\n```", 1},
		{"label", `Reason. {"label": "wrong"} CORRECT`, 0},
		{"label", "CORRECT", none},
		{"label", `{"label": "PERHAPS"}`, none},
		{"label", `{"verdict": "CORRECT"}`, none},
		{"score", `{"score": 0.5, "reason": "half"}`, 0.5},
		{"score", `{"score": "1.0"}`, 1},
		{"score", `{"score": 0.9}`, 0.9},
		{"score", `{"score": 2}`, none},
		{"score", "```json\n{\"score\": 0.5, \"reason\": \"it tells of", 0.5},
		{"score", `{"score": `, none},
		{"score", `{"reason": "the score is 1`, none},
		{"whole-score", `{"score": 0.5, "reason": "half"}`, 0},
		{"whole-score", `{"score": 0.9}`, 0},
		{"whole-score", `{"score": 1.0, "reason": "it tells of`, 1},
		{"whole-score", `{"score": "1"}`, 1},
		{"whole-score", `{"score": "1.0"}`, none}, // ends the source's scoring
		{"threshold", `{"score": 1.0}`, 1},
		{"threshold", `{"score": 0.75, "reason": "so"}`, 1},
		{"threshold", `{"score": 0.7}`, 0.5},
		{"threshold", "```json\n{\"score\": 0.25}\n```", 0.5},
		{"threshold", `{"score": 0.2}`, 0},
		{"threshold", "", none},
		{"threshold", "1.0", none},
		{"threshold", `{"score": "high"}`, none},
		{"threshold", `{"reason": "none"}`, none},
		{"scored", `So: {"score": 1, "label": "incorrect"}`, 1}, // the source reads the score alone
		{"scored", `{"score": 0.5, "label": "correct"}`, 0},
		{"scored", `the label is "Correct"`, 1},
		{"scored", `"correct" or "incorrect"`, none},
		{"three-labels", "```json\n{\"label\": \"Partial\", \"reason\": \"r\"}\n```", 0.5},
		{"three-labels", "This is incorrect.", 1}, // as the source reads it
		{"three-labels", "a wrong year", 0},
		{"three-labels", `{"label": "mostly"}`, none},
		{"three-labels", "", none},
	} {
		got, err := parsers[tt.read](tt.text)
		if err != nil {
			got = none
		}
		if got != tt.want {
			t.Errorf("%s: %q: %g, %v; want %g", tt.read, tt.text, got, err, tt.want)
		}
	}
}

// theirs is a profile of the list with an author's prompt of the test.
func theirs(t *testing.T, profile string, g llm.Generator) *Judge {
	t.Helper()
	p, dir := *try.Get(FindProfile(profile))(t), t.TempDir()
	to := filepath.Join(dir, filepath.FromSlash(profile))
	try.Do(t, os.MkdirAll(to, 0o755))
	for _, name := range p.Authors.Prompts {
		text := "{{define \"user\"}}\n{{.Plain.Question}} {{.Plain.Nugget}} {{.Plain.Answer}}\n{{end}}"
		try.Do(t, os.WriteFile(filepath.Join(to, name+".tmpl"), []byte(text), 0o600))
	}
	if _, err := New(&p, g, Words{Authors: dir}); !errors.Is(err, ErrChanged) || !strings.Contains(err.Error(), "want "+p.Authors.SHA256) {
		t.Fatalf("%v, want ErrChanged with the hash", err)
	}
	p.Authors.SHA256 = try.Get(prompt.Load(name, try.Get(prompt.Folder(os.DirFS(to), "."))(t), nil))(t).Hash()
	return try.Get(New(&p, g, Words{Authors: dir}))(t)
}

// made makes a folder with the prompts of a profile from a clone.
func made(t *testing.T, profile, clone string) string {
	t.Helper()
	dir := t.TempDir()
	if out, err := exec.CommandContext(t.Context(), "python3", "-B", "../../../scripts/prompts.py", profile, clone, dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return dir
}

// TestProtocols has replies to the authors' prompts, which are bounded and read as the
// authors do.
func TestProtocols(t *testing.T) {
	late := "No. The answer names a day that is not the right one, which was yesterday."
	question := metrics.Item{Question: "When?", Category: "multi-session", Gold: "g", Prediction: "a"}
	nuggets := metrics.Item{Question: "When?", Rubric: []string{"n"}, Prediction: "a"}
	ordered := nuggets
	ordered.Ordered, ordered.Prediction = true, "" // no line, and so no call about one
	half := `{"score": 0.5, "reason": "in part"}`
	for _, tt := range []struct {
		profile, reply string
		task           metrics.Item
		tokens         int
		want           float64
	}{
		{"longmemeval", "yes", question, 10, 1},
		{"longmemeval", late, question, 10, 0},
		{"longmemeval", "No, yesterday is wrong.", question, 10, 1},
		{"longmemeval", "", question, 10, 0},
		{"mem0-2026/longmemeval", late, question, 4096, 0},
		{"mem0-2026/longmemeval", "Yes. " + late, question, 4096, 1},
		{"beam", half, nuggets, 0, 0.5},
		{"beam-official", half, nuggets, 0, 0},
		{"beam-official", half, ordered, 0, 0.5},
	} {
		f := &replies{texts: []string{tt.reply}}
		v, err := theirs(t, tt.profile, f).Ask(t.Context(), tt.task)
		if err != nil || v.Score != tt.want {
			t.Errorf("%s: %q: %+v, %v; want %g", tt.profile, tt.reply, v, err, tt.want)
		}
		r := f.asked[0]
		text := r.Messages[0].Content
		if r.Params.MaxTokens != tt.tokens || *r.Params.Temperature != 0 || r.Format != nil || !strings.HasPrefix(text, "\nWhen?") || !strings.HasSuffix(text, "\n") {
			t.Errorf("%s asks %q with %+v, want %d tokens and the outer line breaks", tt.profile, text, r.Params, tt.tokens)
		}
	}
}

// TestAuthorsKinds has which prompt the sources choose, and the gold answer that they show.
func TestAuthorsKinds(t *testing.T) {
	gone := metrics.Item{Category: "multi-session", Abstain: true, Explanation: "No pet was named."}
	for _, tt := range []struct {
		profile      string
		task         metrics.Item
		prompt, gold string
	}{
		{"mem0-2026/locomo", metrics.Item{Category: "3", Gold: "Likely no; she dislikes cold"}, answer, "Likely no"},
		{"mem0-2026/locomo", metrics.Item{Category: "1", Gold: "tea; milk"}, answer, "tea; milk"},
		{"mem0-2026/locomo", metrics.Item{Category: "5", Abstain: true}, abstention, ""},
		{"mem0-2026/longmemeval", gone, answer, "No pet was named."},
		{"mem0-2026/longmemeval", metrics.Item{Category: "1", Gold: "tea"}, "", "tea"},
		{"memorybench", gone, answer, "No pet was named."}, // not the prompt of abstentions, in the source
		{"memorybench", metrics.Item{Category: "temporal-reasoning", Gold: "18"}, "temporal", "18"},
		{"memorybench", metrics.Item{Category: "3", Gold: "Rome"}, "temporal", "Rome"},
		{"memorybench", metrics.Item{Category: "2", Gold: "May"}, answer, "May"},
		{"memorybench", metrics.Item{Category: "5", Abstain: true}, "adversarial", "undefined"},
		{"memorybench", metrics.Item{Category: "knowledge-update", Gold: "Rome"}, "update", "Rome"},
		{"memorybench", metrics.Item{Category: "single-session-preference", Gold: "vegan"}, "preference", "vegan"},
		{"memorybench", metrics.Item{Expect: stating([][]string{{"x"}}, nil)}, "", "undefined"},
		{"locomo-plus", metrics.Item{Category: "2", Gold: "May"}, "temporal", ""},
		{"locomo-plus", metrics.Item{Category: "other", Gold: "May"}, answer, ""},
		{"locomo-plus", metrics.Item{Category: "5", Abstain: true}, "adversarial", ""},
		{"locomo-plus", metrics.Item{Category: "2"}, "", ""},
	} {
		p := try.Get(FindProfile(tt.profile))(t)
		if got := p.choose(tt.task); got != tt.prompt {
			t.Errorf("%s asks about %+v by %q, want %q", tt.profile, tt.task, got, tt.prompt)
		}
		if golds[p.Gold] != nil && golds[p.Gold](tt.task) != tt.gold {
			t.Errorf("%s shows the gold answer %q of %+v, want %q", tt.profile, golds[p.Gold](tt.task), tt.task, tt.gold)
		}
	}
}

// TestAuthorsPrompts asks with the prompts of clones, which BENCH_CLONES has in folders
// of the names below.
func TestAuthorsPrompts(t *testing.T) {
	clones := os.Getenv("BENCH_CLONES")
	for folder, profiles := range map[string][]string{
		"LongMemEval": {"longmemeval"}, "BEAM": {"beam", "beam-official"}, "lightmem": {"locomo-community@lightmem"},
		"nemori": {"locomo-community"}, "EverOS": {"locomo-community@evermemos", "evermembench"},
		"OmniMemEval": {"locomo-community@omnimemeval", "halumem@omnimemeval", "beam@omnimemeval"}, "agent-memory-benchmark": {"amb"},
		"memory-benchmarks": {"mem0-2026/locomo", "mem0-2026/longmemeval", "beam@mem0-2026"}, "MemOS": {"locomo-community@memos"},
		"memorybench": {"memorybench"}, "Locomo-Plus": {"locomo-plus"},
	} {
		t.Run(folder, func(t *testing.T) {
			dir := filepath.Join(clones, folder)
			if _, err := os.Stat(dir); clones == "" || err != nil {
				t.Skip("no clone: BENCH_CLONES names a folder with clones")
			}
			for _, name := range profiles {
				p := try.Get(FindProfile(name))(t)
				j, err := New(p, &replies{}, Words{Authors: made(t, name, dir)})
				if err != nil {
					t.Errorf("%s: %v", name, err)
					continue
				}
				task := metrics.Item{Question: "A {question}?", Category: "multi-session", Gold: "gold {}", Rubric: []string{"<rubric_item>"}, Prediction: "an {answer}"}
				r, err := j.request(task, j.questions(task)[0])
				if err != nil || (r.Format != nil) != (name == "amb") {
					t.Errorf("%s: %v", name, err)
				}
				text := r.Messages[len(r.Messages)-1].Content
				shown := strings.Contains(text, "an {answer}") && (strings.Contains(text, "gold {}") || strings.Contains(text, "<rubric_item>"))
				if !shown || strings.Contains(text, "A {question}?") == p.Unasked {
					t.Errorf("%s shows\n%s", name, text)
				}
			}
		})
	}
}
