package metrics_test

import (
	"testing"

	"recallbench/metrics"
)

func TestVerdict(t *testing.T) {
	none, part, all := new(0.0), new(0.5), new(1.0)
	for _, c := range []struct {
		grounds metrics.Grounds
		want    metrics.Verdict
	}{
		{metrics.Grounds{}, metrics.Unclear},
		{metrics.Grounds{Span: new(metrics.SpanRight)}, metrics.Right},
		{metrics.Grounds{Span: new(metrics.SpanRight - 0.01)}, metrics.Unclear},
		{metrics.Grounds{Span: new(metrics.SpanWrong + 0.01)}, metrics.Unclear},
		{metrics.Grounds{Span: new(metrics.SpanWrong)}, metrics.Wrong},
		{metrics.Grounds{Span: none, Declines: true}, metrics.Abstained},
		{metrics.Grounds{Declines: true, Abstain: true}, metrics.Right},
		{metrics.Grounds{Abstain: true}, metrics.Unclear},
		{metrics.Grounds{Judge: none, Span: all}, metrics.Wrong},
		{metrics.Grounds{Judge: part, Span: none}, metrics.Right},
		{metrics.Grounds{Judge: none, Declines: true}, metrics.Wrong},
		{metrics.Grounds{Label: all, Judge: none, Span: none}, metrics.Right},
		{metrics.Grounds{Label: none, Judge: all, Span: all}, metrics.Wrong},
		{metrics.Grounds{Label: part, Judge: all}, metrics.Unclear},
	} {
		if got := c.grounds.Verdict(); got != c.want {
			t.Errorf("%+v is %s, want %s", c.grounds, got, c.want)
		}
	}
}

func TestDeclines(t *testing.T) {
	for answer, want := range map[string]bool{
		" ": true, "I don’t know.": true, "There is no information about it. She may be in Rome.": true,
		"Rome. I do not know when.": false, "No.": false,
	} {
		if got := metrics.Declines(answer); got != want {
			t.Errorf("Declines(%q) = %t", answer, got)
		}
	}
}
