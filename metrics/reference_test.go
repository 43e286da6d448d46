package metrics_test

import (
	"bufio"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"recallbench/internal/testkit/realdata"
	"recallbench/internal/testkit/try"
	"recallbench/metrics"
)

// near fails t unless got is the reference's value, to 1e-9.
func near(t *testing.T, what, pred, gold string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-9) {
		t.Errorf("%s(%q, %q) = %v, want %v", what, pred, gold, got, want)
	}
}

// lines calls f with each line of a file.
func lines(tb testing.TB, path string, f func([]byte)) {
	tb.Helper()
	file := try.Get(os.Open(path))(tb)
	defer file.Close()
	sc := bufio.NewScanner(file)
	for sc.Scan() {
		f(sc.Bytes())
	}
	try.Do(tb, sc.Err())
}

// TestReference compares with what the reference implementations printed;
// testdata/reference.py makes the file, and its first line names them.
func TestReference(t *testing.T) {
	n := 0
	lines(t, "testdata/reference.jsonl", func(line []byte) {
		var c struct {
			Reference        string
			Prediction, Gold string
			Mem0             float64            `json:"f1@mem0"`
			MemoryOS         float64            `json:"f1@memoryos"`
			LoCoMo           map[string]float64 `json:"f1@locomo"`
			BLEU1            float64            `json:"bleu1@nltk"`
			RougeL           float64            `json:"rouge-l@rouge_score"`
			Exact            float64            `json:"exact-match"`
		}
		try.Do(t, json.Unmarshal(line, &c))
		if c.Reference != "" {
			return
		}
		n++
		p, g := c.Prediction, c.Gold
		near(t, "F1Mem0", p, g, metrics.F1Mem0(p, g), c.Mem0)
		near(t, "F1MemoryOS", p, g, metrics.F1MemoryOS(p, g), c.MemoryOS)
		near(t, "BLEU1", p, g, metrics.BLEU1(p, g), c.BLEU1)
		near(t, "RougeL", p, g, metrics.RougeL(p, g), c.RougeL)
		near(t, "ExactMatch", p, g, metrics.ExactMatch(p, g), c.Exact)
		for category, want := range c.LoCoMo {
			near(t, "F1LoCoMo of category "+category, p, g, metrics.F1LoCoMo(p, g, category), want)
		}
	})
	if n < 60 {
		t.Errorf("compared %d pairs, want at least 60", n)
	}
}

// A fixture is a pair of the recorded reference values.
type fixture struct {
	Category         int
	Prediction, Gold string
	BLEU1            float64 `json:"bleu1_nltk"`
	Mem0             float64 `json:"f1_set"`
	LoCoMo           float64 `json:"f1_locomo"`
	RougeL           float64 `json:"rouge_l_stemmed"`
}

func fixtures(tb testing.TB) []fixture {
	tb.Helper()
	var list []fixture
	lines(tb, filepath.Join(realdata.Fixtures(tb), "metrics", "pairs.jsonl"), func(line []byte) {
		var f fixture
		try.Do(tb, json.Unmarshal(line, &f))
		list = append(list, f)
	})
	return list
}

func TestFixtures(t *testing.T) {
	list := fixtures(t)
	for _, f := range list {
		p, g := f.Prediction, f.Gold
		near(t, "F1Mem0", p, g, metrics.F1Mem0(p, g), f.Mem0)
		near(t, "F1LoCoMo", p, g, metrics.F1LoCoMo(p, g, strconv.Itoa(f.Category)), f.LoCoMo)
		near(t, "BLEU1", p, g, metrics.BLEU1(p, g), f.BLEU1)
		near(t, "RougeL", p, g, metrics.RougeL(p, g), f.RougeL)
	}
	if len(list) != 500 {
		t.Errorf("compared %d pairs, want 500", len(list))
	}
}
