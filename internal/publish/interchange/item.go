package interchange

import (
	"strconv"
	"strings"

	"recallbench/internal/calc/lists"
	"recallbench/internal/files/jsontree"
	"recallbench/internal/result/record"
)

// An Item is an answer with the scores that its file gives it.
type Item struct {
	Answer
	// Key pairs the item with that of another file. Cluster is what was drawn, such
	// as a conversation; empty where the file does not tell.
	Key, Cluster string
	// Side is one of several that a file has, such as a provider or a cutoff.
	Side string
	// Epoch counts the repetitions of an item, from 1; 0 stands for 1.
	Epoch  int
	Prompt string // a hash of what was asked; empty where it is not known
	Scores []Score
	// Invalid is set where the file itself takes the item out.
	Invalid bool
}

// A Score is what a file says of an item in one column.
type Score struct {
	Column string
	Value  *float64 // nil where it is undefined
	// Votes are what Value is the mean of, where there are several.
	Votes []float64
	// Better says that higher is better, by the rules of the format.
	Better bool
}

func (it *Item) score(column string, value *float64, better bool) {
	it.Scores = append(it.Scores, Score{Column: column, Value: value, Better: better})
}

// named adds a score for each field of an object, if there is one.
func (it *Item) named(c *jsontree.Cursor) {
	if c == nil || !c.Is(jsontree.Object) {
		return
	}
	for i := range c.Value.Fields {
		it.score(c.Value.Fields[i].Name, valueOf(&c.Value.Fields[i].Value), false)
	}
}

// valueOf returns a number, or 1 and 0 for true and false; else nil.
func valueOf(v *jsontree.Value) *float64 {
	switch {
	case v == nil:
		return nil
	case v.Kind == jsontree.Number:
		if x, err := strconv.ParseFloat(v.Text, 64); err == nil {
			return &x
		}
	case v.Kind == jsontree.Bool && v.Text == "true":
		return new(1.0)
	case v.Kind == jsontree.Bool:
		return new(0.0)
	}
	return nil
}

// lookup returns a value by its dotted path; a name may hold points itself.
func lookup(v *jsontree.Value, path string) *jsontree.Value {
	if v == nil || path == "" {
		return v
	}
	if found := v.Get(path); found != nil {
		return found
	}
	for i, c := range path {
		if c != '.' {
			continue
		}
		if found := v.Get(path[:i]); found != nil {
			if found = lookup(found, path[i+1:]); found != nil {
				return found
			}
		}
	}
	return nil
}

// text returns the first string or number at some dotted paths; empty where there is
// none.
func text(v *jsontree.Value, paths ...string) string {
	for _, path := range paths {
		if found := lookup(v, path); found != nil && (found.Kind == jsontree.String || found.Kind == jsontree.Number) && found.Text != "" {
			return found.Text
		}
	}
	return ""
}

// numberOf returns a number, else 0.
func numberOf(v *jsontree.Value) float64 {
	if x := valueOf(v); x != nil {
		return *x
	}
	return 0
}

// ItemFields are dotted paths into an item that override what its format says.
type ItemFields struct{ ID, Cluster, Category, Epoch string }

// emit takes an item of the file, whose value the fields of the options lead into.
func (r *reading) emit(c *jsontree.Cursor, it Item) {
	if r.override(c, &it) {
		r.take(it)
	}
}

// override reads what the options name, and reports whether the item can be used.
func (r *reading) override(c *jsontree.Cursor, it *Item) bool {
	for _, f := range []struct {
		flag, path string
		to         *string
	}{{"--id", r.fieldsAt.ID, &it.Key}, {"--cluster", r.fieldsAt.Cluster, &it.Cluster}, {"--category", r.fieldsAt.Category, &it.Category}} {
		if f.path == "" {
			continue
		}
		if *f.to = text(c.Value, f.path); *f.to == "" {
			c.Faultf("no text or number at %q, which %s names", f.path, f.flag)
			return false
		}
	}
	if path := r.fieldsAt.Epoch; path != "" {
		n, err := strconv.Atoi(text(c.Value, path))
		if err != nil || n < 0 {
			c.Faultf("no number of an epoch at %q, which --epoch names", path)
			return false
		}
		it.Epoch = n
	}
	return true
}

// collect takes items as answers to import: those of the first epoch of the first
// side.
func (r *reading) collect(it Item) {
	r.sides = lists.AddNew(r.sides, it.Side)
	switch {
	case it.Epoch > 1:
		r.laterEpochs++
	case (len(r.file.Answers) > 0 || r.side != "") && it.Side != r.side:
		r.otherSides++
	case it.Invalid:
		r.invalid++
	case it.Question == "" && it.Request == "":
		r.faults.Addf(it.Line, "%sthere is neither a question nor an id to find it by", prefix(it.Where))
	default:
		r.side = it.Side
		r.file.Answers = append(r.file.Answers, it.Answer)
	}
}

// failed reports whether the answer failed.
func (a *Answer) failed() bool { return a.Status != "" && a.Status != record.OK }

// occurrence numbers equal keys of a file: the first stays, the next ends in #2.
func (r *reading) occurrence(key string) string {
	if r.occurrences == nil {
		r.occurrences = make(map[string]int)
	}
	r.occurrences[key]++
	if n := r.occurrences[key]; n > 1 {
		return key + "#" + strconv.Itoa(n)
	}
	return key
}

// collapsed is a text in lower case with single spaces.
func collapsed(s string) string { return strings.Join(strings.Fields(strings.ToLower(s)), " ") }

// setID takes ids apart: a sample's and, behind the last slash, a request's.
func (a *Answer) setID(id string) {
	if i := strings.LastIndexByte(id, '/'); i > 0 && i < len(id)-1 {
		a.Sample, a.Request = id[:i], id[i+1:]
	}
}
