package interchange

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"recallbench/internal/calc/lists"
	"recallbench/internal/door/llm"
	"recallbench/internal/files/jsontree"
	"recallbench/internal/result/record"
	"recallbench/internal/result/scored"
)

// item takes an item of the file, once for each of its sides.
func (r *reading) item(v *jsontree.Value, stars []string, at string, line int) {
	l := r.layout
	if l.Name == own && v.Get("predictions") != nil {
		r.predictionsHead(v, line)
		return
	}
	flatten(v, l.Flatten)
	o := origin{item: v, stars: stars, file: strings.TrimSuffix(filepath.Base(r.name), filepath.Ext(r.name)), with: r.with[l.With.On.said(origin{item: v})]}
	r.says(o)
	for side, of := range fieldsOf(l.Sides.value(o)) {
		o.side = of
		r.answer(o, side, at, line)
	}
	if o.side == nil {
		r.answer(o, l.Side.said(o), at, line)
	}
}

// answer takes one side of an item.
func (r *reading) answer(o origin, side, at string, line int) {
	l := r.layout
	a := &Answer{
		Line: line, Where: at, Side: side, Key: l.ID.key(o), Cluster: l.Cluster.said(o), Prompt: l.Prompt.said(o), Invalid: l.Invalid.key(o) != "",
		Request: scored.Request{
			Gold: record.Gold{
				Sample: l.Sample.said(o), Request: l.Request.said(o), Question: l.Question.said(o), Answer: l.Gold.said(o), Category: l.Category.said(o),
				Evidence: textsOf(l.GoldEvidence.value(o)),
			},
			Record: record.Record{Status: record.OK, Attempts: 1, Cost: valueOf(l.Cost.value(o))},
		},
	}
	a.Epoch, _ = strconv.Atoi(l.Epoch.said(o))
	if r.Fields.Cluster != "" && a.Cluster == "" {
		r.faults.Addf(line, "%sno text or number at %q, which --cluster names", prefix(at), r.Fields.Cluster)
		return
	}
	if a.Gold.Sample != "" && a.Gold.Request != "" {
		a.Key, a.Cluster = a.Gold.Sample+"/"+a.Gold.Request, cmp.Or(a.Cluster, a.Gold.Sample)
	} else if address := l.Address.said(o); strings.Contains(strings.Trim(address, "/"), "/") {
		at := strings.LastIndexByte(address, '/')
		a.Gold.Sample, a.Gold.Request = address[:at], address[at+1:]
		a.Key = cmp.Or(a.Key, address)
	}
	a.Conversation = cmp.Or(l.Conversation.said(o), a.Cluster, a.Gold.Sample)
	r.tellApart(a, o)
	for i := range l.Evidence {
		for _, v := range l.Evidence[i].values(o) {
			a.Evidence = append(a.Evidence, blocksOf(v)...)
		}
	}
	r.spent(a, o)
	if !r.text(a, o) {
		return
	}
	r.judged(a, o)
	if l.Name == own {
		if err := r.complete(a, o.item); err != nil {
			r.faults.Addf(line, "%w", err)
			return
		}
	}
	r.take(a)
}

// tellApart gives answers of one name names of their own: by the variants of their side, the
// places of their key, or the order of their questions.
func (r *reading) tellApart(a *Answer, o origin) {
	if variant := r.layout.Variant.said(o); variant != "" {
		if r.variants[a.Side] = cmp.Or(r.variants[a.Side], variant); r.variants[a.Side] != variant {
			a.Side += "/" + variant
		}
	}
	if a.Key == "" && a.Gold.Question != "" { // the first of equal names stays, the next ends in #2
		a.Key = a.Cluster + " " + collapsed(a.Gold.Question)
		r.occurrences[[2]string{a.Side, a.Key}]++
		if n := r.occurrences[[2]string{a.Side, a.Key}]; n > 1 {
			a.Key += "#" + strconv.Itoa(n)
		}
	}
	place := r.layout.Place.said(o)
	if place == "" {
		return
	}
	same := a.Side + "\x00" + a.Key
	r.places[same] = lists.AddNew(r.places[same], place)
	if at := slices.Index(r.places[same], place); at > 0 {
		a.Key += "#" + strconv.Itoa(at+1)
	}
	if r.layout.Repeats != "" {
		r.repeats[same+"\x00"+place]++
		a.Epoch = r.repeats[same+"\x00"+place]
	}
}

// maxTokens bounds a number of tokens that a file may claim, so that sums of them hold.
const maxTokens = 1 << 40

// spent reads the time and the tokens that an answer took.
func (r *reading) spent(a *Answer, o origin) {
	l, time := r.layout, &a.Record.Time
	for stage, paths := range l.Seconds {
		seconds, _ := total(paths, o)
		a.addStage(stage, 1000*seconds)
	}
	for stage, paths := range l.Milliseconds {
		ms, _ := total(paths, o)
		a.addStage(stage, ms)
	}
	for _, name := range slices.Sorted(maps.Keys(time.Stages)) { // sums of floats depend on their order
		time.Total += time.Stages[name]
	}
	tokens := func(paths []path) (int, bool) {
		n, known := total(paths, o)
		return int(min(n, maxTokens)), known
	}
	u := llm.Usage{Calls: 1}
	var in, out bool
	u.Input, in = tokens(l.Tokens.Input)
	u.Output, out = tokens(l.Tokens.Output)
	u.Cached, _ = tokens(l.Tokens.Cached)
	u.Reasoning, _ = tokens(l.Tokens.Reasoning)
	if in || out {
		a.Record.Usage = map[string]map[string]llm.Usage{"query": {"reader": u}}
	}
}

// text reads the answer and whether it failed, and reports whether the item can be used.
func (r *reading) text(a *Answer, o origin) bool {
	found, instead := false, "the item has "+cmp.Or(strings.Join(lists.Map(o.item.Fields, func(f jsontree.Field) string { return f.Name }), ", "), "none")
	for _, s := range r.layout.Answer.alternatives {
		for _, v := range s.values(o) {
			text, ok := textOf(v)
			switch {
			case a.Record.Answer != "":
			case ok:
				a.Record.Answer, found = text, true
			case v.Kind == jsontree.Null:
				a.fail(record.Error, "empty", "the file has null instead of an answer")
			default:
				instead = fmt.Sprintf("there is %s", v.Kind)
			}
		}
	}
	if found {
		a.Record.Status, a.Record.Error = record.OK, nil
	}
	for _, f := range r.layout.Failed {
		f.mark(a, o)
	}
	if found || a.failed() || r.scores { // texts are not compared
		return true
	}
	r.faults.Addf(a.Line, "%swant a text at %q, the answer by the layout %s; %s", prefix(a.Where), r.layout.Answer.text, r.layout.Name, instead)
	return false
}

// mark makes an answer one that failed, where it did.
func (f failureAt) mark(a *Answer, o origin) {
	for _, v := range f.Path.values(o) {
		text := v.Text
		switch {
		case f.Unanswered && a.Record.Answer != "":
			return
		case len(f.Is) == 0 && text != "":
		case len(f.Is) > 0 && slices.Contains(f.Is, text):
			text = cmp.Or(f.Message.said(o), "the file says "+text)
		default:
			continue
		}
		status := record.Status(cmp.Or(f.Status.said(o), string(f.As)))
		if status != record.Refused && status != record.Limit {
			status = record.Error
		}
		a.fail(status, cmp.Or(f.Kind.said(o), string(f.As), "answer"), text)
		return
	}
}

// judged adds the scores of an item, and what judges said of it.
func (r *reading) judged(a *Answer, o origin) {
	l := r.layout
	named := false
	for _, column := range slices.Sorted(maps.Keys(l.Scores)) {
		p := l.Scores[column]
		if v := p.value(o); v != nil && column != "*" {
			named = true
			r.scored(a, column, v, true)
		}
	}
	if p, ok := l.Scores["*"]; ok && !(named && p.text == wholeItem && len(r.Columns) == 0) {
		r.scoredAll(a, o, p)
	}
	for _, v := range l.Pairs.List.values(o) {
		of := origin{item: v}
		if column := l.Pairs.Name.said(of); column != "" && !slices.Contains(l.Except, column) {
			r.scored(a, column, l.Pairs.Value.value(of), l.Directions == "")
		}
	}
	for _, verdict := range l.Verdicts {
		r.verdict(a, o, verdict)
	}
}

// verdict adds what a judge said of an item, if it did.
func (r *reading) verdict(a *Answer, o origin, of verdictAt) {
	var votes []float64
	sum := 0.0
	for _, v := range of.Path.values(o) {
		x := valueOf(v)
		if word, ok := of.Values[v.Text]; ok && v.Kind == jsontree.String {
			x = &word
		}
		if x != nil {
			votes, sum = append(votes, *x), sum+*x
		}
	}
	if len(votes) == 0 {
		return
	}
	mean := sum / float64(len(votes))
	if slices.Min(votes) >= 0 && slices.Max(votes) <= 1 {
		a.Judgements = append(a.Judgements, r.file.judgement(of.Judge, r.about["judge"], &mean, votes, of.Why.said(o)))
	}
	if r.Combine == Majority && len(votes) > 1 {
		mean, votes = map[bool]float64{true: 1}[2*mean > 1], nil
	}
	if len(votes) == 1 {
		votes = nil
	}
	a.Scores = append(a.Scores, Score{Column: of.column(), Value: &mean, Votes: votes, Better: true})
}

// scoredAll adds each field of an object as a score, or each field of the item that a list
// names; of an item those that hold a number, and that the layout has no other use for.
func (r *reading) scoredAll(a *Answer, o origin, p path) {
	better := r.layout.Directions == ""
	v := p.value(o)
	switch {
	case v == nil:
	case v.Kind == jsontree.Array:
		for _, name := range textsOf(v) {
			r.scored(a, name, o.item.Get(name), better)
		}
	default:
		for name, of := range fieldsOf(v) {
			if p.text == wholeItem && (of.Kind == jsontree.String || slices.Contains(r.layout.Except, name)) {
				continue
			}
			r.scored(a, name, cmp.Or(of.Get("value"), of), better)
		}
	}
}

// scored adds a score; where the layout has words, each field of an object is one of its own.
func (r *reading) scored(a *Answer, column string, v *jsontree.Value, better bool) {
	x, words := valueOf(v), r.layout.Words
	if v != nil && len(words) > 0 {
		if v.Kind == jsontree.Object {
			for name, of := range fieldsOf(v) {
				r.scored(a, column+"/"+name, of, better)
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
			r.notes = lists.AddNew(r.notes, column+" has values that are not numbers; they are undefined here, but its tool may count them as 0")
		}
	}
	a.Scores = append(a.Scores, Score{Column: column, Value: x, Better: better})
}

// flatten makes a field of each pair of a key and a value in lists of a name; empty for
// none. The value of a pair is itself, or what the first field of it holds, as OpenTelemetry
// writes it.
func flatten(v *jsontree.Value, name string) {
	if name == "" {
		return
	}
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

// Where memories have their text, time and name.
var (
	memoryText = mustPath("memory | content | text")
	memoryTime = mustPath("timestamp")
	memoryName = mustPath("name | id")
)

// blocksOf reads what an answer was made from: a text, or a list of texts or of
// memories with their time and score.
func blocksOf(v *jsontree.Value) (blocks []scored.Block) {
	for i := range v.Items {
		blocks = append(blocks, blocksOf(&v.Items[i])...)
	}
	o := origin{item: v}
	b := scored.Block{Score: numberOf(v.Get("score")), Block: record.Block{
		Text: memoryText.said(o), Name: memoryName.said(o), Sources: textsOf(v.Get("sources")), Estimated: numberOf(v.Get("estimated")) > 0,
	}}
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
