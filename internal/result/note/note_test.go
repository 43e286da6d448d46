package note_test

import (
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"recallbench/internal/result/note"
	"recallbench/internal/result/record"
	"recallbench/internal/testkit/realdata"
	"recallbench/internal/testkit/try"
)

const cell = "0123456789ab"

// folder returns a run folder with a cell of some answers, by request of sample s1.
func folder(t *testing.T, answers ...string) record.Folder {
	t.Helper()
	run := record.Folder(t.TempDir())
	try.Do(t, os.MkdirAll(run.Cell(cell), 0o755))
	log, _, err := record.OpenLog(run.Records(cell))
	try.Do(t, err)
	defer log.Close()
	for i, a := range answers {
		try.Do(t, log.Append(record.Record{Sample: "s1", Request: "r" + string(rune('1'+i)), Status: record.OK, Answer: a}))
	}
	return run
}

// itemsOf returns the answers of a folder as items.
func itemsOf(answers ...string) (items []note.Item) {
	for i, a := range answers {
		items = append(items, note.Item{Subject: note.Subject{Cell: cell, Sample: "s1", Request: "r" + strconv.Itoa(i+1)}, Answer: note.Sum(a), Weight: 1})
	}
	return items
}

// TestRead reads the recorded notes: of chains the last counts, and what is taken back
// does not.
func TestRead(t *testing.T) {
	data := try.Get(os.ReadFile(filepath.Join(realdata.Fixtures(t), "viewer", "annotations.jsonl")))(t)
	run := folder(t, "yes")
	try.Do(t, os.MkdirAll(filepath.Join(string(run), "annotations"), 0o755))
	files := make(map[string]string)
	for line := range strings.Lines(string(data)) {
		var n note.Note
		if strings.TrimSpace(line) == "" {
			continue
		}
		try.Do(t, json.Unmarshal([]byte(line), &n))
		files[n.Reviewer] += line
	}
	for reviewer, lines := range files {
		try.Do(t, os.WriteFile(filepath.Join(string(run), "annotations", reviewer+".jsonl"), []byte(lines), 0o644))
	}
	all, err := note.Read(run)
	if err != nil || len(all) != 6 {
		t.Fatalf("%d notes, %v", len(all), err)
	}
	var ids []string
	for _, n := range note.Standing(all) {
		ids = append(ids, n.ID+" "+string(n.Value))
	}
	try.Equal(t, "standing", []string{"a3 false", `b1 "unsure"`, "b2 true"}, ids)
	stale := 0
	for _, l := range try.Get(note.Labels(run))(t) {
		if !l.Stale {
			t.Errorf("a label of another answer counts: %+v", l)
		}
		stale++
	}
	if stale != 3 {
		t.Errorf("%d labels of other answers, want 3", stale)
	}
}

// TestLabels yields what counts, with the weight of the draw.
func TestLabels(t *testing.T) {
	run := folder(t, "old", "new", "other")
	items := itemsOf("old", "new", "other")
	items[0].Stratum, items[1].Stratum, items[2].Stratum = "a", "a", "b"
	q := try.Get(note.NewQueue("q1", items, note.Stratified, 2, 7))(t)
	q.Blind = true
	try.Do(t, q.Write(run))
	if err := q.Write(run); err == nil {
		t.Error("a queue was written over")
	}
	b := &note.Book{Reviewer: "ann", Now: time.Now}
	for _, it := range q.For("ann") {
		try.Get(b.Add(run, note.Note{Subject: it.Subject, Answer: it.Answer, Kind: note.Correct, Value: []byte("true"), Blind: true, Queue: "q1"}))(t)
	}
	weights := make(map[string]float64)
	for _, l := range try.Get(note.Labels(run))(t) {
		if l.Stale || l.Value != note.Right || !l.Blind || l.Reviewer != "ann" {
			t.Errorf("%+v", l)
		}
		weights[map[bool]string{true: "b", false: "a"}[l.Request == "r3"]] += l.Weight
	}
	try.Equal(t, "weights", map[string]float64{"a": 2, "b": 1}, weights)
	// An answer that was asked again has no label.
	log, _, err := record.OpenLog(run.Records(cell))
	try.Do(t, err)
	for _, r := range []string{"r1", "r2", "r3"} {
		try.Do(t, log.Append(record.Record{Sample: "s1", Request: r, Answer: "again"}))
	}
	log.Close()
	for _, l := range try.Get(note.Labels(run))(t) {
		if !l.Stale {
			t.Errorf("of an earlier answer: %+v", l)
		}
	}
}

func TestQueue(t *testing.T) {
	var items []note.Item
	for i := range 100 {
		items = append(items, note.Item{Subject: note.Subject{Cell: cell, Sample: "s", Request: string(rune('a' + i))}, Stratum: map[bool]string{true: "few", false: "many"}[i < 4]})
	}
	draw := func(d note.Draw, n int, seed uint64) *note.Queue {
		q := try.Get(note.NewQueue("q", items, d, n, seed))(t)
		return q
	}
	if q := draw(note.All, 0, 1); len(q.Items) != 100 {
		t.Errorf("all: %d items", len(q.Items))
	}
	for _, d := range []note.Draw{note.Random, note.Stratified} {
		q := draw(d, 20, 1)
		if diff := cmp.Diff(q, draw(d, 20, 1)); diff != "" {
			t.Errorf("%s draws something else again:\n%s", d, diff)
		}
		if cmp.Equal(q.Items, draw(d, 20, 2).Items) {
			t.Errorf("%s draws the same with another seed", d)
		}
		sum := 0.0
		for _, it := range q.Items {
			sum += it.Weight
		}
		if len(q.Items) != 20 || sum < 99.99 || sum > 100.01 {
			t.Errorf("%s: %d items that stand for %v", d, len(q.Items), sum)
		}
		if cmp.Equal(q.For("ann"), q.For("raj")) || !cmp.Equal(q.For("ann"), q.For("ann")) {
			t.Errorf("%s: orders of two people", d)
		}
	}
	few := slices.DeleteFunc(draw(note.Stratified, 20, 1).Items, func(it note.Item) bool { return it.Stratum != "few" })
	if len(few) != 4 {
		t.Errorf("%d of the small stratum, want all 4", len(few))
	}
	for name, err := range map[string]error{
		"n is 0":                     second(note.NewQueue("q", items, note.Random, 0, 1)),
		"draw is":                    second(note.NewQueue("q", items, "some", 1, 1)),
		"the name of a queue":        second(note.NewQueue("../q", items, note.All, 1, 1)),
		"the queue has no items":     second(note.NewQueue("q", nil, note.All, 1, 1)),
		"is not the name of a queue": second(note.ReadQueue("x", "../../etc/passwd")),
		"no such file or directo":    second(note.ReadQueue(record.Folder(t.TempDir()), "none")),
	} {
		if err == nil || !strings.Contains(err.Error(), name) && !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%v, want %s", err, name)
		}
	}
}

// TestSpread draws of two strata over samples of different sizes: each sample gives as
// many as the others while it can, and weights undo that.
func TestSpread(t *testing.T) {
	var items []note.Item
	for s, size := range []int{2, 9, 30, 30} {
		for i := range size {
			stratum := "refused"
			if i%3 > 0 {
				stratum = "accepted"
			}
			items = append(items, note.Item{Subject: note.Subject{Sample: strconv.Itoa(s), Request: strconv.Itoa(i)}, Stratum: stratum})
		}
	}
	const draws = 500
	sums, taken := make(map[string]float64), make(map[string]int)
	for seed := range uint64(draws) {
		q := try.Get(note.NewQueue("q", items, note.Stratified, 21, seed))(t)
		of := make(map[string]int)
		for _, it := range q.Items {
			sums[it.Stratum+it.Sample] += it.Weight / draws
			of[it.Stratum+it.Sample]++
			taken[it.Stratum]++
		}
		if d := of["accepted2"] - of["accepted3"]; d < -1 || d > 1 || of["accepted0"] != 1 || of["refused0"] != 1 {
			t.Fatalf("answers by stratum and sample: %v", of)
		}
	}
	if taken["refused"] != 10*draws || taken["accepted"] != 11*draws {
		t.Errorf("drawn %v, want 10 and 11 each time", taken)
	}
	for name, want := range map[string]float64{"accepted0": 1, "accepted1": 6, "accepted2": 20, "accepted3": 20, "refused0": 1, "refused1": 3, "refused2": 10, "refused3": 10} {
		if math.Abs(sums[name]-want) > 0.1*want {
			t.Errorf("the weights of %s sum to %.2f in the mean, want %g", name, sums[name], want)
		}
	}
}

// send sends a request about a run to a handler.
func send(t *testing.T, serve func(http.ResponseWriter, *http.Request, record.Folder), run record.Folder, method, body string) (status int, text string) {
	t.Helper()
	w := httptest.NewRecorder()
	serve(w, httptest.NewRequestWithContext(t.Context(), method, "/", strings.NewReader(body)), run)
	return w.Code, w.Body.String()
}

func second[T any](_ T, err error) error { return err }

func TestServe(t *testing.T) {
	run := folder(t, "yes")
	b := &note.Book{Reviewer: "ann", Now: time.Now}
	with := func(field, value string) string {
		n := map[string]json.RawMessage{
			"cell": []byte(`"` + cell + `"`), "sample": []byte(`"s1"`), "request": []byte(`"r1"`),
			"answer_sha256": []byte(`"` + note.Sum("yes") + `"`), "kind": []byte(`"correct"`), "value": []byte("true"),
		}
		n[field] = []byte(value)
		data := try.Get(json.Marshal(n))(t)
		return string(data)
	}
	for _, tt := range []struct {
		body   string
		status int
		want   string
	}{
		{with("value", "true"), 201, `"id":"1"`},
		{with("value", `"unsure"`), 201, `"id":"2"`},
		{with("value", `"maybe"`), 422, "value of"},
		{with("value", "null"), 422, "which withdraws"},
		{with("kind", `"tag"`), 422, "value of"},
		{with("kind", `"smile"`), 422, "want kind to be"},
		{with("replaces", `"9"`), 422, "replaces is"},
		{with("request", `"r9"`), 422, "question"},
		{with("cell", `"../.."`), 422, "has no record"},
		{with("answer_sha256", `"`+note.Sum("no")+`"`), 409, "asked again"},
		{with("answer_sha256", `"x"`), 422, "answer_sha256 is"},
		{with("text", `"`+strings.Repeat("a", note.MaxText+1)+`"`), 422, "text has"},
		{strings.Repeat(" ", 1<<20+1), 413, "want"},
		{"{", 400, "the body"},
	} {
		status, text := send(t, b.Serve, run, http.MethodPost, tt.body)
		if status != tt.status || !strings.Contains(text, tt.want) && tt.status != 413 {
			t.Errorf("%.120s: %d %s, want %d and %q", tt.body, status, text, tt.status, tt.want)
		}
	}
	replace := strings.Replace(with("value", "false"), "{", `{"replaces":"1",`, 1)
	if status, text := send(t, b.Serve, run, http.MethodPost, replace); status != 201 {
		t.Errorf("%d %s", status, text)
	}
	if status, text := send(t, b.Serve, run, http.MethodGet, ""); status != 200 || strings.Count(text, `"reviewer":"ann"`) != 1 || !strings.Contains(text, `"value":false`) {
		t.Errorf("%d %s", status, text)
	}
	if status, _ := send(t, (&note.Book{ReadOnly: true}).Serve, run, http.MethodPost, replace); status != 405 {
		t.Errorf("read only: %d", status)
	}
	if status, _ := send(t, b.Serve, run, http.MethodDelete, ""); status != 405 {
		t.Errorf("DELETE: %d", status)
	}
}

// TestServeQueues draws a queue from the answers of a run, and hands it out in the order
// of the reviewer.
func TestServeQueues(t *testing.T) {
	run := folder(t, "one", "two", "three")
	try.Do(t, run.WriteHeader(record.Header{ID: "r", Cells: []record.Cell{{ID: cell}}}))
	b := &note.Book{Reviewer: "ann", Now: time.Now}
	for _, tt := range []struct {
		method, body string
		status       int
		want         string
	}{
		{"GET", "", 200, `"queues":[]`},
		{"POST", `{"name": "q", "draw": "random", "n": 2, "seed": 1, "blind": true}`, 201, `"blind":true`},
		{"POST", `{"name": "q", "draw": "random", "n": 2}`, 422, "give the queue another name"},
		{"POST", `{"name": "../q", "draw": "all"}`, 422, "the name of a queue"},
		{"POST", `{"name": "p", "draw": "some"}`, 422, "want all, random or stratified"},
		{"POST", "{", 400, "the body"},
		{"DELETE", "", 405, "want GET"},
		{"GET", "", 200, `"reviewer":"ann"`},
	} {
		if status, text := send(t, b.ServeQueues, run, tt.method, tt.body); status != tt.status || !strings.Contains(text, tt.want) {
			t.Errorf("%s %s: %d %s, want %d and %q", tt.method, tt.body, status, text, tt.status, tt.want)
		}
	}
	if q, err := note.ReadQueue(run, "q"); err != nil || len(q.Items) != 2 || q.Items[0].Weight != 1.5 {
		t.Errorf("%+v, %v", q, err)
	}
}

// TestAgree sums up what two people say of a blind queue. Of what others say, only those
// are told who have labelled all of it.
func TestAgree(t *testing.T) {
	run := folder(t, "one", "two", "three", "four")
	try.Do(t, run.WriteHeader(record.Header{ID: "r", Cells: []record.Cell{{ID: cell}}}))
	items := itemsOf("one", "two", "three", "four")
	q := try.Get(note.NewQueue("q", items, note.All, 0, 1))(t)
	q.Blind = true
	for i, it := range q.Items {
		if it.Request == "r4" {
			q.Items[i].Weight = 5
		}
	}
	try.Do(t, q.Write(run))
	say := func(reviewer string, values ...string) {
		t.Helper()
		b := &note.Book{Reviewer: reviewer, Now: time.Now}
		for i, v := range values {
			it := items[i]
			try.Get(b.Add(run, note.Note{Subject: it.Subject, Answer: it.Answer, Kind: note.Correct, Value: []byte(v), Blind: true, Queue: "q"}))(t)
		}
	}
	get := func(reviewer string) string {
		_, text := send(t, (&note.Book{Reviewer: reviewer, Now: time.Now}).ServeQueues, run, http.MethodGet, "")
		return text
	}
	say("ann", "true", "true", "false", `"unsure"`)
	say("bob", "true", "false", "false")
	if text := get("bob"); strings.Contains(text, "agreement") || strings.Contains(text, "ann") {
		t.Errorf("before the last label: %s", text)
	}
	var told struct {
		Queues []struct{ Agreement *note.Agreement }
	}
	if err := json.Unmarshal([]byte(get("ann")), &told); err != nil || len(told.Queues) != 1 {
		t.Fatal(told, err)
	}
	// Coincidences of three items: 2 of 0-0, 2 of 1-1, 2 of 0-1, so that observed are 2 of
	// 6 and expected 2·3·3 of 6·5.
	want := &note.Agreement{
		People: map[string]int{"ann": 3, "bob": 3}, Right: new(0.5), Shared: 3, Alpha: new(1 - (2.0/6)/(18.0/30)),
		Split: []note.Split{{Item: items[1], Labels: map[string]note.Value{"ann": note.Right, "bob": note.Wrong}}},
	}
	try.Equal(t, "agreement", want, told.Queues[0].Agreement, cmpopts.EquateApprox(0, 1e-12))
}
