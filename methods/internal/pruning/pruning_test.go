package pruning

import (
	"context"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"recallbench/internal/door/compress"
	"recallbench/internal/testkit/try"
)

// scripted classifies each text as it says.
type scripted map[string][]compress.Word

func (s scripted) Classify(_ context.Context, texts []string) ([][]compress.Word, error) {
	var all [][]compress.Word
	for _, t := range texts {
		all = append(all, s[t])
	}
	return all, nil
}

// one counts every word as a token.
func one(string) int { return 1 }

// scored makes tokens of the words of a text.
func scored(text string, keep ...float64) []compress.Word {
	var tokens []compress.Word
	for i, w := range compress.Words(text) {
		tokens = append(tokens, compress.Word{Start: w[0], End: w[1], Keep: keep[i]})
	}
	return tokens
}

// The thresholds are worked by hand from the definition of numpy's percentile:
// of n sorted numbers, what lies at (n-1)q/100 on the lines between them. The
// third row's are 0.1 three times, 0.3, 0.5 twice and 0.9; 41 percent of the way
// is place 2.46, and 0.1 + 0.46 (0.3 - 0.1) is there.
func TestThreshold(t *testing.T) {
	for _, tt := range []struct {
		rate   float64
		keep   []float64
		tokens []int
		want   float64
	}{
		{0.6, []float64{0.2, 0.9}, []int{1, 1}, 0.487},
		{0.6, []float64{0.9, 0.1, 0.5, 0.3}, []int{1, 1, 1, 1}, 0.346},
		{0.6, []float64{0.9, 0.1, 0.5, 0.3}, []int{1, 3, 2, 1}, 0.192},
		{0.5, []float64{0.4}, []int{5}, 0.4},
		{0.33, []float64{0.05, 0.99, 0.7, 0.6, 0.2}, []int{1, 1, 1, 2, 1}, 0.64},
		{0.01, []float64{0.1, 0.2, 0.3}, []int{1, 1, 1}, 0.3},
		{0.99, []float64{0.1, 0.2, 0.3}, []int{1, 1, 1}, 0.104},
	} {
		var words []word
		total := 0
		for i, k := range tt.keep {
			words = append(words, word{compress.Word{Keep: k}, tt.tokens[i]})
			total += tt.tokens[i]
		}
		if got := threshold(words, total, tt.rate); math.Abs(got-tt.want) > 1e-12 {
			t.Errorf("rate %v of %v times %v: %v, want %v", tt.rate, tt.keep, tt.tokens, got, tt.want)
		}
	}
}

func TestPrune(t *testing.T) {
	const mel = "Hey Mel! It's 3 km."
	keep := []float64{0.1, 0.9, 0.2, 0.3, 0.05, 0.05, 0.6, 0.8, 0.4} // Hey Mel ! It ' s 3 km .
	for _, tt := range []struct {
		name   string
		text   string
		tokens []compress.Word
		o      Options
		want   Compressed
	}{
		{"the likeliest stay in their order", mel, scored(mel, keep...), Options{Rate: 0.6}, Compressed{"Mel It 3 km.", 5, 9}},
		{"of words as likely the first stay", "a b c d e", scored("a b c d e", 0.5, 0.5, 0.5, 0.5, 0.5), Options{Rate: 0.6}, Compressed{"a b c", 3, 5}},
		{"all of it", mel, scored(mel, keep...), Options{Rate: 1}, Compressed{mel, 9, 9}},
		{"forced marks", mel, scored(mel, keep...), Options{Rate: 0.3, ForceTokens: []string{"!", "."}}, Compressed{"Mel! .", 3, 9}},
		{"what is forced stays though most goes", "1 2 3 a", scored("1 2 3 a", 0, 0, 0, 0.9), Options{Rate: 0.25, ForceTokens: []string{"1", "2", "3"}}, Compressed{"1 2 3", 3, 4}},
		{
			"forced marks one after the other", "no . yes . maybe", scored("no . yes . maybe", 0.1, 0, 0.1, 0, 0.9),
			Options{Rate: 0.6, ForceTokens: []string{"."}},
			Compressed{". . maybe", 3, 5},
		},
		{"nothing would be left", "Hey!", scored("Hey!", 0.5, 0.5), Options{Rate: 0.2}, Compressed{"Hey!", 2, 2}},
		{"no word", "   ", nil, Options{Rate: 0.2}, Compressed{"   ", 0, 0}},
		{
			"what touched and is left out between", "well-known", scored("well-known", 0.9, 0.1, 0.8),
			Options{Rate: 0.67},
			Compressed{"well known", 2, 3},
		},
	} {
		got, err := (&Compressor{tt.o, scripted{tt.text: tt.tokens}, one}).Compress(t.Context(), []string{tt.text})
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		try.Equal(t, tt.name, []Compressed{tt.want}, got)
	}
}

func TestPruneFaults(t *testing.T) {
	if _, err := (&Compressor{Options{Rate: 0.5}, wrongNumber{}, one}).Compress(t.Context(), []string{"a"}); err == nil || err.Error() != "words of 2 texts, want of 1" {
		t.Errorf("words of too many texts: %v", err)
	}
}

type wrongNumber struct{}

func (wrongNumber) Classify(context.Context, []string) ([][]compress.Word, error) {
	return make([][]compress.Word, 2), nil
}

// What is kept is words of the text in their order, within the rate but for what
// is sure, and the same again.
func TestProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.ToValidUTF8(rapid.StringN(0, 80, -1).Draw(t, "text"), "?")
		levels := rapid.SampledFrom([]int{1, 3, 1000}).Draw(t, "levels")
		var tokens []compress.Word
		for _, w := range compress.Words(text) {
			tokens = append(tokens, compress.Word{Start: w[0], End: w[1], Keep: float64(rapid.IntRange(0, levels).Draw(t, "keep")) / float64(levels+1)})
		}
		rate := rapid.Float64Range(0.01, 1).Draw(t, "rate")
		p := &Compressor{Options{Rate: rate}, scripted{text: tokens}, func(w string) int { return len(w) }}
		got := try.Get(p.Compress(context.Background(), []string{text}))(t)
		g := got[0]
		at := 0
		for _, w := range compress.Words(g.Text) {
			next := strings.Index(text[at:], g.Text[w[0]:w[1]])
			if next < 0 {
				t.Fatalf("%q is not in %q behind byte %d", g.Text[w[0]:w[1]], text, at)
			}
			at += next + w[1] - w[0]
		}
		// By the threshold alone at most the rate is kept, but for the part of a
		// word that the threshold cuts.
		longest := 0
		for _, w := range compress.Words(text) {
			longest = max(longest, w[1]-w[0])
		}
		if g.Text != text && float64(g.Kept) > rate*float64(g.Of)+float64(longest) {
			t.Fatalf("kept %d of %d at rate %v", g.Kept, g.Of, rate)
		}
		again, err := p.Compress(context.Background(), []string{text})
		if err != nil || again[0] != g {
			t.Fatalf("then %+v, first %+v", again[0], g)
		}
	})
}

// memoryTexts are texts in which names are rare and some words are in all.
var memoryTexts = []string{
	"Caroline: I went to the adoption agency on Friday, and it was great!",
	"Melanie: That is great. I painted a sunrise with the kids.",
	"Caroline: The kids are great. I did not know that you paint.",
	"Melanie: I signed up for a pottery class on the 3rd of July.",
}

func TestWhole(t *testing.T) {
	for text, want := range map[string]string{
		"It hasn't. Mel’s 3.5 km at 17:45":    "It|hasn't|.|Mel’s|3.5|km|at|17:45",
		"well-known, mother-in-law's 'quote'": "well-known|,|mother-in-law's|'|quote|'",
		"so...what a--b c- d .e 我-a":          "so|.|.|.|what|a|-|-|b|c|-|d|.|e|我|-|a",
		"$1,200.50 and/or":                    "$|1,200.50|and/or",
	} {
		var got []string
		for _, w := range whole(text) {
			got = append(got, text[w[0]:w[1]])
		}
		if joined := strings.Join(got, "|"); joined != want {
			t.Errorf("%q: %q, want %q", text, joined, want)
		}
	}
}

func TestIDF(t *testing.T) {
	x := NewFrequencies(memoryTexts)
	tokens := try.Get(x.Classify(t.Context(), memoryTexts))(t)
	keep := make(map[string]float64)
	for i, text := range memoryTexts {
		for _, token := range tokens[i] {
			keep[strings.ToLower(text[token.Start:token.End])] = token.Keep
		}
	}
	order := []string{"the", ".", "did", "great", "kids", "adoption"} // in 4, 3 and 1 texts, then words in 3, 2 and 1
	for i := range order[1:] {
		if keep[order[i]] >= keep[order[i+1]] {
			t.Errorf("%q has %v, %q has %v; want more", order[i], keep[order[i]], order[i+1], keep[order[i+1]])
		}
	}
	// By hand: "adoption" is in 1 of 4 texts.
	if want := (1 + math.Log(1+3.5/1.5)/math.Log(1+4.5/0.5)) / 2; math.Abs(keep["adoption"]-want) > 1e-12 {
		t.Errorf("adoption has %v, want %v", keep["adoption"], want)
	}
	got := try.Get((&Compressor{Options{Rate: 0.6}, x, one}).Compress(t.Context(), memoryTexts))(t)
	want := []Compressed{
		{"Caroline went to adoption agency Friday, and great", 9, 16},
		{"Melanie That is great painted sunrise with kids", 8, 14},
		{"Caroline kids are great did not know you paint", 9, 15},
		{"Melanie signed up for pottery class 3rd of July", 9, 15},
	}
	try.Equal(t, "", want, got)
	unknown, err := x.Classify(t.Context(), []string{"Zurich"})
	if err != nil || unknown[0][0].Keep != 1 {
		t.Errorf("a word of no text: %v, %v", unknown, err)
	}
}
