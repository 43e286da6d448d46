package suggest

import "testing"

func TestFind(t *testing.T) {
	metrics := []string{"f1@mem0", "f1@locomo", "bleu1@nltk", "evidence-recall", "tokens"}
	tests := []struct {
		got  string
		have []string
		want string
	}{
		{"tokns", metrics, "tokens"},
		{"Tokens", metrics, "tokens"},
		{"evidence_recall", metrics, "evidence-recall"},
		{"f1@mem", metrics, "f1@mem0"},
		{"f1", metrics, "f1@mem0"},
		{"f1", []string{"fr", "f1@mem0"}, "f1@mem0"},
		{"bleu", metrics, "bleu1@nltk"},
		{"ndcg", metrics, ""},
		{"", metrics, ""},
		{"K", []string{"k", "chunk"}, "k"},
		{"x", []string{"k", "chunk"}, ""},
		{"kk", []string{"chunk", "k"}, "k"},
		{"chnuk", []string{"k", "chunk"}, "chunk"},
		{"sotred", []string{"sorted", "stored"}, "sorted"},
		{"anything", nil, ""},
	}
	for _, test := range tests {
		if got, ok := Find(test.got, test.have); got != test.want || ok != (test.want != "") {
			t.Errorf("Find(%q) = %q, %v; want %q", test.got, got, ok, test.want)
		}
	}
}

func TestUnknown(t *testing.T) {
	tests := []struct {
		got  string
		have []string
		want string
	}{
		{"sed", []string{"name", "seed"}, `unknown key "sed"; did you mean "seed"? have name, seed`},
		{"colour", []string{"name", "seed"}, `unknown key "colour"; have name, seed`},
		{"colour", nil, `unknown key "colour"; have none`},
	}
	for _, test := range tests {
		if got := Unknown("key", test.got, test.have); got != test.want {
			t.Errorf("got  %s\nwant %s", got, test.want)
		}
	}
}
