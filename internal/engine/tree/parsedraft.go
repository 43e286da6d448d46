package tree

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"recallbench/internal/text/suggest"
)

// ParseDraft reads a subtree of any type of a schema from XML in either style,
// such as a model wrote. Nodes need no id, and one that comes twice is left to
// [Reconcile]. All that the schema does not have is an error with its line.
func ParseDraft(name string, r io.Reader, s *Schema) (Draft, error) {
	if err := s.sound(); err != nil {
		return Draft{}, fmt.Errorf("%s: %w", name, err)
	}
	doc, err := read(name, r)
	if err != nil {
		return Draft{}, err
	}
	b := newBuilder(doc, s)
	b.lax = true
	t := s.find(doc.root.tag.name)
	if t == nil {
		b.faultf(doc.root, "%s", suggest.Unknown("type", doc.root.tag.name, s.Names()))
		return Draft{}, b.err()
	}
	n := b.node(doc.root, t)
	if err := b.err(); err != nil {
		return Draft{}, err
	}
	return DraftOf(n), nil
}

// ParseHistory reads a memory with its versions: the layout of [History.Root], and
// that of the paper's authors. There a version such as <Itinerary_Version number="1">
// holds the memory in one element <Itinerary>, and patch_info and
// conversation_history stand for summary and request. The schema of the options is
// that of the memory without versions.
//
// Versions are numbered from 1 in order. The layout does not say which version
// one was made from: it is taken to be the one before. Nodes without id are
// recognised from version to version as [Reconcile] does.
func ParseHistory(name string, r io.Reader, o XMLOptions) (*History, error) {
	if err := o.Schema.sound(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	doc, err := read(name, r)
	if err != nil {
		return nil, err
	}
	hr := historyReader{b: newBuilder(doc, o.Schema)}
	hr.versions()
	if err := hr.b.err(); err != nil {
		return nil, err
	}
	if o.Schema == nil {
		hr.memories[0].tag.node = true
		doc.classify(o.Nodes)
	}
	return hr.history()
}

type historyReader struct {
	b        builder
	made     []*Version // without trees
	memories []*element // the root of each
}

// versions takes the versions apart.
func (hr *historyReader) versions() {
	top := hr.b.doc.root
	for v := top.first; v != nil; v = v.next {
		if base := strings.TrimRight(v.tag.name, "_"); !strings.HasSuffix(strings.ToLower(base), "version") || v.tag != top.first.tag {
			hr.b.faultf(v, "<%s> stands below <%s>, want versions only, such as <Version number=\"1\">", v.tag.name, top.tag.name)
			return
		}
	}
	if top.first == nil {
		hr.b.faultf(top, "<%s> is empty, want versions, such as <Version number=\"1\">", top.tag.name)
		return
	}
	for v := top.first; v != nil; v = v.next {
		made := &Version{Number: len(hr.made) + 1, Base: len(hr.made)}
		m := &element{tag: top.tag, text: v.text, line: v.line, col: v.col}
		hr.attributes(made, m, v)
		hr.elements(made, m, v)
		// <Itinerary_Version> holds <Itinerary>.
		inner, _ := strings.CutSuffix(v.tag.name, "_Version")
		if c := m.first; c != nil && c.next == nil && c.tag.name == inner && len(m.attrs) == 0 && m.text == "" {
			m = c
		} else {
			for _, a := range top.attrs {
				if a.Name.Local == "id" {
					m.attrs = append(m.attrs, a)
				}
			}
		}
		hr.made, hr.memories = append(hr.made, made), append(hr.memories, m)
	}
	for _, m := range hr.memories {
		if m.tag != hr.memories[0].tag {
			hr.b.faultf(m, "a version holds <%s>, want <%s> as in the first", m.tag.name, hr.memories[0].tag.name)
		}
	}
}

// take notes a field of the version itself and reports whether it is one.
func (hr *historyReader) take(made *Version, e *element, name, value string) bool {
	switch strings.ToLower(name) {
	case versionNumber:
		if value != strconv.Itoa(made.Number) {
			hr.b.faultf(e, "the version has the number %q, want %d", value, made.Number)
		}
	case versionSummary, "patch_info":
		made.Summary = value
	case versionRequest, "conversation_history":
		made.Request = value
	default:
		return false
	}
	return true
}

func (hr *historyReader) attributes(made *Version, m, v *element) {
	for _, a := range v.attrs {
		if a.Name.Local == "id" || hr.take(made, v, a.Name.Local, a.Value) {
			continue
		}
		a.Name.Local = strings.TrimPrefix(a.Name.Local, m.tag.name+"_")
		m.attrs = append(m.attrs, a)
	}
}

func (hr *historyReader) elements(made *Version, m, v *element) {
	var next *element
	for c := v.first; c != nil; c = next {
		next = c.next
		if c.first == nil && len(c.attrs) == 0 && hr.take(made, c, c.tag.name, c.text) {
			continue
		}
		if name, ok := strings.CutPrefix(c.tag.name, m.tag.name+"_"); ok {
			c.tag = hr.b.doc.renamed(c.tag, name)
		}
		c.next, c.top = nil, m
		if m.first == nil {
			m.first = c
		} else {
			m.last.next = c
		}
		m.last = c
	}
}

// renamed returns the tag of another name for elements like those of t.
func (d *document) renamed(t *tag, name string) *tag {
	if other := d.byName[name]; other != nil {
		return other
	}
	other := new(*t)
	other.name = name
	d.byName[name] = other
	d.tags = append(d.tags, other)
	return other
}

// history makes trees of the versions.
func (hr *historyReader) history() (*History, error) {
	b := &hr.b
	roots := make([]*Node, len(hr.memories))
	ids := make([]map[string]int32, len(hr.memories))
	for i, m := range hr.memories {
		b.ids = map[string]int32{} // unique in a version
		roots[i], ids[i] = b.top(m), b.ids
	}
	if err := b.err(); err != nil {
		return nil, err
	}
	schema := b.schema
	if schema == nil {
		schema = infer(b.style, roots...)
		for _, root := range roots {
			b.arrange(root, schema)
		}
	}
	h := &History{versions: hr.made}
	for i, v := range h.versions {
		if i == 0 {
			v.Tree = newTree(roots[0], schema, nameNodes(roots[0], ids[0]))
			continue
		}
		next, err := reconcile(h.versions[i-1].Tree, DraftOf(roots[i]), true)
		if err != nil {
			return nil, fmt.Errorf("%s: version %d: %w", b.doc.name, v.Number, err)
		}
		v.Tree = next
	}
	return h, nil
}
