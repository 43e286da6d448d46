package metrics_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"recallbench/metrics"
)

func TestFactualRecall(t *testing.T) {
	for _, c := range []struct {
		pred, gold string
		want       bool
	}{
		// Words.
		{"They booked the Gandhi for you.", "gandhi", true},
		{"Gandhi", "the Gandhi", true},
		{"Café Jello Gallery", "cafe jello gallery", true},
		{"It was Rachel's idea", "Rachel", true},
		{"Rachels", "Rachel", false},
		{"gonville and caius college", "Gonville & Caius", true},
		{"the house of the guest", "guest house", false},
		{"guest the house", "guest house", true}, // articles are no terms
		{"", "guest house", false},
		{"guest", "guest house", false},
		{"B&B", "b & b", true},
		{"Zoë’s", "zoe's", true},
		// A span that is denied stays a hit.
		{"It was not the Gandhi", "gandhi", true},
		// Numbers.
		{"for two people", "2", true},
		{"for 2 people", "two people", true},
		{"2", "2 people", false},
		{"twenty-one nights", "21", true},
		{"twenty. One of them", "21", false},
		{"two hundred and five", "205", true},
		{"three thousand two", "3000", true},
		{"a hundred of them", "100", true},
		{"ONE night", "1", true},
		{"I took the other one", "1", false},
		{"the first of May", "1st", true},
		{"the twenty-third", "23rd", true},
		{"1,000 steps", "1000", true},
		{"1,2,3", "2", true},
		{"It costs 4.50", "4.5", true},
		{"£5", "5 pounds", true},
		{"five GBP", "£5.00", true},
		{"10%", "ten per cent", true},
		{"version 7.5", "7", false},
		{"A7", "7", false},
		{"7GAWK763", "7", false},
		{"Your reference is 7gawk763.", "7GAWK763", true},
		{"77", "7", false},
		{"room 07", "7", true},
		{"Call 01223 351-880 now", "01223351880", true},
		{"2 4", "24", false},
		// Times.
		{"at 17:00", "7", false},
		{"at 07:15", "7", false},
		{"at 07:15", "15", false},
		{"at 9 am", "09:00", true},
		{"at 9:00am", "9 am", true},
		{"9 a.m.", "9:00", true},
		{"9AM", "9:00 a.m.", true},
		{"9.30 pm", "21:30", true},
		{"nine thirty pm", "21:30", true},
		{"nine o'clock", "09:00", true},
		{"nine o’clock in the evening", "21:00", true},
		{"at nine in the morning", "9:00", true},
		{"nine in the. Morning", "9:00", false},
		{"half past nine", "09:30", true},
		{"quarter to ten in the evening", "21:45", true},
		{"a quarter to one", "00:45", true}, // the clock of 24 hours
		{"quarter past 12 pm", "12:15", true},
		{"12 noon", "12:00", true},
		{"12 am", "midnight", true},
		{"12:30 am", "00:30", true},
		{"24:06", "00:06", true},
		{"nine thirty in the evening", "21:30", true},
		{"at 11 at night", "11 at night", true},
		{"11 at night", "23:00", true},
		{"for £. 9 of them", "£9", false},
		{"5:15", "17:15", false},
		{"13 pm", "13:00", true},
		{"99:99", "99", false},
		{"7. Am I right?", "07:00", false},
		{"3:1", "3", false},
		// Yes and no.
		{"No, there is none.", "no", true},
		{"I have no idea", "no", false},
		{"Yes!", "yes", true},
		{"I said yes", "Yes", false},
		// Nothing to look for.
		{"anything", "", false},
		{"anything", "the ?", false},
		{"\x00\xff", "\xff", false},
	} {
		if got := metrics.FactualRecall(c.pred, c.gold); got != c.want {
			t.Errorf("FactualRecall(%q, %q) = %v, want %v", c.pred, c.gold, got, c.want)
		}
	}
	if !metrics.FactualRecall("in the centre", "center", "centre") {
		t.Error("the second of two golds is not found")
	}
}

func TestFactualRecallSpec(t *testing.T) {
	for _, c := range []struct {
		item metrics.Item
		want metrics.Value
	}{
		{metrics.Item{Prediction: "at nine pm", Gold: "20:00", Variants: []string{"9 pm"}}, metrics.Def(1)},
		{metrics.Item{Prediction: "at nine", Gold: "20:00", Variants: []string{"9 pm"}}, metrics.Def(0)},
		{metrics.Item{Prediction: "x", Gold: "?"}, metrics.Value{}},
		{metrics.Item{Prediction: "x", Gold: "?", Variants: []string{"x"}}, metrics.Def(1)},
		{metrics.Item{Prediction: "x", Gold: "x", Failed: true}, metrics.Def(0)},
		{metrics.Item{Prediction: "x", Gold: "x", Abstain: true}, metrics.Value{}},
	} {
		if got := metrics.FactualRecallSpec.Score(c.item); got[0] != c.want {
			t.Errorf("fr of %+v = %v, want %v", c.item, got[0], c.want)
		}
	}
}

// vocabulary are words whose normalisation looks at their neighbours.
var vocabulary = []string{
	"nine", "twenty", "one", "hundred", "and", "9", "09:00", "30", "am", "a", "p.m.", "o'clock", "half", "past",
	"quarter", "to", "in", "the", "evening", "at", "night", "£", "pounds", "12", "noon", "01223", "4.50", "Gandhi", "café", "no",
}

// TestFactualRecallProperties checks that a span is found in itself and in what
// has it between marks, whatever it is written in.
func TestFactualRecallProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		gold := strings.Join(rapid.SliceOfN(rapid.SampledFrom(vocabulary), 1, 6).Draw(t, "gold"), " ")
		before := strings.Join(rapid.SliceOfN(rapid.SampledFrom(vocabulary), 0, 3).Draw(t, "before"), " ")
		terms := slices.DeleteFunc(strings.Fields(gold), func(w string) bool { return w == "a" || w == "the" })
		if len(terms) == 0 {
			return // there is nothing to look for
		}
		if !metrics.FactualRecall(gold, gold+" gandhi", gold) {
			t.Fatalf("%q is not in itself", gold)
		}
		if strings.Join(terms, " ") != "no" && !metrics.FactualRecall("Well; "+before+". ; "+strings.ToUpper(gold)+" ; ok", gold) {
			t.Fatalf("%q is not behind %q", gold, before)
		}
	})
}

func FuzzFactualRecall(f *testing.F) {
	f.Add("at 9 am, £5", "09:00")
	f.Add("twenty-one o'clock\x00", "\xff 01223 1")
	f.Add("a half past 24:60 pm", "quarter to 0")
	f.Add(strings.Repeat("one hundred ", 50), "½ ﷺ ａ９")
	f.Fuzz(func(t *testing.T, pred, gold string) {
		metrics.FactualRecall(pred, gold)
		if metrics.FactualRecall("", gold) {
			t.Errorf("an empty answer has %q", gold)
		}
		undefined := !metrics.FactualRecallSpec.Score(metrics.Item{Prediction: pred, Gold: gold})[0].Defined
		if !undefined && !metrics.FactualRecall(gold, gold) {
			t.Errorf("%q is not in itself", gold)
		}
	})
}
