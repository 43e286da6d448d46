package lightmem

import (
	"context"
	"slices"
	"strconv"
	"time"

	"recallbench/methods/internal/building"
	"recallbench/methods/internal/transcript"
)

// temperature is that of the authors' calls.
const temperature = 0.1

// factsSchema ends a list in which a model repeats itself.
const factsSchema = `{
	"type": "object",
	"properties": {"data": {"type": "array", "maxItems": 200, "items": {
		"type": "object",
		"properties": {"source_id": {"type": "integer"}, "fact": {"type": "string"}},
		"required": ["source_id", "fact"],
		"additionalProperties": false
	}}},
	"required": ["data"],
	"additionalProperties": false
}`

// tales are what messages tell: sentences with the numbers of their lines.
type tales struct {
	Data []struct {
		Source int    `json:"source_id"`
		Text   string `json:"fact"`
	} `json:"data"`
}

type (
	factsData struct{ Topics []topicData }
	topicData struct {
		Number int
		Lines  []lineData
	}
	// lineData is a message: as Text has it, with time and speaker, and in parts, as
	// the authors' prompt has it.
	lineData struct {
		Number        int
		Text          string
		Stamp         string // empty for no time
		Speaker, Said string
	}
)

// A batch is the topics of one call.
type batch struct {
	topics []segment
	topic  int               // the number of the first
	first  int               // the number of the first line
	lines  []transcript.Line // of all messages, with the memory's clock
	of     []int             // their messages
}

// remember finds the facts of batches, one call each, and puts them into the
// memory.
func (b *builder) remember(ctx context.Context, batches [][]segment) error {
	for _, x := range b.numbered(batches) {
		found, err := b.batchFacts(ctx, x)
		if err != nil {
			return err
		}
		texts := make([]string, len(found))
		for i, f := range found {
			texts[i] = f.text
		}
		vectors, err := b.vectors(ctx, texts)
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

// numbered lays out batches that come at once. Lines are numbered from 0 through all
// of them. The clock begins at a message's time and goes on by a second for each
// message of that time that came before. It begins anew with other batches, as the
// authors' does.
func (b *builder) numbered(batches [][]segment) []batch {
	all := make([]batch, len(batches))
	ticks := make(map[time.Time]int)
	n := 0
	for i, topics := range batches {
		x := batch{topics: topics, topic: b.segments, first: n}
		for _, s := range topics {
			for k := s.first; k < s.end; k++ {
				line := b.messages[k].Line
				line.Text = b.messages[k].short
				if !line.Time.IsZero() {
					ticks[line.Time]++
					line.Time = line.Time.Add(time.Duration(ticks[line.Time]-1) * time.Second)
				}
				x.lines, x.of = append(x.lines, line), append(x.of, k)
				n++
			}
		}
		b.segments += len(topics)
		b.batches++
		all[i] = x
	}
	return all
}

// data returns what the prompt shows of a batch.
func (x *batch) data() factsData {
	var d factsData
	n := 0
	for i, s := range x.topics {
		t := topicData{Number: x.topic + i}
		for range s.end - s.first {
			l := x.lines[n]
			line := lineData{Number: x.first + n, Text: transcript.Text(l), Speaker: l.Speaker, Said: l.Text}
			if !l.Time.IsZero() {
				line.Stamp = l.Time.Format("2006-01-02T15:04:05.000, Mon")
			}
			t.Lines = append(t.Lines, line)
			n++
		}
		d.Topics = append(d.Topics, t)
	}
	return d
}

// batchFacts returns the facts of a batch. One from a line that was not shown is
// taken to be from the nearest that was. Where the model has no usable reply,
// each message as it was said is the one fact of it, so that nothing is lost.
func (b *builder) batchFacts(ctx context.Context, x batch) ([]fact, error) {
	data := x.data()
	key := []string{extract}
	for _, t := range data.Topics {
		for _, l := range t.Lines {
			key = append(key, strconv.Itoa(t.Number), strconv.Itoa(l.Number), l.Text)
		}
	}
	p, err := b.part(keyOf(key...), func() (p keptPart, err error) {
		reply, ok, err := building.JSON[tales](ctx, b.Model, building.Call{
			Role: extract, Template: extract, Data: data, Schema: factsSchema,
			Params: building.Params(temperature, b.MaxTokens),
		})
		if err != nil {
			return p, err
		}
		if p.Unread = !ok; p.Unread {
			for i, k := range x.of {
				said := b.messages[k].Line
				said.Time = time.Time{}
				if text := building.Clean(transcript.Text(said), building.MaxContent); text != "" {
					p.Facts = append(p.Facts, keptFact{i, text})
				}
			}
			return p, nil
		}
		for _, f := range reply.Data {
			i := min(max(f.Source-x.first, 0), len(x.of)-1)
			if text := building.Clean(f.Text, building.MaxFact); text != "" {
				p.Facts = append(p.Facts, keptFact{i, text})
				if i != f.Source-x.first {
					p.Misplaced++
				}
			}
		}
		return p, nil
	})
	if err != nil {
		return nil, err
	}
	b.misplaced += p.Misplaced
	if p.Unread {
		b.unread += len(x.of)
	}
	facts := make([]fact, len(p.Facts))
	for i, f := range p.Facts {
		at := min(max(f.Message, 0), len(x.of)-1)
		facts[i] = fact{text: f.Text, message: x.of[at], time: x.lines[at].Time, topic: x.topicOf(x.of[at])}
	}
	return facts, nil
}

// topicOf returns the number of a message's topic.
func (x *batch) topicOf(message int) int {
	return x.topic + slices.IndexFunc(x.topics, func(s segment) bool { return message >= s.first && message < s.end })
}
