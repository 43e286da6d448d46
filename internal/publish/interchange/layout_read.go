package interchange

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"recallbench/internal/calc/lists"
	"recallbench/internal/files/datafile"
	"recallbench/internal/files/jsontree"
	"recallbench/internal/result/record"
)

// layout reads a file as a layout says: one item in memory at a time.
func (r *reading) layout(l *Layout) error {
	w := newWalker(r, l)
	ways := w.ways()
	if err := w.beside(); err != nil {
		return err
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

	variants map[string]string   // the first of each side
	places   map[string][]string // of items with the same side and key
	epochs   map[string]int      // of one of these
}

func newWalker(r *reading, l *Layout) *walker {
	base := filepath.Base(r.file.Name)
	return &walker{reading: r, layout: l, base: strings.TrimSuffix(base, filepath.Ext(base)), variants: make(map[string]string), places: make(map[string][]string), epochs: make(map[string]int)}
}

// ways are the paths to the items.
func (w *walker) ways() (all [][]string) {
	for _, s := range w.layout.Items.alternatives {
		all = append(all, s.names)
	}
	return all
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
	if onward := advance(ways, "[*]"); at != "" && len(onward) == len(ways) && slices.ContainsFunc(onward, func(names []string) bool { return len(names) == 0 }) {
		return w.open(at, captures) // one item in place of a list
	}
	return w.fields(at, func(name string) error {
		to := strings.TrimPrefix(at+"."+name, ".")
		onward := advance(ways, name)
		if at == "" && len(w.top) < 20 {
			w.top = append(w.top, name)
		}
		star := len(onward) == 0 && len(advance(ways, "*")) > 0
		if star {
			onward, to = advance(ways, "*"), strings.TrimPrefix(at+"."+strconv.Quote(name), ".")
		}
		switch {
		case len(onward) == 0 && w.asksFor(to, at == ""):
			return w.head(to)
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

// asksFor reports whether the layout asks for a field that is not on the way to items.
func (w *walker) asksFor(path string, top bool) bool {
	if w.layout.Versions[path] != nil || w.layout.Finished[path] != nil {
		return true
	}
	for _, p := range w.layout.About {
		if top && slices.ContainsFunc(p.alternatives, func(s steps) bool { return s.names[0] == path }) {
			return true
		}
	}
	return false
}

// head reads a field that says something of all items.
func (w *walker) head(path string) error {
	c, line, err := w.value(path)
	if err != nil || c == nil {
		return err
	}
	text := c.Value.Text
	if known := w.layout.Versions[path]; known != nil && !slices.Contains(known, text) {
		w.faults.Addf(line, "%s is %q, want %s: the file is of another version of its tool", path, text, strings.Join(known, " or "))
	}
	if known := w.layout.Finished[path]; known != nil && !slices.Contains(known, text) && w.scores && !w.partial {
		return fmt.Errorf("%s: its %s is %q: it is not finished; --force takes what there is", w.file.Name, path, text)
	}
	w.says(origin{item: &jsontree.Value{Kind: jsontree.Object, Fields: []jsontree.Field{{Name: path, Value: *c.Value}}}})
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
	it := Item{Side: side, Key: l.ID.key(o), Prompt: l.Prompt.said(o), Invalid: l.Invalid.value(o) != nil, Answer: Answer{
		Line: line, Where: at, Sample: l.Sample.said(o), Request: l.Request.said(o), Question: l.Question.said(o), Gold: l.Gold.said(o), Category: l.Category.said(o),
	}}
	it.Epoch, _ = strconv.Atoi(l.Epoch.said(o))
	it.Cluster = l.Cluster.said(o)
	if it.Sample != "" && it.Request != "" {
		it.Key, it.Cluster = it.Sample+"/"+it.Request, cmp.Or(it.Cluster, it.Sample)
	} else {
		it.setID(l.Address.said(o))
	}
	it.Conversation = cmp.Or(l.Conversation.said(o), it.Cluster, it.Sample)
	if it.Key == "" && it.Sample != "" && it.Request != "" {
		it.Key = it.Sample + "/" + it.Request
	}
	w.tellApart(&it, o)
	it.Evidence = idsOf(l.GoldEvidence.value(o))
	for i := range l.Evidence {
		for _, v := range l.Evidence[i].values(o) {
			it.Blocks = append(it.Blocks, blocksOf(v)...)
		}
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
	reasoning, _ := total(l.Tokens.Reasoning, o)
	if output, also := total(l.Tokens.Output, o); known || also {
		it.addUsage(input, cached, output, reasoning)
	}
	it.Cost = valueOf(l.Cost.value(o))
	if w.text(&it, o) {
		w.judged(&it, o)
		w.emit(jsontree.Root(o.item, at, func(_ int, path, fault string) { w.faults.Addf(line, "%s%s", prefix(path), fault) }), it)
	}
}

// tellApart gives items of one name names of their own: by the variants of their side, the
// places of their key, or the order of their questions.
func (w *walker) tellApart(it *Item, o origin) {
	if variant := w.layout.Variant.said(o); variant != "" {
		if w.variants[it.Side] = cmp.Or(w.variants[it.Side], variant); w.variants[it.Side] != variant {
			it.Side += "/" + variant
		}
	}
	if it.Key == "" && it.Question != "" {
		it.Key = strings.TrimPrefix(w.occurrence(it.Side+" "+it.Cluster+" "+collapsed(it.Question)), it.Side+" ")
	}
	place := w.layout.Place.said(o)
	if place == "" {
		return
	}
	same := it.Side + "\x00" + it.Key
	if w.places[same] = lists.AddNew(w.places[same], place); w.places[same][0] != place {
		it.Key += "#" + strconv.Itoa(slices.Index(w.places[same], place)+1)
	}
	if w.layout.Repeats != "" {
		w.epochs[same+"\x00"+place]++
		it.Epoch = w.epochs[same+"\x00"+place]
	}
}

// text reads the answer and whether it failed, and reports whether the item can be used.
func (w *walker) text(it *Item, o origin) bool {
	p, found := w.layout.Answer, false
	instead := "the item has " + fieldsOf(o.item)
	for _, s := range p.alternatives {
		for _, v := range s.values(o) {
			text, ok := textOf(v)
			switch {
			case it.Text != "":
			case ok:
				it.Text, found = text, true
			case v.Kind == jsontree.Null:
				it.fail("empty", "the file has null in place of an answer")
			default:
				instead = fmt.Sprintf("%s stands there", v.Kind)
			}
		}
	}
	if found && it.failed() {
		it.Status, it.Failure = "", nil
	}
	for _, f := range w.layout.Failed {
		f.mark(&it.Answer, o, it.Text != "")
	}
	if found || it.failed() || w.scores || p.alternatives == nil { // texts are not compared
		return true
	}
	w.faults.Addf(it.Line, "%sthere is no text at %q, where the layout %s has the answer; %s", prefix(it.Where), p.text, w.layout.Name, instead)
	return false
}

// judged adds the scores of an item, and what judges said of it.
func (w *walker) judged(it *Item, o origin) {
	for _, column := range slices.Sorted(maps.Keys(w.layout.Scores)) {
		p := w.layout.Scores[column]
		v := p.value(o)
		switch {
		case v == nil:
		case column != "*":
			w.scored(it, column, v)
		case v.Kind == jsontree.Array:
			for _, name := range idsOf(v) {
				w.scored(it, name, o.item.Get(name))
			}
		default:
			for i := range v.Fields {
				of := &v.Fields[i].Value
				w.scored(it, v.Fields[i].Name, cmp.Or(of.Get("value"), of))
			}
		}
	}
	for _, verdict := range w.layout.Verdicts {
		mean, votes := verdict.Path.number(o, verdict.Values)
		if mean == nil {
			continue
		}
		if slices.Min(votes) >= 0 && slices.Max(votes) <= 1 {
			it.Judgements = append(it.Judgements, w.file.judgement(verdict.Judge, w.about["judge"], mean, votes, verdict.Why.said(o)))
		}
		if w.combine == Majority && len(votes) > 1 {
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

// scored adds a score; each field of an object is one of its own.
func (w *walker) scored(it *Item, column string, v *jsontree.Value) {
	if v != nil && v.Kind == jsontree.Object && len(w.layout.Words) > 0 {
		for i := range v.Fields {
			w.scored(it, column+"/"+v.Fields[i].Name, &v.Fields[i].Value)
		}
		return
	}
	x, better := valueOf(v), w.layout.Directions == ""
	if len(w.layout.Words) > 0 && v != nil {
		better = better || v.Kind == jsontree.Bool
		if v.Kind == jsontree.String {
			word, known := w.layout.Words[v.Text]
			if !known {
				word, known = w.layout.Words[strings.ToLower(v.Text)]
			}
			switch number, ok := tableNumber(v.Text); {
			case known:
				x, better = &word, true
			case ok:
				x = number
			}
		}
		if x == nil && v.Kind != jsontree.Null {
			w.notes = lists.AddNew(w.notes, column+" has values that are no number, and undefined here; its tool may count them as 0")
		}
	}
	it.score(column, x, better)
}

// mark makes an answer one that failed, where it did.
func (f failureAt) mark(a *Answer, o origin, answered bool) {
	for _, v := range f.Path.values(o) {
		text := v.Text
		switch {
		case f.Unanswered && answered:
			return
		case len(f.Is) == 0 && text != "":
		case len(f.Is) > 0 && slices.Contains(f.Is, text):
			text = cmp.Or(f.Message.said(o), "the file says "+text)
		default:
			continue
		}
		a.failAs(cmp.Or(f.Status.said(o), string(f.As)), cmp.Or(f.Kind.said(o), string(f.As), "answer"), text)
		return
	}
}

// beside reads which direction is better from a file beside this one, if there is one, and
// the task from the file's name.
func (w *walker) beside() error {
	b := w.layout.Beside
	if b == nil {
		return nil
	}
	name, ok := strings.CutPrefix(filepath.Base(w.file.Name), b.Prefix)
	at := strings.LastIndexByte(name, '_')
	if !ok || at < 1 {
		return nil
	}
	task := name[:at]
	w.about["task"] = task
	path := filepath.Join(filepath.Dir(w.file.Name), b.Results+strings.TrimSuffix(name[at+1:], "l"))
	if !w.scores || !exists(path) {
		return nil
	}
	data, err := datafile.Read(w.ctx, path, MaxSize)
	if err != nil {
		return err
	}
	var results map[string]json.RawMessage
	err = json.NewDecoder(newNullReader(bytes.NewReader(data))).Decode(&results)
	var higher map[string]map[string]*bool
	if err == nil && results[b.Higher] != nil {
		err = json.Unmarshal(results[b.Higher], &higher)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	for of, columns := range higher {
		for column, higher := range columns {
			if higher == nil || record.FileName(of) != record.FileName(task) {
				continue
			}
			lower := !*higher
			if said := w.columns[column].Lower; said != nil && *said != lower {
				return fmt.Errorf("%s: %s of %s is %t, and of another task %t", path, b.Higher, column, *higher, lower)
			}
			w.columns[column] = ResultColumn{Lower: &lower}
		}
	}
	return nil
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
