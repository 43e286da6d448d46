//go:build unix

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"recallbench/internal/files/jsonout"
	"recallbench/internal/result/record"
	"recallbench/internal/testkit/longtest"
	"recallbench/internal/testkit/modelserver"
	"recallbench/internal/testkit/realdata"
	"recallbench/internal/testkit/try"
)

// BenchmarkProcess runs the command as processes of their own and reports the
// peak of their resident memory. A new process begins with that of the test,
// so that small peaks do not show.
func BenchmarkProcess(b *testing.B) {
	dir := b.TempDir()
	answers, turns, config := filepath.Join(dir, "answers.jsonl"), filepath.Join(dir, "turns.jsonl"), filepath.Join(dir, "run.yaml")
	put(b, answers, []byte(answerLines()))
	put(b, turns, []byte(talks(rand.New(rand.NewPCG(1, 2)), 400, 60)))
	put(b, config, []byte(`
datasets: [{use: jsonl, options: {files: [turns.jsonl]}}]
methods: [{use: flat-rag, options: {k: 20}}]
metrics: [f1@mem0, f1@locomo, bleu1@nltk, rouge-l@rouge_score, evidence-recall, hit-density, coverage, tokens]
`))
	runs := 0
	for _, bb := range []struct {
		name string
		args func() []string
	}{
		{"help", func() []string { return []string{"--help"} }},
		{"predictions=1500", func() []string {
			return []string{"score", "--predictions", answers, "--metrics", "f1@mem0,f1@locomo,bleu1@nltk,rouge-l@rouge_score"}
		}},
		{"requests=20000", func() []string {
			runs++
			return []string{"run", config, "--display", "none", "--out", filepath.Join(dir, fmt.Sprint("run", runs))}
		}},
	} {
		b.Run(bb.name, func(b *testing.B) { measure(b, bb.args) })
	}
}

// used runs the command as a process, and returns its processor time and the peak of its
// memory.
func used(b *testing.B, args ...string) (busy time.Duration, peak int64) {
	b.Helper()
	cmd := process(b, args...)
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		b.Fatal("the system does not tell what a process used")
	}
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), int64(usage.Maxrss) //nolint:unconvert // its type differs between systems
}

// measure runs the command as processes and reports the peak of their memory and the
// processor time of one.
func measure(b *testing.B, args func() []string) {
	b.Helper()
	var peak int64
	var busy time.Duration
	for b.Loop() {
		took, most := used(b, args()...)
		busy, peak = busy+took, max(peak, most)
	}
	b.ReportMetric(float64(peak)/1024, "peak-MB") // Maxrss is in KB on Linux
	b.ReportMetric(busy.Seconds()/float64(b.N), "cpu-s/op")
}

// words that generated texts are made of.
var words = strings.Fields("garden violin market river kitchen sister train library bread mountain guitar office doctor " +
	"summer winter ticket camera festival recipe puppy museum concert bicycle painting lesson holiday")

func sentence(r *rand.Rand, n int) string {
	var all []string
	for range n {
		all = append(all, words[r.IntN(len(words))])
	}
	return strings.Join(all, " ")
}

// answerLines are 1,500 predictions of a few words.
func answerLines() string {
	var w strings.Builder
	r := rand.New(rand.NewPCG(1, 1))
	for i := range 1500 {
		fmt.Fprintf(&w, `{"id": %d, "category": %d, "prediction": "The %s, she said.", "gold": "the %s"}`+"\n",
			i, 1+i%4, sentence(r, 4), sentence(r, 5))
	}
	return w.String()
}

// talks are conversations of some turns, in sessions, with 50 questions each.
func talks(r *rand.Rand, conversations, turns int) string {
	var w strings.Builder
	for s := range conversations {
		for t := range turns {
			session := t / max(20, turns/4)
			fmt.Fprintf(&w, `{"type": "turn", "sample": "s%d", "session": %d, "time": "2024-0%d-04 09:30", "speaker": %q, "text": "%s."}`+"\n",
				s, session, 1+session, []string{"Ann", "Raj"}[t%2], sentence(r, 14))
		}
		for q := range 50 {
			fmt.Fprintf(&w, `{"type": "question", "sample": "s%d", "category": %d, "question": "When did Ann talk about the %s?", "answer": "4 March 2024"}`+"\n",
				s, q%4, sentence(r, 2))
		}
	}
	return w.String()
}

// BenchmarkConclusions draws tables of runs of 20,000 requests, and compares two of
// them, as processes of their own: with four methods on 5,000 requests, or one on all,
// each with a sample of its own, which is the most that there can be to resample.
func BenchmarkConclusions(b *testing.B) {
	dir := b.TempDir()
	for _, methods := range []int{4, 1} {
		var runs []string
		for seed := range 2 {
			runs = append(runs, manyScores(b, filepath.Join(dir, fmt.Sprintf("run%d-%d", methods, seed)), methods, 20_000/methods, uint64(seed)))
		}
		for _, args := range [][]string{
			{"table", runs[0]},
			{"table", runs[0], "--ci"},
			{"compare", runs[0], runs[1]},
			{"compare", runs[0], runs[1], "--by=category"},
		} {
			name := args[0]
			if flag := args[len(args)-1]; strings.HasPrefix(flag, "--") {
				name += flag
			}
			b.Run(fmt.Sprintf("%s/methods=%d", name, methods), func(b *testing.B) {
				measure(b, func() []string { return args })
			})
		}
	}
}

// manyScores makes up a run folder with scores and nothing else.
func manyScores(b *testing.B, dir string, methods, requests int, seed uint64) string {
	b.Helper()
	h := record.Header{
		Schema: record.SchemaVersion, ID: filepath.Base(dir), Name: filepath.Base(dir), Status: record.Complete, Seed: 1,
		Datasets: []record.Dataset{{Label: "made", Name: "made", SHA256: "0", Samples: requests, Requests: requests}},
		Models:   []record.Model{{Label: "model", Reader: "model", Tokens: "o200k_base"}},
		Metrics:  []string{"f1@mem0", "f1@locomo", "bleu1@nltk", "rouge-l@rouge_score", "exact-match", "evidence-recall", "judge", "tokens"},
	}
	for m := range methods {
		label := "m" + strconv.Itoa(m)
		h.Cells = append(h.Cells, record.Cell{ID: label, Method: label, Use: label, Dataset: "made", Model: "model", Samples: requests, Planned: requests})
	}
	questions, answers := rand.New(rand.NewPCG(28, 0)), rand.New(rand.NewPCG(28, 1+seed))
	folder := record.Folder(dir)
	try.Do(b, os.Mkdir(dir, 0o755))
	if err := record.WriteFile(folder.Scores(), func(w io.Writer) error {
		enc := json.NewEncoder(w)
		for _, c := range h.Cells {
			for i := range requests {
				x := min(max(0.4+0.2*questions.NormFloat64()+0.2*answers.NormFloat64(), 0), 1)
				right, none := new(float64(int(x+0.5))), new(0.0)
				tokens := new(float64(answers.IntN(5000)))
				if err := enc.Encode(record.Score{
					Cell: c.ID, Sample: "s" + strconv.Itoa(i), Request: "q" + strconv.Itoa(i), Category: strconv.Itoa(1 + i%4), Status: record.OK,
					Values: map[string]*float64{
						"f1@mem0": &x, "f1@locomo": &x, "bleu1@nltk": &x, "rouge-l@rouge_score": &x, "exact-match": right, "evidence-recall": &x,
						"judge": right, "tokens-query": tokens, "tokens-input": tokens, "tokens-output": none, "tokens-ingest": none, "tokens-judge": none,
					},
				}); err != nil {
					return err
				}
			}
		}
		return nil
	}); err != nil {
		b.Fatal(err)
	}
	try.Do(b, record.WriteFile(filepath.Join(dir, "run.json"), func(w io.Writer) error { return jsonout.Indented(w, h) }))
	return dir
}

// BenchmarkLive runs the command as a process of its own against a server that
// takes 200 ms for each request, 256 at once, and reports the time of the run
// over the ideal one, that of the whole process with start, scores and tables,
// the process's own processor time for each request, and its peak of resident
// memory. A plain client that sends as many requests says what the machine takes.
func BenchmarkLive(b *testing.B) {
	const requests, inFlight, latency = 5000, 256, 200 * time.Millisecond
	s := modelserver.New(b, modelserver.Options{Latency: latency})
	config := questions(b, 100, requests/100, fmt.Sprintf("concurrency: {requests: %d}\n", inFlight))
	model := liveModel(b, s, "")
	ideal := time.Duration((requests+inFlight-1)/inFlight) * latency
	b.Run("plain", func(b *testing.B) {
		for b.Loop() {
			plainClient(b, s.URL+"/chat/completions", requests, inFlight)
		}
		b.ReportMetric(float64(b.Elapsed())/float64(b.N)/float64(ideal), "process/ideal")
	})
	for _, mode := range []string{"off", "record"} {
		b.Run("calls="+mode, func(b *testing.B) {
			var took, whole, processor time.Duration
			var peak int64
			for b.Loop() {
				dir := b.TempDir()
				start := time.Now()
				busy, most := used(b, "run", config, "--model", model, "--display", "none", "--calls", mode, "--out", filepath.Join(dir, "run"), "--store", filepath.Join(dir, "calls"))
				processor, peak = processor+busy, max(peak, most)
				whole += time.Since(start)
				h := header(b, filepath.Join(dir, "run"))
				took += h.End.Sub(h.Start)
			}
			b.ReportMetric(float64(took)/float64(b.N)/float64(ideal), "run/ideal")
			b.ReportMetric(float64(whole)/float64(b.N)/float64(ideal), "process/ideal")
			b.ReportMetric(float64(processor.Microseconds())/float64(b.N)/requests, "cpu-us/request")
			b.ReportMetric(float64(peak)/1024, "peak-MB") // Maxrss is in KB on Linux
		})
	}
}

// plainClient sends requests to a server, and does nothing else.
func plainClient(b *testing.B, url string, requests, inFlight int) {
	b.Helper()
	client := http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: inFlight}}
	defer client.CloseIdleConnections()
	work := make(chan int)
	var wg sync.WaitGroup
	for range inFlight {
		wg.Go(func() {
			for i := range work {
				body := fmt.Sprintf(`{"model": "test-model", "messages": [{"role": "user", "content": "What is number %d?"}]}`, i)
				resp, err := client.Post(url, "application/json", strings.NewReader(body)) //nolint:noctx // nothing ends it
				if err != nil {
					b.Error(err)
					continue
				}
				_, err = io.Copy(io.Discard, resp.Body)
				try.Do(b, errors.Join(err, resp.Body.Close()))
			}
		})
	}
	for i := range requests {
		work <- i
	}
	close(work)
	wg.Wait()
}

// BenchmarkReport writes the page of a run of 20,000 requests, four methods on
// 5,000 questions with 10 to 20 blocks of evidence each, as a process of its own.
func BenchmarkReport(b *testing.B) {
	dir := b.TempDir()
	config, run, page := filepath.Join(dir, "run.yaml"), filepath.Join(dir, "run"), filepath.Join(dir, "report.html")
	put(b, filepath.Join(dir, "turns.jsonl"), []byte(talks(rand.New(rand.NewPCG(1, 3)), 100, 200)))
	put(b, config, []byte(`
datasets: [{use: jsonl, options: {files: [turns.jsonl]}}]
methods:
  - {use: flat-rag, label: k10, options: {k: 10, chunk: {size: 40}}}
  - {use: flat-rag, label: k13, options: {k: 13, chunk: {size: 40}}}
  - {use: flat-rag, label: k16, options: {k: 16, chunk: {size: 50}}}
  - {use: flat-rag, label: k20, options: {k: 20, chunk: {size: 30}}}
metrics: [f1@mem0, f1@locomo, bleu1@nltk, rouge-l@rouge_score, exact-match, evidence-recall, tokens]
`))
	if out, err := process(b, "run", config, "--display", "none", "--out", run).CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	measure(b, func() []string { return []string{"report", run, "--out", page} })
	info := try.Get(os.Stat(page))(b)
	b.ReportMetric(float64(info.Size())/1e6, "page-MB")
}

// processorTime is what the process has used.
func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	try.Do(t, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// TestImportFast imports nearly 14,000 published answers within three seconds of processor
// time.
func TestImportFast(t *testing.T) {
	longtest.Skip(t)
	longtest.SkipRace(t)
	data := realdata.Datasets(t)
	args := []string{"import", "--dataset", "locomo", "--data", data, "--out", filepath.Join(t.TempDir(), "run"), "--accept", "gold,category,question,conversation"}
	for _, file := range []string{
		"zep-locomo/zep_locomo_grades.json", "memobase-locomo/memobase_eval_0503_3000.json", "memobase-locomo/memobase_eval_0710_3000.json", "evermemos-locomo/judged.json", "cognitive-memory/locomo-oracle_ceiling_mem0.json",
		"cognitive-memory/locomo-clean_run_a.json", "cognitive-memory/locomo-clean_run_b.json", "cognitive-memory/locomo-clean_run_e.json", "cognitive-memory/locomo-clean_run_f.json",
	} {
		args = append(args, filepath.Join(data, "answers", file))
	}
	before := processorTime(t)
	r := must(t, args...)
	took := processorTime(t) - before
	if t.Log(took); !strings.Contains(r.stdout, "13860 answers, no errors") || took > 3*time.Second {
		t.Errorf("%v for\n%s", took, r.stdout)
	}
}
