package interchange

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"recallbench/internal/calc/lists"
	"recallbench/internal/files/jsontree"
	"recallbench/internal/files/strictyaml"
	"recallbench/internal/result/record"
)

// A questionIndex finds the questions of a data set.
type questionIndex struct {
	golds  []record.Gold
	byText map[string][]int
	byID   map[string]int // by SAMPLE/REQUEST, and by the release's names
}

func newQuestionIndex(golds []record.Gold) *questionIndex {
	q := &questionIndex{golds: golds, byText: make(map[string][]int), byID: make(map[string]int)}
	for i, g := range golds {
		text := normal(g.Question)
		q.byText[text] = append(q.byText[text], i)
		q.byID[g.Sample+"/"+g.Request] = i
		if g.Name != "" {
			q.byID[g.Name] = i
		}
	}
	return q
}

// A guess says which leaf of a spot is what.
type guess struct {
	*questionIndex
	spot   *spot
	leaves []*leaf
	taken  map[*leaf]bool
	golden []int // the question of each item, -1 where it is not known
	points float64
	unsure []string
	to     suggested
}

// A suggested is a layout as it is written.
type suggested struct {
	Name         string              `yaml:"name"`
	Items        string              `yaml:"items"`
	Cluster      string              `yaml:"cluster,omitempty"`
	ID           string              `yaml:"id,omitempty"`
	Address      string              `yaml:"address,omitempty"`
	Sample       string              `yaml:"sample,omitempty"`
	Request      string              `yaml:"request,omitempty"`
	Question     string              `yaml:"question,omitempty"`
	Gold         string              `yaml:"gold,omitempty"`
	Answer       string              `yaml:"answer,omitempty"`
	Category     string              `yaml:"category,omitempty"`
	GoldEvidence string              `yaml:"gold_evidence,omitempty"`
	Evidence     []string            `yaml:"evidence,omitempty"`
	Failed       []suggestedFailure  `yaml:"failed,omitempty"`
	Seconds      map[string][]string `yaml:"seconds,omitempty"`
	Milliseconds map[string][]string `yaml:"milliseconds,omitempty"`
	Tokens       map[string][]string `yaml:"tokens,omitempty"`
	Cost         string              `yaml:"cost,omitempty"`
	Scores       map[string]string   `yaml:"scores,omitempty"`
	Verdicts     []suggestedVerdict  `yaml:"verdicts,omitempty"`
}

type suggestedFailure struct {
	Path string   `yaml:"path"`
	Is   []string `yaml:"is,omitempty"`
}

type suggestedVerdict struct {
	Judge  string             `yaml:"judge"`
	Path   string             `yaml:"path"`
	Values map[string]float64 `yaml:"values,omitempty"`
}

// Hints are words of names, the surest first.
const (
	questionHints = "question query ask asked prompt input utterance"
	answerHints   = "response prediction hypothesis generated predicted reply output completion said answer text content"
	goldHints     = "gold golden truth reference expected target correct answer label"
	clusterHints  = "conversation conv sample dialogue dialog chat group user session thread idx"
	categoryHints = "category type kind dimension topic task class"
	evidenceHints = "memory memories context retrieved retrieval evidence passage chunk found hit snippet document doc source"
	goldTurnHints = "evidence gold support turn dia"
	verdictHints  = "verdict grade judge judged judgment judgement correct right llm label human vote rating ok passed rubric"
	scoreHints    = "f1 bleu rouge recall precision ndcg tau meteor bert similarity em match"
	timeHints     = "latency duration time elapsed took ms seconds secs millis"
	searchHints   = "search retrieval retrieve memory memories recall lookup"
)

// newGuess weighs what the items of a spot may be.
func newGuess(s *spot, q *questionIndex) *guess {
	g := &guess{questionIndex: q, spot: s, leaves: leavesOf(s.items), taken: make(map[*leaf]bool), golden: make([]int, len(s.items))}
	for i := range g.golden {
		g.golden[i] = -1
	}
	text := func(l *leaf) bool {
		return l.is(jsontree.String, jsontree.Number) && 2*l.n >= len(s.items) && 2*l.kinds[jsontree.String] >= l.n
	}
	question, points := g.best(questionHints, func(l *leaf) bool {
		return text(l) && l.prose()
	}, func(l *leaf) float64 {
		return 10 * l.share(func(i int) bool { return len(q.byText[normal(l.text(i))]) > 0 })
	})
	if question != nil {
		g.take(question, &g.to.Question)
		g.points = points
		for i := range s.items {
			if all := q.byText[normal(question.text(i))]; len(all) == 1 {
				g.golden[i] = all[0]
			}
		}
	}
	g.ids()
	g.texts(text)
	if question == nil && g.to.Address+g.to.Request+g.to.Sample == "" {
		g.points = 0
	}
	g.points *= 1 + math.Log(float64(len(s.items)))/100
	return g
}

// take gives a leaf to a role.
func (g *guess) take(l *leaf, role *string) {
	if l != nil {
		*role, g.taken[l] = l.path, true
	}
}

// best returns the leaf with most points for a role, of those with any.
func (g *guess) best(hints string, is func(*leaf) bool, more func(*leaf) float64) (best *leaf, points float64) {
	for _, l := range g.leaves {
		if g.taken[l] || !is(l) {
			continue
		}
		n := l.named(hints)
		if more != nil {
			n += more(l)
		}
		if n > points {
			best, points = l, n
		}
	}
	return best, points
}

// ids finds fields that hold ids of the data set.
func (g *guess) ids() {
	for _, l := range g.leaves {
		if l.list || g.taken[l] || l.n == 0 {
			continue
		}
		if l.share(func(i int) bool { _, ok := g.byID[l.text(i)]; return ok }) > 0.9 {
			if g.to.Address = l.path; !strings.Contains(l.text(slices.IndexFunc(l.values, func(v *jsontree.Value) bool { return v != nil })), "/") {
				g.to.ID, g.to.Request, g.to.Address = l.path, l.path, ""
			}
			g.found(l, func(i int) string { return l.text(i) })
			return
		}
		for _, m := range g.leaves {
			if m != l && !m.list && l.share(func(i int) bool { _, ok := g.byID[l.text(i)+"/"+m.text(i)]; return ok }) > 0.9 {
				g.taken[m], g.to.Sample, g.to.Request = true, l.path, m.path
				g.found(l, func(i int) string { return l.text(i) + "/" + m.text(i) })
				return
			}
		}
	}
	l, _ := g.best("id qid key", func(l *leaf) bool {
		return l.is(jsontree.String, jsontree.Number) && l.n == len(g.spot.items) && len(l.distinct()) == l.n
	}, nil)
	if g.take(l, &g.to.ID); l != nil && g.to.Question == "" && l.named("question request") > 0 {
		g.to.Request = l.path
	}
}

// found notes that a leaf says which question an item is to.
func (g *guess) found(l *leaf, id func(i int) string) {
	g.taken[l] = true
	g.points += 5
	for i := range g.golden {
		if at, ok := g.byID[id(i)]; ok {
			g.golden[i] = at
		}
	}
}

// texts finds the answer and the gold answer, the pair of most points.
func (g *guess) texts(is func(*leaf) bool) {
	known := slices.ContainsFunc(g.golden, func(i int) bool { return i >= 0 })
	type weight struct{ answer, gold float64 }
	weights := make(map[*leaf]weight)
	for _, l := range g.leaves {
		if g.taken[l] || l.list && !l.kindless() || !l.kindless() && !is(l) && !l.is(jsontree.String, jsontree.Number) || 2*l.n < len(g.spot.items) {
			continue
		}
		w := weight{l.named(answerHints), l.named(goldHints)}
		if known {
			same := l.share(func(i int) bool { return g.golden[i] >= 0 && sameGold(l.text(i), g.golds[g.golden[i]]) })
			alike := l.share(func(i int) bool {
				return g.golden[i] >= 0 && overlap(l.text(i), g.golds[g.golden[i]].Answer)
			})
			if w.gold += 10 * same; same < 0.5 {
				w.gold = 0
			}
			if w.answer += 3 * alike; same > 0.95 || l.named(answerHints) == 0 && (l.list || !l.prose()) {
				w.answer = 0
			}
		}
		if constant := len(l.distinct()) < 3 && l.n > 10; constant || !is(l) && !l.kindless() || l.length() > 2000 {
			if w.answer = 0; constant && w.gold < 5 {
				w.gold = 0
			}
		}
		weights[l] = w
	}
	var answer, gold *leaf
	most := 0.0
	consider := func(a, t *leaf) {
		if a != t || a == nil {
			if sum := weights[a].answer + weights[t].gold; sum > most {
				answer, gold, most = a, t, sum
			}
		}
	}
	for _, a := range g.leaves {
		for _, t := range g.leaves {
			if weights[a].answer > 0 && weights[t].gold > 0 {
				consider(a, t)
			}
		}
		if weights[a].answer > 0 {
			consider(a, nil)
		}
		if weights[a].gold > 5 {
			consider(nil, a)
		}
	}
	g.take(answer, &g.to.Answer)
	g.take(gold, &g.to.Gold)
	g.points += most
	if answer != nil && weights[answer].answer < 2 {
		g.doubt("whether the answer is at %q", answer.path)
	}
	if answer == nil && gold == nil {
		g.points = 0
	}
}

// kindless reports whether a list holds texts, of which the first counts.
func (l *leaf) kindless() bool {
	return l.list && l.kinds[jsontree.Array] > 0 && l.share(func(i int) bool { _, ok := firstText(l.values[i]); return ok && len(l.values[i].Items) < 3 }) > 0.9
}

func (g *guess) doubt(format string, args ...any) {
	g.unsure = append(g.unsure, fmt.Sprintf(format, args...))
}

// overlap reports whether two texts share a word of four letters or more, or a number.
func overlap(a, b string) bool {
	words := strings.Fields(strings.ToLower(b))
	a = strings.ToLower(a)
	return slices.ContainsFunc(words, func(w string) bool {
		w = strings.Trim(w, ".,;:!?'\"()")
		return (len(w) > 3 || w != "" && w[0] >= '0' && w[0] <= '9') && strings.Contains(a, w)
	})
}

// layout gives the other leaves their roles, and writes the layout.
func (g *guess) layout(name string) ([]byte, error) {
	g.to.Name, g.to.Items = name, dotted(g.spot.names)
	g.cluster()
	g.category()
	list := func(l *leaf) bool { return l.list && l.kinds[jsontree.Array] > 0 }
	turns, _ := g.best("", list, func(l *leaf) float64 {
		same := l.share(func(i int) bool {
			return g.golden[i] >= 0 && len(idsOf(l.values[i])) > 0 && sameEvidence(idsOf(l.values[i]), g.golds[g.golden[i]].Evidence)
		})
		if len(g.golds) == 0 {
			return l.named(goldTurnHints) * l.share(func(i int) bool { return l.length() < 20 && len(idsOf(l.values[i])) == len(l.values[i].Items) })
		}
		return max(0, same-0.5)
	})
	g.take(turns, &g.to.GoldEvidence)
	for _, l := range g.leaves {
		if g.taken[l] || l.n == 0 {
			continue
		}
		switch {
		case l.named(evidenceHints) > 0 && (list(l) && l.blocks() > 0.5 || l.is(jsontree.String) && l.length() > 200):
			g.taken[l] = true
			g.to.Evidence = append(g.to.Evidence, l.path)
		case l.list:
		case l.is(jsontree.Number) && l.named(timeHints) > 0 && strings.Count(l.path, ".") < 3 && !slices.Contains(l.words, "timestamp"):
			g.time(l)
		case l.is(jsontree.Number) && (slices.Contains(l.words, "token") || slices.Contains(l.words, "tokens")):
			g.tokens(l)
		case l.is(jsontree.Number) && slices.Contains(l.words, "cost"):
			g.take(l, &g.to.Cost)
		case l.is(jsontree.String) && (l.words[0] == "status" || l.words[0] == "error" || l.words[0] == "state"):
			g.failed(l)
		default:
			g.judged(l, name)
		}
	}
	g.totals()
	if g.to.Question == "" {
		g.doubt("which field is the question; items are found by their ids")
	}
	data, err := strictyaml.Encode(g.to)
	for _, doubt := range slices.Backward(g.unsure) {
		data = append([]byte("# unsure: "+doubt+"\n"), data...)
	}
	return append(data, '\n'), err
}

// blocks is the share of the items whose list holds texts, or memories with a text.
func (l *leaf) blocks() float64 {
	return l.share(func(i int) bool {
		found := blocksOf(l.values[i])
		return len(found) > 0 && (found[0].Text != "" && len(found[0].Text) > 12 || l.values[i].Items[0].Kind == jsontree.Object)
	})
}

// cluster finds the conversation: what goes with those of the data set, else by its name.
func (g *guess) cluster() {
	if g.to.Sample != "" || g.to.Address != "" {
		return
	}
	apart := func(text func(i int) string) float64 { // whether each value is one conversation
		of, back := make(map[string]string), make(map[string]string)
		n, right := 0, 0
		for i, at := range g.golden {
			if at < 0 || text(i) == "" {
				continue
			}
			sample := g.golds[at].Sample
			if of[text(i)] == "" && back[sample] == "" {
				of[text(i)], back[sample] = sample, text(i)
			}
			if n++; of[text(i)] == sample {
				right++
			}
		}
		return float64(right) / float64(max(n, 1)) * float64(min(len(of), 2)) / 2
	}
	known := len(g.golds) > 0
	l, points := g.best(clusterHints, func(l *leaf) bool {
		return l.is(jsontree.String, jsontree.Number) && 2*l.n > len(g.spot.items) && (len(l.distinct()) < l.n || l.n == 1) &&
			(!known || apart(l.text) > 0.9 || apart(l.text) > 0.4 && l.named(clusterHints) > 1)
	}, func(l *leaf) float64 { return 3 * apart(l.text) * min(1, float64(len(g.golds))) })
	for at := range g.captured() {
		capture := func(i int) string { return g.spot.captures[i][at] }
		if share := apart(capture); (!known || share > 0.4) && 3*share+1 > points-1 {
			g.to.Cluster = "@" + strconv.Itoa(at+1)
			return
		}
	}
	if l == nil {
		g.doubt("which field names the conversation")
		return
	}
	g.take(l, &g.to.Cluster)
}

// captured is how many stars of the items' path stand for keys with several items each.
func (g *guess) captured() int {
	n := len(g.spot.captures[0])
	if n > 0 && g.spot.names[len(g.spot.names)-1] == "*" {
		n-- // which is the item's own key
		if g.to.ID == "" {
			g.to.ID = "@" + strconv.Itoa(n+1)
		}
	}
	return n
}

// category finds what goes with the categories of the data set, else is named so.
func (g *guess) category() {
	few := func(l *leaf) bool {
		n := len(l.distinct())
		return l.is(jsontree.String, jsontree.Number) && n <= 20 && 2*l.n > len(g.spot.items) && (n < l.n || l.n < 3)
	}
	fit := func(l *leaf) float64 {
		return 2 * l.share(func(i int) bool { return g.golden[i] >= 0 && g.golds[g.golden[i]].Category == l.text(i) })
	}
	l, points := g.best(categoryHints, func(l *leaf) bool { return few(l) && (l.named(categoryHints) > 0 || fit(l) > 1.8) }, fit)
	if l == nil {
		return
	}
	g.take(l, &g.to.Category)
	if len(g.golds) > 0 && points-l.named(categoryHints) < 1 {
		g.doubt("what the categories at %q stand for: --categories FILE says it", l.path)
	}
}

// time adds a time to a stage, in the unit that its name or its size suggests.
func (g *guess) time(l *leaf) {
	g.taken[l] = true
	stage := "answer"
	if l.named(searchHints) > 0 {
		stage = "search"
	}
	milli := slices.Contains(l.words, "ms") || slices.Contains(l.words, "millis") || slices.Contains(l.words, "milliseconds")
	if !milli && !slices.Contains(l.words, "s") && l.named("second sec secs") == 0 {
		large := l.share(func(i int) bool { return numberOf(l.values[i]) > 100 })
		milli = large > 0.5
		g.doubt("whether %q is in seconds", l.path)
	}
	to := &g.to.Seconds
	if milli {
		to = &g.to.Milliseconds
	}
	if *to == nil {
		*to = make(map[string][]string)
	}
	if slices.Contains(l.words, "total") {
		stage = "total"
	}
	(*to)[stage] = append((*to)[stage], l.path)
}

// totals drops times that sum up others.
func (g *guess) totals() {
	for _, unit := range []map[string][]string{g.to.Seconds, g.to.Milliseconds} {
		if total := unit["total"]; total != nil {
			delete(unit, "total")
			if len(g.to.Seconds)+len(g.to.Milliseconds) == 0 {
				unit["answer"] = total
			}
		}
	}
}

func (g *guess) tokens(l *leaf) {
	what := ""
	switch {
	case l.named("prompt input in") > 0:
		what = "input"
	case l.named("completion output out generated") > 0:
		what = "output"
	}
	if what == "" || g.to.Tokens[what] != nil {
		return
	}
	if g.to.Tokens == nil {
		g.to.Tokens = make(map[string][]string)
	}
	g.to.Tokens[what] = []string{l.path}
}

// failed adds the words that tell of a failure.
func (g *guess) failed(l *leaf) {
	g.taken[l] = true
	f := suggestedFailure{Path: l.path}
	if l.words[0] != "error" {
		for word := range l.distinct() {
			if slices.Contains([]string{"failed", "fail", "error", "skipped", "crashed", "timeout", "refused"}, strings.ToLower(word)) {
				f.Is = append(f.Is, word)
			}
		}
		if f.Is == nil {
			return
		}
		slices.Sort(f.Is)
	}
	g.to.Failed = append(g.to.Failed, f)
}

// verdictWords are words of verdicts.
var verdictWords = map[string]float64{
	"correct": 1, "wrong": 0, "incorrect": 0, "right": 1, "true": 1, "false": 0, "yes": 1, "no": 0, "pass": 1, "fail": 0, "good": 1, "bad": 0, "1": 1, "0": 0,
}

// judged adds a verdict or a score.
func (g *guess) judged(l *leaf, name string) {
	verdict := l.named(verdictHints) > 0 && l.named(scoreHints) == 0
	v := suggestedVerdict{Judge: name, Path: l.path}
	switch {
	case l.is(jsontree.String):
		values := make(map[string]float64)
		words := l.distinct()
		for word := range words {
			if x, ok := verdictWords[strings.ToLower(word)]; ok {
				values[word] = x
			} else if len(words) > 4 {
				return
			}
		}
		if len(values) == 0 || !verdict {
			return
		}
		v.Values = values
	case !l.is(jsontree.Bool, jsontree.Number) || !verdict && l.named(scoreHints+" score accuracy") == 0:
		if l.is(jsontree.Bool) {
			g.doubt("whether %q is a verdict", l.path)
		}
		return
	case !verdict || l.share(func(i int) bool { x := numberOf(l.values[i]); return x < 0 || x > 1 }) > 0:
		if l.is(jsontree.Number) {
			if g.to.Scores == nil {
				g.to.Scores = make(map[string]string)
			}
			g.to.Scores[strings.ReplaceAll(strings.TrimSuffix(l.path, ".*"), ".", "_")] = l.path
		}
		return
	}
	g.taken[l] = true
	if slices.Contains(l.words, "human") || slices.Contains(l.words, "person") {
		v.Judge = "person"
	} else {
		g.doubt("what the judge at %q is called", l.path)
	}
	if n := len(lists.Filter(g.to.Verdicts, func(o suggestedVerdict) bool { return strings.HasPrefix(o.Judge, v.Judge) })); n > 0 {
		v.Judge += strconv.Itoa(n + 1)
	}
	g.to.Verdicts = append(g.to.Verdicts, v)
}
