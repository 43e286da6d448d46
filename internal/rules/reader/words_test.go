package reader

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSplit(t *testing.T) {
	for text, want := range map[string]string{
		"I didn't go.":               "i did n't go .",
		"Ana's dog, Rex":             "ana 's dog , rex",
		"Ana’s here":                 "ana 's here",
		"self-care & me-time":        "self-care & me-time",
		"3.5 km at 10:30":            "3.5 km at 10:30",
		"LGBTQ+ folks":               "lgbtq+ folks",
		"wow!!! ok":                  "wow ! ! ! ok",
		"a\x00b\tc":                  "a b c",
		"":                           "",
		"’s 's":                      "’ s ' s",
		"R&B":                        "r&b",
		"über-Öl":                    "über-öl",
		strings.Repeat("x", 60) + "": strings.Repeat("x", 48) + " " + strings.Repeat("x", 12),
	} {
		var got []string
		for _, w := range split(text) {
			got = append(got, w.low)
			if w.text != text[w.start:w.end] {
				t.Errorf("%q: word %q stands at %q", text, w.text, text[w.start:w.end])
			}
		}
		if diff := cmp.Diff(want, strings.Join(got, " ")); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}

func TestSentences(t *testing.T) {
	for text, want := range map[string][]string{
		"Hi! How are you? Fine.":                     {"Hi", "?How are you", "Fine"},
		"I met Dr. Wu. She works at example.org now": {"I met Dr. Wu", "She works at example.org now"},
		"Look! [image: a photo of a dog] Cute?":      {"Look", "[a dog", "?Cute"},
		"[image: cat] [image search: cat on a mat]":  {"[cat", "[cat on a mat"},
		"... !!! ":                  nil,
		"no mark at all":            {"no mark at all"},
		`She said "yes." Then left`: {`She said "yes`, "Then left"},
	} {
		var got []string
		for _, s := range sentences(split(text)) {
			x := text[s.words[0].start:s.words[len(s.words)-1].end]
			if s.question {
				x = "?" + x
			}
			if s.image {
				x = "[" + x
			}
			got = append(got, x)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}

func TestClassify(t *testing.T) {
	for question, want := range map[string]struct {
		kind         kind
		focus, verb  string
		plural, plan bool
	}{
		"When did Ana move to Rome?":           {kind: askWhen},
		"When is Ana planning to move?":        {kind: askWhen, verb: "planning", plan: true},
		"What year did Ana move?":              {kind: askWhen, focus: "year"},
		"How long has Ana lived there?":        {kind: askHowLong, verb: "lived"},
		"How often does Ana swim?":             {kind: askHowOften, verb: "swim"},
		"How many cats does Ana have?":         {kind: askHowMany, focus: "cats", plural: true, verb: "have"},
		"How did Ana feel?":                    {kind: askHow, verb: "feel"},
		"Who visited Ana?":                     {kind: askWho},
		"Where does Ana work?":                 {kind: askWhere, verb: "work"},
		"Which city did Ana visit?":            {kind: askWhere, focus: "city"},
		"Why did Ana leave?":                   {kind: askWhy, verb: "leave"},
		"What was the reason for the move?":    {kind: askWhy, focus: "reason"},
		"What did Ana do in May?":              {kind: askDo, verb: "do"},
		"What kind of books does Ana read?":    {kind: askThing, focus: "books", plural: true, verb: "read"},
		"What is the name of Ana's dog?":       {kind: askThing, focus: "name"},
		"What is Ana's favorite movie?":        {kind: askThing, focus: "movie"},
		"Did Ana swim?":                        {kind: askYesNo},
		"Is Ana a nurse or a teacher?":         {kind: askChoice},
		"Would Ana enjoy a concert?":           {kind: askLikely, verb: "enjoy"},
		"Is it likely that Ana swims?":         {kind: askLikely},
		"Tell me about Ana.":                   {kind: askStatement},
		"In which month did Ana start school?": {kind: askWhen, focus: "month", verb: "start"},
	} {
		q := parse(question, []string{"ana", "ben"}, conversation()[0].Lines[0].Time)
		if q.kind != want.kind || q.focusLow != want.focus || q.plural != want.plural || q.planned != want.plan || (want.verb != "" && q.verbLow != want.verb) {
			t.Errorf("%s: kind %q focus %q plural %v planned %v verb %q, want %+v", question, q.kind, q.focusLow, q.plural, q.planned, q.verbLow, want)
		}
		if strings.Contains(question, "Ana") && !cmp.Equal(q.persons, []string{"ana"}) {
			t.Errorf("%s: persons %v", question, q.persons)
		}
	}
}
