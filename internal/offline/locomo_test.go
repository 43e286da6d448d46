package offline

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"recallbench/internal/embed"
	"recallbench/internal/llm"
	"recallbench/internal/testdata"
	"recallbench/internal/token"
)

type turn struct {
	id   string
	line llm.Line
}

type question struct {
	text, gold string
	category   int
	evidence   []string
}

type conversation struct {
	id        string
	turns     []turn
	questions []question
}

var evidenceID = regexp.MustCompile(`D:?(\d+):(\d+)`)

func loadLocomo(t testing.TB) []conversation {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(testdata.Datasets(t), "locomo", "locomo10.json"))
	if err != nil {
		t.Skip(err)
	}
	var file []struct {
		ID string `json:"sample_id"`
		QA []struct {
			Question string
			Answer   any
			Evidence []string
			Category int
		}
		Conversation map[string]json.RawMessage
	}
	if err := json.Unmarshal(raw, &file); err != nil {
		t.Fatal(err)
	}
	var out []conversation
	for _, f := range file {
		c := conversation{id: f.ID}
		for n := 1; ; n++ {
			raw, ok := f.Conversation["session_"+strconv.Itoa(n)]
			if !ok {
				break
			}
			var turns []struct {
				Speaker, Text, Query string
				ID                   string `json:"dia_id"`
				Caption              string `json:"blip_caption"`
			}
			var date string
			if err := json.Unmarshal(raw, &turns); err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(f.Conversation["session_"+strconv.Itoa(n)+"_date_time"], &date); err != nil {
				t.Fatal(err)
			}
			at, err := time.Parse("3:04 pm on 2 January, 2006", date)
			if err != nil {
				t.Fatal(err)
			}
			for _, u := range turns {
				text := strings.Join(strings.Fields(u.Text), " ")
				if u.Caption != "" {
					text += " [image: " + strings.Join(strings.Fields(u.Caption), " ") + "]"
				}
				if u.Query != "" {
					text += " [image search: " + strings.Join(strings.Fields(u.Query), " ") + "]"
				}
				c.turns = append(c.turns, turn{u.ID, llm.Line{Speaker: u.Speaker, Time: at, Text: text}})
			}
		}
		for _, q := range f.QA {
			g := question{text: q.Question, category: q.Category}
			if q.Answer != nil {
				g.gold = fmt.Sprint(q.Answer)
			}
			for _, e := range q.Evidence {
				for _, m := range evidenceID.FindAllStringSubmatch(e, -1) {
					a, _ := strconv.Atoi(m[1])
					b, _ := strconv.Atoi(m[2])
					id := fmt.Sprintf("D%d:%d", a, b)
					if !slices.Contains(g.evidence, id) && slices.ContainsFunc(c.turns, func(t turn) bool { return t.id == id }) {
						g.evidence = append(g.evidence, id)
					}
				}
			}
			c.questions = append(c.questions, g)
		}
		out = append(out, c)
	}
	return out
}

// A window is a chunk of the transcript.
type window struct {
	ids     []string
	passage llm.Passage
	text    string
}

// windows cuts a transcript every so many tokens.
func windows(turns []turn, size int, count func(string) int) []window {
	var out []window
	var w window
	n := 0
	flush := func() {
		if len(w.passage.Lines) > 0 {
			w.passage.ID = "chunk " + strconv.Itoa(len(out))
			out = append(out, w)
		}
		w, n = window{}, 0
	}
	for _, t := range turns {
		head := "[" + t.line.Time.Format("2 January 2006 15:04") + "] " + t.line.Speaker + ": "
		part := t.line
		part.Text = ""
		n += count(head)
		add := func() {
			if part.Text == "" {
				return
			}
			w.passage.Lines = append(w.passage.Lines, part)
			if !slices.Contains(w.ids, t.id) {
				w.ids = append(w.ids, t.id)
			}
			w.text += head + part.Text + "\n"
		}
		for _, f := range strings.Fields(t.line.Text) {
			k := count(" " + f)
			if n+k > size {
				add()
				flush()
				part.Text = ""
			}
			if part.Text != "" {
				part.Text += " "
			}
			part.Text += f
			n += k
		}
		add()
	}
	flush()
	return out
}

var clean = strings.NewReplacer(".", " ", ",", " ", "!", " ", "?", " ")

func f1(pred, gold string) float64 {
	p, g := map[string]bool{}, map[string]bool{}
	for _, w := range strings.Fields(clean.Replace(strings.ToLower(pred))) {
		p[w] = true
	}
	for _, w := range strings.Fields(clean.Replace(strings.ToLower(gold))) {
		g[w] = true
	}
	n := 0.0
	for w := range p {
		if g[w] {
			n++
		}
	}
	if n == 0 {
		return 0
	}
	pr, re := n/float64(len(p)), n/float64(len(g))
	return 2 * pr * re / (pr + re)
}

// The conversations that the rules were developed on. The others were looked
// at as totals only.
var developed = []string{"conv-26", "conv-30", "conv-41", "conv-42", "conv-43"}

type tally struct{ sum, n float64 }

func (t *tally) add(x float64) { t.sum += x; t.n++ }
func (t tally) mean() float64  { return t.sum / max(t.n, 1) }

func TestRecall(t *testing.T) {
	convs := loadLocomo(t)
	tok, err := token.New("o200k_base")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range fitters {
		var all, dev, held tally
		start := time.Now()
		var fit, ask time.Duration
		for _, c := range convs {
			ws := windows(c.turns, 256, tok.Count)
			t0 := time.Now()
			top := retriever(t, f, ws)
			fit += time.Since(t0)
			t0 = time.Now()
			for _, q := range c.questions {
				if q.category == 5 || len(q.evidence) == 0 {
					continue
				}
				r := recall(top(q.text, 20), q.evidence)
				all.add(r)
				if slices.Contains(developed, c.id) {
					dev.add(r)
				} else {
					held.add(r)
				}
			}
			ask += time.Since(t0)
		}
		t.Logf("%+v: recall@20 %.4f dev %.4f held %.4f  fit %v ask %v total %v", f, all.mean(), dev.mean(), held.mean(), fit, ask, time.Since(start))
	}
}

func retriever(t testing.TB, m embed.Model, ws []window) func(q string, k int) []window {
	var texts []string
	for _, w := range ws {
		texts = append(texts, w.text)
	}
	e, err := m.Fit(context.Background(), texts)
	if err != nil {
		t.Fatal(err)
	}
	docs, _ := e.Embed(context.Background(), embed.Request{Kind: embed.Document, Texts: texts})
	return func(q string, k int) []window {
		r, _ := e.Embed(context.Background(), embed.Request{Kind: embed.Query, Texts: []string{q}})
		order := make([]int, len(ws))
		score := make([]float64, len(ws))
		for i := range ws {
			order[i] = i
			score[i] = embed.Cosine(r.Vectors[0], docs.Vectors[i])
		}
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(score[b], score[a]) })
		var out []window
		for _, i := range order[:min(k, len(order))] {
			out = append(out, ws[i])
		}
		return out
	}
}

func recall(ws []window, evidence []string) float64 {
	n := 0.0
	for _, e := range evidence {
		if slices.ContainsFunc(ws, func(w window) bool { return slices.Contains(w.ids, e) }) {
			n++
		}
	}
	return n / float64(len(evidence))
}

var fitters = []fitter{
	{latent: 0, folded: 1024, weight: 0, seed: 1},
	{latent: 0, folded: 4096, weight: 0, seed: 1},
	{latent: 64, folded: 0, weight: 1, seed: 1},
	{latent: 64, folded: 1024, weight: 0.3, seed: 1},
	{latent: 64, folded: 1024, weight: 0.5, seed: 1},
	{latent: 128, folded: 1024, weight: 0.3, seed: 1},
	{latent: 32, folded: 1024, weight: 0.3, seed: 1},
}

func TestF1(t *testing.T) {
	convs := loadLocomo(t)
	tok, err := token.New("o200k_base")
	if err != nil {
		t.Fatal(err)
	}
	r := newReader()
	var by [5]tally
	var all, dev, held tally
	devBy, heldBy := [5]tally{}, [5]tally{}
	kinds := map[string]*tally{}
	sub := map[string]*tally{}
	var spent time.Duration
	n := 0
	dump := os.Getenv("DUMP")
	for _, c := range convs {
		ws := windows(c.turns, 256, tok.Count)
		top := retriever(t, fitter{latent: 64, folded: 1024, weight: 0.5, seed: 1}, ws)
		isDev := slices.Contains(developed, c.id)
		for _, q := range c.questions {
			if q.category == 5 {
				continue
			}
			var passages []llm.Passage
			got := top(q.text, 20)
			if os.Getenv("CONTEXT") != "" {
				got = nil
				var w window
				for i, u := range c.turns {
					if i > 0 && !u.line.Time.Equal(c.turns[i-1].line.Time) {
						got = append(got, w)
						w = window{}
					}
					w.ids = append(w.ids, u.id)
					w.passage.Lines = append(w.passage.Lines, u.line)
				}
				got = append(got, w)
			}
			for _, w := range got {
				passages = append(passages, w.passage)
			}
			start := time.Now()
			reply, err := r.Generate(t.Context(), llm.Request{Role: "reader", Task: llm.AnswerTask{Question: q.text, Passages: passages}})
			spent += time.Since(start)
			n++
			if err != nil {
				t.Fatal(err)
			}
			x := 100 * f1(reply.Text, q.gold)
			all.add(x)
			by[q.category].add(x)
			if isDev {
				dev.add(x)
				devBy[q.category].add(x)
				k := reply.Notes[0]
				if kinds[k] == nil {
					kinds[k] = &tally{}
				}
				kinds[k].add(x)
				if dump != "" && strings.Contains(dump, strconv.Itoa(q.category)) {
					fmt.Printf("%3.0f c%d %s\n     gold: %s\n     pred: %s\n", x, q.category, q.text, q.gold, reply.Text)
					for _, note := range reply.Notes {
						fmt.Println("       ", note)
					}
					for _, e := range q.evidence {
						for _, u := range c.turns {
							if u.id == e {
								fmt.Printf("     * %s: %s (%v)\n", u.line.Speaker, u.line.Text, recall(got, []string{e}) > 0)
							}
						}
					}
				}
			} else {
				held.add(x)
				heldBy[q.category].add(x)
				k := "held " + reply.Notes[0]
				if kinds[k] == nil {
					kinds[k] = &tally{}
				}
				kinds[k].add(x)
			}
			if q.category == 2 {
				k := "exact"
				p := reply.Text
				switch {
				case strings.Contains(p, "week "):
					k = "week"
				case strings.Contains(p, "weekend"):
					k = "weekend"
				case strings.Contains(p, "day before") || strings.Contains(p, "day after"):
					k = "weekday"
				case strings.Contains(p, "before") || strings.Contains(p, "after"):
					k = "otherrel"
				case len(strings.Fields(p)) == 2:
					k = "month"
				case len(p) == 4:
					k = "year"
				case !strings.Contains(p, "20"):
					k = "else"
				}
				if len(reply.Notes) > 2 {
					k += " " + reply.Notes[2]
				}
				k = fmt.Sprintf("%v dev=%v", k, isDev)
				if sub[k] == nil {
					sub[k] = &tally{}
				}
				sub[k].add(x)
			}
		}
	}
	show := func(name string, all tally, by [5]tally) {
		t.Logf("%-5s n=%.0f f1 %.2f  c1 %.2f  c2 %.2f  c3 %.2f  c4 %.2f", name, all.n, all.mean(), by[1].mean(), by[2].mean(), by[3].mean(), by[4].mean())
	}
	show("all", all, by)
	show("dev", dev, devBy)
	show("held", held, heldBy)
	for _, k := range slices.Sorted(maps.Keys(kinds)) {
		t.Logf("  %-40s %4.0f %6.2f", k, kinds[k].n, kinds[k].mean())
	}
	for _, k := range slices.Sorted(maps.Keys(sub)) {
		t.Logf("  sub %-40s %4.0f %6.2f", k, sub[k].n, sub[k].mean())
	}
	t.Logf("%v a question", spent/time.Duration(n))
}
