package metrics_test

import (
	"bufio"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"recallbench/internal/testkit/realdata"
	"recallbench/internal/testkit/try"
	"recallbench/metrics"
)

// near fails t unless a metric of a pair is what the reference gives, to 1e-9.
func near(t *testing.T, name, pred, gold string, want float64) {
	t.Helper()
	for _, m := range answers {
		if m.name == name {
			if got := m.score(pred, gold); !(math.Abs(got-want) <= 1e-9) {
				t.Errorf("%s(%q, %q) = %v, want %v", name, pred, gold, got, want)
			}
			return
		}
	}
	t.Errorf("there is no metric %s", name)
}

// lines decodes each line of a file.
func lines[T any](tb testing.TB, path string, each func(T)) {
	tb.Helper()
	file := try.Get(os.Open(path))(tb)
	defer file.Close()
	for decoder := json.NewDecoder(bufio.NewReader(file)); decoder.More(); {
		var line T
		try.Do(tb, decoder.Decode(&line))
		each(line)
	}
}

// TestReference compares with what the reference implementations printed;
// testdata/reference.py makes the file, and its first line names them.
func TestReference(t *testing.T) {
	n := 0
	lines(t, "testdata/reference.jsonl", func(c map[string]any) {
		p, paired := c["prediction"].(string)
		g, _ := c["gold"].(string)
		for name, want := range c {
			switch want := want.(type) {
			case float64:
				near(t, name, p, g, want)
			case map[string]any:
				for category, want := range want {
					near(t, name+" of category "+category, p, g, want.(float64))
				}
			}
		}
		if paired {
			n++
		}
	})
	if n < 60 {
		t.Errorf("compared %d pairs, want at least 60", n)
	}
}

// TestFixtures compares with recorded reference values.
func TestFixtures(t *testing.T) {
	n := 0
	lines(t, filepath.Join(realdata.Fixtures(t), "metrics", "pairs.jsonl"), func(f struct {
		Category         int
		Prediction, Gold string
		BLEU1            float64 `json:"bleu1_nltk"`
		Mem0             float64 `json:"f1_set"`
		LoCoMo           float64 `json:"f1_locomo"`
		RougeL           float64 `json:"rouge_l_stemmed"`
	},
	) {
		n++
		near(t, "f1@mem0", f.Prediction, f.Gold, f.Mem0)
		near(t, "f1@locomo of category "+strconv.Itoa(f.Category), f.Prediction, f.Gold, f.LoCoMo)
		near(t, "bleu1@nltk", f.Prediction, f.Gold, f.BLEU1)
		near(t, "rouge-l@rouge_score", f.Prediction, f.Gold, f.RougeL)
	})
	if n != 500 {
		t.Errorf("compared %d pairs, want 500", n)
	}
}

// TestF1LoCoMoByCategory has what the reference does not: an empty part, and categories
// without a rule of their own.
func TestF1LoCoMoByCategory(t *testing.T) {
	near(t, "f1@locomo of category 1", "swimming", "swimming,", 0.5)
	near(t, "f1@locomo of category 4", "Likely yes", "Likely yes; she has said so twice", 2*(2./7)/(1+2./7))
	for category, want := range map[string]float64{"": 2. / 3, "no such": 2. / 3} {
		if got := metrics.F1LoCoMo("Rome, Paris", "Paris", category); math.Abs(got-want) > 1e-9 {
			t.Errorf("category %q: %v, want %v", category, got, want)
		}
	}
}

// answers are the metrics of a prediction and a gold, and whether they stay the
// same when the two change places.
var answers = func() []answerMetric {
	all := []answerMetric{
		{"f1@mem0", metrics.F1Mem0, true},
		{"f1@memoryos", metrics.F1MemoryOS, true},
		{"bleu1@nltk", metrics.BLEU1, false},
		{"rouge-l@rouge_score", metrics.RougeL, true},
		{"exact-match", metrics.ExactMatch, true},
	}
	for _, category := range []string{"1", "2", "3", "4", "5"} {
		score := func(p, g string) float64 { return metrics.F1LoCoMo(p, g, category) }
		all = append(all, answerMetric{"f1@locomo of category " + category, score, category == "2" || category == "4"})
	}
	return all
}()

type answerMetric struct {
	name      string
	score     func(pred, gold string) float64
	symmetric bool
}

func FuzzAnswers(f *testing.F) {
	f.Add("", "")
	f.Add("May 7, 2023.", "7 May 2023")
	f.Add("\xff\x00a the", "“the” \u2028 a")
	f.Add(strings.Repeat("so it goes, ", 80), strings.Repeat("it goes so; ", 90))
	f.Add("...", ". . .")
	f.Fuzz(func(t *testing.T, a, b string) {
		for _, m := range answers {
			got := m.score(a, b)
			if !(0 <= got && got <= 1) {
				t.Errorf("%s(%q, %q) = %v, want it in [0, 1]", m.name, a, b, got)
			}
			if back := m.score(b, a); m.symmetric && back != got {
				t.Errorf("%s(%q, %q) = %v, but %v the other way round", m.name, a, b, got, back)
			}
			ruled := strings.Contains(m.name, "category") && !m.symmetric
			if self := m.score(a, a); self != 0 && math.Abs(self-1) > 1e-9 && !ruled {
				t.Errorf("%s(%q, %q) = %v, want 1, or 0 for no words", m.name, a, a, self)
			}
			if self := m.score("x "+a, "x "+a); self == 0 && !strings.HasSuffix(m.name, "5") {
				t.Errorf("%s of %q and itself is 0, although it has a word", m.name, "x "+a)
			}
		}
	})
}

// TestWithoutText tells what the metrics of answers say of a failed request
// and of one whose right answer is an abstention.
func TestWithoutText(t *testing.T) {
	failed := metrics.Item{Prediction: "Rome", Gold: "Rome", Failed: true}
	abstained := metrics.Item{Prediction: "It was not mentioned.", Abstain: true}
	for _, spec := range []*metrics.Spec{
		metrics.F1Mem0Spec, metrics.F1LoCoMoSpec, metrics.F1MemoryOSSpec,
		metrics.BLEU1Spec, metrics.RougeLSpec, metrics.ExactMatchSpec,
	} {
		if got := spec.Score(failed); !slices.Equal(got, []metrics.Value{metrics.Def(0)}) {
			t.Errorf("%s of a failed request = %v, want 0", spec.Name, got)
		}
		want := metrics.Value{}
		if spec == metrics.F1LoCoMoSpec {
			want = metrics.Def(1)
		}
		if got := spec.Score(abstained); !slices.Equal(got, []metrics.Value{want}) {
			t.Errorf("%s of an abstention = %v, want %v", spec.Name, got, want)
		}
	}
	abstained.Prediction = "Rome"
	if got := metrics.F1LoCoMoSpec.Score(abstained)[0]; got != metrics.Def(0) {
		t.Errorf("f1@locomo of an answer where none is known = %v, want 0", got)
	}
	abstained.Failed, abstained.Prediction = true, "not mentioned"
	if got := metrics.F1LoCoMoSpec.Score(abstained)[0]; got != metrics.Def(0) {
		t.Errorf("f1@locomo of a failed abstention = %v, want 0", got)
	}
}
