package runners_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"recallbench/datasets"
	"recallbench/internal/door/fault"
	"recallbench/internal/result/record"
	"recallbench/internal/testkit/try"
	"recallbench/methods"
	"recallbench/runners"
)

// A fault that every call would meet ends the run: nothing is recorded of the
// requests that met it, and the rest is asked when the run goes on.
func TestStops(t *testing.T) {
	for _, ingest := range []bool{false, true} {
		t.Run(fmt.Sprintf("ingest %v", ingest), func(t *testing.T) {
			spent := fmt.Errorf("reader: %w", fault.New(fault.Budget, "the budget of 9 tokens is spent"))
			var m toyMethod
			m.build = func(_ context.Context, sample string) error {
				if ingest && sample == "s2" {
					return spent
				}
				return nil
			}
			m.answer = func(_ context.Context, sample string, r datasets.Request) (methods.Response, error) {
				if !ingest && sample == "s1" && r.ID == "q2" {
					return methods.Response{}, spent
				}
				return methods.Response{Text: r.Text}, nil
			}
			r := start(t, newPlan(t, &m, toyConfig, "concurrency={samples: 1, requests: 1}"))
			result, err := r.Execute(t.Context(), runners.Options{})
			if fault.KindOf(err) != fault.Budget {
				t.Fatalf("error %v, want the budget's", err)
			}
			least, most := 6, 6 // those of s0 and the first two of s1
			if ingest {
				least, most = 7, 8 // the last of s1 may be asked while s2 is built
			}
			if result.Requests < least || result.Requests > most || result.Failed != 0 {
				t.Errorf("%d requests, %d failed; want %d to %d and 0", result.Requests, result.Failed, least, most)
			}
			done := result.Requests
			_, h, err := record.Open(string(r.Folder()))
			try.Do(t, err)
			if h.Status != record.Interrupted || h.Stopped != spent.Error() {
				t.Errorf("status %s, stopped %q", h.Status, h.Stopped)
			}
			r.Close()

			var mended toyMethod
			result = resume(t, &mended, r.Folder())
			if result.Requests != 12 || result.Failed != 0 || mended.asked.Load() != int64(12-done) || result.Header.Stopped != "" {
				t.Errorf("resumed: %d requests, %d failed, %d asked, stopped %q", result.Requests, result.Failed, mended.asked.Load(), result.Header.Stopped)
			}
		})
	}
}

// A record says what became of its request.
func TestStatuses(t *testing.T) {
	var m toyMethod
	m.answer = func(ctx context.Context, _ string, r datasets.Request) (methods.Response, error) {
		switch r.ID {
		case "q0":
			return methods.Response{}, fmt.Errorf("reader: %w", fault.New(fault.Refused, "a content filter stopped the reply"))
		case "q1":
			return methods.Response{}, &fault.Error{Kind: fault.Timeout, Message: "no reply in 2m", Attempts: 7}
		case "q2":
			<-ctx.Done()
			return methods.Response{}, ctx.Err()
		case "q3":
			return methods.Response{}, errors.New("no such theme")
		}
		return methods.Response{Text: r.Text}, nil
	}
	r := start(t, newPlan(t, &m, toyConfig, "datasets.toy.options={samples: 1, requests: 5}", "limits.request.time=20ms"))
	execute(t, r, runners.Options{})
	defer r.Close()
	var got []string
	for rec := range try.Each(t, record.Values[record.Record](r.Folder().Records(r.Header().Cells[0].ID))) {
		text := string(rec.Status)
		if f := rec.Error; f != nil {
			text += " " + f.Kind + " " + f.Message
		}
		got = append(got, text)
	}
	want := []string{
		"refused refused reader: refused: a content filter stopped the reply",
		"error timeout timeout: no reply in 2m; tried 7 times",
		"limit limit limit: not done within 20ms (limits.request.time)",
		"error answer no such theme",
		"ok",
	}
	try.Equal(t, "", want, got)
}
