package metrics_test

import (
	"bufio"
	"cmp"
	"encoding/json"
	"maps"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"recallbench/internal/calc/infer"
	"recallbench/internal/calc/stats"
	"recallbench/internal/door/token"
	"recallbench/internal/testkit/try"
	"recallbench/internal/text/pytext"
	"recallbench/metrics"
)

// A peerCase is what a library computed of one input.
type peerCase struct {
	Function string // as in peers, and what else tells its library apart
	Text     []string
	Numbers  [][]float64
	Weights  [][]float64
	Want     []float64 // empty where it is not defined
	Words    []string
	Slack    float64 // how far apart two random results may lie
	Meant    string  // why ours is meant to differ
}

func (c peerCase) clusters() []stats.Cluster {
	all := make([]stats.Cluster, len(c.Numbers))
	for i, values := range c.Numbers {
		for k, x := range values {
			if c.Weights == nil {
				all[i].Add(x)
			} else {
				all[i].AddWeighted(x, c.Weights[i][k])
			}
		}
	}
	return all
}

func (c peerCase) row() infer.Row {
	r := infer.Row{}
	for i, of := range c.clusters() {
		r.Units = append(r.Units, infer.Unit{ID: strconv.Itoa(i), Cluster: of})
	}
	return r
}

func known(ok bool, values ...float64) []float64 {
	if !ok {
		return nil
	}
	return values
}

func ofPair(f func(pred, gold string) float64) func(peerCase) []float64 {
	return func(c peerCase) []float64 { return []float64{f(c.Text[0], c.Text[1])} }
}

// decided returns the p-value of a row and the interval of t-tests.
func decided(row infer.Row) []float64 {
	r := infer.Decide([]infer.Row{row}, infer.Options{Seed: 1})[0]
	switch {
	case r.P == nil:
		return nil
	case r.Test == infer.SignFlip:
		return []float64{*r.P}
	}
	return []float64{*r.P, r.Interval.Lo, r.Interval.Hi}
}

func adjusted(correct string) func(peerCase) []float64 {
	return func(c peerCase) []float64 {
		rows := make([]infer.Row, len(c.Numbers))
		for i, values := range c.Numbers {
			for k, x := range values {
				u := infer.Unit{ID: strconv.Itoa(k)}
				u.Add(x)
				rows[i].Units = append(rows[i].Units, u)
			}
		}
		var p []float64
		for _, r := range infer.Decide(rows, infer.Options{Correct: correct}) {
			p = append(p, *r.Adjusted)
		}
		return p
	}
}

func alpha(s stats.Scale) func(peerCase) []float64 {
	return func(c peerCase) []float64 {
		a, ok := stats.Alpha(c.Numbers, s)
		return known(ok, a)
	}
}

var peers = map[string]func(peerCase) []float64{
	"BLEU1":      ofPair(metrics.BLEU1),
	"RougeL":     ofPair(metrics.RougeL),
	"F1Mem0":     ofPair(metrics.F1Mem0),
	"F1MemoryOS": ofPair(metrics.F1MemoryOS),
	"ExactMatch": ofPair(metrics.ExactMatch),
	"F1LoCoMo": func(c peerCase) []float64 {
		return []float64{metrics.F1LoCoMo(c.Text[0], c.Text[1], c.Text[2])}
	},
	"McNemar": func(c peerCase) []float64 {
		return []float64{stats.McNemar(int(c.Numbers[0][0]), int(c.Numbers[0][1]))}
	},
	"Wilson": func(c peerCase) []float64 {
		i, ok := stats.Wilson(c.Numbers[0][0], c.Numbers[0][1], c.Numbers[0][2])
		return known(ok, i.Lo, i.Hi)
	},
	"StandardError": func(c peerCase) []float64 {
		mean, _ := stats.Mean(c.clusters())
		se, ok := stats.StandardError(c.clusters())
		return known(ok, mean, se)
	},
	"EffectiveN": func(c peerCase) []float64 {
		n, ok := stats.EffectiveN(c.clusters())
		return known(ok, n)
	},
	"RateInterval": func(c peerCase) []float64 {
		i, ok := stats.RateInterval(c.clusters(), stats.Level)
		return known(ok, i.Lo, i.Hi)
	},
	"Bootstrap": func(c peerCase) []float64 {
		i, ok := stats.Bootstrap{Resamples: stats.Resamples, Level: stats.Level, Seed: 1}.Interval(c.clusters())
		return known(ok, i.Lo, i.Hi)
	},
	"Alpha(Nominal)": alpha(stats.Nominal),
	"Alpha(Ordinal)": alpha(stats.Ordinal),
	"Alpha(Metric)":  alpha(stats.Metric),
	"Detectable": func(c peerCase) []float64 {
		return []float64{infer.Detectable(1, c.Numbers[0][0], c.Numbers[0][1], c.Numbers[0][2])}
	},
	"Decide(CR2)":      func(c peerCase) []float64 { return decided(c.row()) },
	"Decide(SignFlip)": func(c peerCase) []float64 { return decided(c.row()) },
	"Decide(Permutation)": func(c peerCase) []float64 {
		return decided(infer.Row{Unpaired: true, Base: c.Numbers[0], New: c.Numbers[1]})
	},
	"Decide(Holm)": adjusted(infer.Holm),
	"Decide(BH)":   adjusted(infer.BH),
}

var peersOfText = map[string]func([]string, string) []string{
	"AppendSentences": pytext.AppendSentences,
	"AppendWords":     pytext.AppendWords,
	"AppendRouge":     pytext.AppendRouge,
	"Stem":            func(dst []string, word string) []string { return append(dst, pytext.Stem(word)) },
}

// TestPeers compares with what scripts/real/peers.py wrote, and prints how far each
// function agrees with its library.
func TestPeers(t *testing.T) {
	path := os.Getenv("BENCH_PEERS")
	if path == "" {
		t.Skip("BENCH_PEERS names no file that scripts/real/peers.py wrote")
	}
	codecs := map[string]token.Codec{}
	// tokens returns the number of tokens, and the bytes of each where the library
	// tells them.
	tokens := func(c peerCase) []float64 {
		codec, ok := codecs[c.Text[1]]
		if !ok {
			var err error
			if codec, err = token.Open(c.Text[1], ""); err != nil {
				t.Fatal(err)
			}
			codecs[c.Text[1]] = codec
		}
		got := []float64{float64(codec.Count(c.Text[0]))}
		if len(c.Want) > 1 {
			for _, s := range codec.Split(c.Text[0]) {
				got = append(got, float64(len(s)))
			}
		}
		return got
	}
	type tally struct {
		inputs, equal, meant int
		largest              float64
		differ               []string
	}
	all := map[string]*tally{}
	file := try.Get(os.Open(path))(t)
	defer file.Close()
	for lines := json.NewDecoder(bufio.NewReader(file)); lines.More(); {
		var c peerCase
		try.Do(t, lines.Decode(&c))
		name, _, _ := strings.Cut(c.Function, " ")
		var got []float64
		var words []string
		switch {
		case peers[name] != nil:
			got = peers[name](c)
		case peersOfText[name] != nil:
			words = peersOfText[name](nil, c.Text[0])
		case name == "Count":
			got = tokens(c)
		default:
			t.Fatalf("unknown function %q", c.Function)
		}
		difference := 0.0
		if len(got) != len(c.Want) || !slices.Equal(words, c.Words) {
			difference = math.Inf(1)
		} else {
			for i, want := range c.Want {
				difference = max(difference, math.Abs(got[i]-want)-c.Slack)
			}
		}
		of := all[c.Function]
		if of == nil {
			of = &tally{}
			all[c.Function] = of
		}
		of.inputs++
		switch {
		case difference <= 1e-9:
			of.equal++
			of.largest = max(of.largest, difference)
		case c.Meant != "":
			of.meant++
		default:
			of.largest = max(of.largest, difference)
			line, _ := json.Marshal(c)
			ours, _ := json.Marshal(append([]any{got}, words))
			of.differ = append(of.differ, string(line)+"\n\tours: "+string(ours))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		of := all[name]
		t.Logf("%-40s %6d inputs, %6d equal, %4d meant to differ, largest difference %.1g", name, of.inputs, of.equal, of.meant, of.largest)
		slices.SortFunc(of.differ, func(a, b string) int { return cmp.Compare(len(a), len(b)) })
		if n := len(of.differ); n > 0 {
			t.Errorf("%s: %d differ, among them\n\t%s", name, n, strings.Join(of.differ[:min(n, 3)], "\n\t"))
		}
	}
}
