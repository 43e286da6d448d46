package interchange

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"recallbench/internal/files/jsontree"
)

// layout reads a file as a layout says: one item in memory at a time.
func (r *reading) layout(l *Layout) error {
	base := filepath.Base(r.file.Name)
	w := walker{reading: r, layout: l, base: strings.TrimSuffix(base, filepath.Ext(base))}
	var ways [][]string
	for _, s := range l.Items.alternatives {
		ways = append(ways, s.names)
	}
	if r.table() {
		return r.eachRow(func(c *jsontree.Cursor, line int) { w.item(c.Value, nil, "", line) })
	}
	if r.first() != '[' && !slices.ContainsFunc(ways, func(names []string) bool { return !slices.Equal(names, []string{"[*]"}) }) {
		return r.eachLine(func(c *jsontree.Cursor, line int) { w.item(c.Value, nil, "", line) })
	}
	bracket, err := r.begin("", l.Doc, '{', '[')
	if err != nil {
		return err
	}
	if err := w.walk(bracket, "", ways, nil); err != nil {
		return err
	}
	if !w.found && r.faults.Err() == nil {
		return fmt.Errorf("%s: no item at %q of the layout %s; the file has %s", r.file.Name, l.Items.text, l.Name, cmp.Or(strings.Join(w.top, ", "), "no field"))
	}
	return nil
}

// A walker goes through a file to its items.
type walker struct {
	*reading
	layout *Layout
	base   string   // the file without its ending
	top    []string // fields of the top
	found  bool     // an item
}

// walk goes through the object or list whose bracket has been read, by the ways that
// lead on from it; captures are what their stars stood for.
func (w *walker) walk(bracket json.Delim, at string, ways [][]string, captures []string) error {
	if bracket == '[' {
		i := -1
		return w.each(at, func(at string) error {
			i++
			place := "[" + strconv.Itoa(i) + "]"
			return w.step(at, advance(ways, place, "[*]"), captures)
		})
	}
	if onward := advance(ways, "[*]"); at != "" && slices.ContainsFunc(onward, func(names []string) bool { return len(names) == 0 }) {
		return w.open(at, captures) // one item in place of a list
	}
	return w.fields(at, func(name string) error {
		to := strings.TrimPrefix(at+"."+name, ".")
		onward := advance(ways, name)
		if at == "" && len(w.top) < 20 {
			w.top = append(w.top, name)
		}
		star := len(onward) == 0
		if star {
			onward, to = advance(ways, "*"), strings.TrimPrefix(at+"."+strconv.Quote(name), ".")
		}
		switch {
		case len(onward) == 0 && at == "" && w.asksFor(name):
			return w.head(name)
		case len(onward) == 0:
			return w.skip(to)
		case star:
			return w.step(to, onward, append(slices.Clone(captures), name))
		}
		return w.step(to, onward, captures)
	})
}

// advance returns the rests of the ways that begin with one of some names.
func advance(ways [][]string, names ...string) (rests [][]string) {
	for _, way := range ways {
		if len(way) > 0 && slices.Contains(names, way[0]) {
			rests = append(rests, way[1:])
		}
	}
	return rests
}

// step takes the next value, which is an item where a way ends.
func (w *walker) step(at string, ways [][]string, captures []string) error {
	switch {
	case len(ways) == 0:
		return w.skip(at)
	case slices.ContainsFunc(ways, func(names []string) bool { return len(names) == 0 }):
		c, line, err := w.value(at)
		if err == nil && c != nil && (c.Value.Kind == jsontree.Array || c.Is(jsontree.Object)) {
			w.item(c.Value, captures, at, line)
		}
		return err
	}
	bracket, err := w.begin(at, "a list or an object, as the layout "+w.layout.Name+" has it", '{', '[')
	if err != nil {
		return err
	}
	return w.walk(bracket, at, ways, captures)
}

// open takes the item whose bracket has been read.
func (w *walker) open(at string, captures []string) error {
	line, start := w.lines.at(w.dec.InputOffset()), w.dec.InputOffset()
	v := jsontree.Value{Kind: jsontree.Object}
	err := w.fields(at, func(name string) error {
		c, _, err := w.value(at + "." + name)
		if err == nil && c != nil {
			v.Fields = append(v.Fields, jsontree.Field{Name: name, Value: *c.Value})
		}
		if w.dec.InputOffset()-start > MaxItem {
			return w.broken(at, errTooLong)
		}
		return err
	})
	if err == nil {
		w.item(&v, captures, at, line)
	}
	return err
}

// asksFor reports whether the layout asks for a field of the top.
func (w *walker) asksFor(name string) bool {
	if w.layout.Versions[name] != nil {
		return true
	}
	for _, p := range w.layout.About {
		if slices.ContainsFunc(p.alternatives, func(s steps) bool { return s.names[0] == name }) {
			return true
		}
	}
	return false
}

// head reads a field of the top that says something of all items.
func (w *walker) head(name string) error {
	c, line, err := w.value(name)
	if err != nil || c == nil {
		return err
	}
	if known := w.layout.Versions[name]; known != nil && !slices.Contains(known, c.Value.Text) {
		w.faults.Addf(line, "%s is %q, want %s: the file is of another version of its tool", name, c.Value.Text, strings.Join(known, " or "))
	}
	w.says(origin{item: &jsontree.Value{Kind: jsontree.Object, Fields: []jsontree.Field{{Name: name, Value: *c.Value}}}})
	return nil
}

// says notes what is not known yet of all items.
func (w *walker) says(o origin) {
	for what, p := range w.layout.About {
		if w.about[what] == "" {
			w.about[what] = p.said(o)
		}
	}
}

// item takes an item, once for each of its sides.
func (w *walker) item(v *jsontree.Value, captures []string, at string, line int) {
	w.found = true
	o := origin{item: v, captures: captures, file: w.base}
	w.says(o)
	sides := w.layout.Sides.value(o)
	if sides == nil || len(sides.Fields) == 0 {
		w.side(o, w.layout.Side.said(o), at, line)
		return
	}
	for i := range sides.Fields {
		o.side = &sides.Fields[i].Value
		w.side(o, sides.Fields[i].Name, at, line)
	}
}

func (w *walker) side(o origin, side, at string, line int) {
	l := w.layout
	it := Item{Side: side, Key: l.ID.said(o), Answer: Answer{
		Line: line, Where: at, Sample: l.Sample.said(o), Request: l.Request.said(o), Question: l.Question.said(o), Gold: l.Gold.said(o), Category: l.Category.said(o),
	}}
	if address := l.Address.said(o); address != "" {
		it.setID(address)
	}
	it.Cluster = cmp.Or(l.Cluster.said(o), it.Sample)
	it.Conversation = it.Cluster
	if it.Key == "" && it.Sample != "" && it.Request != "" {
		it.Key = it.Sample + "/" + it.Request
	}
	if it.Key == "" && it.Question != "" {
		it.Key = strings.TrimPrefix(w.occurrence(side+" "+it.Cluster+" "+collapsed(it.Question)), side+" ")
	}
	it.Evidence = idsOf(l.GoldEvidence.value(o))
	for i := range l.Evidence {
		for _, v := range l.Evidence[i].values(o) {
			it.Blocks = append(it.Blocks, blocksOf(v)...)
		}
	}
	for _, f := range l.Failed {
		f.mark(&it.Answer, o)
	}
	for _, unit := range []struct {
		stages map[string][]path
		ms     float64
	}{{l.Seconds, 1000}, {l.Milliseconds, 1}} {
		for stage, paths := range unit.stages {
			sum, _ := total(paths, o)
			it.addStage(stage, sum*unit.ms)
		}
	}
	input, known := total(l.Tokens.Input, o)
	cached, _ := total(l.Tokens.Cached, o)
	if output, also := total(l.Tokens.Output, o); known || also {
		it.addUsage(input, cached, output, 0)
	}
	it.Cost = valueOf(l.Cost.value(o))
	if w.text(&it, o) {
		w.judged(&it, o)
		w.emit(jsontree.Root(o.item, at, func(_ int, path, fault string) { w.faults.Addf(line, "%s%s", prefix(path), fault) }), it)
	}
}

// text reads the answer, and reports whether the item can be used.
func (w *walker) text(it *Item, o origin) bool {
	p := w.layout.Answer
	if p.alternatives == nil || it.failed() {
		it.Text = p.said(o)
		return true
	}
	instead := "the item has " + fieldsOf(o.item)
	for _, s := range p.alternatives {
		for _, v := range s.values(o) {
			text, ok := firstText(v)
			switch {
			case ok:
				it.Text = text
				return true
			case v.Kind == jsontree.Number || v.Kind == jsontree.Bool:
				it.Text = v.Text
				return true
			case v.Kind == jsontree.Null:
				it.fail("empty", "the file has null in place of an answer")
				return true
			}
			instead = fmt.Sprintf("%s stands there", v.Kind)
		}
	}
	if w.scores { // texts are not compared
		return true
	}
	w.faults.Addf(it.Line, "%sthere is no text at %q, where the layout %s has the answer; %s", prefix(it.Where), p.text, w.layout.Name, instead)
	return false
}

// judged adds the scores of an item, and what judges said of it.
func (w *walker) judged(it *Item, o origin) {
	better := w.layout.Directions == ""
	for _, column := range slices.Sorted(maps.Keys(w.layout.Scores)) {
		p := w.layout.Scores[column]
		v := p.value(o)
		switch {
		case v == nil:
		case column == "*":
			for i := range v.Fields {
				it.score(v.Fields[i].Name, valueOf(&v.Fields[i].Value), better)
			}
		default:
			it.score(column, valueOf(v), better)
		}
	}
	for _, verdict := range w.layout.Verdicts {
		mean, votes := verdict.Path.number(o, verdict.Values)
		if mean == nil {
			continue
		}
		if it.Judgements = append(it.Judgements, w.file.judgement(verdict.Judge, mean, votes, "")); w.combine == Majority && len(votes) > 1 {
			more := 2**mean > 1
			mean, votes = new(0.0), nil
			if more {
				*mean = 1
			}
		}
		if len(votes) == 1 {
			votes = nil
		}
		it.Scores = append(it.Scores, Score{Column: verdict.column(), Value: mean, Votes: votes, Better: true})
	}
}

// mark makes an answer one that failed, where it did.
func (f failureAt) mark(a *Answer, o origin) {
	for _, v := range f.Path.values(o) {
		text := v.Text
		switch {
		case len(f.Is) == 0 && text != "":
		case len(f.Is) > 0 && slices.Contains(f.Is, text):
			text = "the file says " + text
		default:
			continue
		}
		a.failAs(f.Status.said(o), cmp.Or(f.Kind.said(o), "answer"), text)
		return
	}
}

// blocksOf reads what an answer was made from: a text, or a list of texts or of
// memories with their time and score.
func blocksOf(v *jsontree.Value) (blocks []Block) {
	switch v.Kind {
	case jsontree.Array:
		for i := range v.Items {
			blocks = append(blocks, blocksOf(&v.Items[i])...)
		}
		return blocks
	case jsontree.Object:
		o := origin{item: v}
		text := memoryText.said(o)
		if at := memoryTime.said(o); at != "" && text != "" {
			text = at + ": " + text
		}
		if text == "" {
			return nil
		}
		return []Block{{Text: text, Name: memoryName.said(o), Score: numberOf(v.Get("score")), Sources: idsOf(v.Get("sources"))}}
	case jsontree.String:
		if strings.TrimSpace(v.Text) != "" {
			return []Block{{Text: v.Text}}
		}
	case jsontree.Null, jsontree.Bool, jsontree.Number:
	}
	return nil
}

// Where memories have their text, time and name.
var (
	memoryText = mustPath("memory | content | text")
	memoryTime = mustPath("timestamp")
	memoryName = mustPath("name")
)

func mustPath(text string) (p path) {
	if err := p.UnmarshalText([]byte(text)); err != nil {
		panic(err)
	}
	return p
}
