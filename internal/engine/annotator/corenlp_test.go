package annotator

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"recallbench/internal/backend/corenlp"
	"recallbench/internal/door/annotate"
	"recallbench/internal/testkit/golden"
	"recallbench/internal/testkit/try"
)

var address = flag.String("corenlp", "", "ask the CoreNLP server at this address, and keep what it says of the annotated dialogues")

// replies is what a CoreNLP 4.5.10 server said of the annotated dialogues.
const replies = "testdata/corenlp.json.gz"

// A replayer replies as a server did, or asks it and keeps what it says.
type replayer map[string]string

func (r replayer) RoundTrip(req *http.Request) (*http.Response, error) {
	text, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	key := req.URL.Query().Get("properties") + "\n" + string(text)
	said, ok := r[key]
	if !ok && *address == "" {
		return nil, errors.New("no reply is kept to this; run with -corenlp http://localhost:9000")
	}
	if !ok {
		req.Body = io.NopCloser(bytes.NewReader(text))
		resp, err := http.DefaultTransport.RoundTrip(req)
		if err != nil || resp.StatusCode != http.StatusOK {
			return resp, err
		}
		defer resp.Body.Close()
		var compact bytes.Buffer
		if data, err := io.ReadAll(resp.Body); err != nil {
			return nil, err
		} else if err := json.Compact(&compact, data); err != nil {
			return nil, err
		}
		said = compact.String()
		r[key] = said
	}
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(said)), Request: req}, nil
}

func (r replayer) load(t *testing.T) {
	t.Helper()
	f := try.Get(os.Open(replies))(t)
	defer f.Close()
	z := try.Get(gzip.NewReader(f))(t)
	try.Do(t, json.NewDecoder(z).Decode(&r))
}

func (r replayer) save(t *testing.T) {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	try.Do(t, errors.Join(json.NewEncoder(z).Encode(r), z.Close(), os.WriteFile(replies, b.Bytes(), 0o644)))
}

// TestCoreNLP holds a real parser against the annotated dialogues, and the rules
// against the parser. What it prints is docs/reproduce.md's table.
func TestCoreNLP(t *testing.T) {
	r := make(replayer)
	base := "http://localhost:9000"
	if *address == "" {
		r.load(t)
	} else {
		base = *address
		t.Cleanup(func() { r.save(t) })
	}
	server := try.Get(corenlp.New(corenlp.Config{BaseURL: base, Client: &http.Client{Transport: r}}))(t)
	var out strings.Builder
	var same agreement
	for _, set := range []string{"dev", "heldout"} {
		files, err := filepath.Glob(filepath.Join("testdata", set, "*.txt"))
		if err != nil || len(files) == 0 {
			t.Fatal(set, err)
		}
		var of [2]scores
		for _, f := range files {
			for i, a := range []annotate.Annotator{New(), server} {
				of[i].add(measure(t, a, corenlp.Layers(), f, false))
			}
			same.add(t, New(), server, f)
		}
		for i, name := range []string{"rules", "CoreNLP"} {
			s := of[i]
			fmt.Fprintf(&out, "%-8s %-8s names %5.1f  coreference, B-cubed %5.1f, pairs %5.1f\n", set, name, 100*s.names.f1(), 100*s.b3(), 100*s.pairs.f1())
		}
	}
	fmt.Fprintf(&out, "\nrules, with CoreNLP taken for right:\n")
	fmt.Fprintf(&out, "entities, span            %v\n", &same.spans)
	fmt.Fprintf(&out, "entities, span and type   %v\n", &same.types)
	fmt.Fprintf(&out, "names, span and type      %v\n", &same.names)
	fmt.Fprintf(&out, "coreference, pairs        %v\n", &same.pairs)
	fmt.Fprintf(&out, "tokens                    %v\n", &same.tokens)
	fmt.Fprintf(&out, "tokens with the same head %5.1f %% of %.0f that have one in both\n", 100*same.heads.right/same.heads.found, same.heads.found)
	t.Log("\n" + out.String())
	golden.Check(t, "corenlp.txt", out.String())
}

// An agreement counts what two annotators say alike.
type agreement struct{ spans, types, names, pairs, tokens, heads tally }

// A view is one annotation of a dialogue by bytes of its utterances.
type view struct {
	entities, clusters map[[4]int]string
	heads              map[[4]int][4]int // of each token; that of the root is itself
	tokens             map[[4]int]bool
}

func look(t *testing.T, a annotate.Annotator, file string) view {
	t.Helper()
	v := view{make(map[[4]int]string), make(map[[4]int]string), make(map[[4]int][4]int), make(map[[4]int]bool)}
	var known []annotate.Known
	for n, session := range readGold(t, file) {
		r := session.request
		r.Layers, r.Known = corenlp.Layers(), known
		d := try.Get(a.Annotate(t.Context(), r))(t)
		known = d.Recall(r.Utterances, known)
		at := func(s annotate.Sentence, start, end int) [4]int {
			return [4]int{n, s.Utterance, s.Tokens[start].Start, s.Tokens[end-1].End}
		}
		for _, s := range d.Sentences {
			for i := range s.Tokens {
				v.tokens[at(s, i, i+1)] = true
			}
			for _, e := range s.Entities {
				v.entities[at(s, e.Start, e.End)] = e.Type
			}
			for _, e := range s.Dependencies {
				head := e.Head
				if head < 0 {
					head = e.Dependent
				}
				v.heads[at(s, e.Dependent, e.Dependent+1)] = at(s, head, head+1)
			}
		}
		for _, c := range d.Clusters {
			for _, m := range c.Mentions {
				v.clusters[at(d.Sentences[m.Sentence], m.Start, m.End)] = c.ID
			}
		}
	}
	return v
}

func (g *agreement) add(t *testing.T, rules, server annotate.Annotator, file string) {
	t.Helper()
	a, b := look(t, rules, file), look(t, server, file)
	count := func(keep func(string) bool, alike func(x, y string) bool) (c tally) {
		for k, x := range a.entities {
			if y, ok := b.entities[k]; keep(x) && ok && alike(x, y) {
				c.right++
			}
			if keep(x) {
				c.found++
			}
		}
		for _, y := range b.entities {
			if keep(y) {
				c.gold++
			}
		}
		return c
	}
	all := func(string) bool { return true }
	same := func(x, y string) bool { return x == y }
	g.spans.add(count(all, func(string, string) bool { return true }))
	g.types.add(count(all, same))
	g.names.add(count(func(typ string) bool { return !isValue(typ) && typ != "NORP" }, same))
	var sc scores
	compareClusters(&sc, b.clusters, a.clusters)
	g.pairs.add(sc.pairs)
	c := tally{found: float64(len(a.tokens)), gold: float64(len(b.tokens))}
	for k := range a.tokens {
		if b.tokens[k] {
			c.right++
		}
	}
	g.tokens.add(c)
	for k, head := range a.heads {
		if other, ok := b.heads[k]; ok {
			g.heads.found++
			if head == other {
				g.heads.right++
			}
		}
	}
}
