package personamem

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"recallbench/datasets"
	"recallbench/datasets/internal/reread"
	"recallbench/internal/files/datafile"
	"recallbench/internal/files/jsontree"
)

const (
	maxQuestions = 64 << 20 // bytes of the file of questions
	maxContext   = 64 << 20 // bytes of a line of contexts
)

// A loader reads both files.
type loader struct {
	persona  Persona
	faults   datafile.Faults
	set      *datasets.Set
	source   source
	contexts map[string]int      // the line of each, from 1
	asked    map[string][]prefix // those of a context, each once
	samples  map[prefix]*datasets.Sample
	entries  map[prefix]datasets.Entry
}

func load(ctx context.Context, asked, contexts string, o Options) (*datasets.Set, error) {
	data, err := datafile.Read(ctx, asked, maxQuestions)
	f, other := datafile.OpenLarge(contexts)
	if err := errors.Join(err, other); err != nil {
		if f != nil {
			err = errors.Join(err, f.Close())
		}
		return nil, err
	}
	l := &loader{
		persona: o.Persona, faults: datafile.Faults{File: asked}, source: source{File: reread.New(f), persona: o.Persona},
		set:      &datasets.Set{Name: name, Settings: map[string]string{"size": o.Size, "persona": string(o.Persona)}},
		contexts: make(map[string]int), asked: make(map[string][]prefix),
		samples: make(map[prefix]*datasets.Sample), entries: make(map[prefix]datasets.Entry),
	}
	if err := l.load(ctx, asked, data, contexts, f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return l.set, nil
}

func (l *loader) load(ctx context.Context, asked string, data []byte, contexts string, f io.Reader) error {
	questions := readQuestions(data, &l.faults)
	var order []prefix
	for _, q := range questions {
		if l.samples[q.prefix] == nil {
			order = append(order, q.prefix)
			l.asked[q.context] = append(l.asked[q.context], q.prefix)
			sum := sha256.Sum256(fmt.Appendf(nil, "%s:%s:%d", name, q.context, q.end))
			l.samples[q.prefix] = &datasets.Sample{ID: hex.EncodeToString(sum[:])[:12]}
		}
		s := l.samples[q.prefix]
		q.request.ID = "q" + strconv.Itoa(len(s.Requests)+1)
		s.Requests = append(s.Requests, q.request)
		l.set.SetGold(s.ID, q.request.ID, q.gold)
		if !slices.ContainsFunc(l.set.Categories, func(c datasets.Category) bool { return c.ID == q.gold.Category }) {
			l.set.Categories = append(l.set.Categories, datasets.Category{ID: q.gold.Category, Name: q.gold.Category})
		}
	}
	l.faults.File = contexts
	sum := sha256.New()
	fmt.Fprintf(sum, "%x\n", sha256.Sum256(data))
	if err := l.read(ctx, io.TeeReader(f, sum)); err != nil {
		return err
	}
	l.faults.File = asked
	for _, q := range questions {
		if q.context == "" || q.end < 1 {
			continue // a fault already
		}
		if l.contexts[q.context] == 0 {
			l.faults.Addf(q.line, "%s: there is no context %q", q.gold.Name, q.context)
		} else if _, ok := l.entries[q.prefix]; !ok {
			l.faults.Addf(q.line, "%s: end_index_in_shared_context is %d, more than context %q has messages, or none of them is a turn", q.gold.Name, q.end, q.context)
		}
	}
	if err := l.faults.Err(); err != nil {
		return err
	}
	if len(order) == 0 {
		return fmt.Errorf("%s: it has no question", asked)
	}
	var entries []datasets.Entry
	for i, p := range order {
		e := l.entries[p]
		e.Place = i
		entries = append(entries, e)
		l.source.samples = append(l.source.samples, place{l.contexts[p.context] - 1, p.end, e.ID})
	}
	l.set.SHA256 = hex.EncodeToString(sum.Sum(nil))
	l.set.Version = "sha256:" + l.set.SHA256[:12]
	l.set.Stream(entries, l.source)
	return nil
}

// read reads the contexts, a line each.
func (l *loader) read(ctx context.Context, r io.Reader) error {
	scanner := bufio.NewScanner(r)
	scanner.Buffer(nil, maxContext)
	scanner.Split(func(data []byte, atEOF bool) (int, []byte, error) { // lines with their ends
		if i := bytes.IndexByte(data, '\n'); i >= 0 {
			return i + 1, data[:i+1], nil
		}
		if atEOF && len(data) > 0 {
			return len(data), data, nil
		}
		return 0, nil, nil
	})
	var at int64
	line := 0
	for scanner.Scan() {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		data := scanner.Bytes()
		line++
		l.source.Add(at, data)
		at += int64(len(data))
		if len(bytes.TrimSpace(data)) > 0 {
			l.context(line, data)
		}
	}
	if errors.Is(scanner.Err(), bufio.ErrTooLong) {
		l.faults.Addf(line+1, "the line is longer than %d MiB; the lines after it were not read", maxContext>>20)
		return nil
	}
	return scanner.Err()
}

// context reads a context and counts what the questions see of it.
func (l *loader) context(line int, data []byte) {
	if i := datafile.Invalid(data); i >= 0 {
		l.faults.Addf(line, "byte %#02x at column %d is not UTF-8; save the file as UTF-8", data[i], i+1)
		return
	}
	tree, err := jsontree.Parse(data)
	if se, ok := errors.AsType[*jsontree.SyntaxError](err); ok {
		l.faults.Addf(line, "column %d: %w", se.Offset+1, se)
		return
	}
	c := jsontree.Root(tree, "", l.faults.Report(data, line))
	if !c.Is(jsontree.Object) {
		return
	}
	if n := len(c.Value.Fields); n != 1 {
		c.Faultf("has %d fields, want one: the context's id with its messages", n)
		return
	}
	messages := c.At(0)
	id := strings.Clone(messages.Name())
	if first := l.contexts[id]; first > 0 {
		c.Faultf("context %q is already in line %d", id, first)
		return
	}
	l.contexts[id] = line
	if !messages.Is(jsontree.Array) {
		return
	}
	checked := messages.Items()
	for _, m := range checked {
		if m.Is(jsontree.Object) {
			if role, ok := m.Text("role"); ok && !slices.Contains(roles, role) {
				m.Faultf("role is %q, want user, assistant or system", role)
			}
			_, _ = m.Text("content")
		}
	}
	for _, p := range l.asked[id] {
		if p.end < 1 || p.end > len(checked) {
			continue
		}
		s := *l.samples[p]
		s.Sessions, s.Speakers = sessions(messages.Value, p.end, l.persona)
		if len(s.Sessions) == 0 {
			continue
		}
		e := l.set.Index(0, &s)
		e.Bytes = int64(len(data))
		l.entries[p] = e
	}
}

var roles = []string{"user", "assistant", "system"}

// sessions returns the first messages of a context. A system message opens a session.
func sessions(messages *jsontree.Value, end int, persona Persona) (all []datasets.Session, speakers []string) {
	speakers = slices.Clone(roles[:2])
	if persona == Keep {
		speakers = slices.Clone(roles)
	}
	fresh := true
	for _, m := range messages.Items[:end] {
		role, content := m.Get("role"), m.Get("content")
		if role == nil || content == nil {
			continue // a fault
		}
		system := role.Text == roles[2]
		fresh = fresh || system
		if system && persona == Drop {
			continue
		}
		if fresh {
			all = append(all, datasets.Session{ID: "s" + strconv.Itoa(len(all)+1)})
			fresh = false
		}
		s := &all[len(all)-1]
		s.Turns = append(s.Turns, datasets.Turn{ID: fmt.Sprintf("%s:%d", s.ID, len(s.Turns)+1), Speaker: role.Text, Text: content.Text})
	}
	return all, speakers
}

// A place is what a sample is read from.
type place struct {
	context int // which line, from 0
	end     int
	id      string
}

// A source reads contexts again.
type source struct {
	*reread.File
	persona Persona
	samples []place
}

// Load implements [datasets.Source].
func (s source) Load(ctx context.Context, i int) (sample datasets.Sample, err error) {
	p := s.samples[i]
	err = s.Read(ctx, p.context, func(data []byte) error {
		tree, err := jsontree.Parse(data)
		if err == nil {
			sample.ID = p.id
			sample.Sessions, sample.Speakers = sessions(&tree.Fields[0].Value, p.end, s.persona)
		}
		return err
	})
	return sample, err
}
