package interchange

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"recallbench/internal/calc/lists"
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
	top, err := beginning(ctx, file)
	if err != nil {
		return nil, err
	}
	spots := make(map[string]*spot)
	findSpots(top, nil, nil, spots)
	questions, best := newQuestionIndex(golds), new(guess)
	for _, key := range slices.Sorted(maps.Keys(spots)) {
		if g := newGuess(spots[key], questions); g.points > best.points {
			best = g
		}
	}
	if best.points == 0 {
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
	at := slices.IndexFunc(entries, func(e os.DirEntry) bool { return slices.Contains(resultEndings, filepath.Ext(e.Name())) })
	if at < 0 {
		return "", cmp.Or(err, fmt.Errorf("%s: the folder has no file of results", path))
	}
	return filepath.Join(path, entries[at].Name()), nil
}

// mostItems is how many items of a list are looked at.
const mostItems = 400

// beginning reads the first items of each list of a file; of lines and tables a list of the
// first.
func beginning(ctx context.Context, file string) (*jsontree.Value, error) {
	s := &stream{ctx: ctx}
	f, _, err := s.openFile(file, MaxResults, io.Discard)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	rows := &jsontree.Value{Kind: jsontree.Array}
	if s.isTable() {
		err := s.eachRow(func(c *jsontree.Cursor, _ int) {
			if len(rows.Items) < mostItems {
				rows.Items = append(rows.Items, *c.Value)
			}
		})
		return rows, cmp.Or(err, s.faults.Err())
	}
	for of := (&excerpt{items: mostItems, left: maxValues}); s.More() && len(rows.Items) < mostItems; {
		v, err := s.some(of, 0)
		if err = cmp.Or(err, s.faults.Err()); err != nil {
			return nil, err
		}
		rows.Items = append(rows.Items, v)
	}
	if len(rows.Items) == 1 {
		return &rows.Items[0], nil
	}
	return rows, nil
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
	turnHints     = "evidence gold support turn dia"
	verdictHints  = "verdict grade judge judged judgment judgement correct right llm label human vote rating ok passed rubric"
	scoreHints    = "f1 bleu rouge recall precision ndcg tau meteor bert similarity em match"
	timeHints     = "latency duration time elapsed took ms seconds secs millis"
	searchHints   = "search retrieval retrieve memory memories recall lookup"
	failedHints   = "failed fail error skipped crashed timeout refused"
)

// verdictWords are words of verdicts.
var verdictWords = map[string]float64{
	"correct": 1, "wrong": 0, "incorrect": 0, "right": 1, "true": 1, "false": 0, "yes": 1, "no": 0, "pass": 1, "fail": 0, "good": 1, "bad": 0, "1": 1, "0": 0,
}

// newGuess weighs what the items of a spot may be: the better their questions, ids and
// answers are known, the more points.
func newGuess(s *spot, q questionIndex) *guess {
	g := &guess{questionIndex: q, spot: s, leaves: leavesOf(s.items), taken: make(map[*leaf]bool), golden: make([]*record.Gold, len(s.items))}
	g.to = Layout{Items: mustPath(dotted(s.names)), Seconds: make(map[string][]path), Milliseconds: make(map[string][]path), Scores: make(map[string]path)}
	question := g.take(&g.to.Question, questionHints, func(l *leaf) bool { return l.is(jsontree.String) && l.prose() }, func(l *leaf) float64 {
		return 10 * l.share(func(i int) bool { return len(q.asking(l.texts[i])) > 0 })
	})
	for i := 0; question != nil && i < len(s.items); i++ {
		if all := q.asking(question.texts[i]); len(all) == 1 {
			g.golden[i] = &q.questions[all[0]]
		}
	}
	g.ids()
	if !g.answer() || question == nil && g.to.Address.text+g.to.Request.text == "" {
		g.points = 0
	}
	g.points *= 1 + math.Log(float64(len(s.items)))/100
	return g
}

// take gives the leaf with most points to a role, if any that fits has some: those of its
// name and more.
func (g *guess) take(role *path, hints string, fits func(*leaf) bool, more func(*leaf) float64) (best *leaf) {
	points := 0.0
	for _, l := range g.leaves {
		if g.taken[l] || !fits(l) {
			continue
		}
		if n := l.named(hints) + more(l); n > points {
			best, points = l, n
		}
	}
	if best != nil {
		*role, g.taken[best] = mustPath(best.path), true
		g.points += points
	}
	return best
}

// doubt notes what a person should look at.
func (g *guess) doubt(format string, args ...any) {
	g.unsure = append(g.unsure, fmt.Sprintf("# unsure: "+format+"\n", args...))
}

// like is the share of a leaf's items whose question is known and has something in common
// with it.
func (g *guess) like(l *leaf, is func(text string, q *record.Gold) bool) float64 {
	return l.share(func(i int) bool { return g.golden[i] != nil && is(l.texts[i], g.golden[i]) })
}

// ids finds fields that hold ids of the dataset, alone or in pairs, else those of the items.
func (g *guess) ids() {
	for _, l := range g.leaves {
		if g.identified(func(i int) [2]string { return idOf(l.texts[i]) }, l) {
			if at := mustPath(l.path); l.share(func(i int) bool { return strings.Contains(l.texts[i], "/") }) > 0 {
				g.to.Address = at
			} else {
				g.to.ID, g.to.Request = at, at
			}
			return
		}
		for _, m := range g.leaves {
			if g.identified(func(i int) [2]string { return [2]string{l.texts[i], m.texts[i]} }, l, m) {
				g.to.Sample, g.to.Request = mustPath(l.path), mustPath(m.path)
				return
			}
		}
	}
	points := g.points
	l := g.take(&g.to.ID, "id qid key", func(l *leaf) bool {
		return l.is(jsontree.String, jsontree.Number) && l.n == len(g.spot.items) && len(l.distinct) == l.n
	}, func(*leaf) float64 { return 0 })
	if g.points = points; l != nil && g.to.Question.text == "" && l.named("question request") > 0 {
		g.to.Request = g.to.ID
	}
}

// idOf takes SAMPLE/REQUEST apart; any other text is a name of the dataset's release.
func idOf(text string) [2]string {
	at := strings.LastIndexByte(text, '/')
	return [2]string{text[:max(at, 0)], text[at+1:]}
}

// identified reports whether leaves make ids of the dataset; then the questions are known.
func (g *guess) identified(id func(i int) [2]string, leaves ...*leaf) bool {
	known := func(i int) bool { _, ok := g.byID[id(i)]; return ok }
	if slices.ContainsFunc(leaves, func(l *leaf) bool { return l.list || g.taken[l] }) || leaves[0].share(known) <= 0.9 {
		return false
	}
	for i := range g.golden {
		if at, ok := g.byID[id(i)]; ok {
			g.golden[i] = &g.questions[at]
		}
	}
	for _, l := range leaves {
		g.taken[l] = true
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
		short := l.is(jsontree.String, jsontree.Number) || l.list && l.share(func(i int) bool { _, ok := firstText(l.values[i]); return ok && len(l.values[i].Items) < 10 }) > 0.9
		return 2*l.n >= len(g.spot.items) && short && (len(l.distinct) > 2 || l.n <= 10)
	}
	gold := g.take(&g.to.Gold, goldHints, func(l *leaf) bool { return text(l) && (!known || same(l) >= 0.5) }, func(l *leaf) float64 { return 10 * same(l) })
	alike := func(l *leaf) float64 {
		return 3 * g.like(l, func(text string, q *record.Gold) bool { return overlap(text, q.Answer) })
	}
	answer := g.take(&g.to.Answer, answerHints, func(l *leaf) bool {
		return text(l) && !l.is(jsontree.Number) && l.length <= 2000 && same(l) <= 0.95 && (!known || l.named(answerHints) > 0 || l.prose())
	}, alike)
	if answer == nil && gold != nil && !known { // what might be either is the answer
		answer, g.to.Answer, g.to.Gold = gold, g.to.Gold, path{}
	}
	if answer != nil && answer.named(answerHints)+alike(answer) < 2 {
		g.doubt("whether the answer is at %q", answer.path)
	}
	return answer != nil || gold != nil
}

// overlap reports whether a text has a word of another one of four letters or more.
func overlap(text, of string) bool {
	words := strings.FieldsFunc(strings.ToLower(of), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return slices.ContainsFunc(words, func(w string) bool { return len(w) > 3 && strings.Contains(strings.ToLower(text), w) })
}

// write gives the other leaves their roles, and writes the layout.
func (g *guess) write() ([]byte, error) {
	g.cluster()
	g.category()
	for _, l := range g.leaves {
		if !g.taken[l] {
			g.role(l)
		}
	}
	if g.to.Question.text == "" {
		g.doubt("which field is the question; items are matched by their ids")
	}
	data, err := strictyaml.Encode(g.to)
	return []byte(strings.Join(g.unsure, "") + string(data) + "\n"), err
}

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
	known := len(g.questions) > 0
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
	l := g.take(&g.to.Cluster, clusterHints, func(l *leaf) bool {
		share := together(func(i int) string { return l.texts[i] })
		return l.is(jsontree.String, jsontree.Number) && 2*l.n > len(g.spot.items) && (len(l.distinct) < l.n || l.n == 1) &&
			(!known || share > 0.9 || share > 0.4 && l.named(clusterHints) > 1)
	}, func(l *leaf) float64 { return 3 * together(func(i int) string { return l.texts[i] }) })
	if l == nil {
		g.doubt("which field names the conversation")
	}
}

// category finds what goes with the categories of the dataset, else is named so.
func (g *guess) category() {
	fit := func(l *leaf) float64 {
		return 2 * g.like(l, func(text string, q *record.Gold) bool { return q.Category == text })
	}
	l := g.take(&g.to.Category, categoryHints, func(l *leaf) bool {
		n := len(l.distinct)
		return l.is(jsontree.String, jsontree.Number) && n <= 20 && 2*l.n > len(g.spot.items) && (n < l.n || l.n < 3) && (l.named(categoryHints) > 0 || fit(l) > 1.8)
	}, fit)
	if l != nil && len(g.questions) > 0 && fit(l) < 1 {
		g.doubt("what the categories at %q mean; define them with --categories FILE", l.path)
	}
}

// role gives a leaf the role that its name and its values suggest, if any.
func (g *guess) role(l *leaf) {
	number, text, at := l.is(jsontree.Number), l.is(jsontree.String), mustPath(l.path)
	switch ofTurn := func(text string, q *record.Gold) bool { return slices.Contains(q.Evidence, text) }; {
	case l.list && l.length < 20 && g.to.GoldEvidence.text == "" && (l.named(turnHints) > 0 && l.length > 0 || g.like(l, ofTurn) > 0.5):
		g.to.GoldEvidence = at
	case l.named(evidenceHints) > 0 && (l.list && l.share(func(i int) bool { return len(blocksOf(l.values[i])) > 0 }) > 0.5 || text && l.length > 200):
		g.to.Evidence = append(g.to.Evidence, at)
	case l.list:
	case number && l.named(timeHints) > 0 && strings.Count(l.path, ".") < 3 && l.named("total timestamp") == 0:
		g.time(l)
	case number && l.named("token") > 0 && l.named("prompt input in") > 0:
		g.to.Tokens.Input = []path{at}
	case number && l.named("token") > 0 && l.named("completion output out generated") > 0:
		g.to.Tokens.Output = []path{at}
	case number && l.named("token") > 0:
	case number && l.named("cost") > 0:
		g.to.Cost = at
	case text && l.words[0] == "error":
		g.to.Failed = append(g.to.Failed, failureAt{Path: at})
	case text && l.named("status state") > 0:
		failed := func(w string) bool { return slices.Contains(strings.Fields(failedHints), strings.ToLower(w)) }
		if words := lists.Filter(slices.Sorted(maps.Keys(l.distinct)), failed); words != nil {
			g.to.Failed = append(g.to.Failed, failureAt{Path: at, Is: words})
		}
	default:
		g.judged(l)
	}
}

// time adds a time to a stage, in the unit that its name suggests.
func (g *guess) time(l *leaf) {
	to, stage := g.to.Seconds, "answer"
	if l.named(searchHints) > 0 {
		stage = "search"
	}
	if l.named("ms milli millisecond") > 0 {
		to = g.to.Milliseconds
	} else if l.named("s sec second") == 0 {
		g.doubt("whether %q is in seconds", l.path)
	}
	to[stage] = append(to[stage], mustPath(l.path))
}

// judged adds a verdict or a score.
func (g *guess) judged(l *leaf) {
	v, verdict := verdictAt{Judge: g.to.Name, Path: mustPath(l.path), Values: make(map[string]float64)}, false
	switch named := l.named(verdictHints) > 0 && l.named(scoreHints) == 0; {
	case l.is(jsontree.Number):
		verdict = named && l.share(func(i int) bool { x := numberOf(l.values[i]); return x >= 0 && x <= 1 }) == 1
		if !verdict && (named || l.named(scoreHints+" score accuracy") > 0) {
			g.to.Scores[strings.ReplaceAll(strings.TrimSuffix(l.path, ".*"), ".", "_")] = v.Path
		}
	case l.is(jsontree.Bool):
		if verdict = true; !named {
			g.doubt("whether %q is a verdict", l.path)
		}
	case l.is(jsontree.String) && named && len(l.distinct) <= 4:
		for word := range l.distinct {
			if x, ok := verdictWords[strings.ToLower(word)]; ok {
				v.Values[word], verdict = x, true
			}
		}
	}
	if !verdict {
		return
	}
	if l.named("human person") > 0 {
		v.Judge = "person"
	} else {
		g.doubt("the name of the judge at %q", l.path)
	}
	for n := 2; slices.ContainsFunc(g.to.Verdicts, func(o verdictAt) bool { return o.Judge == v.Judge }); n++ {
		v.Judge = strings.TrimRight(v.Judge, "0123456789") + strconv.Itoa(n)
	}
	g.to.Verdicts = append(g.to.Verdicts, v)
}
