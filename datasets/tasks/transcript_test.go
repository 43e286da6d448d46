package tasks

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pmezard/go-difflib/difflib"

	"recallbench/internal/engine/expect"
	"recallbench/internal/engine/semxpath"
	"recallbench/internal/engine/tree"
	"recallbench/internal/testkit/golden"
	"recallbench/internal/testkit/longtest"
	"recallbench/internal/testkit/try"
)

// A gold is a request with what its solution makes of the tree.
type gold struct {
	*request
	suite, key    string // key is s01 for single requests, m1/t1 for turns
	versions      []*tree.Version
	before, after *tree.Tree
}

// outcome is what the solution comes to.
func (g *gold) outcome() expect.Outcome {
	return expect.Outcome{Nodes: g.Solution.Nodes, Answer: g.Solution.Answer, First: g.versions[0].Tree, Before: g.before, After: g.after}
}

// edits reports whether the solution changes the tree.
func (g *gold) edits() bool { return g.before != g.after }

// suites yields the name and the requests of each suite of the repository.
func suites(t *testing.T) iter.Seq2[string, []*gold] {
	t.Helper()
	own := try.Get(fs.Sub(data, "data"))(t)
	return func(yield func(string, []*gold) bool) {
		for _, fsys := range []fs.FS{own, os.DirFS("testdata/suites")} {
			domains := try.Get(folders(fsys))(t)
			for _, domain := range domains {
				if !yield(domain, goldsOf(t, fsys, domain)) {
					return
				}
			}
		}
	}
}

// goldsOf reads a suite and makes the solutions.
func goldsOf(t *testing.T, fsys fs.FS, domain string) (golds []*gold) {
	t.Helper()
	play := func(h *tree.History, r *request, key string) {
		g := &gold{request: r, suite: domain, key: key, before: h.Latest().Tree}
		if err := r.Solution.commit(h, r.Text); err != nil {
			t.Fatalf("%s %s: %v", domain, key, err)
		}
		g.versions, g.after = slices.Clone(h.Versions()), h.Latest().Tree
		golds = append(golds, g)
	}
	for _, turns := range []Turns{Single, Multi} {
		l := loader{options: Options{Turns: turns, Split: All}, fsys: fsys, files: make(map[string][]byte)}
		first := try.Get(l.tree(domain + "/" + treeFile))(t)
		for _, split := range []Split{Dev, HeldOut} {
			f, _ := l.file(domain, split, first)
			if len(l.faults) > 0 {
				t.Fatal(l.faults)
			}
			if f == nil {
				continue
			}
			for i := range f.Requests {
				play(tree.NewHistory(first), &f.Requests[i], f.Requests[i].ID)
			}
			for _, c := range f.Conversations {
				h := tree.NewHistory(first)
				for i := range c.Turns {
					play(h, &c.Turns[i], c.ID+"/"+c.Turns[i].ID)
				}
			}
		}
	}
	return golds
}

// TestTranscripts writes what the gold of each request comes to, with no method
// and no model: what its query finds, what its edit makes of the tree, and what
// doing nothing lacks. A query has to find nodes that are accepted.
func TestTranscripts(t *testing.T) {
	longtest.SkipRace(t)
	for name, golds := range suites(t) {
		queries := readQueries(t, name)
		var b strings.Builder
		for _, g := range golds {
			fmt.Fprintf(&b, "=== %s %s\n%s\n", g.key, g.Labels["operation"], g.Text)
			if q, ok := queries[g.key]; ok {
				writeQuery(t, &b, g, q)
				delete(queries, g.key)
			}
			fmt.Fprintf(&b, "nodes: %s\nanswer: %s\n", strings.Join(g.Solution.Nodes, " "), g.Solution.Answer)
			if g.edits() {
				writeEdit(t, &b, g)
			}
			if g.Expect == nil {
				b.WriteString("not judged\n\n")
				continue
			}
			idle := g.outcome()
			idle.Nodes, idle.Answer, idle.After = nil, "", g.before
			v := expect.Check(g.Expect, idle)
			if v.Retrieval || v.Output && g.edits() {
				t.Errorf("%s %s: doing nothing passes", g.suite, g.key)
			}
			fmt.Fprintf(&b, "doing nothing:\n\t%s\n\n", strings.Join(v.Why, "\n\t"))
		}
		for key := range queries {
			t.Errorf("a query for %s %s, which is no request", name, key)
		}
		golden.Check(t, "transcripts/"+name+".txt", b.String())
	}
}

// A query is the gold query of a request and the version that it is put to;
// 0 is the newest.
type query struct {
	version int
	text    string
}

// readQueries reads testdata/queries: a line has a request, @N where the query
// is put to version N, and the query.
func readQueries(t *testing.T, suite string) map[string]query {
	t.Helper()
	f, err := os.Open("testdata/queries/" + suite + ".txt")
	try.Do(t, err)
	defer f.Close()
	queries := make(map[string]query)
	for lines := bufio.NewScanner(f); lines.Scan(); {
		key, text, _ := strings.Cut(lines.Text(), " ")
		q := query{text: text}
		if at, rest, ok := strings.Cut(text, " "); ok && strings.HasPrefix(at, "@") {
			if q.version, err = strconv.Atoi(at[1:]); err != nil {
				t.Fatal(err)
			}
			q.text = rest
		}
		queries[key] = q
	}
	return queries
}

// writeQuery writes what a query finds in both profiles.
func writeQuery(t *testing.T, b *strings.Builder, g *gold, q query) {
	t.Helper()
	over, label := g.before, "query"
	if q.version > 0 {
		over, label = g.versions[q.version-1].Tree, fmt.Sprintf("query of version %d", q.version)
	}
	parsed, err := semxpath.Parse(q.text)
	if err != nil {
		t.Fatalf("%s %s: %v", g.suite, g.key, err)
	}
	if err := semxpath.Check(parsed, over.Schema()); err != nil {
		t.Errorf("%s %s: %v", g.suite, g.key, err)
	}
	fmt.Fprintf(b, "%s: %s\n", label, parsed)
	paper := ""
	for _, profile := range []semxpath.Profile{semxpath.Paper, semxpath.Released} {
		r, err := parsed.Run(t.Context(), over.Root(), semxpath.Options{Profile: profile, Scorer: sharedWords{}, Threshold: 0.6})
		if err != nil {
			t.Fatalf("%s %s: %v", g.suite, g.key, err)
		}
		var nodes []string
		var found strings.Builder
		for _, m := range r.Matches {
			nodes = append(nodes, m.Node.ID)
			fmt.Fprintf(&found, "\t%s %.4f %s\n", m.Node.ID, m.Weight, tree.Label(over.Path(m.Node.ID)))
		}
		switch profile {
		case semxpath.Paper:
			paper = found.String()
			b.WriteString(paper)
			o := g.outcome()
			o.Nodes = nodes
			if g.Expect != nil && !expect.Check(g.Expect, o).Retrieval {
				t.Errorf("%s %s: %s finds %q", g.suite, g.key, q.text, nodes)
			}
		case semxpath.Released:
			if found.String() != paper {
				fmt.Fprintf(b, "released profile:\n%s", &found)
			}
		}
	}
}

// sharedWords scores the share of a condition's words that begin as words of
// the text do.
type sharedWords struct{}

func (sharedWords) Score(_ context.Context, pairs []semxpath.Pair) ([]float64, error) {
	scores := make([]float64, len(pairs))
	stem := func(w string) string { return w[:min(len(w), 6)] }
	for i, p := range pairs {
		text, want, n := plainWords(p.Text), plainWords(p.Condition), 0
		for _, w := range want {
			if slices.ContainsFunc(text, func(x string) bool { return stem(x) == stem(w) }) {
				n++
			}
		}
		if len(want) > 0 {
			scores[i] = float64(n) / float64(len(want))
		}
	}
	return scores, nil
}

// writeEdit writes what a solution makes of the tree. The edits that lead from
// the one tree to the other have to lead there.
func writeEdit(t *testing.T, b *strings.Builder, g *gold) {
	t.Helper()
	edits := tree.Diff(g.before, g.after)
	fmt.Fprintf(b, "summary: %s\n", g.versions[len(g.versions)-1].Summary)
	for _, e := range edits {
		line := try.Get(json.Marshal(e))(t)
		fmt.Fprintf(b, "edit: %s\n", line)
	}
	again, err := g.before.Apply(edits...)
	if err != nil {
		t.Fatalf("%s %s: %v", g.suite, g.key, err)
	}
	after := xmlLines(t, g.after)
	if !slices.Equal(xmlLines(t, again), after) {
		t.Errorf("%s %s: the edits of Diff lead to another tree", g.suite, g.key)
	}
	writeDiff(b, xmlLines(t, g.before), after)
}

func xmlLines(t *testing.T, tr *tree.Tree) []string {
	t.Helper()
	text := try.Get(tree.XML(tr.Root(), tr.Schema(), tree.WriteOptions{IDs: true, Indent: true}))(t)
	return strings.Split(text, "\n")
}

// writeDiff writes the lines that differ, each hunk below the line before it: the root's
// is the same.
func writeDiff(b *strings.Builder, from, to []string) {
	for _, op := range difflib.NewMatcherWithJunk(from, to, false, nil).GetOpCodes() {
		if op.Tag == 'e' {
			continue
		}
		fmt.Fprintf(b, "    %s\n", from[op.I1-1])
		for _, line := range from[op.I1:op.I2] {
			fmt.Fprintf(b, "  - %s\n", line)
		}
		for _, line := range to[op.J1:op.J2] {
			fmt.Fprintf(b, "  + %s\n", line)
		}
	}
}
