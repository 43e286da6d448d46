package interchange

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"recallbench/internal/files/datafile"
	"recallbench/internal/files/jsontree"
	"recallbench/internal/files/strictyaml"
	"recallbench/internal/result/record"
)

// Suggest proposes a layout for a file, or for the first file of results in a folder, as
// YAML with comments on what is unsure. It goes by the names and types of fields and by what
// repeats, and where there are questions of a dataset, by the texts that both have.
func Suggest(ctx context.Context, file string, golds []record.Gold) ([]byte, error) {
	file, err := firstFile(file)
	if err != nil {
		return nil, err
	}
	f, err := datafile.Open(file, MaxResults)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	in, _, err := unpacked(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	r := newReading(ctx, ResultOptions{})
	r.open(file, in)
	top, err := r.excerpt()
	if err != nil {
		return nil, err
	}
	spots := make(map[string]*spot)
	findSpots(top, nil, nil, spots)
	questions := newQuestionIndex(golds)
	var best *guess
	for _, key := range slices.Sorted(maps.Keys(spots)) {
		if g := newGuess(spots[key], questions); g.points > 0 && (best == nil || g.points > best.points) {
			best = g
		}
	}
	if best == nil {
		return nil, fmt.Errorf("%s has nothing that looks like a list of answers to questions", file)
	}
	best.to.Name, _, _ = strings.Cut(filepath.Base(file), ".")
	return best.write()
}

// firstFile returns the file itself, or of a folder the first that may be one of results.
func firstFile(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() {
		return path, err
	}
	entries, err := os.ReadDir(path)
	for _, e := range entries {
		if e.Type().IsRegular() && slices.Contains([]string{".json", ".jsonl", ".ndjson", ".gz", ".csv", ".tsv"}, filepath.Ext(e.Name())) {
			return filepath.Join(path, e.Name()), nil
		}
	}
	return "", cmp.Or(err, fmt.Errorf("%s: the folder has no file of results", path))
}

// A questionIndex finds the questions of a dataset.
type questionIndex struct {
	byText map[string][]*record.Gold
	byID   map[string]*record.Gold // by SAMPLE/REQUEST, and by the release's names
}

func newQuestionIndex(golds []record.Gold) questionIndex {
	q := questionIndex{make(map[string][]*record.Gold), make(map[string]*record.Gold)}
	for i := range golds {
		g := &golds[i]
		q.byText[normal(g.Question)] = append(q.byText[normal(g.Question)], g)
		q.byID[g.Sample+"/"+g.Request] = g
		if g.Name != "" {
			q.byID[g.Name] = g
		}
	}
	return q
}

// A guess says which leaf of a spot is what.
type guess struct {
	questionIndex
	spot   *spot
	leaves []*leaf
	taken  map[*leaf]bool
	golden []*record.Gold // the question of each item, nil where it is not known
	points float64
	unsure []string
	to     Layout
}

// Hints are words of names, the surest first.
const (
	questionHints = "question query ask asked prompt input utterance"
	answerHints   = "response prediction hypothesis generated predicted reply output completion said answer text content"
	goldHints     = "gold golden truth reference expected target correct answer label"
	clusterHints  = "conversation conv sample dialogue dialog chat group user session thread idx"
	categoryHints = "category type kind dimension topic task class"
	evidenceHints = "memory memories context retrieved retrieval evidence passage chunk found hit snippet document doc source"
	verdictHints  = "verdict grade judge judged judgment judgement correct right llm label human vote rating ok passed rubric"
	scoreHints    = "f1 bleu rouge recall precision ndcg tau meteor bert similarity em match"
	timeHints     = "latency duration time elapsed took ms seconds secs millis"
	searchHints   = "search retrieval retrieve memory memories recall lookup"
)

// verdictWords are words of verdicts, and failedWords those of failures.
var (
	verdictWords = map[string]float64{
		"correct": 1, "wrong": 0, "incorrect": 0, "right": 1, "true": 1, "false": 0, "yes": 1, "no": 0, "pass": 1, "fail": 0, "good": 1, "bad": 0, "1": 1, "0": 0,
	}
	failedWords = []string{"failed", "fail", "error", "skipped", "crashed", "timeout", "refused"}
)

// newGuess weighs what the items of a spot may be: the better their questions, ids and
// answers are known, the more points.
func newGuess(s *spot, q questionIndex) *guess {
	g := &guess{questionIndex: q, spot: s, leaves: leavesOf(s.items), taken: make(map[*leaf]bool), golden: make([]*record.Gold, len(s.items))}
	g.to.Items = mustPath(dotted(s.names))
	question, points := g.best(questionHints, func(l *leaf) bool { return l.is(jsontree.String) && l.prose() }, func(l *leaf) float64 {
		return 10 * l.share(func(i int) bool { return len(q.byText[normal(l.text(i))]) > 0 })
	})
	if g.take(question, &g.to.Question); question != nil {
		g.points = points
		for i := range s.items {
			if all := q.byText[normal(question.text(i))]; len(all) == 1 {
				g.golden[i] = all[0]
			}
		}
	}
	g.ids()
	if !g.answer() || question == nil && g.to.Address.text+g.to.Request.text == "" {
		g.points = 0
	}
	g.points *= 1 + math.Log(float64(len(s.items)))/100
	return g
}

// take gives a leaf to a role.
func (g *guess) take(l *leaf, role *path) {
	if l != nil {
		*role, g.taken[l] = mustPath(l.path), true
	}
}

func (g *guess) doubt(format string, args ...any) {
	g.unsure = append(g.unsure, fmt.Sprintf(format, args...))
}

// best returns the leaf with most points for a role, of those with any: those of its name
// and more.
func (g *guess) best(hints string, is func(*leaf) bool, more func(*leaf) float64) (best *leaf, points float64) {
	for _, l := range g.leaves {
		if g.taken[l] || !is(l) {
			continue
		}
		if n := l.named(hints) + more(l); n > points {
			best, points = l, n
		}
	}
	return best, points
}

func none(*leaf) float64 { return 0 }

// like is the share of a leaf's items whose question is known and has something in common
// with it.
func (g *guess) like(l *leaf, is func(text string, q *record.Gold) bool) float64 {
	return l.share(func(i int) bool { return g.golden[i] != nil && is(l.text(i), g.golden[i]) })
}

// ids finds fields that hold ids of the dataset, else those of the items.
func (g *guess) ids() {
	for _, l := range g.leaves {
		if l.list || g.taken[l] {
			continue
		}
		if g.identified(l, l.text) {
			if g.take(l, &g.to.Address); l.share(func(i int) bool { return strings.Contains(l.text(i), "/") }) == 0 {
				g.to.ID, g.to.Request, g.to.Address = g.to.Address, g.to.Address, path{}
			}
			return
		}
		for _, m := range g.leaves {
			if m != l && !m.list && g.identified(l, func(i int) string { return l.text(i) + "/" + m.text(i) }) {
				g.take(l, &g.to.Sample)
				g.take(m, &g.to.Request)
				return
			}
		}
	}
	l, _ := g.best("id qid key", func(l *leaf) bool {
		return l.is(jsontree.String, jsontree.Number) && l.n == len(g.spot.items) && len(l.distinct()) == l.n
	}, none)
	if g.take(l, &g.to.ID); l != nil && g.to.Question.text == "" && l.named("question request") > 0 {
		g.to.Request = g.to.ID
	}
}

// identified reports whether the texts of a leaf make ids of the dataset; then the questions
// are known.
func (g *guess) identified(l *leaf, id func(i int) string) bool {
	if l.share(func(i int) bool { return g.byID[id(i)] != nil }) <= 0.9 {
		return false
	}
	for i := range g.golden {
		g.golden[i] = cmp.Or(g.byID[id(i)], g.golden[i])
	}
	g.points += 5
	return true
}

// answer finds the gold answer and the answer, and reports whether there is one of them.
func (g *guess) answer() bool {
	known := slices.ContainsFunc(g.golden, func(q *record.Gold) bool { return q != nil })
	same := func(l *leaf) float64 {
		return g.like(l, func(text string, q *record.Gold) bool { return sameGold(text, *q) })
	}
	text := func(l *leaf) bool {
		return 2*l.n >= len(g.spot.items) && (l.is(jsontree.String, jsontree.Number) || l.list && l.texts()) && (len(l.distinct()) > 2 || l.n <= 10)
	}
	is := func(l *leaf) bool {
		return text(l) && !l.is(jsontree.Number) && l.length() <= 2000 && same(l) <= 0.95 && (!known || l.named(answerHints) > 0 || l.prose())
	}
	alike := func(l *leaf) float64 {
		return 3 * g.like(l, func(text string, q *record.Gold) bool { return overlap(text, q.Answer) })
	}
	gold, goldPoints := g.best(goldHints, func(l *leaf) bool { return text(l) && (!known || same(l) >= 0.5) }, func(l *leaf) float64 { return 10 * same(l) })
	g.take(gold, &g.to.Gold)
	answer, points := g.best(answerHints, is, alike)
	if answer == nil && gold != nil && !known { // what might be either is the answer
		g.to.Gold, goldPoints = path{}, 0
		answer, points = gold, gold.named(answerHints)
	}
	g.take(answer, &g.to.Answer)
	g.points += points + goldPoints
	if answer != nil && points < 2 {
		g.doubt("whether the answer is at %q", answer.path)
	}
	return answer != nil || gold != nil
}

// overlap reports whether two texts share a word of four letters or more, or a number.
func overlap(a, b string) bool {
	a = strings.ToLower(a)
	return slices.ContainsFunc(strings.Fields(strings.ToLower(b)), func(w string) bool {
		w = strings.Trim(w, ".,;:!?'\"()")
		return (len(w) > 3 || w != "" && w[0] >= '0' && w[0] <= '9') && strings.Contains(a, w)
	})
}

// write gives the other leaves their roles, and writes the layout.
func (g *guess) write() ([]byte, error) {
	g.cluster()
	g.category()
	for _, l := range g.leaves {
		if !g.taken[l] && l.n > 0 {
			g.role(l)
		}
	}
	if g.to.Question.text == "" {
		g.doubt("which field is the question; items are matched by their ids")
	}
	data, err := strictyaml.Encode(g.to)
	for _, doubt := range slices.Backward(g.unsure) {
		data = append([]byte("# unsure: "+doubt+"\n"), data...)
	}
	return append(data, '\n'), err
}

// role gives a leaf the role that its name and its values suggest, if any.
func (g *guess) role(l *leaf) {
	number := l.is(jsontree.Number)
	switch {
	case l.list && l.texts() && l.length() < 20 && g.to.GoldEvidence.text == "" && (l.named("evidence gold support turn dia") > 0 || g.like(l, ofEvidence) > 0.5):
		g.take(l, &g.to.GoldEvidence)
	case l.named(evidenceHints) > 0 && (l.list && l.blocks() > 0.5 || l.is(jsontree.String) && l.length() > 200):
		g.to.Evidence = append(g.to.Evidence, mustPath(l.path))
	case l.list:
	case number && l.named(timeHints) > 0 && strings.Count(l.path, ".") < 3 && !l.has("timestamp"):
		g.time(l)
	case number && l.has("token", "tokens"):
		if l.named("prompt input in") > 0 && g.to.Tokens.Input == nil {
			g.to.Tokens.Input = []path{mustPath(l.path)}
		} else if l.named("completion output out generated") > 0 && g.to.Tokens.Output == nil {
			g.to.Tokens.Output = []path{mustPath(l.path)}
		}
	case number && l.has("cost"):
		g.take(l, &g.to.Cost)
	case l.is(jsontree.String) && l.words[0] == "error":
		g.to.Failed = append(g.to.Failed, failureAt{Path: mustPath(l.path)})
	case l.is(jsontree.String) && (l.words[0] == "status" || l.words[0] == "state"):
		words := slices.DeleteFunc(slices.Sorted(maps.Keys(l.distinct())), func(w string) bool { return !slices.Contains(failedWords, strings.ToLower(w)) })
		if len(words) > 0 {
			g.to.Failed = append(g.to.Failed, failureAt{Path: mustPath(l.path), Is: words})
		}
	default:
		g.judged(l)
	}
}

// ofEvidence reports whether a text is the id of a turn that the gold answer rests on.
func ofEvidence(text string, q *record.Gold) bool { return slices.Contains(q.Evidence, text) }

// cluster finds the conversation: what goes with those of the dataset, else by its name.
func (g *guess) cluster() {
	if g.to.Sample.text+g.to.Address.text != "" {
		return
	}
	// together says how far values and conversations are one to one.
	together := func(text func(i int) string) float64 {
		of, back := make(map[string]string), make(map[string]string)
		n, right := 0, 0
		for i, q := range g.golden {
			if q == nil || text(i) == "" {
				continue
			}
			if of[text(i)] == "" && back[q.Sample] == "" {
				of[text(i)], back[q.Sample] = q.Sample, text(i)
			}
			if n++; of[text(i)] == q.Sample {
				right++
			}
		}
		return float64(right) / float64(max(n, 1)) * float64(min(len(of), 2)) / 2
	}
	known := len(g.byID) > 0
	captured := len(g.spot.stars[0])
	if captured > 0 && g.spot.names[len(g.spot.names)-1] == "*" { // the last is the item's own key
		if g.to.ID.text == "" {
			g.to.ID = mustPath("@" + strconv.Itoa(captured))
		}
		captured--
	}
	for at := range captured {
		if !known || together(func(i int) string { return g.spot.stars[i][at] }) > 0.4 {
			g.to.Cluster = mustPath("@" + strconv.Itoa(at+1))
			return
		}
	}
	l, _ := g.best(clusterHints, func(l *leaf) bool {
		share := together(l.text)
		return l.is(jsontree.String, jsontree.Number) && 2*l.n > len(g.spot.items) && (len(l.distinct()) < l.n || l.n == 1) &&
			(!known || share > 0.9 || share > 0.4 && l.named(clusterHints) > 1)
	}, func(l *leaf) float64 { return 3 * together(l.text) })
	if g.take(l, &g.to.Cluster); l == nil {
		g.doubt("which field names the conversation")
	}
}

// category finds what goes with the categories of the dataset, else is named so.
func (g *guess) category() {
	fit := func(l *leaf) float64 {
		return 2 * g.like(l, func(text string, q *record.Gold) bool { return q.Category == text })
	}
	l, _ := g.best(categoryHints, func(l *leaf) bool {
		n := len(l.distinct())
		return l.is(jsontree.String, jsontree.Number) && n <= 20 && 2*l.n > len(g.spot.items) && (n < l.n || l.n < 3) && (l.named(categoryHints) > 0 || fit(l) > 1.8)
	}, fit)
	if g.take(l, &g.to.Category); l != nil && len(g.byID) > 0 && fit(l) < 1 {
		g.doubt("what the categories at %q mean; define them with --categories FILE", l.path)
	}
}

// time adds a time to a stage, in the unit that its name or its size suggests; sums of
// others are left out.
func (g *guess) time(l *leaf) {
	if l.has("total") {
		return
	}
	stage := "answer"
	if l.named(searchHints) > 0 {
		stage = "search"
	}
	milli := l.has("ms", "millis", "milliseconds")
	if !milli && !l.has("s", "second", "seconds", "sec", "secs") {
		milli = l.share(func(i int) bool { return numberOf(l.values[i]) > 100 }) > 0.5
		g.doubt("whether %q is in seconds", l.path)
	}
	to := &g.to.Seconds
	if milli {
		to = &g.to.Milliseconds
	}
	*to = addTo(*to, stage, append((*to)[stage], mustPath(l.path)))
}

// judged adds a verdict or a score.
func (g *guess) judged(l *leaf) {
	verdict := l.named(verdictHints) > 0 && l.named(scoreHints) == 0
	within := l.share(func(i int) bool { x := numberOf(l.values[i]); return x >= 0 && x <= 1 }) == 1
	v := verdictAt{Judge: g.to.Name, Path: mustPath(l.path)}
	switch words := l.distinct(); {
	case l.is(jsontree.String) && verdict && len(words) <= 4:
		for word := range words {
			if x, ok := verdictWords[strings.ToLower(word)]; ok {
				v.Values = addTo(v.Values, word, x)
			}
		}
		verdict = v.Values != nil
	case l.is(jsontree.Bool) && !verdict:
		g.doubt("whether %q is a verdict", l.path)
	case l.is(jsontree.Number) && (!verdict || !within):
		if verdict || l.named(scoreHints+" score accuracy") > 0 {
			g.to.Scores = addTo(g.to.Scores, strings.ReplaceAll(strings.TrimSuffix(l.path, ".*"), ".", "_"), v.Path)
		}
		verdict = false
	default:
		verdict = verdict && l.is(jsontree.Bool, jsontree.Number)
	}
	if !verdict {
		return
	}
	if l.has("human", "person") {
		v.Judge = "person"
	} else {
		g.doubt("the name of the judge at %q", l.path)
	}
	for n := 2; slices.ContainsFunc(g.to.Verdicts, func(o verdictAt) bool { return o.Judge == v.Judge }); n++ {
		v.Judge = strings.TrimRight(v.Judge, "0123456789") + strconv.Itoa(n)
	}
	g.to.Verdicts = append(g.to.Verdicts, v)
}

// addTo sets a key of a map, which may be nil.
func addTo[V any](m map[string]V, key string, value V) map[string]V {
	if m == nil {
		m = make(map[string]V)
	}
	m[key] = value
	return m
}

// mostOfList is how many items of a list are looked at.
const mostOfList = 400

// excerpt reads the beginning of each list and object of a file; of lines and tables a
// list of the first.
func (r *reading) excerpt() (*jsontree.Value, error) {
	rows := &jsontree.Value{Kind: jsontree.Array}
	if r.isTable() {
		err := r.eachRow(func(c *jsontree.Cursor, _ int) {
			if len(rows.Items) < mostOfList {
				rows.Items = append(rows.Items, *c.Value)
			}
		})
		return rows, cmp.Or(err, r.faults.Err())
	}
	left := maxValues
	for r.dec.More() && len(rows.Items) < mostOfList {
		v, err := r.some(mostOfList, maxDepth, &left, nil)
		if err != nil {
			return nil, err
		}
		rows.Items = append(rows.Items, v)
	}
	if len(rows.Items) == 1 {
		return &rows.Items[0], nil
	}
	return rows, nil
}
