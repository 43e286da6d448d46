package lightmem

import (
	"context"
	"slices"
	"time"

	"recallbench/internal/calc/lists"
	"recallbench/internal/door/meter"
	"recallbench/internal/engine/index"
	"recallbench/methods/internal/building"
	"recallbench/methods/internal/transcript"
)

// tales are facts that messages state: sentences with their line numbers.
type tales struct {
	Data []struct {
		Source int    `json:"source_id"`
		Text   string `json:"fact"`
	} `json:"data"`
}

// A batch is the topics of one call.
type batch struct {
	data  factsData         // what the prompt shows
	first int               // the number of the first line
	lines []transcript.Line // of all messages, with the memory's clock
	of    []int             // their messages
}

// remember finds the facts of batches, one call each, and puts them into the
// memory.
func (b *builder) remember(ctx context.Context, batches [][]segment) error {
	for _, x := range b.numbered(batches) {
		found, err := b.batchFacts(ctx, x)
		if err != nil {
			return err
		}
		texts := lists.Map(found, func(f fact) string { return f.text })
		vectors, err := building.Vectors(ctx, b.space, texts...)
		if err != nil {
			return err
		}
		for i := range found {
			found[i].vector = vectors[i]
		}
		b.facts = append(b.facts, found...)
	}
	return nil
}

// numbered lays out batches that arrive together. Lines are numbered from 0 through
// all of them. The clock starts at a message's time and advances by a second for
// each earlier message of the same time. It restarts with other batches, as the
// authors' does.
func (b *builder) numbered(batches [][]segment) []batch {
	all := make([]batch, len(batches))
	ticks := make(map[time.Time]int)
	n := 0
	for i, topics := range batches {
		x := batch{first: n}
		for _, s := range topics {
			t := topicData{Number: b.segments}
			b.segments++
			for k := s.first; k < s.end; k++ {
				line := b.messages[k].Line
				line.Text = b.messages[k].short
				shown := lineData{Number: n, Speaker: line.Speaker, Said: line.Text}
				n++
				if !line.Time.IsZero() {
					ticks[line.Time]++
					line.Time = line.Time.Add(time.Duration(ticks[line.Time]-1) * time.Second)
					shown.Stamp = line.Time.Format("2006-01-02T15:04:05.000, Mon")
				}
				shown.Text = transcript.Text(line)
				t.Lines = append(t.Lines, shown)
				x.lines, x.of = append(x.lines, line), append(x.of, k)
			}
			x.data.Topics = append(x.data.Topics, t)
		}
		b.batches++
		all[i] = x
	}
	return all
}

// batchFacts returns the facts of a batch. A fact from a line that was not shown
// is attributed to the nearest line that was. Without a usable reply, each
// original message is a fact, so that nothing is lost.
func (b *builder) batchFacts(ctx context.Context, x batch) ([]fact, error) {
	reply, ok, err := building.JSON[tales](ctx, b.model, extract, x.data)
	if err != nil {
		return nil, err
	}
	var facts []fact
	add := func(i int, text string) bool {
		if text != "" {
			facts = append(facts, fact{text: text, message: x.of[i], time: x.lines[i].Time})
		}
		return text != ""
	}
	if !ok {
		b.unread += len(x.of)
		for i, k := range x.of {
			said := b.messages[k].Line
			said.Time = time.Time{}
			add(i, building.Clean(transcript.Text(said), building.MaxContent))
		}
		return facts, nil
	}
	for _, f := range reply.Data {
		i := min(max(f.Source-x.first, 0), len(x.of)-1)
		if add(i, building.Clean(f.Text, building.MaxFact)) && i != f.Source-x.first {
			b.misplaced++
		}
	}
	return facts, nil
}

// A revision is the outcome for a fact.
type revision struct {
	Action string `json:"action"`     // update, delete or ignore
	Text   string `json:"new_memory"` // of the fact, for update
}

// Usable reports whether an update has a text.
func (r revision) Usable() bool { return r.Action != "update" || r.fact() != "" }

func (r revision) fact() string { return building.Clean(r.Text, building.MaxFact) }

// revise asks for the outcome of each fact in the light of the later ones that
// are close to it. All prompts show the original facts: no revision sees another.
// A fact that is updated is found by its former text; one without a usable reply stays.
func (b *builder) revise(ctx context.Context) error {
	end := meter.Stage(ctx, "queue")
	later, err := b.later()
	end()
	if err != nil {
		return err
	}
	revised := slices.Clone(b.facts)
	for i := range b.facts {
		if len(later[i]) == 0 {
			continue
		}
		data := reviseData{Fact: b.facts[i].text, Later: lists.Map(later[i], func(j int) string { return b.facts[j].text })}
		r, _, err := building.JSON[revision](ctx, b.model, revise, data)
		if err != nil {
			return err
		}
		switch r.Action {
		case "update":
			revised[i].text = r.fact()
			b.updated++
		case "delete":
			revised[i].text = ""
			b.deleted++
		default:
			b.ignored++
		}
	}
	b.facts = slices.DeleteFunc(revised, func(f fact) bool { return f.text == "" })
	return nil
}

// later returns, for each fact, the facts that take part in its revision: a fact
// takes part in that of the closest of the facts nearest to it that are not later,
// by the memory's clock, and as close as sayScore. So does a fact of the same
// time.
func (b *builder) later() ([][]int, error) {
	order := make([]int, len(b.facts))
	for i := range order {
		order[i] = i
	}
	at := func(i int) time.Time { return b.facts[i].time }
	slices.SortStableFunc(order, func(i, j int) int { return at(i).Compare(at(j)) })
	earlier := make([][]int, len(b.facts)) // by the fact that takes part
	var known index.Growing
	for first := 0; first < len(order); {
		end := first
		for ; end < len(order) && at(order[end]).Equal(at(order[first])); end++ {
			if err := known.Add(b.facts[order[end]].vector); err != nil {
				return nil, err
			}
		}
		for _, i := range order[first:end] {
			hits, err := known.Search(b.facts[i].vector, nearFacts)
			if err != nil {
				return nil, err
			}
			for _, h := range index.Above(hits, sayScore) {
				if j := order[h.Index]; j != i && len(earlier[i]) < mostSays {
					earlier[i] = append(earlier[i], j)
				}
			}
		}
		first = end
	}
	later := make([][]int, len(b.facts))
	for i, about := range earlier {
		for _, j := range about {
			later[j] = append(later[j], i)
		}
	}
	return later, nil
}
