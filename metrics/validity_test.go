package metrics_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"

	"recallbench/internal/testkit/realdata"
	"recallbench/internal/testkit/try"
	"recallbench/metrics"
)

// A judged answer is one of a real system with the verdict of its own judge.
type judgedAnswer struct {
	system, conversation string
	category             int
	question, gold, text string
	right                bool
	evidence, sessions   string // the turns that the gold answer is from, and all of their sessions
}

// development are the systems and conversations on which f1@span was developed; all other
// answers were looked at once, at the end.
var development = struct{ systems, conversations []string }{
	[]string{"zep", "memobase-0710", "fc-gpt-4o-mini-memos", "fc-gpt-4.1-mini-cot"},
	[]string{"conv-26", "conv-30", "conv-41", "conv-42", "conv-43"},
}

// data is the path of a file among the real data.
func data(tb testing.TB, path ...string) string {
	tb.Helper()
	return filepath.Join(append([]string{realdata.Datasets(tb)}, path...)...)
}

// graded yields the answers in a file by the key of their conversation, in its order.
func graded[A any](tb testing.TB, path ...string) iter.Seq2[int, A] {
	tb.Helper()
	var answers map[string][]A
	try.Do(tb, json.Unmarshal(try.Get(os.ReadFile(data(tb, path...)))(tb), &answers))
	return func(yield func(int, A) bool) {
		for _, key := range slices.Sorted(maps.Keys(answers)) {
			n := try.Get(strconv.Atoi(key[strings.LastIndexByte(key, '_')+1:]))(tb)
			for _, a := range answers[key] {
				if !yield(n, a) {
					return
				}
			}
		}
	}
}

// most reports whether more than half of the votes are yes.
func most(votes []bool) bool {
	return 2*len(slices.DeleteFunc(slices.Clone(votes), func(yes bool) bool { return !yes })) > len(votes)
}

// judgedAnswers reads the answers of real systems to LoCoMo's questions.
func judgedAnswers(tb testing.TB) (all []judgedAnswer) {
	tb.Helper()
	var conversations []struct {
		ID           string `json:"sample_id"`
		Conversation map[string]json.RawMessage
		QA           []struct {
			Question string
			Answer   any
			Category int
			Evidence []string
		}
	}
	try.Do(tb, json.Unmarshal(try.Get(os.ReadFile(data(tb, "locomo", "locomo10.json")))(tb), &conversations))
	type place struct {
		conversation int
		question     string
	}
	known, byID := make(map[place]judgedAnswer), make(map[string]judgedAnswer)
	for c, conversation := range conversations {
		for q, qa := range conversation.QA {
			if qa.Category == 5 {
				continue
			}
			gold := fmt.Sprint(qa.Answer)
			if x, ok := qa.Answer.(float64); ok {
				gold = strconv.FormatFloat(x, 'f', -1, 64)
			}
			a := judgedAnswer{conversation: conversation.ID, category: qa.Category, question: qa.Question, gold: gold}
			a.evidence, a.sessions = evidenceOf(tb, conversation.Conversation, qa.Evidence)
			known[place{c, strings.TrimSpace(qa.Question)}] = a
			byID[fmt.Sprintf("%s/q%d", conversation.ID, q)] = a
		}
	}
	add := func(system string, c int, question, text string, right bool) {
		if a, ok := known[place{c, strings.TrimSpace(question)}]; ok {
			a.system, a.text, a.right = system, text, right
			all = append(all, a)
		}
	}
	for c, a := range graded[struct {
		Question, Answer string
		Grade            bool
	}](tb, "answers", "zep-locomo", "zep_locomo_grades.json") {
		add("zep", c, a.Question, a.Answer, a.Grade)
	}
	for c, a := range graded[struct {
		Question, Answer string
		Judgments        map[string]bool `json:"llm_judgments"`
	}](tb, "answers", "evermemos-locomo", "judged.json") {
		add("evermemos", c, a.Question, a.Answer, most(slices.Collect(maps.Values(a.Judgments))))
	}
	for _, version := range []string{"0503", "0710"} {
		for c, a := range graded[struct {
			Question, Response string
			Score              int `json:"llm_score"`
		}](tb, "answers", "memobase-locomo", "memobase_eval_"+version+"_3000.json") {
			add("memobase-"+version, c, a.Question, a.Response, a.Score == 1)
		}
	}
	for c := range conversations {
		var file struct {
			Questions []struct {
				Question, Prediction string
				Correct              bool `json:"llm_correct"`
			} `json:"per_question"`
		}
		path := data(tb, "answers", "cognitive-memory", "locomo-primary", fmt.Sprintf("conv%d.json", c))
		try.Do(tb, json.Unmarshal(try.Get(os.ReadFile(path))(tb), &file))
		for _, a := range file.Questions {
			add("cognitive-memory", c, a.Question, a.Prediction, a.Correct)
		}
	}
	lines(tb, data(tb, "locomo-audit", "model_answers.jsonl"), func(a struct {
		System, ID, Answer string
		Votes              []bool
	},
	) {
		if of, ok := byID[a.ID]; ok {
			of.system, of.text, of.right = a.System, a.Answer, most(a.Votes)
			all = append(all, of)
		}
	})
	lines(tb, data(tb, "answers", "mem0-platform-human-labels", "labels.jsonl"), func(a struct {
		Sample, Request, Answer string
		Verdict                 string `json:"human_verdict"`
	},
	) {
		if of, ok := byID[a.Sample+"/"+a.Request]; ok && a.Verdict != "AMBIGUOUS" {
			of.system, of.text, of.right = "a person, mem0", a.Answer, a.Verdict == "CORRECT"
			all = append(all, of)
		}
	})
	return all
}

// evidenceOf returns the turns of a conversation that are named ("D3:12"), and all turns of
// their sessions.
func evidenceOf(tb testing.TB, conversation map[string]json.RawMessage, named []string) (evidence, sessions string) {
	tb.Helper()
	var exact, whole strings.Builder
	seen := make(map[string]bool)
	for _, name := range named {
		session, _, _ := strings.Cut(strings.TrimPrefix(name, "D"), ":")
		var turns []struct {
			ID            string `json:"dia_id"`
			Speaker, Text string
		}
		if data, ok := conversation["session_"+session]; !ok {
			continue // some are misspelt
		} else if err := json.Unmarshal(data, &turns); err != nil {
			tb.Fatal(err)
		}
		for _, turn := range turns {
			line := turn.Speaker + ": " + turn.Text + "\n"
			if turn.ID == name {
				exact.WriteString(line)
			}
			if !seen[session] {
				whole.WriteString(line)
			}
		}
		seen[session] = true
	}
	return exact.String(), whole.String()
}

// auc is the chance that a right answer scores above a wrong one, ties counted half.
func auc(right, wrong []float64) float64 {
	wrong = slices.Sorted(slices.Values(wrong))
	sum := 0.0
	for _, x := range right {
		below, _ := slices.BinarySearch(wrong, x)
		upTo, _ := slices.BinarySearchFunc(wrong, x, func(a, b float64) int { return cmp.Or(cmp.Compare(a, b), -1) })
		sum += float64(below) + float64(upTo-below)/2
	}
	return sum / float64(len(right)*len(wrong))
}

// ranked returns the ranks of values, ties shared.
func ranked(values []float64) []float64 {
	ranks := make([]float64, len(values))
	for i, x := range values {
		for j, y := range values {
			if y < x {
				ranks[i]++
			} else if y == x && i != j {
				ranks[i] += 0.5
			}
		}
	}
	return ranks
}

// TestValidity holds f1@span against verdicts, on the answers that it was not developed
// on, with f1@mem0 beside it. Its table is that of docs/scores.md.
func TestValidity(t *testing.T) {
	type group struct {
		right, wrong, f1s, words []float64
		answers                  []scoredAnswer
	}
	groups := make(map[string]*group)
	var tested, developed thresholds
	for _, a := range judgedAnswers(t) {
		seen := slices.Contains(development.systems, a.system) && slices.Contains(development.conversations, a.conversation)
		f1, _ := metrics.SpanF1(a.question, a.text, a.gold)
		if seen {
			developed.add(a, f1)
			continue
		}
		names := []string{a.system, "category " + strconv.Itoa(a.category), "all"}
		for _, name := range names {
			g := groups[name]
			if g == nil {
				g = new(group)
				groups[name] = g
			}
			if a.right {
				g.right = append(g.right, f1)
			} else {
				g.wrong = append(g.wrong, f1)
			}
			g.answers = append(g.answers, scoredAnswer{a.conversation, a.right, f1})
			g.f1s = append(g.f1s, metrics.F1Mem0(a.text, a.gold))
			g.words = append(g.words, float64(len(strings.Fields(a.text))))
		}
		if strings.HasPrefix(a.system, "ap-") {
			continue // wrong on purpose, and accepted by a judge that is wrong itself
		}
		tested.add(a, f1)
	}
	mean := func(x []float64) float64 { return 100 * stat.Mean(x, nil) }
	var verdicts, spans, f1s []float64
	for _, name := range slices.Sorted(maps.Keys(groups)) {
		g := groups[name]
		rate := 100 * float64(len(g.right)) / float64(len(g.right)+len(g.wrong))
		x := auc(g.right, g.wrong)
		low, high := aucInterval(g.answers)
		t.Logf("| %s | %d | %.1f | %.1f | %.1f | %.1f | %.3f | %.3f to %.3f |", name, len(g.words), mean(g.words)/100, rate, mean(g.f1s), mean(append(slices.Clone(g.right), g.wrong...)), x, low, high)
		least := 0.88
		switch {
		case strings.HasPrefix(name, "ap-"):
			least = 0
		case name == "a person, mem0":
			least = 0.96
		case strings.HasPrefix(name, "category"), name == "all":
			least = 0.86
		default:
			verdicts, spans, f1s = append(verdicts, rate), append(spans, mean(append(slices.Clone(g.right), g.wrong...))), append(f1s, mean(g.f1s))
		}
		if x < least {
			t.Errorf("%s: AUC %.3f, want at least %g", name, x, least)
		}
	}
	span, old := stat.Correlation(ranked(spans), ranked(verdicts), nil), stat.Correlation(ranked(f1s), ranked(verdicts), nil)
	t.Logf("rank correlation of %d systems with verdicts: f1@span %.2f, f1@mem0 %.2f", len(verdicts), span, old)
	for name, part := range map[string]*thresholds{"test": &tested, "development": &developed} {
		t.Logf("%s: f1@span at least %g: %.1f %% of answers, %.2f %% of them right; at most %g: %.1f %% of answers, %.2f %% of them wrong", name,
			metrics.SpanRight, 100*part.share(metrics.Right), 100*part.precision(metrics.Right), metrics.SpanWrong, 100*part.share(metrics.Wrong), 100*part.precision(metrics.Wrong))
	}
	if p, share := tested.precision(metrics.Right), tested.share(metrics.Right); span < 0.9 || p < 0.98 || share < 0.5 {
		t.Errorf("correlation %.2f, precision %.3f, share %.3f", span, p, share)
	}
}

// A scoredAnswer is a judged one with its f1@span.
type scoredAnswer struct {
	conversation string
	right        bool
	f1           float64
}

// aucInterval is the 95 % interval of an AUC over 200 draws of conversations, as answers
// about one of them are not independent.
func aucInterval(answers []scoredAnswer) (low, high float64) {
	of := make(map[string][]scoredAnswer)
	for _, a := range answers {
		of[a.conversation] = append(of[a.conversation], a)
	}
	conversations := slices.Sorted(maps.Keys(of))
	r := rand.New(rand.NewPCG(1, 1))
	var drawn []float64
	for range 200 {
		var right, wrong []float64
		for range conversations {
			for _, a := range of[conversations[r.IntN(len(conversations))]] {
				if a.right {
					right = append(right, a.f1)
				} else {
					wrong = append(wrong, a.f1)
				}
			}
		}
		if len(right) > 0 && len(wrong) > 0 {
			drawn = append(drawn, auc(right, wrong))
		}
	}
	slices.Sort(drawn)
	return drawn[len(drawn)/40], drawn[len(drawn)-1-len(drawn)/40]
}

// TestValidityLongMemEval holds f1@span against the official judge of two runs on
// LongMemEval, of which one reasons first. The questions whose right answer is an
// abstention have no f1@span.
func TestValidityLongMemEval(t *testing.T) {
	type question struct {
		ID, Type, Question, Gold string
	}
	var questions []question
	lines(t, data(t, "longmemeval", "questions.jsonl"), func(line struct {
		ID       string `json:"question_id"`
		Type     string `json:"question_type"`
		Question string
		Answer   any
	},
	) {
		if !strings.HasSuffix(line.ID, "_abs") {
			questions = append(questions, question{line.ID, line.Type, line.Question, fmt.Sprint(line.Answer)})
		}
	})
	type sums struct{ n, judge, span, f1, words float64 }
	var runs [2]sums
	right, wrong := make(map[string][]float64), make(map[string][]float64)
	for i, file := range []string{"official-eval-results-gpt-4o.jsonl", "official-eval-results-cot-gpt-4o.jsonl"} {
		type answer struct {
			text  string
			right bool
		}
		answers := make(map[string]answer)
		lines(t, data(t, "answers", "perseus-longmemeval", file), func(line struct {
			ID         string `json:"question_id"`
			Hypothesis string
			Label      struct{ Label bool } `json:"autoeval_label"`
		},
		) {
			answers[line.ID] = answer{line.Hypothesis, line.Label.Label}
		})
		for _, q := range questions {
			a, ok := answers[q.ID]
			if !ok {
				continue
			}
			f1, _ := metrics.SpanF1(q.Question, a.text, q.Gold)
			runs[i].n++
			runs[i].span += f1
			runs[i].f1 += metrics.F1Mem0(a.text, q.Gold)
			runs[i].words += float64(len(strings.Fields(a.text)))
			of := wrong
			if a.right {
				runs[i].judge++
				of = right
			}
			for _, group := range []string{q.Type, "all"} {
				of[group] = append(of[group], f1)
			}
		}
		r := runs[i]
		t.Logf("| %s | %.0f | %.1f | %.1f | %.1f | %.1f |", []string{"answers alone", "reasons first"}[i], r.n, r.words/r.n, 100*r.judge/r.n, 100*r.f1/r.n, 100*r.span/r.n)
	}
	for _, group := range slices.Sorted(maps.Keys(right)) {
		if len(wrong[group]) == 0 {
			t.Logf("| %s | %d | all right |", group, len(right[group]))
			continue
		}
		t.Logf("| %s | %d | %.3f |", group, len(right[group])+len(wrong[group]), auc(right[group], wrong[group]))
	}
	if a, b := runs[0], runs[1]; a.n < 400 || a.n != b.n || (b.judge > a.judge) != (b.span > a.span) {
		t.Errorf("the runs differ by %.0f verdicts and %.1f in the sum of f1@span", b.judge-a.judge, b.span-a.span)
	}
}

// thresholds count what f1@span decides, and how often as the judge does.
type thresholds struct {
	answers       float64
	decided, held map[metrics.Verdict]float64
}

func (c *thresholds) add(a judgedAnswer, f1 float64) {
	if c.decided == nil {
		c.decided, c.held = make(map[metrics.Verdict]float64), make(map[metrics.Verdict]float64)
	}
	v := metrics.Grounds{Span: &f1}.Verdict()
	c.answers++
	c.decided[v]++
	if a.right == (v == metrics.Right) {
		c.held[v]++
	}
}

func (c *thresholds) share(v metrics.Verdict) float64     { return c.decided[v] / c.answers }
func (c *thresholds) precision(v metrics.Verdict) float64 { return c.held[v] / c.decided[v] }
