package judge

import (
	"strings"
	"testing"

	"recallbench/internal/result/record"
)

func TestProbes(t *testing.T) {
	golds := []record.Gold{
		{Sample: "s", Request: "a", Category: "1", Question: "Where?", Answer: "in Rome"},
		{Sample: "s", Request: "b", Category: "1", Question: "Who?", Answer: "Ann's brother and his wife"},
		{Sample: "s", Request: "c", Category: "1", Question: "Which city?", Answer: "In Rome"},
		{Sample: "s", Request: "d", Category: "1", Question: "When?", Answer: "in May"},
		{Sample: "s", Request: "e", Category: "2", Question: "How?", Answer: "by bus"},
		{Sample: "s", Request: "f", Category: "2", Question: "Whose dog?", Abstain: true},
	}
	got := make(map[string][]string)
	for _, p := range Probes() {
		for _, a := range p.Answers(Questions{Golds: golds}) {
			if a == nil {
				got[p.Name] = append(got[p.Name], "none")
			} else {
				got[p.Name] = append(got[p.Name], *a)
			}
		}
	}
	for name, want := range map[string]string{
		"right-gold":     "in Rome|Ann's brother and his wife|In Rome|in May|by bus|none",
		"right-declines": "none|none|none|none|none|I don't know.",
		"wrong-declines": "I don't know.|I don't know.|I don't know.|I don't know.|I don't know.|none",
		"wrong-other":    "in May|in Rome|in May|in Rome|none|none",
	} {
		if all := strings.Join(got[name], "|"); all != want {
			t.Errorf("%s: %s, want %s", name, all, want)
		}
	}
	for i, text := range got["wrong-injected"] {
		if plain := got["wrong-other"][i]; plain == "none" && text != "none" || !strings.Contains(text, plain) || plain != "none" && text == plain {
			t.Errorf("an order with %q: %q", plain, text)
		}
	}
}

// TestChangedGolds changes what gold answers say, and nothing where they do not say it.
func TestChangedGolds(t *testing.T) {
	const none = "none"
	for _, tt := range []struct {
		gold string
		want map[string]string
	}{
		{"The sunday before 25 May 2023", map[string]string{
			"wrong-date-1": "22 May 2023", "wrong-date-8": "29 May 2023", "wrong-date-40": "30 June 2023",
			"wrong-number": none, "half-list": none, "wrong-speaker": none,
		}},
		{"May 25, 2023, after 3 weeks", map[string]string{"wrong-date-1": "26 May 2023, after 3 weeks", "wrong-number": "May 25, 2023, after 4 weeks", "half-list": "May 25, 2023"}},
		{"7 dogs, 2 cats, 0 birds", map[string]string{"wrong-number": "8 dogs, 3 cats, 1 birds", "wrong-double": "14 dogs, 4 cats, 0 birds", "half-list": "7 dogs", "wrong-date-1": none}},
		{"1.5 litres of Ann's soup; not Annie's, as Bo said", map[string]string{
			"wrong-speaker": "1.5 litres of Bo's soup; not Annie's, as Ann said", "half-list": "1.5 litres of Ann's soup; not Annie's",
		}},
		{"in Rome", map[string]string{"wrong-date-1": none, "wrong-number": none, "wrong-double": none, "wrong-speaker": none, "half-list": none}},
	} {
		q := Questions{Golds: []record.Gold{{Sample: "s", Answer: tt.gold}}, Speakers: map[string][]string{"s": {"Ann", "Bo"}}}
		for _, p := range Probes() {
			want, checked := tt.want[p.Name]
			got := none
			if a := p.Answers(q)[0]; a != nil {
				got = *a
			}
			if checked && got != want {
				t.Errorf("%s of %q: %q, want %q", p.Name, tt.gold, got, want)
			}
		}
	}
}
