package interchange

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"recallbench/internal/calc/lists"
	"recallbench/internal/files/datafile"
	"recallbench/internal/files/jsontree"
	"recallbench/internal/result/record"
)

// A walker goes through a file to its items, by a layout.
type walker struct {
	*reading
	layout *Layout
	base   string   // the file without its ending
	names  []string // fields of the top
	found  bool     // an item

	with   map[string][]*jsontree.Value // items of the other file, by their key
	onItem func(*jsontree.Value)        // takes items in place of the reading; nil for none

	variants map[string]string   // the first of each side
	places   map[string][]string // of items with the same side and key
	epochs   map[string]int      // of one of these
}

func newWalker(r *reading, l *Layout) *walker {
	base := filepath.Base(r.name)
	return &walker{reading: r, layout: l, base: strings.TrimSuffix(base, filepath.Ext(base)), variants: make(map[string]string), places: make(map[string][]string), epochs: make(map[string]int)}
}

// byLayout reads a file as a layout says: one item in memory at a time.
func (r *reading) byLayout(l *Layout) error {
	w := newWalker(r, l)
	if err := cmp.Or(w.beside(), w.join()); err != nil {
		return err
	}
	return w.through()
}

// through goes through a file.
func (w *walker) through() error {
	r, l := w.reading, w.layout
	read := func(c *jsontree.Cursor, line int) {
		if l.Name == own && c.Value.Get("predictions") != nil {
			r.predictionsHead(c)
			return
		}
		w.item(c.Value, nil, "", line)
	}
	lines := !slices.ContainsFunc(l.Items.alternatives, func(s steps) bool { return !slices.Equal(s.names, []string{"[*]"}) })
	if r.isTable() {
		return r.eachRow(read)
	}
	if lines && !strings.HasPrefix(string(r.head()), "[") {
		err := r.eachLine(r.nulls, r.scores, read)
		if err == nil && l.Name == own && r.file.Head == nil && r.faults.Err() == nil {
			return fmt.Errorf("%s: there is no header; want a first line with \"predictions\": %q", r.name, PredictionsVersion)
		}
		return err
	}
	if err := w.top(); err != nil {
		return err
	}
	for r.scores && r.dec.More() { // a value on each line
		if err := w.top(); err != nil {
			return err
		}
	}
	if !w.found && r.faults.Err() == nil {
		return fmt.Errorf("%s: no item at %q of the layout %s; the file has %s", r.name, l.Items.text, l.Name, cmp.Or(strings.Join(w.names, ", "), "no field"))
	}
	return nil
}

// top goes through the value of a file.
func (w *walker) top() error {
	return w.step("", lists.Map(w.layout.Items.alternatives, func(s steps) []string { return s.names }), nil)
}

// step takes the next value by the ways that lead on from it, which is an item where one
// ends; stars are the names that their stars stood for.
func (w *walker) step(at string, ways [][]string, stars []string) error {
	if slices.ContainsFunc(ways, func(names []string) bool { return len(names) == 0 }) {
		c, line, err := w.value(at)
		if err == nil && c != nil && (c.Value.Kind == jsontree.Array || c.Is(jsontree.Object)) {
			w.item(c.Value, stars, at, line)
		}
		return err
	}
	token, err := w.token(at)
	if err != nil {
		return err
	}
	bracket, ok := token.(json.Delim)
	if !ok {
		return fmt.Errorf("%s:%d: %swant a list or an object, as the layout %s has it", w.name, w.lines.at(w.dec.InputOffset()), prefix(at), w.layout.Name)
	}
	if bracket == '{' && at != "" && len(advance(ways, "[*]")) == len(ways) {
		return w.only(at, stars)
	}
	return w.each(bracket, at, func(name string) error {
		if bracket == '[' {
			return w.part(at+name, append(advance(ways, name), advance(ways, "[*]")...), stars, false)
		}
		if at == "" && len(w.names) < 20 {
			w.names = append(w.names, name)
		}
		if onward := advance(ways, name); len(onward) > 0 {
			return w.part(joined(at, name), onward, stars, false)
		} else if onward := advance(ways, "*"); len(onward) > 0 {
			return w.part(joined(at, strconv.Quote(name)), onward, append(slices.Clone(stars), name), false)
		}
		return w.part(joined(at, name), nil, nil, at == "")
	})
}

// only takes an item, whose bracket has been read, in place of a list.
func (w *walker) only(at string, stars []string) error {
	start, v := w.dec.InputOffset(), jsontree.Value{Kind: jsontree.Object}
	line := w.lines.at(start)
	err := w.each('{', at, func(name string) error {
		c, _, err := w.value(joined(at, name))
		if err == nil && c != nil {
			v.Fields = append(v.Fields, jsontree.Field{Name: name, Value: *c.Value})
		}
		if w.dec.InputOffset()-start > MaxItem {
			return w.broken(at, errTooLong)
		}
		return err
	})
	if err == nil {
		w.item(&v, stars, at, line)
	}
	return err
}

func joined(at, name string) string { return strings.TrimPrefix(at+"."+name, ".") }

// part takes a part of a value: one on the way, one that says something of all items, or
// another.
func (w *walker) part(at string, ways [][]string, stars []string, top bool) error {
	switch l := w.layout; {
	case len(ways) > 0:
		return w.step(at, ways, stars)
	case l.Versions[at] != nil, l.Finished[at] != nil, top && l.about(at):
		return w.head(at)
	}
	return w.skip(at)
}

// advance returns the rests of the ways that begin with a name.
func advance(ways [][]string, name string) (rests [][]string) {
	for _, way := range ways {
		if len(way) > 0 && way[0] == name {
			rests = append(rests, way[1:])
		}
	}
	return rests
}

// head reads a field that says something of all items.
func (w *walker) head(at string) error {
	c, line, err := w.value(at)
	if err != nil || c == nil {
		return err
	}
	text := c.Value.Text
	if known := w.layout.Versions[at]; known != nil && !slices.Contains(known, text) {
		w.faults.Addf(line, "%s is %q, want %s: the file is from another version of its tool", at, text, strings.Join(known, " or "))
	}
	if known := w.layout.Finished[at]; known != nil && !slices.Contains(known, text) && w.scores && !w.Partial {
		return fmt.Errorf("%s is unfinished: its %s is %q; --force reads it anyway", w.name, at, text)
	}
	w.says(origin{item: &jsontree.Value{Kind: jsontree.Object, Fields: []jsontree.Field{{Name: at, Value: *c.Value}}}})
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
func (w *walker) item(v *jsontree.Value, stars []string, at string, line int) {
	w.found = true
	if w.layout.Flatten != "" {
		flatten(v, w.layout.Flatten)
	}
	if w.onItem != nil {
		w.onItem(v)
		return
	}
	o := origin{item: v, stars: stars, file: w.base}
	if w.with != nil {
		o.with = w.with[w.layout.With.On.said(o)]
	}
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
	it := Item{Side: side, Key: l.ID.key(o), Cluster: l.Cluster.said(o), Prompt: l.Prompt.said(o), Invalid: holds(l.Invalid.value(o)), Answer: Answer{
		Line: line, Where: at, Sample: l.Sample.said(o), Request: l.Request.said(o), Question: l.Question.said(o), Gold: l.Gold.said(o), Category: l.Category.said(o),
		Evidence: idsOf(l.GoldEvidence.value(o)), Cost: valueOf(l.Cost.value(o)),
	}}
	it.Epoch, _ = strconv.Atoi(l.Epoch.said(o))
	if w.Fields.Cluster != "" && it.Cluster == "" {
		w.faults.Addf(line, "%sno text or number at %q, which --cluster names", prefix(at), w.Fields.Cluster)
		return
	}
	if it.Sample != "" && it.Request != "" {
		it.Key, it.Cluster = it.Sample+"/"+it.Request, cmp.Or(it.Cluster, it.Sample)
	} else if address := l.Address.said(o); strings.Contains(strings.Trim(address, "/"), "/") {
		at := strings.LastIndexByte(address, '/')
		it.Sample, it.Request = address[:at], address[at+1:]
		it.Key = cmp.Or(it.Key, address)
	}
	it.Conversation = cmp.Or(l.Conversation.said(o), it.Cluster, it.Sample)
	w.tellApart(&it, o)
	for i := range l.Evidence {
		for _, v := range l.Evidence[i].values(o) {
			it.Blocks = append(it.Blocks, blocksOf(v)...)
		}
	}
	for stage, paths := range l.Seconds {
		it.addStage(stage, 1000*total(paths, o))
	}
	for stage, paths := range l.Milliseconds {
		it.addStage(stage, total(paths, o))
	}
	if t := l.Tokens; known(t.Input, o) || known(t.Output, o) {
		it.setUsage(total(t.Input, o), total(t.Cached, o), total(t.Output, o), total(t.Reasoning, o))
	}
	c := jsontree.Root(o.item, at, func(_ int, path, fault string) { w.faults.Addf(line, "%s%s", prefix(path), fault) })
	if !w.text(&it, o) {
		return
	}
	w.judged(&it, o)
	if l.Name == own {
		if err := w.complete(&it, o.item); err != nil {
			c.Faultf("%v", err)
			return
		}
	}
	w.take(it)
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
	found, instead := false, "the item has "+cmp.Or(strings.Join(formOf(o.item), ", "), "none")
	for _, s := range w.layout.Answer.alternatives {
		for _, v := range s.values(o) {
			text, ok := textOf(v)
			switch {
			case it.Text != "":
			case ok:
				it.Text, found = text, true
			case v.Kind == jsontree.Null:
				it.fail("empty", "the file has null instead of an answer")
			default:
				instead = fmt.Sprintf("there is %s", v.Kind)
			}
		}
	}
	if found && it.failed() {
		it.Status, it.Failure = "", nil
	}
	for _, f := range w.layout.Failed {
		f.mark(&it.Answer, o, it.Text != "")
	}
	if found || it.failed() || w.scores { // texts are not compared
		return true
	}
	w.faults.Addf(it.Line, "%swant a text at %q, the answer by the layout %s; %s", prefix(it.Where), w.layout.Answer.text, w.layout.Name, instead)
	return false
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
		as := cmp.Or(f.Status.said(o), string(f.As))
		a.fail(cmp.Or(f.Kind.said(o), string(f.As), "answer"), text)
		if s := record.Status(as); s == record.Refused || s == record.Limit {
			a.Status = s
		}
		return
	}
}

// judged adds the scores of an item, and what judges said of it.
func (w *walker) judged(it *Item, o origin) {
	named := false
	for _, column := range slices.Sorted(maps.Keys(w.layout.Scores)) {
		p := w.layout.Scores[column]
		if v := p.value(o); v != nil && column != "*" {
			named = true
			w.scored(it, column, v, true)
		}
	}
	if p, ok := w.layout.Scores["*"]; ok && !(named && p.text == wholeItem && len(w.Columns) == 0) {
		w.scoredAll(it, o, p)
	}
	for _, v := range w.layout.Pairs.List.values(o) {
		of := origin{item: v}
		if column := w.layout.Pairs.Name.said(of); column != "" && !slices.Contains(w.layout.Except, column) {
			w.scored(it, column, w.layout.Pairs.Value.value(of), w.layout.Directions == "")
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
		if w.Combine == Majority && len(votes) > 1 {
			more := 0.0
			if 2**mean > 1 {
				more = 1
			}
			mean, votes = &more, nil
		}
		if len(votes) == 1 {
			votes = nil
		}
		it.Scores = append(it.Scores, Score{Column: verdict.column(), Value: mean, Votes: votes, Better: true})
	}
}

// scoredAll adds each field of an object as a score, or each field of the item that a list
// names; of an item those that hold a number, and that the layout has no other use for.
func (w *walker) scoredAll(it *Item, o origin, p path) {
	better := w.layout.Directions == ""
	v := p.value(o)
	switch {
	case v == nil:
	case v.Kind == jsontree.Array:
		for _, name := range idsOf(v) {
			w.scored(it, name, o.item.Get(name), better)
		}
	default:
		for i := range v.Fields {
			name, of := v.Fields[i].Name, &v.Fields[i].Value
			if p.text == wholeItem && (of.Kind == jsontree.String || slices.Contains(w.layout.Except, name)) {
				continue
			}
			w.scored(it, name, cmp.Or(of.Get("value"), of), better)
		}
	}
}

// scored adds a score; where the layout has words, each field of an object is one of its own.
func (w *walker) scored(it *Item, column string, v *jsontree.Value, better bool) {
	x, words := valueOf(v), w.layout.Words
	if v != nil && len(words) > 0 {
		if v.Kind == jsontree.Object {
			for i := range v.Fields {
				w.scored(it, column+"/"+v.Fields[i].Name, &v.Fields[i].Value, better)
			}
			return
		}
		better = better || v.Kind == jsontree.Bool
		if v.Kind == jsontree.String {
			word, known := words[v.Text]
			if !known {
				word, known = words[strings.ToLower(v.Text)]
			}
			if number := fieldValue(v.Text); known {
				x, better = &word, true
			} else if number.Kind == jsontree.Number {
				x = valueOf(&number)
			}
		}
		if x == nil && v.Kind != jsontree.Null {
			w.notes = lists.AddNew(w.notes, column+" has values that are not numbers; they are undefined here, but its tool may count them as 0")
		}
	}
	it.Scores = append(it.Scores, Score{Column: column, Value: x, Better: better})
}

// beside reads which direction is better from a file beside this one, if there is one, and
// the task from the file's name.
func (w *walker) beside() error {
	b := w.layout.Beside
	name, ok := strings.CutPrefix(filepath.Base(w.name), b.Prefix)
	at := strings.LastIndexByte(name, '_')
	if b.Prefix == "" || !ok || at < 1 {
		return nil
	}
	task := name[:at]
	w.about["task"] = task
	path := filepath.Join(filepath.Dir(w.name), b.Results+strings.TrimSuffix(name[at+1:], "l"))
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	beside := newReading(w.ctx, ResultOptions{})
	beside.open(path, f)
	c, _, err := beside.value("")
	if err = cmp.Or(err, beside.faults.Err()); err != nil {
		return err
	}
	for _, of := range cmp.Or(c.Value.Get(b.Higher), &jsontree.Value{}).Fields {
		for _, column := range of.Value.Fields {
			if higher := column.Value; higher.Kind == jsontree.Bool && record.FileName(of.Name) == record.FileName(task) {
				w.columns[column.Name] = ResultColumn{Lower: new(higher.Text == "false")}
			}
		}
	}
	return nil
}

// maxJoined is the size of the largest other file, whose items are held in memory.
const maxJoined = 256 << 20

// join reads the items of the other file, where there is one.
func (w *walker) join() error {
	j := w.layout.With
	if j.File == "" {
		return nil
	}
	w.with = make(map[string][]*jsontree.Value)
	for pattern := range strings.SplitSeq(j.File, "|") {
		found, err := filepath.Glob(filepath.Join(filepath.Dir(w.name), strings.TrimSpace(pattern)))
		if err != nil {
			return err
		}
		for _, path := range found {
			if err := w.joinFile(path); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *walker) joinFile(path string) error {
	j := w.layout.With
	f, err := datafile.Open(path, maxJoined)
	if err != nil {
		return err
	}
	defer f.Close()
	r := newReading(w.ctx, ResultOptions{})
	r.open(path, f)
	r.scores = true
	other := newWalker(r, &Layout{Name: w.layout.Name, Items: j.Items, Flatten: w.layout.Flatten})
	other.onItem = func(v *jsontree.Value) {
		if key := j.Key.said(origin{item: v}); key != "" {
			w.with[key] = append(w.with[key], v)
		}
	}
	return cmp.Or(other.through(), r.faults.Err())
}

// flatten makes a field of each pair of a key and a value in lists of a name. The value of
// a pair is itself, or what the first field of it holds, as OpenTelemetry writes it.
func flatten(v *jsontree.Value, name string) {
	for i := range v.Items {
		flatten(&v.Items[i], name)
	}
	for _, f := range v.Fields {
		if f.Name != name {
			flatten(&f.Value, name)
			continue
		}
		for i := range f.Value.Items {
			key, of := f.Value.Items[i].Get("key"), f.Value.Items[i].Get("value")
			if key == nil || of == nil {
				continue
			}
			if len(of.Fields) > 0 {
				kind := of.Fields[0].Name
				if of = &of.Fields[0].Value; kind == "intValue" && of.Kind == jsontree.String {
					of = new(fieldValue(of.Text))
				}
			}
			v.Fields = append(v.Fields, jsontree.Field{Name: key.Text, Value: *of})
		}
	}
}

// holds reports whether there is a value that is not an empty text.
func holds(v *jsontree.Value) bool {
	return v != nil && (v.Kind != jsontree.String || v.Text != "")
}

// Where memories have their text, time and name.
var (
	memoryText = mustPath("memory | content | text")
	memoryTime = mustPath("timestamp")
	memoryName = mustPath("name | id")
)

// blocksOf reads what an answer was made from: a text, or a list of texts or of
// memories with their time and score.
func blocksOf(v *jsontree.Value) (blocks []Block) {
	for i := range v.Items {
		blocks = append(blocks, blocksOf(&v.Items[i])...)
	}
	o := origin{item: v}
	b := Block{Text: memoryText.said(o), Name: memoryName.said(o), Score: numberOf(v.Get("score")), Sources: idsOf(v.Get("sources")), Estimated: *cmp.Or(valueOf(v.Get("estimated")), new(0.0)) > 0}
	if v.Kind == jsontree.String && strings.TrimSpace(v.Text) != "" {
		b.Text = v.Text
	}
	if b.Text == "" {
		return blocks
	}
	if at := memoryTime.said(o); at != "" {
		b.Text = at + ": " + b.Text
	}
	return append(blocks, b)
}
