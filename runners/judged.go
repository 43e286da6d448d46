package runners

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"recallbench/datasets/errata"
	"recallbench/internal/engine/tree"
	"recallbench/internal/result/record"
	"recallbench/metrics"
)

// A judgedAnswer names an answer that a request had, and what it was held against. What
// judges and people said is of that answer, and is void when the request has another one.
type judgedAnswer struct {
	key
	sha256 string
	gold   string // as in [record.Judgement]; empty for people
}

// readLabels reads what a file says of answers, in its order and in the groups that name
// puts them in; a label without a group is left out.
func readLabels[L any](path string, name func(L) (group string, of judgedAnswer)) (map[string]map[judgedAnswer][]L, error) {
	said := make(map[string]map[judgedAnswer][]L)
	for line, err := range record.Lines[L](path) {
		if err != nil {
			return nil, err
		}
		group, of := name(line.Value)
		if group == "" {
			continue
		}
		if said[group] == nil {
			said[group] = make(map[judgedAnswer][]L)
		}
		said[group][of] = append(said[group][of], line.Value)
	}
	return said, nil
}

// verdicts are what judges said of the answers of a cell, by the id of the judge.
type verdicts map[string]map[judgedAnswer][]record.Judgement

func readVerdicts(folder record.Folder, cell string) (verdicts, error) {
	return readLabels(folder.Judgements(cell), func(j record.Judgement) (string, judgedAnswer) {
		return j.Judge, judgedAnswer{key{j.Sample, j.Request}, j.Answer, j.Gold}
	})
}

// of returns what a judge said of an answer; of several verdicts the last counts.
func (v verdicts) of(judge string, a judgedAnswer) (j record.Judgement, ok bool) {
	all := v[judge][a]
	if len(all) == 0 {
		return j, false
	}
	return all[len(all)-1], true
}

// lastRecords returns the record of each request of a cell: of one that was asked again
// the last.
func lastRecords(folder record.Folder, cell string) (map[key]record.Record, error) {
	records := make(map[key]record.Record)
	for r, err := range record.Values[record.Record](folder.Records(cell)) {
		if err != nil {
			return nil, err
		}
		records[key{r.Sample, r.Request}] = r
	}
	return records, nil
}

// answerHash is the SHA-256 of an answer, in hex.
func answerHash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// item is what a metric sees of a request before it is answered.
func (g golds) item(k key) metrics.Item {
	item := itemOf(g.gold[k])
	item.First = g.trees[k.sample]
	if g.sessions {
		item.SessionOf = sessionOf
	}
	return item
}

// sessionOf returns the part of a turn's id that names its session.
func sessionOf(turn string) string {
	session, _, _ := strings.Cut(turn, ":")
	return session
}

func itemOf(gold record.Gold) metrics.Item {
	item := metrics.Item{
		Category: gold.Category, Question: gold.Question, Gold: gold.Answer, Variants: gold.Variants, Abstain: gold.Abstain,
		GoldEvidence: gold.Evidence, Expect: gold.Expect,
		GoldSessions: gold.Sessions, Rubric: gold.Rubric, Ordered: gold.Ordered, Explanation: gold.Explanation, Correct: gold.Correct,
	}
	for _, o := range gold.Options {
		item.Options = append(item.Options, metrics.Option(o))
	}
	for _, e := range gold.Entities {
		entity := metrics.Entity{ID: e.ID, Names: e.Names}
		for _, m := range e.Mentions {
			entity.Mentions = append(entity.Mentions, metrics.Mention(m))
		}
		item.Entities = append(item.Entities, entity)
	}
	for _, u := range gold.History {
		item.History = append(item.History, metrics.Turn{ID: u.Turn, Speaker: u.Speaker, Text: u.Text})
	}
	return item
}

// addJudgement fills in what the judges said of an answer under a ruling and what that
// took. A failed request that would have been judged is wrong.
func (s *scorer) addJudgement(item *metrics.Item, k key, r errata.Ruling) {
	a := judgedAnswer{k, answerHash(item.Prediction), s.toldHash(k, r)}
	item.Judgements = make(map[string]metrics.Judged)
	for _, judge := range s.header.Judges {
		if item.Failed {
			item.Judgements[judge.Name] = metrics.Judged{Score: new(0.0)}
		} else if j, ok := s.verdicts.of(judge.ID, a); ok {
			item.Judgements[judge.Name] = judgedOf(j)
		}
	}
	if s.header.Judge == nil || !item.Judgeable() {
		return
	}
	if item.Failed {
		item.Judged = new(false)
		return
	}
	j, _ := s.verdicts.of(s.header.Judge.ID, a)
	item.Judged = j.Correct
	item.Tokens.JudgeInput, item.Tokens.JudgeOutput = languageTokens(j.Usage)
}

// judgedOf is what metrics see of a judgement.
func judgedOf(j record.Judgement) metrics.Judged {
	of := metrics.Judged{Score: j.Value(), Order: j.Order}
	for _, v := range j.Votes {
		if v.Nugget > 0 && v.Score != nil {
			of.Nuggets = append(of.Nuggets, *v.Score)
		}
	}
	return of
}

// golds is what a dataset's answers are scored against.
type golds struct {
	gold     map[key]record.Gold
	order    []key // as asked
	trees    map[string]*tree.Tree
	dialogue map[string]bool // samples whose requests see each other's edits
	keys     []errata.Key    // the one that counts first; none where the published one alone is there
	changes  map[key]errata.Change
	sessions bool // turn ids begin with their session's, as "D1:3" does
}

// readAllGolds is readGolds of each dataset of a run, by label.
func readAllGolds(folder record.Folder, h record.Header) (map[string]golds, error) {
	sets := make(map[string]golds)
	for _, d := range h.Datasets {
		var err error
		if sets[d.Label], err = readGolds(folder, d); err != nil {
			return nil, err
		}
	}
	return sets, nil
}

func readGolds(folder record.Folder, d record.Dataset) (golds, error) {
	g := golds{gold: make(map[key]record.Gold, d.Requests), trees: make(map[string]*tree.Tree), dialogue: make(map[string]bool)}
	var err error
	if g.keys, g.changes, err = readErrata(folder, d); err != nil {
		return golds{}, err
	}
	judged := false
	for line, err := range record.Lines[record.Gold](folder.Gold(d.Label)) {
		if err != nil {
			return golds{}, err
		}
		k := key{line.Value.Sample, line.Value.Request}
		g.gold[k] = line.Value
		g.order = append(g.order, k)
		judged = judged || line.Value.Expect != nil
		g.sessions = g.sessions || slices.ContainsFunc(line.Value.Evidence, func(id string) bool { return strings.Contains(id, ":") })
	}
	if !judged {
		return g, nil
	}
	path := folder.Trees(d.Label)
	for line, err := range record.Lines[record.Tree](path) {
		if err != nil {
			return golds{}, err
		}
		t, err := tree.ParseXML(path, strings.NewReader(line.Value.XML), tree.XMLOptions{})
		if err != nil {
			return golds{}, err
		}
		for _, sample := range line.Value.Samples {
			g.trees[sample], g.dialogue[sample] = t, line.Value.Dialogue
		}
	}
	return g, nil
}

// A state is a tree around a request.
type state struct{ before, after *tree.Tree }

// replay works out the trees around each request from the edits of all.
func (g golds) replay(edits map[key][]tree.Edit) (map[key]state, error) {
	states := make(map[key]state)
	latest := make(map[string]*tree.Tree) // of dialogues
	for _, k := range g.order {
		first, ok := g.trees[k.sample]
		if !ok {
			continue
		}
		before := first
		if t, ok := latest[k.sample]; ok {
			before = t
		}
		after := before
		if e := edits[k]; len(e) > 0 {
			var err error
			if after, err = before.Apply(e...); err != nil {
				return nil, fmt.Errorf("request %s of %s: its edits cannot be made again: %w", k.request, k.sample, err)
			}
		}
		if g.dialogue[k.sample] {
			latest[k.sample] = after
		}
		states[k] = state{before, after}
	}
	return states, nil
}
