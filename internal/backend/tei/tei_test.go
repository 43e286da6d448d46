package tei

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"recallbench/internal/door/fault"
	"recallbench/internal/door/nli"
	"recallbench/internal/testkit/try"
)

const key = "sk-not/a+real.key"

// serve starts a server and returns a scorer of it.
func serve(t *testing.T, handler http.HandlerFunc, over nli.Over) *Scorer {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return try.Get(New(server.URL, key, over))(t)
}

// logits are what the fake server finds: the lengths of premise, hypothesis
// and both.
func logits(p nli.Pair) (contradict, neutral, entail float64) {
	return float64(len(p.Premise)), float64(len(p.Premise) + len(p.Hypothesis)), float64(len(p.Hypothesis))
}

func predict(t *testing.T, calls *atomic.Int64) http.HandlerFunc {
	t.Helper()
	return func(w http.ResponseWriter, r *http.Request) {
		calls.Add(1)
		var request struct {
			Inputs    [][]string `json:"inputs"`
			RawScores bool       `json:"raw_scores"`
			Truncate  bool       `json:"truncate"`
		}
		err := json.NewDecoder(r.Body).Decode(&request)
		if err != nil || r.Method != http.MethodPost || r.URL.Path != "/predict" || !request.RawScores || !request.Truncate || len(request.Inputs) > 5 {
			t.Errorf("%s %s asks for %+v, %v", r.Method, r.URL.Path, request, err)
		}
		if got := r.Header.Get("Authorization"); got != "Bearer "+key {
			t.Errorf("authorization is %q", got)
		}
		var reply [][]map[string]any
		for i, input := range request.Inputs {
			c, n, e := logits(nli.Pair{Premise: input[0], Hypothesis: input[1]})
			predictions := []map[string]any{{"label": "entailment", "score": e}, {"label": "neutral", "score": n}, {"label": "contradiction", "score": c}}
			if i%2 == 1 { // the order is the server's own
				predictions[0], predictions[2] = predictions[2], predictions[0]
			}
			reply = append(reply, predictions)
		}
		if err := json.NewEncoder(w).Encode(reply); err != nil {
			t.Error(err)
		}
	}
}

func TestEntail(t *testing.T) {
	pairs := []nli.Pair{{Premise: "abc", Hypothesis: "d"}, {Premise: "", Hypothesis: ""}, {Premise: "a", Hypothesis: "bc"}, {Premise: "x\"\n\x00", Hypothesis: "é"}, {Premise: "p", Hypothesis: "h"}}
	var calls atomic.Int64
	s := serve(t, predict(t, &calls), nli.All)
	if got, err := s.Entail(t.Context(), nil); err != nil || len(got) != 0 || calls.Load() != 0 {
		t.Errorf("no pairs: %v, %v, %d calls", got, err, calls.Load())
	}
	got := try.Get(s.Entail(t.Context(), pairs))(t)
	if len(got) != len(pairs) || calls.Load() != 1 {
		t.Fatalf("%d scores in %d calls", len(got), calls.Load())
	}
	for i, p := range pairs {
		c, n, e := logits(p)
		if want := math.Exp(e) / (math.Exp(c) + math.Exp(n) + math.Exp(e)); math.Abs(got[i]-want) > 1e-12 {
			t.Errorf("pair %d is %v, want %v", i, got[i], want)
		}
	}
}

func TestFaults(t *testing.T) {
	const escaped = `sk-not\/a+real.key`
	for _, tt := range []struct {
		status int
		body   string
		want   string
	}{
		{401, `{"error": "no key like ` + key + `"}`, "auth (HTTP 401): no key like [key]"},
		{403, "key=" + escaped, "auth (HTTP 403): key=[key]"},
		{424, `{"error": "model is not a classifier model", "error_type": "Backend"}`, "rejected (HTTP 424): model is not a classifier model"},
		{200, "<html>" + key, "bad-reply: the reply is not JSON (invalid character '<' looking for beginning of value); it is: <html>[key]"},
		{200, `[{"label": "entailment", "score": 1}]`, "bad-reply: the reply is not the JSON of a reply to predict: a value is of the type object; it is: "},
		{200, `[[{"label": "` + key + `", "score": "` + key + `"}]]`, `bad-reply: the reply is not the JSON of a reply to predict: score is of the type string; it is: [[{"label": "[key]", "score": "[key]"}]]`},
		{200, `[]`, "bad-reply: predictions of 0 pairs, want 1"},
		{200, `[[]]`, "no-model: 0 labels begin with"},
		{200, `[[{"label": "` + key + `", "score": 1}]]`, `no-model: 0 labels begin with "entail", want one; the model has ["[key]"]`},
		{200, `[[{"label": "entailment", "score": null}, {"label": "contradiction", "score": 1}]]`, "bad-reply: a prediction has no label or no score"},
		{200, `[[{"label": "entailment", "score": 1e999}, {"label": "contradiction", "score": 1}]]`, "bad-reply: "},
	} {
		s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(tt.status)
			_, _ = io.WriteString(w, tt.body)
		}, "")
		_, err := s.Entail(t.Context(), make([]nli.Pair, 1))
		if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%d %s: %v, want %q", tt.status, tt.body, err, tt.want)
		}
		if fault.KindOf(err) == "" || strings.Contains(fmt.Sprintf("%+v %#v", err, err), key) {
			t.Errorf("%d %s: no fault, or the key is in it: %v", tt.status, tt.body, err)
		}
	}
}
