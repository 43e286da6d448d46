package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recallbench/datasets/errata"
	"recallbench/internal/publish/report"
	"recallbench/internal/result/record"
	"recallbench/internal/testkit/longtest"
	"recallbench/internal/testkit/modelserver"
	"recallbench/internal/testkit/realdata"
	"recallbench/internal/testkit/try"
)

// recordedSystems are the systems of the audit's recorded answers.
var recordedSystems = []string{"fc-gpt-4.1-mini-cot", "fc-gpt-4.1-mini-memos", "fc-gpt-4o-mini-cot", "fc-gpt-4o-mini-memos", "ap-v2", "ap-v1"}

// recordedAnswers writes a file of answers for each system, and returns their paths
// and which answers most of the three recorded votes accept, by system and id.
func recordedAnswers(t *testing.T, dir string) (paths []string, accepted map[string]map[string]bool) {
	t.Helper()
	data := try.Get(os.Open(filepath.Join(dir, "locomo-audit", "model_answers.jsonl")))(t)
	defer data.Close()
	files := make(map[string]*bytes.Buffer)
	accepted = make(map[string]map[string]bool)
	for _, system := range recordedSystems {
		files[system], accepted[system] = new(bytes.Buffer), make(map[string]bool)
	}
	lines := bufio.NewScanner(data)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var a struct {
			System, ID, Answer string
			Category           int
			Votes              []bool
		}
		try.Do(t, json.Unmarshal(lines.Bytes(), &a))
		try.Do(t, json.NewEncoder(files[a.System]).Encode(map[string]any{"id": a.ID, "category": a.Category, "prediction": a.Answer}))
		votes := 0
		for _, right := range a.Votes {
			if right {
				votes++
			}
		}
		accepted[a.System][a.ID] = 2*votes > len(a.Votes)
	}
	try.Do(t, lines.Err())
	folder := t.TempDir()
	for _, system := range recordedSystems {
		path := filepath.Join(folder, system+".jsonl")
		try.Do(t, os.WriteFile(path, files[system].Bytes(), 0o644))
		paths = append(paths, path)
	}
	return paths, accepted
}

// TestRecordedAnswersUnderKeys scores the recorded answers of the audit under each
// key, and wants the means and the counts of accepted answers that another program
// worked out.
func TestRecordedAnswersUnderKeys(t *testing.T) {
	longtest.SkipRace(t)
	longtest.Skip(t)
	dir := realdata.Datasets(t)
	paths, accepted := recordedAnswers(t, dir)
	out := filepath.Join(t.TempDir(), "run")
	must(t, append(append([]string{"import"}, paths...), "--from", "jsonl", "--dataset", "locomo", "--metrics", "f1@mem0", "--out", out, "--data", dir)...)
	must(t, "score", out, "--errata", "locomo-audit", "--data", dir)

	data := try.Get(os.ReadFile(filepath.Join(dir, "locomo-audit", "expected_stats.json")))(t)
	var want struct {
		Scores map[errata.Key]map[string]map[string]struct {
			N        int
			F1       float64 `json:"f1@mem0"`
			Majority int
		} `json:"scores_by_key"`
	}
	try.Do(t, json.Unmarshal(data, &want))
	header := try.Get(record.ReadHeader(out))(t)
	type sums struct {
		n, majority int
		f1          float64
	}
	all := make(map[errata.Key]map[string]sums)
	for _, key := range errata.Keys() {
		got := make(map[string]map[string]*sums)
		systems := make(map[string]string)
		for _, c := range header.Cells {
			systems[c.ID], got[c.Method] = c.Method, make(map[string]*sums)
		}
		for s := range try.Each(t, record.ScoresUnder(record.Folder(out), header, key)) {
			if s.Out != (s.Values["f1@mem0"] == nil) {
				t.Fatalf("%s of %s under %s: left out %v, f1@mem0 %v", s.Request, s.Sample, key, s.Out, s.Values["f1@mem0"])
			}
			if s.Out {
				continue
			}
			system := systems[s.Cell]
			for _, category := range []string{s.Category, "all"} {
				of := got[system][category]
				if of == nil {
					of = new(sums)
					got[system][category] = of
				}
				of.n++
				of.f1 += *s.Values["f1@mem0"]
				if accepted[system][s.Sample+"/"+s.Request] {
					of.majority++
				}
			}
		}
		all[key] = make(map[string]sums)
		for _, system := range recordedSystems {
			all[key][system] = *got[system]["all"]
			for category, want := range want.Scores[key][system] {
				of := got[system][category]
				if of == nil || of.n != want.N || of.majority != want.Majority || math.Abs(100*of.f1/float64(of.n)-want.F1) > 1e-4 {
					t.Errorf("%s, %s, category %s: got %+v, want %+v", key, system, category, of, want)
				}
			}
		}
	}

	for _, system := range recordedSystems {
		lenient, published := all[errata.Lenient][system], all[errata.Published][system]
		if lenient.n != published.n || lenient.f1 <= published.f1 {
			t.Errorf("%s: lenient %+v, want the questions of published %+v and more", system, lenient, published)
		}
	}

	// The rows whose order changes are named, with their means.
	table := must(t, "table", out, "--keys").stdout
	note := "order changes between keys: ap-v1 over fc-gpt-4o-mini-cot under published (21.95, 21.54)"
	if !strings.Contains(table, note) || !strings.Contains(table, "fc-gpt-4o-mini-cot over ap-v1 under excluded (21.93, 21.90)") || strings.Contains(table, "under corrected (") {
		t.Errorf("the table does not name the rows whose order changes:\n%s", table)
	}
}

// overlaid writes an overlay of the embedded sample with three entries, and returns
// its path.
func overlaid(t *testing.T, golds []record.Gold) string {
	t.Helper()
	var b strings.Builder
	b.WriteString(`{"errata":"recallbench-errata/1","name":"mine","dataset":"sample","license":"CC0-1.0","source":"https://example.org"}` + "\n")
	for i, more := range []string{`"action":"correct","answers":["no such answer"]`, `"action":"exclude"`, `"action":"evidence","evidence":["D8:1"]`} {
		g := golds[i]
		question := try.Get(json.Marshal(g.Question))(t)
		fmt.Fprintf(&b, `{"id":"%s/%s","question":%s,%s}`+"\n", g.Sample, g.Request, question, more)
	}
	return write(t, "mine.jsonl", b.String())
}

func goldsOf(t *testing.T, dir string) (golds []record.Gold) {
	t.Helper()
	for g := range try.Each(t, record.Values[record.Gold](record.Folder(dir).Gold("sample"))) {
		golds = append(golds, g)
	}
	return golds
}

// erratumConfig asks the sample, with more of its entry.
func erratumConfig(t *testing.T, more string) string {
	t.Helper()
	return write(t, "run.yaml", "datasets: [{use: sample"+more+"}]\nmethods: [{use: flat-rag, options: {k: 5}}]\nmetrics: [f1@mem0, evidence-recall, tokens]\n")
}

// TestRunWithErrata wants the same records as without them, values that differ by the
// key where an entry is, and the run of before when they are taken away.
func TestRunWithErrata(t *testing.T) {
	longtest.SkipRace(t)
	plain := filepath.Join(t.TempDir(), "plain")
	must(t, "run", erratumConfig(t, ""), "--out", plain)
	mine := overlaid(t, goldsOf(t, plain))
	keyed := filepath.Join(t.TempDir(), "keyed")
	screen := must(t, "run", erratumConfig(t, ", errata: ["+mine+"], answer_key: corrected"), "--out", keyed).stdout
	printed := must(t, "table", keyed).stdout
	if want := "answer key corrected by mine ("; !strings.Contains(screen, want) || !strings.Contains(printed, want) || !strings.Contains(printed, "leaves out 1 of 55 questions") {
		t.Errorf("the tables do not say %q:\n%s", want, printed)
	}

	before, after := recorded(t, plain), recorded(t, keyed)
	delete(before, "scores.jsonl")
	delete(after, "scores.jsonl")
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("records differ (-without +with errata):\n%s", diff)
	}
	values := func(dir string, key errata.Key) map[string]map[string]*float64 {
		header := try.Get(record.ReadHeader(dir))(t)
		scores := record.Scores(record.Folder(dir), header)
		if key != "" {
			scores = record.ScoresUnder(record.Folder(dir), header, key)
		}
		all := make(map[string]map[string]*float64)
		for s := range try.Each(t, scores) {
			all[s.Request] = s.Values
		}
		return all
	}
	if diff := cmp.Diff(values(plain, ""), values(keyed, errata.Published)); diff != "" {
		t.Errorf("values under the published key differ (-without +with errata):\n%s", diff)
	}
	if diff := cmp.Diff(values(keyed, errata.Corrected), values(keyed, "")); diff != "" {
		t.Errorf("the key that counts is not the corrected one:\n%s", diff)
	}
	published, excluded, corrected := values(keyed, errata.Published), values(keyed, errata.Excluded), values(keyed, errata.Corrected)
	zero := func(x *float64) bool { return x != nil && *x == 0 }
	for _, c := range []struct {
		what string
		ok   bool
	}{
		{"q0 is out of the excluded key", excluded["q0"]["f1@mem0"] == nil && excluded["q0"]["evidence-recall"] == nil},
		{"q0 has another answer in the corrected key", zero(corrected["q0"]["f1@mem0"]) && !zero(published["q0"]["f1@mem0"])},
		{"q1 is out of both", excluded["q1"]["f1@mem0"] == nil && corrected["q1"]["f1@mem0"] == nil && published["q1"]["f1@mem0"] != nil},
		{"what was used is counted all the same", excluded["q1"]["tokens-query"] != nil},
		{"q2 has other evidence", zero(published["q2"]["evidence-recall"]) && *excluded["q2"]["evidence-recall"] == 1 && *corrected["q2"]["evidence-recall"] == 1},
		{"q2 has the same answer", cmp.Equal(published["q2"]["f1@mem0"], excluded["q2"]["f1@mem0"])},
		{"q3 is the same", cmp.Equal(published["q3"], excluded["q3"]) && cmp.Equal(published["q3"], corrected["q3"])},
	} {
		if !c.ok {
			t.Errorf("not so: %s", c.what)
		}
	}

	// Who holds the two against each other is told.
	if got := must(t, "compare", plain, keyed).stdout; !strings.Contains(got, "rows differ in key: published (plain)") {
		t.Errorf("compare does not name the answer keys:\n%s", got)
	}
	doc := decode[report.Document](t, must(t, "table", keyed, "--keys", "--format", "json").stdout)
	if len(doc.Tables) != 3 || doc.Tables[0].Name != "sample, answer keys" || doc.Tables[2].Name != "sample by key: evidence-recall" {
		t.Errorf("got %d tables", len(doc.Tables))
	}
	must(t, "runs", "verify", keyed)
	must(t, "resume", keyed)
	must(t, "score", keyed, "--errata", "none")
	try.Do(t, os.Rename(filepath.Join(keyed, "scores.jsonl"), filepath.Join(keyed, "again")))
	must(t, "score", keyed)
	for _, name := range []string{"scores.jsonl", "again"} {
		got := try.Get(os.ReadFile(filepath.Join(keyed, name)))(t)
		want := try.Get(os.ReadFile(filepath.Join(plain, "scores.jsonl")))(t)
		if !bytes.Equal(got, want) {
			t.Errorf("%s is not as without errata", name)
		}
	}
	must(t, "resume", keyed)
	must(t, "runs", "verify", keyed)
}

// TestShardsWithErrata wants of two shards the scores of one run.
func TestShardsWithErrata(t *testing.T) {
	longtest.SkipRace(t)
	dir := realdata.Datasets(t)
	file := write(t, "run.yaml", "datasets: [{use: locomo, errata: [locomo-audit], options: {categories: [3], conversations: [conv-42, conv-43]}}]\nmethods: [{use: stateless}]\nmetrics: [f1@mem0]\n")
	one := filepath.Join(t.TempDir(), "one")
	must(t, "run", file, "--out", one, "--data", dir)
	var shards []string
	for _, shard := range []string{"1/2", "2/2"} {
		out := filepath.Join(t.TempDir(), "shard")
		must(t, "run", file, "--out", out, "--data", dir, "--shard", shard)
		shards = append(shards, out)
	}
	joined := filepath.Join(t.TempDir(), "joined")
	must(t, append([]string{"resume", "--out", joined}, shards...)...)
	for _, name := range []string{"scores.jsonl", filepath.Join("gold", "locomo.errata.jsonl")} {
		a := try.Get(os.ReadFile(filepath.Join(one, name)))(t)
		b := try.Get(os.ReadFile(filepath.Join(joined, name)))(t)
		if len(a) == 0 || !bytes.Equal(a, b) {
			t.Errorf("%s of the merged run is not that of one run", name)
		}
	}
	must(t, "score", shards[0], "--key", "corrected")
	if r := run(t, append([]string{"resume", "--out", filepath.Join(t.TempDir(), "other")}, shards...)...); r.code != exitUsage || !strings.Contains(r.stderr, "another answer key") {
		t.Errorf("shards of two keys: exit %d\n%s", r.code, r.stderr)
	}
}

// TestErrataFaults wants faults named, with exit code 2.
func TestErrataFaults(t *testing.T) {
	plain := filepath.Join(t.TempDir(), "plain")
	must(t, "run", erratumConfig(t, ""), "--out", plain)
	golds := goldsOf(t, plain)
	mine := overlaid(t, golds)
	data := try.Get(os.ReadFile(mine))(t)
	wrong := write(t, "wrong.jsonl", strings.NewReplacer("/q0", "/q999", golds[1].Question, "What else?").Replace(string(data)))
	faults := []string{
		wrong + ":3: " + golds[1].Sample + "/q1: the question reads",
	}
	for _, c := range []struct {
		args []string
		want []string
	}{
		{[]string{"run", erratumConfig(t, ", errata: ["+wrong+"]"), "--out", filepath.Join(t.TempDir(), "new")}, faults},
		{[]string{"data", "errata", wrong}, faults},
		{[]string{"score", plain, "--errata", wrong}, faults},
		{[]string{"score", plain, "--errata", "lokomo-audit"}, []string{`unknown errata "lokomo-audit"; did you mean "locomo-audit"?`}},
		{[]string{"score", plain, "--key", "corrected"}, []string{"the run has no errata"}},
		{[]string{"score", plain, "--errata", mine, "--key", "correct"}, []string{`--key: unknown key "correct"; did you mean "corrected"?`}},
		{[]string{"score", plain, "--errata", mine + "," + mine}, []string{"errata mine is listed twice"}},
		{[]string{"score", "--predictions", mine, "--errata", mine}, []string{"--errata, --key and --options are for runs"}},
		{[]string{"score", plain, "--options", "{stale: skip}"}, []string{"name them with --errata"}},
		{[]string{"score", plain, "--errata", mine, "--options", "{stale: apply}"}, []string{`--options:1:9: stale: unknown value "apply"`}},
		{[]string{"table", plain, "--keys"}, []string{"nothing to print"}},
		{[]string{"run", write(t, "tasks.yaml", "datasets: [{use: tasks, errata: ["+mine+"]}]\nmethods: [{use: in-context}]\n"), "--out", filepath.Join(t.TempDir(), "new")}, []string{"errata are about answers"}},
	} {
		r := run(t, c.args...)
		if r.code != exitUsage {
			t.Errorf("bench %s: exit %d, want %d\n%s", strings.Join(c.args, " "), r.code, exitUsage, r.stderr)
		}
		for _, want := range c.want {
			if !strings.Contains(r.stderr, want) {
				t.Errorf("bench %s does not say %q:\n%s", strings.Join(c.args, " "), want, r.stderr)
			}
		}
	}
	// A run that a fault refused is as it was.
	must(t, "runs", "verify", plain)
	if r := must(t, "data", "errata", mine); !strings.Contains(r.stdout, "disputed") {
		t.Errorf("got\n%s", r.stdout)
	}
}

// TestKeyOptions wants a stale entry passed over where an option says so, and the option
// in the name of the key.
func TestKeyOptions(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	must(t, "run", erratumConfig(t, ""), "--out", dir)
	g := goldsOf(t, dir)[0]
	question := try.Get(json.Marshal(g.Question))(t)
	mine := write(t, "mine.jsonl", `{"errata":"recallbench-errata/1","name":"mine","dataset":"sample","license":"CC0-1.0","source":"https://example.org"}`+
		fmt.Sprintf("\n"+`{"id":"%s/%s","question":%s,"gold":"another","action":"premise"}`+"\n", g.Sample, g.Request, question))
	must(t, "score", dir, "--errata", mine, "--key", "corrected", "--options", "{stale: skip}")
	header := try.Get(record.ReadHeader(dir))(t)
	if by := header.Datasets[0].AnswerKey(); !strings.HasSuffix(by, "with stale skip") {
		t.Errorf("the key is %s", by)
	}
	for s := range try.Each(t, record.Scores(record.Folder(dir), header)) {
		if s.Sample == g.Sample && s.Request == g.Request && (s.Out || s.Values["f1@mem0"] == nil) {
			t.Errorf("out %v, f1@mem0 %v", s.Out, s.Values["f1@mem0"])
		}
	}
}

// TestJudgeWithErrata wants a judge to be told what the selected key accepts, and to be
// asked again only where that differs from what it was told before.
func TestJudgeWithErrata(t *testing.T) {
	var mu sync.Mutex
	var asked []string
	s := modelserver.New(t, modelserver.Options{Observe: func(_ *http.Request, body []byte) {
		mu.Lock()
		defer mu.Unlock()
		asked = append(asked, string(body))
	}})
	dir := filepath.Join(t.TempDir(), "run")
	must(t, "run", erratumConfig(t, ""), "--out", dir)
	golds := goldsOf(t, dir)
	mine := overlaid(t, golds)
	text := try.Get(os.ReadFile(mine))(t)
	text = bytes.Replace(text, []byte(`"action":"exclude"`), []byte(`"action":"also","answers":["nor this one"]`), 1)
	try.Do(t, os.WriteFile(mine, text, 0o644))
	judge := []string{"judge", dir, "--model", liveModel(t, s, ""), "--calls", "off", "--display", "none"}
	judged := func() map[string]float64 {
		header := try.Get(record.ReadHeader(dir))(t)
		all := make(map[string]float64)
		for s := range try.Each(t, record.Scores(record.Folder(dir), header)) {
			if x := s.Values["judge"]; x != nil {
				all[s.Sample+"/"+s.Request] = *x
			}
		}
		return all
	}
	calls := func() []string {
		asked = nil
		must(t, judge...)
		return asked
	}
	if n := len(calls()); n == 0 || n > len(golds) {
		t.Fatalf("%d calls for %d answers", n, len(golds))
	}
	first, second := golds[0].Sample+"/"+golds[0].Request, golds[1].Sample+"/"+golds[1].Request
	before := judged()
	must(t, "score", dir, "--errata", mine, "--key", "corrected")
	undefined := judged()
	for _, id := range []string{first, second} {
		if _, ok := undefined[id]; ok {
			t.Errorf("%s has a value that the judge gave by the published answer", id)
		}
	}
	again := strings.Join(calls(), "\n")
	if n := len(asked); n != 2 || !strings.Contains(again, "no such answer") || !strings.Contains(again, "any one of these is right: "+golds[1].Answer+"; nor this one") {
		t.Errorf("%d calls, want two that tell the accepted answers:\n%s", n, again)
	}
	values := judged()
	for _, id := range []string{first, second} {
		if _, ok := values[id]; !ok {
			t.Errorf("%s has no value after the judge was told the right answers", id)
		}
	}
	must(t, "score", dir, "--key", "published")
	if n := len(calls()); n != 0 {
		t.Errorf("%d calls under the key of before, want none", n)
	}
	if diff := cmp.Diff(before, judged()); diff != "" {
		t.Errorf("values under the published key changed (-before +after):\n%s", diff)
	}
}
