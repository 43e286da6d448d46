package nemori

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"recallbench/internal/door/llm"
	"recallbench/internal/engine/index"
)

// A batchReference is what scripts/ports/nemori-batch.py writes: what the authors'
// third version did with a conversation and with scripted replies.
type batchReference struct {
	Sample   string            `json:"sample"`
	Calls    []batchCall       `json:"calls"`
	Texts    map[string]string `json:"texts"`
	Episodes []struct {
		Messages []int  `json:"messages"`
		Title    string `json:"title"`
		Content  string `json:"content"`
		Time     string `json:"time"`
	} `json:"episodes"`
	Statements []struct {
		Text    string `json:"text"`
		Episode int    `json:"episode"`
	} `json:"statements"`
	Questions []struct {
		Question   string `json:"question"`
		Episodes   []hit  `json:"episodes"`
		Statements []hit  `json:"statements"`
	} `json:"questions"`
}

type batchCall struct {
	Kind       string   `json:"kind"`
	Reply      string   `json:"reply"`
	Shown      int      `json:"shown"`      // messages of a batch
	Candidates []int    `json:"candidates"` // episodes that a new one may be merged with
	Target     int      `json:"target"`     // which of them was chosen, from 1
	Known      []string `json:"known"`      // that a prediction is made from
}

// TestPortBatch replays what the authors' third version was told, and
// compares what became of it.
func TestPortBatch(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(os.Getenv("BENCH_PORTS"), "nemori-batch-*.json"))
	if err != nil || len(files) == 0 {
		t.Skip("BENCH_PORTS names no folder with files of scripts/ports/nemori-batch.py")
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var ref batchReference
			if err := json.Unmarshal(data, &ref); err != nil {
				t.Fatal(err)
			}
			p := &port{T: t, listed: make(map[string]int), options: Defaults()}
			p.ref.Sample = ref.Sample
			p.options.Batch.Messages, p.options.Batch.Merge = 80, 80
			p.options.Score, p.options.Construction.Closest, p.options.Construction.Known = Cosine, -1, 20
			p.batches(ref)
			t.Logf("%s: %d calls, %d records compared, %d equal, listed differences %v", ref.Sample, len(ref.Calls), p.equal+total(p.listed), p.equal, p.listed)
		})
	}
}

func (p *port) batches(ref batchReference) {
	// The authors cut all batches first, so calls are taken kind by kind.
	calls := make(map[string][]batchCall)
	for _, c := range ref.Calls {
		calls[c.Kind] = append(calls[c.Kind], c)
	}
	p.build(func(_ context.Context, r llm.Request) (llm.Reply, error) {
		kind := batchKind(r)
		if len(calls[kind]) == 0 {
			p.Fatalf("one %s more than the authors' code makes", kind)
		}
		c := calls[kind][0]
		calls[kind] = calls[kind][1:]
		switch task := r.Task.(type) {
		case llm.SegmentsTask:
			p.same("messages of a batch", c.Shown, len(task.Lines))
		case llm.PredictTask:
			p.same(fmt.Sprintf("known, %d calls from the end", len(calls[kind])), c.Known, task.Known)
		}
		return llm.Reply{Text: c.translate()}, nil
	})
	for kind, left := range calls {
		p.same("calls that only the authors' code makes: "+kind, 0, len(left))
	}
	for text, want := range ref.Texts {
		p.same("vector of "+text, want, bits(vector(text)))
	}
	m := p.memory
	p.same("number of episodes", len(ref.Episodes), len(m.episodes))
	for i, want := range ref.Episodes {
		e := m.episodes[i]
		var said []int
		for _, s := range append(slices.Clone(e.Earlier), [2]int{e.First, e.End}) {
			for k := s[0]; k < s[1]; k++ {
				said = append(said, k)
			}
		}
		p.same(fmt.Sprintf("messages of episode %d", i), want.Messages, said)
		p.same(fmt.Sprintf("episode %d", i), []string{want.Title, want.Content, want.Time}, []string{e.Title, e.Content, isoTime(e.Time)})
	}
	for i, want := range ref.Statements {
		p.same(fmt.Sprintf("statement %d", i), []any{want.Text, want.Episode}, []any{m.statements[i].Text, m.statements[i].Episode})
	}
	p.same("number of statements", len(ref.Statements), len(m.statements))
	for _, q := range ref.Questions {
		for _, list := range []struct {
			what string
			want []hit
			by   finder
			at   func(int) int
		}{
			{"episodes", q.Episodes, m.byEpisode, func(i int) int { return m.live[i] }},
			{"statements", q.Statements, m.byStatement, func(i int) int { return i }},
		} {
			var want, got []index.Hit
			for _, h := range list.want {
				want = append(want, index.Hit{Index: h.Index, Score: h.Score})
			}
			hits, err := list.by.find(q.Question, vector(q.Question), len(want))
			if err != nil {
				p.Fatal(err)
			}
			for _, h := range hits {
				got = append(got, index.Hit{Index: list.at(h.Index), Score: h.Score})
			}
			p.found(list.what, q.Question, want, got)
		}
	}
}

// batchKind names a request as the authors' third version does.
func batchKind(r llm.Request) string {
	switch task := r.Task.(type) {
	case llm.SegmentsTask:
		return "segmenter"
	case llm.EpisodeTask:
		return "told"
	case llm.PredictTask:
		return "semantic_predict"
	case llm.StatementsTask:
		if task.Lines == nil {
			return "semantic_direct"
		}
		return "semantic_extract"
	default:
		return map[string]string{"boundary": "merge_decision", "episode": "merge_content"}[r.Role]
	}
}

// translate gives a reply the form that the project's prompts ask for.
func (c batchCall) translate() string {
	var reply any
	switch c.Kind {
	case "segmenter":
		var theirs struct {
			Episodes []struct {
				Indices []int  `json:"indices"`
				Topic   string `json:"topic"`
			} `json:"episodes"`
		}
		if err := json.Unmarshal([]byte(c.Reply), &theirs); err != nil {
			panic(err)
		}
		var ours llm.Segments
		for _, e := range theirs.Episodes {
			ours.Episodes = append(ours.Episodes, llm.Segment{First: slices.Min(e.Indices), Topic: e.Topic})
		}
		reply = ours
	case "merge_decision":
		reply = map[string]any{"why": "", "number": c.Target}
	case "told", "merge_content":
		return translate("episode", c.Reply)
	default:
		return c.Reply
	}
	data, err := json.Marshal(reply)
	if err != nil {
		panic(err)
	}
	return string(data)
}
