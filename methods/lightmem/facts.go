package lightmem

import (
	"context"
	"strconv"
	"time"

	"recallbench/internal/calc/lists"
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

// A keptPart is a kept piece of a building: the facts of a batch, or the
// revision of a fact. The key is the hash of the prompt's content.
type keptPart struct {
	Key   string     `json:"key_sha256"`
	Facts []keptFact `json:"facts,omitempty"`
	// Unread says that the messages were kept as they are.
	Unread    bool         `json:"unread,omitempty"`
	Misplaced int          `json:"misplaced,omitempty"`
	Revision  keptRevision `json:"revision,omitzero"`

	use func()
}

// A keptFact is a fact with the index of its message in the batch.
type keptFact struct {
	Message int    `json:"message"`
	Text    string `json:"text"`
}

// part returns the kept part for some prompt content, or makes and keeps it.
func (b *builder) part(about []string, ask func(*keptPart) error) (keptPart, error) {
	key := building.Hash(about...)
	if p, ok := b.kept[key]; ok {
		p.use()
		return p, nil
	}
	p := keptPart{Key: key, use: func() {}}
	if err := ask(&p); err != nil {
		return p, err
	}
	b.kept[key] = p
	return p, b.keeper.Add(p)
}

// A batch is the topics of one call.
type batch struct {
	data  factsData         // what the prompt shows
	first int               // the number of the first line
	lines []transcript.Line // of all messages, with the memory's clock
	of    []int             // their messages
	topic []int             // the numbers of their topics
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
				x.lines, x.of, x.topic = append(x.lines, line), append(x.of, k), append(x.topic, t.Number)
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
	about := []string{extract.Role}
	for _, t := range x.data.Topics {
		for _, l := range t.Lines {
			about = append(about, strconv.Itoa(t.Number), strconv.Itoa(l.Number), l.Text)
		}
	}
	p, err := b.part(about, func(p *keptPart) error {
		reply, ok, err := building.JSON[tales](ctx, b.Model, extract, x.data)
		if err != nil {
			return err
		}
		if p.Unread = !ok; p.Unread {
			for i, k := range x.of {
				said := b.messages[k].Line
				said.Time = time.Time{}
				if text := building.Clean(transcript.Text(said), building.MaxContent); text != "" {
					p.Facts = append(p.Facts, keptFact{i, text})
				}
			}
			return nil
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
		return nil
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
		facts[i] = fact{text: f.Text, message: x.of[at], time: x.lines[at].Time, topic: x.topic[at]}
	}
	return facts, nil
}
