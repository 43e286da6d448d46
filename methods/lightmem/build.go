package lightmem

import (
	"context"
	"slices"
	"strings"
	"time"

	"recallbench/datasets"
	"recallbench/internal/calc/lists"
	"recallbench/internal/door/embed"
	"recallbench/internal/door/meter"
	"recallbench/internal/engine/index"
	"recallbench/methods/internal/building"
	"recallbench/methods/internal/transcript"
)

// A message is a turn with some text.
type message struct {
	building.Message
	short  string    // its shortened text
	tokens int       // of that, as the buffer counts
	vector []float32 // of that; nil until the message is compared with a neighbour
}

// A segment is a stretch of messages about one topic, from first to before end.
type segment struct{ first, end int }

// A fact is an entry of the memory.
type fact struct {
	text    string
	message int       // that it is from
	time    time.Time // by the memory's clock; zero if unknown
	vector  []float32
}

// A builder reads a conversation into a memory.
type builder struct {
	memory
	model building.Model

	buffer segment   // the sensory buffer
	filled int       // its tokens
	topics []segment // the short-term memory
	held   int       // its tokens
}

// counts are the numbers that [memory.Structure] reports in addition to the facts.
type counts struct {
	turns                     int // of the conversation
	tokensLeft, tokensSaid    int // of the messages, after and before words were left out
	segments, batches         int // topics, and calls that found their facts
	misplaced                 int // facts attributed to a message that was not shown
	unread                    int // messages kept as they are, without a usable reply
	updated, deleted, ignored int // facts, by outcome of their revision
}

// newBuilder gathers and shortens the messages of a conversation, and makes the
// embedding space.
func (m *method) newBuilder(ctx context.Context, s datasets.Sample) (*builder, error) {
	b := &builder{memory: memory{method: m}}
	all := building.Messages(s, images)
	b.turns = len(all)
	var said []building.Message
	for _, msg := range all {
		if msg.Line.Text != "" {
			said = append(said, msg)
			b.messages = append(b.messages, message{Message: msg, short: msg.Line.Text})
		}
	}
	var err error
	if b.model, b.space, err = m.Begin(ctx, said); err != nil {
		return nil, err
	}
	return b, b.shorten(ctx)
}

// special is the number of tokens that the authors' compressor, which also counts
// for the buffer, puts around a text.
const special = 2

// shorten leaves words out of each message, and repeats this for those that
// would fill the buffer, as long as they get shorter.
func (b *builder) shorten(ctx context.Context) error {
	defer meter.Stage(ctx, "prune")()
	left := make([]int, len(b.messages)) // messages to shorten
	texts := make([]string, len(b.messages))
	for i, m := range b.messages {
		left[i], texts[i] = i, m.short
		b.messages[i].tokens = b.tokens.Count(m.short) + special
		b.tokensSaid += b.messages[i].tokens - special
	}
	compressor := b.prune.Compressor(b.classifier, b.tokens, texts)
	for compressor != nil && len(left) > 0 {
		short, err := compressor.Compress(ctx, texts)
		if err != nil {
			return err
		}
		var again []int
		texts = texts[:0]
		for k, i := range left {
			m := &b.messages[i]
			text := strings.TrimSpace(short[k].Text)
			if text == "" || text == m.short {
				continue
			}
			m.short, m.tokens = text, b.tokens.Count(text)+special
			if m.tokens >= b.sizes.buffer {
				again, texts = append(again, i), append(texts, text)
			}
		}
		left = again
	}
	for _, m := range b.messages {
		b.tokensLeft += m.tokens - special
	}
	return nil
}

// read takes the messages through the sensory buffer and the short-term memory.
func (b *builder) read(ctx context.Context) error {
	for i := range b.messages {
		segments, err := b.sense(ctx, i)
		if err != nil {
			return err
		}
		last := i == len(b.messages)-1
		if last {
			rest, err := b.cut(ctx, true)
			if err != nil {
				return err
			}
			segments = append(segments, rest...)
		}
		if err := b.remember(ctx, b.gather(segments, last)); err != nil {
			return err
		}
	}
	return nil
}

// gather puts segments into the short-term memory, and returns batches of those
// for which it has no more room; with all, also the rest.
func (b *builder) gather(segments []segment, all bool) (batches [][]segment) {
	flush := func() {
		if len(b.topics) > 0 {
			batches = append(batches, b.topics)
			b.topics, b.held = nil, 0
		}
	}
	for _, s := range segments {
		texts := lists.Map(b.messages[s.first:s.end], func(m message) string { return m.short })
		n := b.tokens.Count(strings.Join(texts, " "))
		if b.held+n > b.shortTerm {
			flush()
		}
		b.topics, b.held = append(b.topics, s), b.held+n
	}
	if all {
		flush()
	}
	return batches
}

// sense puts a message into the buffer. While there is no room for it, the buffer
// is cut and the pieces are returned. A message that is larger than the buffer is
// a segment of its own.
func (b *builder) sense(ctx context.Context, i int) (segments []segment, err error) {
	for b.filled+b.messages[i].tokens > b.sizes.buffer {
		if b.buffer.first == b.buffer.end {
			b.buffer = segment{i + 1, i + 1}
			return append(segments, segment{i, i + 1}), nil
		}
		off, err := b.cut(ctx, false)
		if err != nil {
			return nil, err
		}
		segments = append(segments, off...)
	}
	b.buffer.end = i + 1
	b.filled += b.messages[i].tokens
	return segments, nil
}

// cut cuts the buffer at its boundaries, or returns it whole if it has none.
// The part after the last boundary stays in the buffer unless all is set.
func (b *builder) cut(ctx context.Context, all bool) (segments []segment, err error) {
	if b.buffer.first == b.buffer.end {
		return nil, nil
	}
	boundaries, err := b.bounds(b, ctx, b.messages[b.buffer.first:b.buffer.end])
	if err != nil {
		return nil, err
	}
	if all || len(boundaries) == 0 {
		boundaries = append(boundaries, b.buffer.end-b.buffer.first)
	}
	first := b.buffer.first
	for _, n := range boundaries {
		segments = append(segments, segment{b.buffer.first, first + n})
		b.buffer.first = first + n
	}
	b.filled = 0
	for _, m := range b.messages[b.buffer.first:b.buffer.end] {
		b.filled += m.tokens
	}
	return segments, nil
}

// boundaries returns the messages before which a topic begins, by index from 1: those
// that differ from the message before. The authors' segmenter also requires a nearby
// boundary in the attention maps of their compressor, which no server provides.
func (b *builder) boundaries(ctx context.Context, messages []message) ([]int, error) {
	if err := b.embedMessages(ctx, messages); err != nil {
		return nil, err
	}
	cosines := make([]float64, len(messages)-1)
	for i := range cosines {
		cosines[i] = embed.Cosine(messages[i].vector, messages[i+1].vector)
	}
	return unlike(cosines), nil
}

// embedMessages gives vectors to messages that have none.
func (b *builder) embedMessages(ctx context.Context, messages []message) error {
	var fresh []*message
	var texts []string
	for i := range messages {
		if m := &messages[i]; m.vector == nil {
			fresh, texts = append(fresh, m), append(texts, m.short)
		}
	}
	vectors, err := building.Vectors(ctx, b.space, texts...)
	if err != nil {
		return err
	}
	for i, m := range fresh {
		m.vector = vectors[i]
	}
	return nil
}

// unlike returns the messages, from 1 on, whose cosine with the one before is
// below the first threshold that any is below; empty if none is.
func unlike(cosines []float64) (found []int) {
	for threshold := leastCosine; threshold <= mostCosine && len(found) == 0; threshold += cosineStep {
		for i, c := range cosines {
			if c < threshold {
				found = append(found, i+1)
			}
		}
	}
	return found
}

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
