package metrics_test

import (
	"math"
	"strings"
	"testing"

	"recallbench/metrics"
)

func TestSpanF1(t *testing.T) {
	const when, how = "When did Ann visit Rome?", "How many kites has Bo?"
	for _, c := range []struct {
		question, pred, gold string
		least, most          float64
	}{
		{when, "7 May 2023", "7 May 2023", 1, 1},
		{when, "Ann visited Rome on May 7th, 2023, after a long winter at home.", "7 May 2023", 1, 1},
		{when, "On 2023-05-07.", "7 May, 2023", 1, 1},
		{when, "8 May 2023", "7 May 2023", 0, 0.2},
		{when, "7 May 2022", "7 May 2023", 0, 0.2},
		{when, "May 2023", "7 May 2023", 0.3, 0.7}, // nothing is wrong, and the day is missing
		{when, "It was not on 7 May 2023.", "7 May 2023", 0, 0.1},
		{when, "Ann was not in Rome, as far as anybody of her friends knows, on 7 May 2023.", "7 May 2023", 1, 1}, // another clause
		{when, "Ann did not go to Rome by train on 7 May 2023.", "7 May 2023", 0, 0.1},
		{when, "Not on 8 May but on 7 May 2023.", "7 May 2023", 1, 1},
		{when, "It was not the week before 9 June 2023.", "The week before 9 June 2023", 0, 0.1},
		{"What does Bo do?", "He does not paint pictures, swim in the lake, collect kites.", "paints pictures, swims in the lake, collects kites", 0, 0.1},
		{"What does Bo do?", "He does not swim in the cold lake.", "does not swim in the lake", 0.8, 1},
		{when, "Ann was in Bern on 3 May. She was in Pisa on 4 May, in Nice on 5 May, in Lyon on 6 May. So Ann visited Rome on 7 May 2023.", "7 May 2023", 1, 1}, // which the last sentence concludes
		{when, "", "7 May 2023", 0, 0},
		{when, "I don't know, perhaps 7 May 2023.", "7 May 2023", 0, 0},
		{when, "No information available.", "No", 0, 0},
		{when, "4 June 2023", "The week before 9 June 2023", 1, 1},
		{when, "The week before 9 June 2023.", "The week before 9 June 2023", 1, 1},
		{when, "9 June 2023", "The week before 9 June 2023", 0, 0.3},
		{when, "20 August 2023", "The week before 9 June 2023", 0, 0},
		{when, "21 May 2023", "The Sunday before 25 May 2023", 1, 1},
		{how, "three", "3", 1, 1},
		{how, "She has 3 kites, two red ones and one that is blue.", "three kites", 1, 1},
		{how, "twenty-one", "21", 1, 1},
		{how, "1,500", "1500", 1, 1},
		{how, "4", "3", 0, 0},
		{"Is Bo tall?", "Yes, he is.", "Yes", 1, 1},
		{"Is Bo tall?", "No, he is short.", "Yes, he is", 0, 0},
		{"Is Bo tall?", "Not really tall.", "Likely no", 0.5, 0.5},
		{"What does Bo like?", "He likes swimming and kites.", "kites, swimming", 1, 1},
		{"What does Bo like?", "He likes kites.", "kites, swimming", 0.4, 0.7},
		{"What does Bo like?", "boats or planes or trains or kites or dolls or maps or cats or cups or hats or pens or dogs or tea or cars or figs or nuts or eggs or rice or peas or beans or corn", "kites", 0, 0.1},
		{"When does the shop open?", "at 7:30 pm", "19:30", 1, 1},
	} {
		f1, recall := metrics.SpanF1(c.question, c.pred, c.gold)
		if f1 < c.least-1e-9 || f1 > c.most+1e-9 {
			t.Errorf("%q for %q has %.3f, want %g to %g", c.pred, c.gold, f1, c.least, c.most)
		}
		if recall < f1-1e-9 && f1 < 1 && recall == 0 {
			t.Errorf("%q for %q has F1 %.3f and recall %.3f", c.pred, c.gold, f1, recall)
		}
	}
}

func TestSpanItem(t *testing.T) {
	for _, c := range []struct {
		item metrics.Item
		want metrics.Value
	}{
		{metrics.Item{Gold: "kite", Variants: []string{"dragon"}, Prediction: "a dragon"}, metrics.Def(1)},
		{metrics.Item{Gold: "kite", Prediction: "kite", Failed: true}, metrics.Def(0)},
		{metrics.Item{Abstain: true, Prediction: "kite"}, metrics.Value{}},
		{metrics.Item{Prediction: "kite"}, metrics.Value{}},
		{metrics.Item{Gold: "kite", Prediction: "a", Options: []metrics.Option{{Key: "a", Text: "kite"}}}, metrics.Value{}},
	} {
		if got := metrics.SpanSpec.Score(c.item)[0]; got != c.want {
			t.Errorf("%+v has %+v, want %+v", c.item, got, c.want)
		}
	}
	if got := metrics.WordsSpec.Score(metrics.Item{Prediction: " two  words\n"})[0]; got != metrics.Def(2) {
		t.Errorf("the length is %+v", got)
	}
}

func FuzzSpanF1(f *testing.F) {
	f.Add("When?", "on May 7th, 2023 or not", "the week before 9 June 2023")
	f.Add("", "2023-02-30 $1.5m 99999999999999999999th 25:99pm", "31 February 2023")
	f.Add("é", strings.Repeat("no ", 50), "yes, no & 1:2:3, ’s")
	f.Fuzz(func(t *testing.T, question, pred, gold string) {
		f1, recall := metrics.SpanF1(question, pred, gold)
		for _, x := range []float64{f1, recall} {
			if math.IsNaN(x) || x < 0 || x > 1 {
				t.Errorf("%q, %q, %q: F1 %v, recall %v", question, pred, gold, f1, recall)
			}
		}
	})
}
