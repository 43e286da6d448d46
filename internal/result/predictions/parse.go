package predictions

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"recallbench/internal/files/category"
	"recallbench/internal/files/datafile"
	"recallbench/internal/files/jsontree"
	"recallbench/metrics"
)

// A prediction is a line of the file.
type prediction struct {
	id, category []byte // JSON, as they are printed
	item         metrics.Item
}

// A parser reads lines and collects their faults.
type parser struct {
	faults datafile.Faults
	line   int
	lines  map[string]int // of each id
	specs  []*metrics.Spec
	// vocabulary says what names of categories stand for; nil where there are none.
	vocabulary *category.Vocabulary
	known      map[string]string  // categories, and the ids that they stand for
	unknown    []*unknownCategory // in the order of the file
}

// An unknownCategory is a category that the metrics cannot score by.
type unknownCategory struct {
	name        string
	line, lines int
	reason      error
}

// categorise returns the id that a category stands for. What is wrong with a
// category is noted once, with the number of its lines.
func (p *parser) categorise(name string) string {
	if id, ok := p.known[name]; ok {
		return id
	}
	for _, u := range p.unknown {
		if u.name == name {
			u.lines++
			return name
		}
	}
	id, err := metrics.Categorise(p.specs, p.vocabulary, name)
	if err != nil {
		p.unknown = append(p.unknown, &unknownCategory{name: name, line: p.line, lines: 1, reason: err})
		return name
	}
	p.known[name] = id
	return id
}

// refuseUnknown makes faults of the categories that are unknown.
func (p *parser) refuseUnknown() {
	for _, u := range p.unknown {
		lines := ""
		if u.lines > 1 {
			lines = fmt.Sprintf(" of %d lines", u.lines)
		}
		p.faults.Addf(u.line, "category %q%s %w; --categories %s says whose names they are, a FILE what each stands for",
			u.name, lines, u.reason, strings.Join(category.Names(), " or "))
	}
}

// parse reads a line that is not empty, and reports whether it is a
// prediction.
func (p *parser) parse(data []byte) (pred prediction, ok bool) {
	if i := datafile.Invalid(data); i >= 0 {
		p.faults.Addf(p.line, "byte %#02x at column %d is not UTF-8; save the file as UTF-8", data[i], i+1)
		return prediction{}, false
	}
	tree, err := jsontree.Parse(data)
	if se, ok := errors.AsType[*jsontree.SyntaxError](err); ok {
		p.faults.Addf(p.line, "column %d: %w", se.Offset+1, se)
		return prediction{}, false
	}
	if tree.Kind != jsontree.Object {
		p.faults.Addf(p.line, "the line is %s, want an object with id, category, prediction and gold", tree.Kind)
		return prediction{}, false
	}
	o := object{p, tree, true}
	id := o.scalar("id", "a string or a number")
	kind := o.scalar("category", "a string or a number")
	answer := o.get("prediction", `a string ("" for no answer)`, jsontree.String)
	gold := o.get("gold", "a string, a number or null", jsontree.String, jsontree.Number, jsontree.Null)
	abstain := tree.Get("abstain")
	if abstain != nil && abstain.Kind != jsontree.Bool {
		o.wrong("abstain", abstain, "true or false")
	}
	if !o.ok {
		return prediction{}, false
	}
	if before, ok := p.lines[id.Text]; ok {
		p.faults.Addf(p.line, "id %q is that of line %d too; want each once", id.Text, before)
		return prediction{}, false
	}
	p.lines[id.Text] = p.line
	return prediction{
		id: literal(id), category: literal(kind),
		item: metrics.Item{
			Category:   p.categorise(kind.Text),
			Prediction: answer.Text,
			Gold:       gold.Text,
			Abstain:    gold.Kind == jsontree.Null || abstain != nil && abstain.Text == "true",
		},
	}, true
}

// An object is a line while its fields are read.
type object struct {
	*parser
	tree *jsontree.Value
	ok   bool
}

// get returns a field that must be there and have one of the kinds. Otherwise
// it reports what is wanted.
func (o *object) get(name, want string, kinds ...jsontree.Kind) jsontree.Value {
	v := o.tree.Get(name)
	if v == nil {
		o.ok = false
		o.faults.Addf(o.line, "%q is missing, want %s", name, want)
		return jsontree.Value{}
	}
	if slices.Contains(kinds, v.Kind) {
		return *v
	}
	o.wrong(name, v, want)
	return jsontree.Value{}
}

// scalar returns a field that must be a number or a string with something in
// it.
func (o *object) scalar(name, want string) jsontree.Value {
	v := o.get(name, want, jsontree.String, jsontree.Number)
	if v.Kind == jsontree.String && v.Text == "" {
		o.ok = false
		o.faults.Addf(o.line, "%q is empty, want %s", name, want)
	}
	return v
}

func (o *object) wrong(name string, v *jsontree.Value, want string) {
	o.ok = false
	o.faults.Addf(o.line, "%q is %s, want %s", name, v.Kind, want)
}

// literal returns a string or a number as JSON.
func literal(v jsontree.Value) []byte {
	if v.Kind == jsontree.Number {
		return []byte(v.Text)
	}
	return appendString(nil, v.Text)
}
