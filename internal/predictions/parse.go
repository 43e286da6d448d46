package predictions

import (
	"errors"
	"slices"
	"strconv"

	"recallbench/internal/datafile"
	"recallbench/internal/jsontree"
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
	category := o.scalar("category", "a string or a number")
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
		id: literal(id), category: literal(category),
		item: metrics.Item{
			Category:   plainNumber(category),
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

// plainNumber returns the text of a category. A whole number that was written
// with a fraction, as some tools do, is written without.
func plainNumber(v jsontree.Value) string {
	if v.Kind == jsontree.Number {
		if x, err := strconv.ParseFloat(v.Text, 64); err == nil && x == float64(int(x)) {
			return strconv.Itoa(int(x))
		}
	}
	return v.Text
}
