package htmlreport

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"recallbench/internal/calc/lists"
	"recallbench/internal/publish/report"
	"recallbench/internal/result/note"
	"recallbench/internal/result/record"
	"recallbench/internal/result/scored"
	"recallbench/internal/result/treeview"
)

// A Book holds what the page shows of some runs, in the form in which the page reads
// it: parts by their names, and the requests by their numbers in the index. It holds
// the index, questions and scores in memory, and reads records and blocks of evidence
// when they are asked for. It may be used concurrently.
type Book struct {
	page  *Page
	index *index
	data  []byte // index as JSON
	cells []bookCell
	texts func() (*searched, error) // that are searched, read once
	mu    sync.Mutex
	parts map[string][]byte // by name and column
}

type bookCell struct {
	first int // number of its first request
	run   *scored.Run
	cell  record.Cell
	*scored.Reader
	judged  scored.Judged
	ingests map[string]*ingest // by sample
}

// Parts lists the names of parts:
//
//   - index: all requests, one array for each property
//   - overview: what each run is, and its rows ranked by a column
//   - tables: those of the page
//   - figures: titles, notes, and drawings as SVG
//   - settings: what the runs were made with
//   - turns: the sessions of conversations with their turns, by dataset and sample
func Parts() []string {
	return []string{"index", "overview", "tables", "figures", "settings", "turns"}
}

// Open reads the runs of the page. It is an error where a record has no question, or there
// is no column to show of answers.
func (p *Page) Open() (*Book, error) {
	b, err := p.open(func(*Book, *bookCell) error { return nil })
	if err == nil {
		b.data, err = b.index.seal()
	}
	return b, err
}

// open is [Page.Open], but calls each with each cell once it is read, and does not seal the
// index.
func (p *Page) open(each func(*Book, *bookCell) error) (*Book, error) {
	judging, err := p.judging()
	if err != nil {
		return nil, err
	}
	b := &Book{page: p, parts: make(map[string][]byte)}
	b.texts = sync.OnceValues(b.readTexts)
	var runs []*scored.Run
	for _, r := range p.Runs {
		run, err := scored.Open(r.Folder, r.Header)
		if err != nil {
			return nil, err
		}
		runs = append(runs, run)
		b.cells = append(b.cells, lists.Map(r.Header.Cells, func(c record.Cell) bookCell { return bookCell{run: run, cell: c} })...)
	}
	b.index = newIndex(p, judging)
	for i := range b.cells {
		in := &b.cells[i]
		c := in.cell
		in.first = len(b.index.Requests.Question)
		if in.judged, err = in.run.Judged(c, in.run.Header.Judge); err != nil {
			return nil, err
		}
		var rows []row
		if in.Reader, err = in.run.Skim(c, func(q scored.Request) { rows = append(rows, b.index.row(q, c)) }); err != nil {
			return nil, err
		}
		perSample := make(map[string]int) // requests
		for _, r := range scored.Last(in.Reader, rows) {
			b.index.add(r, i)
			perSample[b.index.Samples[b.index.Questions.Sample[r.question]]]++
		}
		if in.ingests, err = readIngests(in.run, c, perSample); err == nil {
			err = each(b, in)
		}
		if err != nil {
			return nil, err
		}
	}
	for _, r := range runs {
		if err := b.index.dispute(r); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// Rev names the state of the index: indexes of the same revision number requests in
// the same way.
func (b *Book) Rev() string { return b.index.Rev }

// Len is the number of requests.
func (b *Book) Len() int { return len(b.index.Requests.Question) }

// Part returns a part by its name, as JSON, and the overview by a column. What was made is
// kept.
func (b *Book) Part(name, column string) ([]byte, error) {
	if name == "index" {
		return b.data, nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	id := name + " " + column
	if data, ok := b.parts[id]; ok {
		return data, nil
	}
	data, err := b.page.part(name, column)
	if err == nil {
		b.parts[id] = data
	}
	return data, err
}

// part makes a part other than the index.
func (p *Page) part(name, column string) (_ []byte, err error) {
	var part any
	switch name {
	case "overview":
		part, err = p.overview(column)
	case "tables":
		doc := &report.Document{Tables: []*report.Table{}}
		if p.Tables != nil {
			doc, err = p.Tables()
		}
		part = doc
	case "figures":
		figures := []Figure{}
		if p.Figures != nil {
			figures, err = p.Figures()
		}
		part = figures
	case "settings":
		part, err = p.settings()
	case "turns":
		part, err = p.turns()
	default:
		err = fmt.Errorf("no part is named %s", name)
	}
	if err != nil {
		return nil, err
	}
	return json.Marshal(part)
}

// A session is a stretch of a conversation.
type session struct {
	ID    string   `json:"id"`
	Time  string   `json:"time,omitempty"` // day on which it began
	Turns []string `json:"turns"`
}

// turns returns the sessions of conversations by dataset and sample, as far as the runs
// have their order. Datasets of trees have no samples there.
func (p *Page) turns() (map[string]map[string][]session, error) {
	all := make(map[string]map[string][]session)
	for _, r := range p.Runs {
		for _, d := range r.Header.Datasets {
			if all[d.Label] != nil {
				continue
			}
			samples := make(map[string][]session)
			for t, err := range record.Values[record.Turn](r.Folder.Turns(d.Label)) {
				if err != nil {
					return nil, err
				}
				sessions := samples[t.Sample]
				if n := len(sessions); n == 0 || sessions[n-1].ID != t.Session {
					sessions = append(sessions, session{ID: t.Session})
					if !t.Time.IsZero() {
						sessions[n].Time = t.Time.Format(time.DateOnly)
					}
				}
				last := &sessions[len(sessions)-1]
				last.Turns = append(last.Turns, t.Turn)
				samples[t.Sample] = sessions
			}
			if _, err := os.Stat(r.Folder.Trees(d.Label)); err == nil || len(samples) > 0 {
				all[d.Label] = samples
			}
		}
	}
	return all, nil
}

// Request returns what there is of request n of the index, as JSON: its record, with
// question, gold answer, judgement and the blocks of its evidence in place. It is an
// error where there is no such request.
func (b *Book) Request(n int) ([]byte, error) {
	q, err := b.Scored(n)
	if err != nil {
		return nil, err
	}
	in := b.cell(n)
	d := b.newDetail(q, &in)
	d.Gold, d.SHA256 = shownGold(q.Gold), note.Sum(q.Record.Answer)
	for _, e := range q.Evidence {
		d.Evidence = append(d.Evidence, evidence{Inline: shownBlock(e.Block), Score: digits(e.Score)})
	}
	return json.Marshal(d)
}

// Structure returns what the memory that request n was asked of held.
func (b *Book) Structure(n int) (any, error) {
	q, err := b.Scored(n)
	if err != nil {
		return nil, err
	}
	return treeview.Of(b.Run(n), q)
}

// Search returns the numbers of the requests that have all words in their question, gold
// answer, answer or error. Words are in lower case.
func (b *Book) Search(words []string) ([]int, error) {
	texts, err := b.texts()
	if err != nil {
		return nil, err
	}
	found := []int{}
	for n, answer := range texts.answers {
		question := texts.questions[b.index.Requests.Question[n]]
		if !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(question, w) && !strings.Contains(answer, w) }) {
			found = append(found, n)
		}
	}
	return found, nil
}

// readTexts reads what a search looks at, in lower case.
func (b *Book) readTexts() (*searched, error) {
	texts := &searched{questions: make([]string, len(b.index.Questions.Request))}
	for _, in := range b.cells {
		var answers []string
		reader, err := in.run.Skim(in.cell, func(q scored.Request) { answers = append(answers, strings.ToLower(q.Record.Answer+failure(q))) })
		if err != nil {
			return nil, err
		}
		answers = scored.Last(reader, answers)
		texts.answers = append(texts.answers, answers[:min(len(answers), in.Len())]...) // a run that continues may have more by now
	}
	for i, full := range b.index.Questions.full {
		texts.questions[i] = strings.ToLower(full[0] + "\n" + full[1])
	}
	texts.answers = texts.answers[:min(len(texts.answers), b.Len())]
	return texts, nil
}

// searched are the texts that are searched, in lower case.
type searched struct {
	questions []string // with their gold answers
	answers   []string // with their errors
}

// longestText is how many characters of a text a file is searched in.
const longestText = 1000

// failure is the message of a request that failed, on a line of its own.
func failure(q scored.Request) string {
	if q.Record.Error == nil {
		return ""
	}
	return "\n" + q.Record.Error.Message
}

// Scored returns request n of the index, for what shows more of it than the page.
func (b *Book) Scored(n int) (scored.Request, error) {
	if n < 0 || n >= b.Len() {
		return scored.Request{}, fmt.Errorf("no request %d; the runs have %d, counted from 0", n, b.Len())
	}
	in := b.cell(n)
	return in.Request(n - in.first)
}

// Run returns the run that request n is of.
func (b *Book) Run(n int) *scored.Run { return b.cell(n).run }

// cell returns the cell that request n is of.
func (b *Book) cell(n int) bookCell { return b.cells[b.index.Requests.Cell[n]] }

// seal gives the index its revision and returns it as JSON.
func (x *index) seal() ([]byte, error) {
	data, err := json.Marshal(x)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(data)
	x.Rev = hex.EncodeToString(sum[:4])
	return json.Marshal(x)
}

// writeRequests writes the requests and blocks of the runs and the index as data elements.
// Requests stand in the order of the index; a block that several rest on is written once.
// Little of them stays in memory.
func (p *Page) writeRequests(w *bufio.Writer) error {
	details, blocks, calls := newChunks(w, "d"), newChunks(w, "b"), newChunks(w, "c")
	held := structures{newChunks(w, "s"), make(map[[2]string]*int)}
	answers, questions := newChunks(w, "a"), newChunks(w, "q") // that are searched
	written := make(map[string]int)                            // blocks by their ids, which are hashes of what they hold
	asked := make(map[int]string)                              // questions whose gold answer is written
	b, err := p.open(func(b *Book, in *bookCell) error {
		defer func() { in.Reader = nil }()
		for q, err := range in.All() {
			if err != nil {
				return err
			}
			d := b.newDetail(q, in)
			for _, e := range q.Evidence {
				at, ok := written[e.Block.Block]
				if !ok {
					at = blocks.n
					written[e.Block.Block] = at
					if err := blocks.add(shownBlock(e.Block)); err != nil {
						return err
					}
				}
				d.Evidence = append(d.Evidence, evidence{Block: &at, Score: digits(e.Score)})
			}
			if details.n >= b.Len() {
				return fmt.Errorf("%s has changed while it was read; write the report again", in.run.Folder)
			}
			of := b.index.Requests.Question[details.n]
			if _, ok := asked[of]; !ok {
				d.Gold = shownGold(q.Gold)
				asked[of] = cut(q.Gold.Question+"\n"+q.Gold.Answer, longestText)
			}
			if err := answers.add(cut(q.Record.Answer+failure(q), longestText)); err != nil {
				return err
			}
			if p.Calls != nil {
				d.SHA256 = note.Sum(q.Record.Answer)
				said, err := p.Calls(in.run, q)
				if err == nil {
					err = errors.Join(calls.add(said), held.add(in.run, q))
				}
				if err != nil {
					return err
				}
			}
			if err := details.add(d); err != nil {
				return fmt.Errorf("request %s of %s: %w", q.Record.Request, q.Record.Sample, err)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for of := range b.index.Questions.Request {
		if err := questions.add(asked[of]); err != nil {
			return err
		}
	}
	if err := errors.Join(details.flush(), blocks.flush(), calls.flush(), held.flush(), answers.flush(), questions.flush()); err != nil {
		return err
	}
	b.index.Chunks = map[string][]int{"details": details.firsts, "blocks": blocks.firsts, "calls": calls.firsts, "structures": held.firsts, "answers": answers.firsts, "questions": questions.firsts}
	index, err := b.index.seal()
	if err != nil {
		return err
	}
	return writeData(w, "index", index)
}

// A detail is what the index does not have of a request: its record, with
// references to blocks in place of their ids.
type detail struct {
	record.Record
	// What follows takes the place of the record's fields that the index has, and
	// that say nothing to people.
	Sample   string     `json:"sample,omitempty"`
	Request  string     `json:"request,omitempty"`
	Hash     string     `json:"hash,omitempty"`
	Category string     `json:"category,omitempty"`
	Evidence []evidence `json:"evidence,omitempty"`
	// Gold is there for the first request to each question of a file, and for every
	// one of a server.
	Gold      *record.Gold      `json:"gold,omitempty"`
	Judgement *record.Judgement `json:"judgement,omitempty"`
	// SHA256 is the hash by which notes know the answer, where the page has notes.
	SHA256 string   `json:"answer_sha256,omitempty"`
	Why    []string `json:"why,omitempty"`
	// Values are the scores by column, and Built is what building the memory took.
	Values map[string]*float64 `json:"values,omitempty"`
	Built  *ingest             `json:"built,omitempty"`
}

// evidence is a block by its number in a file, or in place.
type evidence struct {
	Block  *int          `json:"block,omitempty"`
	Inline *record.Block `json:"inline,omitempty"`
	Score  float64       `json:"score,omitzero"`
}

// shownBlock is a block without what tells nothing to people.
func shownBlock(b record.Block) *record.Block {
	b.Block, b.Sample = "", ""
	return &b
}

// shownGold is a gold answer without the conversation that it is about.
func shownGold(g record.Gold) *record.Gold {
	g.Entities, g.History = nil, nil
	return &g
}

// newDetail is what the page has of a request of a cell.
func (b *Book) newDetail(q scored.Request, in *bookCell) *detail {
	d := &detail{Record: q.Record, Judgement: in.judged.Of(q.Record), Built: in.ingests[q.Record.Sample]}
	if q.Score != nil {
		d.Why = q.Score.Why
		d.Values = make(map[string]*float64, len(q.Score.Values))
		for name, x := range q.Score.Values {
			if x != nil {
				d.Values[name] = new(digits(*x))
			}
		}
	}
	return d
}

// digits returns a number in six digits: what evidence scores show, and a third
// of the bytes.
func digits(x float64) float64 {
	short, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 6, 64), 64)
	if err != nil {
		return x
	}
	return short
}
