package calls

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"

	"recallbench/internal/door/fault"
	"recallbench/internal/text/termsafe"
)

// maxCompared bounds how many recordings are compared with a call that misses,
// the newest ones.
const maxCompared = 10000

// nearest says which recording is most like a call, and in what the two differ:
// lines to put behind a message. Of the recordings of the same kind, and of the
// same role where there are any, it is the one that shares most of the text.
func (s *Store) nearest(c *Call, id identity) string {
	all, err := s.Recordings()
	if err != nil {
		return ""
	}
	var best *Recording
	var likeness [3]float64
	shared := newShared(s, c)
	compared := 0
	for _, r := range all {
		if r.Kind() != c.Kind || compared == maxCompared {
			continue
		}
		compared++
		l, err := shared.likeness(r, c, id)
		if err == nil && (best == nil || compare(l, likeness) > 0) {
			best, likeness = r, l
		}
	}
	if best == nil {
		return fmt.Sprintf("\nno %s call is recorded", c.Kind)
	}
	near, err := best.Call()
	if err != nil {
		return ""
	}
	return fmt.Sprintf("\nthe nearest recording is %s of %s; it (-) differs from what was asked (+) in%s",
		best.Key().ID(), best.Time().Format("2006-01-02 15:04:05"), diff(near, c))
}

func compare(a, b [3]float64) int {
	return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1]), cmp.Compare(a[2], b[2]))
}

// A shared measures how much text recordings share with a call. A piece that
// many recordings have is measured once.
type shared struct {
	store *Store
	lines map[string]bool // of the call
	words map[string]bool
	size  int
	known map[frameID][]overlap
}

// An overlap is how many bytes of a piece are in lines and in words that the
// call has, too.
type overlap struct{ lines, words, size int }

func newShared(s *Store, c *Call) *shared {
	sh := &shared{store: s, lines: make(map[string]bool), words: make(map[string]bool), known: make(map[frameID][]overlap)}
	for _, t := range c.Texts {
		sh.size += len(t.Content)
		for line := range strings.Lines(t.Content) {
			sh.lines[strings.TrimSuffix(line, "\n")] = true
			for w := range strings.FieldsSeq(line) {
				sh.words[w] = true
			}
		}
	}
	return sh
}

func (sh *shared) measure(pieces []string) []overlap {
	all := make([]overlap, len(pieces))
	for i, piece := range pieces {
		o := overlap{size: len(piece)}
		for line := range strings.Lines(piece) {
			if sh.lines[strings.TrimSuffix(line, "\n")] {
				o.lines += len(line)
				o.words += len(line)
				continue
			}
			for w := range strings.FieldsSeq(line) {
				if sh.words[w] {
					o.words += len(w) + 1
				}
			}
		}
		all[i] = o
	}
	return all
}

// likeness is larger the more a recording is like the call: it has the same
// role, it shares text, it has the same settings.
func (sh *shared) likeness(r *Recording, c *Call, id identity) (l [3]float64, err error) {
	p, err := r.packed()
	if err != nil {
		return l, err
	}
	texts := p.texts
	p.texts = texts[:min(2, len(texts))]
	head, err := sh.store.join(r.segment, r.offset, &p)
	if err != nil {
		return l, err
	}
	outline, other, err := restore(head)
	if err != nil {
		return l, err
	}
	var sum overlap
	for _, runs := range texts[len(p.texts):] {
		for _, run := range runs {
			pieces, err := sh.pieces(r, &p, run.back)
			if err != nil {
				return l, err
			}
			if run.first > uint64(len(pieces)) || run.count > uint64(len(pieces))-run.first {
				return l, errDamaged
			}
			for _, o := range pieces[run.first : run.first+run.count] {
				sum = overlap{sum.lines + o.lines, sum.words + o.words, sum.size + o.size}
			}
		}
	}
	if outline.Role == c.Role {
		l[0] = 1
	}
	if total := sum.size + sh.size; total > 0 {
		l[1] = float64(sum.lines+sum.words) / float64(total)
	}
	if bytes.Equal(other.json, id.json) {
		l[2] = 100
	}
	l[2] -= float64(len(settingsDiff(outline, c)))
	return l, nil
}

// pieces measures the new pieces of a recording's frame, or of one before it.
func (sh *shared) pieces(r *Recording, p *packed, back int64) ([]overlap, error) {
	id := frameID{r.segment, r.offset - back}
	if all, ok := sh.known[id]; ok {
		return all, nil
	}
	var pieces []string
	var err error
	if back == 0 {
		pieces, err = p.pieces()
	} else {
		pieces, err = sh.store.pieces.of(sh.store, r.segment, id.offset)
	}
	if err != nil {
		return nil, err
	}
	all := sh.measure(pieces)
	sh.known[id] = all
	return all, nil
}

// miss is the fault of a replay that lacks recordings. The recorder's first one
// says in what the nearest recording differs.
func (d *door) miss(all []*Call, keys []Key, items []int) error {
	first := all[items[0]]
	var b strings.Builder
	fmt.Fprintf(&b, "no recording of %s, id %s", first.describe(d.id), keys[items[0]].ID())
	if more := len(items) - 1; more > 0 {
		fmt.Fprintf(&b, ", and of %d more", more)
	}
	fmt.Fprintf(&b, " in %s; with the model's server running, --calls reuse asks it; --model offline answers without a model", d.store.dir)
	d.explain.Do(func() { b.WriteString(d.store.nearest(first, d.id)) })
	return &fault.Error{Kind: fault.Miss, Message: b.String()}
}

// describe names a call in a few words.
func (c *Call) describe(id identity) string {
	model := termsafe.Text(id.Model)
	if id.Provider != "" {
		model += " at " + termsafe.Text(id.Provider)
	}
	switch c.Kind {
	case Embed:
		return fmt.Sprintf("the %s embedding of %q by %s", c.Texts[0].Role, excerpt(c.Texts[0].Content, 60), model)
	case Entail:
		return fmt.Sprintf("whether %q entails %q by %s", excerpt(c.Texts[0].Content, 60), excerpt(c.Texts[1].Content, 60), model)
	case Keep:
		return fmt.Sprintf("the tokens of %q by %s", excerpt(c.Texts[0].Content, 60), model)
	case Annotate:
		return fmt.Sprintf("the %s of %q by %s", c.Texts[0].Content, excerpt(c.Annotated(), 60), model)
	default:
		return fmt.Sprintf("the %s call of %s", termsafe.Text(c.Role), model)
	}
}

// excerpt is the beginning of a text, at most n characters.
func excerpt(s string, n int) string {
	if len(s) > 8*n {
		s = s[:8*n]
	}
	r := []rune(termsafe.Text(s))
	if len(r) <= n {
		return string(r)
	}
	return string(r[:n]) + "…"
}
