package tree

import "strings"

// Text writes the schema for a prompt: a line a type, indented by depth, with
// key, fields and known values.
//
//	Itinerary: title
//	  Day: index (key), date
//	    POI: name (key), cost, highlights (list), status (open | done)
//
// A type that may stand in several places is described in the first.
func (s *Schema) Text() string {
	var b strings.Builder
	w := schemaWriter{schema: s, b: &b, done: map[string]bool{}}
	w.write(s.Root, 0)
	return b.String()
}

type schemaWriter struct {
	schema *Schema
	b      *strings.Builder
	done   map[string]bool
}

func (w *schemaWriter) write(name string, depth int) {
	t := w.schema.find(name)
	if t == nil {
		return
	}
	w.b.WriteString(strings.Repeat("  ", depth))
	w.b.WriteString(t.Name)
	if w.done[t.Name] {
		if len(t.Fields)+len(t.Children) > 0 {
			w.b.WriteString(" (as above)")
		}
		w.b.WriteByte('\n')
		return
	}
	w.done[t.Name] = true
	for i, f := range t.Fields {
		if i == 0 {
			w.b.WriteString(": ")
		} else {
			w.b.WriteString(", ")
		}
		w.b.WriteString(f.Name)
		if notes := f.notes(t.Key); len(notes) > 0 {
			w.b.WriteString(" (" + strings.Join(notes, "; ") + ")")
		}
	}
	w.b.WriteByte('\n')
	for _, c := range t.Children {
		w.write(c, depth+1)
	}
}

// notes says what is special about a field.
func (f *FieldType) notes(key string) []string {
	var notes []string
	if f.Name == key {
		notes = append(notes, "key")
	}
	if f.List {
		notes = append(notes, "list")
	}
	if f.Required {
		notes = append(notes, "required")
	}
	if len(f.Values) > 0 {
		notes = append(notes, strings.Join(f.Values, " | "))
	}
	return notes
}
