package perltqa

import (
	"regexp"
	"slices"
	"strings"

	"recallbench/internal/files/jsontree"
	"recallbench/internal/files/pyliteral"
)

// memoryID is the id of a memory: character, relationship, event and dialogue
// as far as the memory goes, such as 4_0, 4_0_0 and 4_0_0#0.
var memoryID = regexp.MustCompile(`[0-9]+(?:_[0-9]+)+(?:#[0-9]+)?`)

// evidence returns the ids of the turns that hold the memories which a question
// names, in sections that methods see. It also tells whether the bank has all of
// them.
func (l *loader) evidence(b *bank, q question) (turns []string, found bool) {
	names := l.reference(q)
	if len(names) == 0 {
		l.warn("question names no memory", q.Path())
		return nil, false
	}
	found = true
	seen := make(map[string]bool)
	for _, name := range names {
		m, ok := b.memories[name]
		if q.section == Profile && !ok {
			m, ok = b.memories[profileID(name)]
		}
		if !ok {
			l.warn("question names a memory that is not there", q.Path()+" "+quote(name))
			found = false
			continue
		}
		if !slices.Contains(l.options.Memory, m.section) {
			continue
		}
		for _, id := range m.turns {
			if !seen[id] {
				seen[id] = true
				turns = append(turns, id)
			}
		}
	}
	return turns, found
}

// reference reads the names of the memories that a question rests on. In the
// release they are the field of a profile, or the id of the group in a list as
// Python prints it, "['4_0_0']".
func (l *loader) reference(q question) []string {
	names := l.named(q)
	switch {
	case q.group == "":
	case len(names) == 0:
		l.warn("question has no reference; that of its group is taken", q.Path())
		return []string{q.group}
	case len(names) > 1 || names[0] != q.group:
		l.warn("question names another memory than its group; what it names is taken", q.Path()+" "+quote(strings.Join(names, ", ")))
	}
	return names
}

// named reads the reference of a question as it stands.
func (l *loader) named(q question) []string {
	f := q.Optional("Reference Memory")
	switch {
	case f == nil:
		return nil
	case f.Value.Kind == jsontree.Array:
		var names []string
		for _, item := range f.Items() {
			if item.Is(jsontree.String) {
				names = append(names, l.clean(item.Value.Text, item))
			}
		}
		return names
	case !f.Is(jsontree.String):
		return nil
	}
	text := l.clean(f.Value.Text, f)
	v, err := pyliteral.Parse(text)
	switch {
	case err == nil && (v.Kind == pyliteral.List || v.Kind == pyliteral.Tuple):
		var names []string
		for _, item := range v.Items {
			if item.Kind == pyliteral.Str {
				names = append(names, strings.TrimSpace(item.Text))
			}
		}
		return names
	case strings.HasPrefix(text, "["):
		l.warn("reference is no Python list; what ids it holds are taken", f.Path()+" "+quote(text))
		return memoryID.FindAllString(text, -1)
	case text == "":
		return nil
	default:
		return []string{text}
	}
}
