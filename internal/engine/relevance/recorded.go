package relevance

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"recallbench/internal/engine/semxpath"
	"recallbench/internal/engine/tree"
	"recallbench/internal/files/datafile"
)

// maxRecorded bounds a file of recorded scores, in bytes.
const maxRecorded = 1 << 30

// RecordedScores are scores from a file.
type RecordedScores struct {
	path   string
	scores map[semxpath.Pair]recordedScore
	texts  map[string][]string // of each condition, in order
	// conditions are all, in order.
	conditions []string
	named      bool // no entry has a text
}

type recordedScore struct {
	score float64
	line  int
}

// A recordedLine is an entry of the file.
type recordedLine struct {
	Text      *string  `json:"text"`
	Premise   *string  `json:"premise"`
	Condition *string  `json:"condition"`
	Predicate *string  `json:"predicate"`
	Score     *float64 `json:"score"`
	Name      string   `json:"name"`
	NodeName  string   `json:"node_name"`
	Type      string   `json:"type"`
	NodeType  string   `json:"node_type"`
}

// Recorded scores from a file of recorded scores, one JSON object a line:
//
//	{"text": "POI: City museum - ...", "condition": "art", "score": 0.97}
//	{"type": "POI", "name": "City museum", "condition": "art", "score": 0.97}
//
// A text is matched as it is. An entry without one names a node, and its text
// is that of [NameText]. "premise" is another name of "text", "predicate" of
// "condition", "node_type" of "type" and "node_name" of "name"; other keys are
// not looked at. A pair may come again with the same score; with another it is
// an error. So is a pair that is asked for and not there.
func Recorded(path string) (*RecordedScores, error) {
	f, err := datafile.Open(path, maxRecorded)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxRecorded)) // it may have grown
	if err != nil {
		return nil, err
	}
	data = datafile.TrimBOM(data)
	if err := datafile.CheckText(path, data); err != nil {
		return nil, err
	}
	r := &RecordedScores{
		path: path, named: true,
		scores: make(map[semxpath.Pair]recordedScore), texts: make(map[string][]string),
	}
	faults := datafile.Faults{File: path}
	n := 0
	for line := range bytes.Lines(data) {
		if n++; len(bytes.TrimSpace(line)) > 0 {
			r.read(n, line, &faults)
		}
	}
	if err := faults.Err(); err != nil {
		return nil, err
	}
	if len(r.scores) == 0 {
		return nil, fmt.Errorf("%s: has no scores, want lines such as {\"text\": ..., \"condition\": ..., \"score\": 0.5}", path)
	}
	return r, nil
}

// read takes in a line of the file.
func (r *RecordedScores) read(n int, line []byte, faults *datafile.Faults) {
	var l recordedLine
	if err := json.Unmarshal(line, &l); err != nil {
		if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && e.Field != "" {
			err = fmt.Errorf("%q is a %s, want a %s", e.Field, e.Value, map[bool]string{true: "number", false: "string"}[e.Field == "score"])
		}
		faults.Addf(n, "%w", err)
		return
	}
	var missing []string
	pair, named, ok := l.pair()
	if !ok {
		missing = append(missing, `"text", or "type" and "name"`)
	}
	if pair.Condition == "" {
		missing = append(missing, `"condition"`)
	}
	if l.Score == nil {
		missing = append(missing, `"score"`)
	}
	if len(missing) > 0 {
		faults.Addf(n, "lacks %s", strings.Join(missing, "; "))
		return
	}
	if err := checked(pair, *l.Score); err != nil {
		faults.Addf(n, "%w", err)
		return
	}
	old, ok := r.scores[pair]
	switch {
	case ok && old.score != *l.Score:
		faults.Addf(n, "the score of %s for %q is %v, but %v in line %d", brief(pair.Text), pair.Condition, *l.Score, old.score, old.line)
		return
	case ok:
		return
	}
	r.named = r.named && named
	r.scores[pair] = recordedScore{*l.Score, n}
	if _, ok := r.texts[pair.Condition]; !ok {
		r.conditions = append(r.conditions, pair.Condition)
	}
	r.texts[pair.Condition] = append(r.texts[pair.Condition], pair.Text)
}

// pair returns what the entry is about, and whether it names a node instead of
// having its text; ok is false when it does neither.
func (l recordedLine) pair() (p semxpath.Pair, named, ok bool) {
	for _, c := range []*string{l.Condition, l.Predicate} {
		if c != nil {
			p.Condition = *c
			break
		}
	}
	for _, t := range []*string{l.Text, l.Premise} {
		if t != nil {
			p.Text = *t
			return p, false, true
		}
	}
	typ, name := cmp.Or(l.Type, l.NodeType), cmp.Or(l.Name, l.NodeName)
	p.Text = typ + ": " + name
	return p, true, typ != "" && name != ""
}

// NameText writes a node as its type and its name: "POI: City museum".
func NameText(path []*tree.Node) string {
	n := path[len(path)-1]
	return n.Type + ": " + n.Name()
}

// Named reports whether all entries name nodes, so that the text of a node has
// to be that of [NameText].
func (r *RecordedScores) Named() bool { return r.named }

// Score implements [semxpath.Scorer].
func (r *RecordedScores) Score(_ context.Context, pairs []semxpath.Pair) ([]float64, error) {
	scores := make([]float64, len(pairs))
	for i, p := range pairs {
		s, ok := r.scores[p]
		if !ok {
			return nil, fmt.Errorf("relevance: %s: no score of %s for %q; %s", r.path, brief(p.Text), p.Condition, r.nearest(p))
		}
		scores[i] = s.score
	}
	return scores, nil
}

// nearest says what is recorded that is most like a pair.
func (r *RecordedScores) nearest(p semxpath.Pair) string {
	texts, ok := r.texts[p.Condition]
	if !ok {
		return fmt.Sprintf("the nearest condition recorded is %q", mostAlike(p.Condition, r.conditions))
	}
	return "the nearest text recorded for it is " + brief(mostAlike(p.Text, texts))
}

// mostAlike returns the text that shares most words with another, the first of
// equals.
func mostAlike(text string, among []string) string {
	want := wordSet(text)
	return slices.MaxFunc(among, func(a, b string) int {
		return cmp.Compare(overlap(want, wordSet(a)), overlap(want, wordSet(b)))
	})
}

func wordSet(text string) map[string]bool {
	set := make(map[string]bool)
	for w := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool { return strings.ContainsRune(" \t\n:;,.|-\"()", r) }) {
		set[w] = true
	}
	return set
}

// overlap is the Jaccard index of two sets, in [0, 1]; 0 where both are empty.
func overlap(a, b map[string]bool) float64 {
	both := 0
	for w := range a {
		if b[w] {
			both++
		}
	}
	if all := len(a) + len(b) - both; all > 0 {
		return float64(both) / float64(all)
	}
	return 0
}
