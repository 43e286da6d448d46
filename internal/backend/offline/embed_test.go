package offline

import (
	"context"
	"math"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"recallbench/internal/door/embed"
)

func defaultFitter() fitter { return newFitter(Spec.Options.(Options).Embedder, 1) }

func fitTexts(tb testing.TB, f fitter, texts []string) embed.Embedder {
	tb.Helper()
	e, err := f.Fit(context.Background(), texts)
	if err != nil {
		tb.Fatal(err)
	}
	return e
}

func vectors(tb testing.TB, e embed.Embedder, texts ...string) [][]float32 {
	tb.Helper()
	r, err := e.Embed(context.Background(), embed.Request{Kind: embed.Query, Texts: texts})
	if err != nil {
		tb.Fatal(err)
	}
	return r.Vectors
}

// corpus makes texts of a few topics whose words do not repeat exactly.
func corpus(n int) []string {
	topics := []string{
		"sail boat harbour wind rope mast tide anchor", "bread oven flour yeast dough crust knead bake",
		"violin bow string concert sonata rehearse orchestra stage", "garden tomato seed soil compost prune bloom water",
	}
	texts := make([]string, n)
	for i := range texts {
		words := strings.Fields(topics[i%len(topics)])
		texts[i] = "I thought about the " + words[i%7] + " and a " + words[(i+3)%8] + " with " + words[(i*5+1)%8] + " on day" + strconv.Itoa(i/9)
	}
	return texts
}

func TestEmbedNearest(t *testing.T) {
	texts := []string{
		"Priya adopted a greyhound called Comet.", "Tomas started a beekeeping course.",
		"They went kayaking in Norway on holiday.", "The bank sent a letter about the loan.",
	}
	e := fitTexts(t, defaultFitter(), texts)
	docs := vectors(t, e, texts...)
	for query, want := range map[string]int{
		"What is the greyhound called?": 0, "courses about bees and beekeeping": 1, "Where did they kayak?": 2,
		"letters from banks": 3, "Who is Comet?": 0,
	} {
		v := vectors(t, e, query)[0]
		best := 0
		for i := range docs {
			if embed.Cosine(v, docs[i]) > embed.Cosine(v, docs[best]) {
				best = i
			}
		}
		if best != want {
			t.Errorf("%q is nearest to %q, want %q", query, texts[best], texts[want])
		}
	}
}

// Texts about one thing are near even where they share no word.
func TestEmbedLatent(t *testing.T) {
	e := fitTexts(t, newFitter(EmbedderOptions{Latent: 4, Seed: 1}, 0), corpus(80))
	v := vectors(t, e, "sail mast", "harbour tide", "flour oven")
	if near, far := embed.Cosine(v[0], v[1]), embed.Cosine(v[0], v[2]); near < 0.8 || far > 0.2 {
		t.Errorf("sail and harbour %.3f, sail and flour %.3f", near, far)
	}
}

func TestEmbedNormalised(t *testing.T) {
	texts := corpus(50)
	e := fitTexts(t, defaultFitter(), texts)
	if info := e.Info(); info.Dim != 64+1024 || !info.Normalised || info.Name != "lsa64+hash1024" {
		t.Errorf("info %+v", info)
	}
	for i, v := range vectors(t, e, append(texts, "", "   ", "zzzzz qqqqq", "...!?", "\xff\xfe", "the of and")...) {
		if len(v) != e.Info().Dim {
			t.Fatalf("text %d: %d numbers", i, len(v))
		}
		sum := 0.0
		for _, x := range v {
			if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
				t.Fatalf("text %d: %v", i, x)
			}
			sum += float64(x) * float64(x)
		}
		if length := math.Sqrt(sum); length != 0 && math.Abs(length-1) > 1e-5 {
			t.Errorf("text %d has length %v, want 1 or 0", i, length)
		}
	}
	for _, v := range vectors(t, e, "", "zzzzz qqqqq", "!") {
		if slices.ContainsFunc(v, func(x float32) bool { return x != 0 }) {
			t.Error("a text without known words has a vector")
		}
	}
}

func TestEmbedSmall(t *testing.T) {
	for name, texts := range map[string][]string{
		"none": nil, "one": {"a single greyhound"}, "two": {"a greyhound", "two parrots"},
		"empty": {"", "", ""}, "equal": {"same words", "same words", "same words"}, "some empty": {"", "a greyhound", " "},
		"marks": {"!!!", "???"}, "long": {strings.Repeat("word ", 200000)},
	} {
		e := fitTexts(t, defaultFitter(), texts)
		for _, v := range vectors(t, e, append(texts, "greyhound", "")...) {
			for _, x := range v {
				if math.IsNaN(float64(x)) {
					t.Fatalf("%s: not a number", name)
				}
			}
		}
	}
	// A memory of one text still finds it.
	e := fitTexts(t, defaultFitter(), []string{"a single greyhound"})
	v := vectors(t, e, "a single greyhound", "greyhound")
	if c := embed.Cosine(v[0], v[1]); c < 0.5 {
		t.Errorf("cosine %v", c)
	}
}

// The same texts and seed give the same bits, on any number of processors.
func TestEmbedDeterministic(t *testing.T) {
	texts := corpus(120)
	want := vectors(t, fitTexts(t, defaultFitter(), texts), texts...)
	before := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(before)
	for _, procs := range []int{1, 3, 8} {
		runtime.GOMAXPROCS(procs)
		if got := vectors(t, fitTexts(t, defaultFitter(), texts), texts...); !slices.EqualFunc(want, got, slices.Equal) {
			t.Fatalf("GOMAXPROCS %d changes the vectors", procs)
		}
	}
	other := defaultFitter()
	other.seed = 2
	if slices.EqualFunc(want, vectors(t, fitTexts(t, other, texts), texts...), slices.Equal) {
		t.Error("another seed gives the same vectors")
	}
}

func TestEmbedCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := defaultFitter().Fit(ctx, []string{"a"}); err == nil {
		t.Error("fitting went on")
	}
	e := fitTexts(t, defaultFitter(), []string{"a"})
	if _, err := e.Embed(ctx, embed.Request{Texts: []string{"a"}}); err == nil {
		t.Error("embedding went on")
	}
}

// The basis is orthonormal and spans the leading directions: with all of
// them kept, cosines are those of TF-IDF itself. Terms 7 and 8 are in one text each.
func TestFactor(t *testing.T) {
	rows := make([]vector, 12)
	for i := range rows {
		for j := range 9 {
			if j < 7 && (i*7+j*j)%4 != 0 || i == j {
				rows[i].ids = append(rows[i].ids, int32(j))
				rows[i].xs = append(rows[i].xs, float64((i*3+j*5)%7+1))
			}
		}
	}
	b := factor(rows, 9, 9, 1)
	if b.dim != 9 {
		t.Fatalf("dim %d, want 9", b.dim)
	}
	if len(b.lone) != 2 || len(b.shared) != 7*9 {
		t.Fatalf("%d lone terms and %d numbers of shared ones, want 2 and 63", len(b.lone), len(b.shared))
	}
	for i := range b.dim {
		for j := range b.dim {
			dot := 0.0
			for term := range int32(9) {
				row := b.row(term, make([]float64, b.dim))
				dot += row[i] * row[j]
			}
			want := 0.0
			if i == j {
				want = 1
			}
			if math.Abs(dot-want) > 1e-8 {
				t.Errorf("columns %d and %d have product %v, want %v", i, j, dot, want)
			}
		}
	}
	for _, row := range rows {
		out := make([]float64, b.dim)
		b.project(row, out)
		if got, want := norm(out), norm(row.xs); math.Abs(got-want) > 1e-8*want {
			t.Errorf("a full basis changes a length from %v to %v", want, got)
		}
	}
}

func BenchmarkFit(b *testing.B) {
	texts := make([]string, 700)
	for i, c := range corpus(700 * 6) {
		texts[i%700] += c + ". "
	}
	for b.Loop() {
		fitTexts(b, defaultFitter(), texts)
	}
}

func BenchmarkEmbedQuery(b *testing.B) {
	e := fitTexts(b, defaultFitter(), corpus(700))
	for b.Loop() {
		vectors(b, e, "When did the sonata begin in the harbour?")
	}
}
