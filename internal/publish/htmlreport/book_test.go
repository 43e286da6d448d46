package htmlreport_test

import (
	"encoding/json"
	"testing"

	"recallbench/internal/publish/htmlreport"
	"recallbench/internal/testkit/try"
)

// TestBook reads single requests of the index, as a server does.
func TestBook(t *testing.T) {
	b := try.Get(hostileRun().page(t).Open())(t)
	if b.Len() != 8 || len(b.Rev()) != 8 {
		t.Errorf("the book has %d requests and revision %q, want 8 and eight digits", b.Len(), b.Rev())
	}
	for _, name := range htmlreport.Parts() {
		if data, err := b.Part(name, ""); err != nil || !json.Valid(data) {
			t.Errorf("part %s: %v: %.80s", name, err, data)
		}
	}
	if _, err := b.Part("nothing", ""); err == nil {
		t.Error("there is a part nothing")
	}
	for n, want := range map[int]int{0: 2, 4: 3, 6: 0} { // blocks of evidence
		data := try.Get(b.Request(n))(t)
		var got struct {
			Gold     struct{ Question string }
			Evidence []struct{ Inline struct{ Name, Text string } }
		}
		try.Do(t, json.Unmarshal(data, &got))
		if len(got.Evidence) != want || got.Gold.Question == "" {
			t.Errorf("request %d has question %q and %d blocks, want %d", n, got.Gold.Question, len(got.Evidence), want)
		}
		if q, err := b.Scored(n); err != nil || len(q.Evidence) != want || b.Run(n).Header.ID == "" {
			t.Errorf("request %d is read as %d blocks (%v), want %d", n, len(q.Evidence), err, want)
		}
	}
	for _, n := range []int{-1, 8} {
		if _, err := b.Request(n); err == nil {
			t.Errorf("request %d is read, though there are 8", n)
		}
	}
}
