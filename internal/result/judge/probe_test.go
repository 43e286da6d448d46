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
		for _, a := range p.Answers(golds) {
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
