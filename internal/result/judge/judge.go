// Package judge asks a language model whether answers are right.
//
// A [Profile] says what is asked and what a reply means, and a [Judge] asks one model by
// one profile. Everything that it shows the model, question, gold and answer, is text of
// others and may hold orders to a judge. Our own templates get such texts as JSON
// strings, which nothing inside can end, and say what stands in them is material; their
// replies have to fit a schema. The authors' prompts of other profiles show texts as
// their authors did.
package judge

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"recallbench/internal/calc/lists"
	"recallbench/internal/door/fault"
	"recallbench/internal/door/llm"
	"recallbench/internal/door/prompt"
	"recallbench/internal/engine/expect"
	"recallbench/internal/result/record"
	"recallbench/metrics"
)

//go:embed judge.tmpl prompts
var files embed.FS

const (
	// Role is the role of a judge's calls.
	Role = "judge"
	// Prompt is the path of the template in a folder of a user's own prompts.
	Prompt = "judge/judge.tmpl"
	// name is that of the folder, and of the template.
	name = "judge"
	// MaxTokens bounds a reply to our prompts: a reason of one sentence and a verdict.
	MaxTokens = 512
)

// A Judge asks one model by one profile. It is safe for concurrent use.
type Judge struct {
	*Profile
	model   llm.Generator
	prompts *prompt.Set
	theirs  bool // the authors' prompts replace ours
}

// Words say where a judge's prompts come from beside the profile.
type Words struct {
	// Own is a folder that may hold [Prompt] and its like in place of the built-in
	// templates; nil for none.
	Own fs.FS
	// Authors is the path of a folder with the authors' prompts, PROFILE/NAME.tmpl, as
	// scripts/prompts.py makes it; empty for none.
	Authors string
}

// ErrChanged is in the chain of an error about prompts of authors whose hash is another
// than the profile's.
var ErrChanged = errors.New("the prompts have changed")

// New returns a judge. A prompt that does not render, or that shows the model no
// answer, is an error, and so are authors' prompts of another state. A profile that asks
// no model takes none.
func New(p *Profile, g llm.Generator, w Words) (*Judge, error) {
	j := &Judge{Profile: p, model: g, theirs: w.Authors != ""}
	switch {
	case p.Rule:
		return j, nil
	case g == nil:
		return nil, errors.New("the model entry has no language model, which a judge needs")
	case j.theirs && p.Authors.Repository == "":
		return nil, fmt.Errorf("profile %s does not use authors' prompts", p.Name)
	case !j.theirs && p.Bound:
		return nil, fmt.Errorf("profile %s needs its authors' prompts: %s", p.Name, p.Authors.how(p.Name))
	}
	builtin, err := builtins(p)
	if err != nil {
		return nil, err
	}
	if j.theirs {
		theirs, err := prompt.Folder(os.DirFS(filepath.Join(w.Authors, filepath.FromSlash(p.Name))), ".")
		if err == nil {
			err = p.Authors.check(theirs)
		}
		if err != nil {
			return nil, fmt.Errorf("prompts of %s: %w; %s", p.Name, err, p.Authors.how(p.Name))
		}
		builtin = prompt.Join(theirs, builtin)
	}
	if j.prompts, err = prompt.Load(name, builtin, w.Own); err != nil {
		return nil, err
	}
	return j, j.check()
}

// how says how to come to the prompts.
func (a Authors) how(profile string) string {
	return fmt.Sprintf("clone %s at %s, run 'python3 scripts/prompts.py %s CLONE FOLDER' and name the folder, as in --judge %s=FOLDER", a.Repository, a.Commit, profile, profile)
}

// check reports prompts that are missing or of another state.
func (a Authors) check(files prompt.Texts) error {
	set, err := prompt.Load(name, files, nil)
	if err != nil {
		return err
	}
	if got := set.Hash(); got != a.SHA256 {
		return fmt.Errorf("their SHA-256 is %s, want %s: %w", got, a.SHA256, ErrChanged)
	}
	return nil
}

// builtins returns our templates of a profile, all with one system text.
func builtins(p *Profile) (prompt.Texts, error) {
	main, err := files.ReadFile("judge.tmpl")
	if err != nil {
		return nil, err
	}
	system, _, _ := strings.Cut(string(main), "{{define \"user\"}}")
	texts := make(prompt.Texts)
	for _, n := range p.Prompts {
		if n == answer {
			texts[n+".tmpl"] = string(main)
			continue
		}
		text, err := files.ReadFile("prompts/" + n + ".tmpl")
		if err != nil {
			return nil, err
		}
		texts[n+".tmpl"] = system + string(text)
	}
	return texts, nil
}

// check renders the prompt of a task of each kind and looks for question and answer.
func (j *Judge) check() error {
	const question, answered = "which question", "which answer"
	for _, kind := range append([]string{""}, j.Choose.Only...) {
		for _, t := range []metrics.Item{
			{Expect: &expect.Expectation{Answer: expect.Answer{Must: [][]string{{"one", "another"}}, Not: []string{"not"}}}, Gold: "gold"}, {Abstain: true, Explanation: "why"}, {Rubric: []string{"nugget"}},
		} {
			t.Question, t.Prediction, t.Category = question, answered, kind
			asks := j.questions(t)
			if len(asks) == 0 {
				continue
			}
			r, err := j.request(t, asks[0])
			if err != nil {
				return err
			}
			text := strings.Join(lists.Map(r.Messages, func(m llm.Message) string { return m.Content }), "\n")
			if !strings.Contains(text, answered) || !strings.Contains(text, question) && !j.Unasked {
				return fmt.Errorf("prompts: %s must contain both {{.Question}} and {{.Answer}}", Prompt)
			}
		}
	}
	return nil
}

// Hash is the SHA-256 of the prompts, in hex; empty for a rule.
func (j *Judge) Hash() string {
	if j.prompts == nil {
		return ""
	}
	return j.prompts.Hash()
}

// Theirs reports whether the judge uses its authors' prompts.
func (j *Judge) Theirs() bool { return j.theirs }

// A Verdict is a judge's decision about an answer.
type Verdict struct {
	// Score is the mean of the votes, and for nuggets of the nuggets' means: from 0 to
	// 1.
	Score float64
	Why   string // in the model's words, where there is one reason
	// Votes are the replies, where there are several or the authors' prompts asked.
	Votes []record.Vote
	// Order has for each line of the answer the nugget that it tells of, from 1, and 0
	// for none; nil where no order was asked for.
	Order []int
}

// A question is one thing to ask about an answer.
type question struct {
	prompt string
	nugget int // from 1; 0 for none
}

// questions lists what is asked about an answer before the order of its lines; nothing
// where the profile has no prompt for the task.
func (j *Judge) questions(t metrics.Item) []question {
	switch kind := j.choose(t); {
	case kind == "":
		return nil
	case kind == nugget:
		var all []question
		for i := range t.Rubric {
			all = append(all, question{nugget, i + 1})
		}
		return all
	case kind == typed && j.theirs:
		return []question{{prompt: typed + "-" + t.Category}}
	default:
		return []question{{prompt: kind}}
	}
}

// Judges reports whether the profile has a prompt for a task.
func (p *Profile) Judges(t metrics.Item) bool { return p.choose(t) != "" }

// Ask asks whether the answer of a task is right. A reply to our prompts that does not
// fit is asked for once more, see [llm.JSON]. Where a reply is not a verdict the error is a
// *fault.Error of kind [fault.Schema], unless the profile counts it as a refusal.
func (j *Judge) Ask(ctx context.Context, t metrics.Item) (Verdict, error) {
	if j.Rule {
		return Verdict{Score: number(contains(t))}, nil
	}
	var v Verdict
	asks := j.questions(t)
	if len(asks) == 0 {
		return v, fmt.Errorf("profile %s has no prompt for the answer; it needs %s", j.Name, j.Needs())
	}
	for _, q := range asks {
		for repeat := range j.Votes {
			vote, err := j.vote(ctx, t, q, repeat)
			if err != nil {
				return v, err
			}
			v.Why = vote.Why
			v.Score += *vote.Score / float64(len(asks)*j.Votes)
			v.Votes = append(v.Votes, vote)
		}
	}
	if t.Ordered && asks[0].nugget > 0 {
		var err error
		if v.Order, err = j.order(ctx, t); err != nil {
			return v, err
		}
	}
	if len(v.Votes) > 1 {
		v.Why = ""
	} else if len(v.Votes) == 1 && v.Votes[0].Reply == "" {
		v.Votes = nil
	}
	return v, nil
}

// order matches the lines of an answer to nuggets as BEAM does: each line in turn, to
// the first nugget not yet told that the model finds the same. Empty lines match none.
func (j *Judge) order(ctx context.Context, t metrics.Item) ([]int, error) {
	told := make([]bool, len(t.Rubric))
	var found []int
	for line := range strings.SplitSeq(t.Prediction, "\n") {
		found = append(found, 0)
		if strings.TrimSpace(line) == "" {
			continue
		}
		for i := range t.Rubric {
			if told[i] {
				continue
			}
			at := t
			at.Prediction = line
			vote, err := j.vote(ctx, at, question{same, i + 1}, 0)
			if err != nil {
				return nil, err
			}
			if *vote.Score == 1 {
				told[i], found[len(found)-1] = true, i+1
				break
			}
		}
	}
	return found, nil
}

// vote puts a question once.
func (j *Judge) vote(ctx context.Context, t metrics.Item, q question, repeat int) (record.Vote, error) {
	r, err := j.request(t, q)
	if err != nil {
		return record.Vote{}, err
	}
	r.Repeat = repeat
	vote := record.Vote{Nugget: q.nugget}
	if r.Format != nil {
		v, _, err := llm.JSON[said](ctx, j.model, r)
		if err != nil {
			return vote, err
		}
		vote.Score, vote.Why = new(v.score()), v.Why
		return vote, nil
	}
	reply, err := j.model.Generate(ctx, r)
	if err != nil && (!j.Wrong || fault.KindOf(err) != fault.Empty) {
		return vote, err
	}
	vote.Reply = reply.Text
	read := parsers[j.Reply]
	if t.Ordered && j.Ordered != "" {
		read = parsers[j.Ordered]
	}
	x, err := read(reply.Text)
	if err != nil {
		if !j.Wrong {
			return vote, fault.New(fault.Schema, "%s", err)
		}
		vote.Unparsed = true
	}
	vote.Score = &x
	return vote, nil
}

// Counts reports whether a task is judged nugget by nugget.
func (p *Profile) Counts(t metrics.Item) bool { return p.choose(t) == nugget }

// Requests returns the calls that a task takes, before any reply is known: each once for
// each vote. Calls about the order of lines depend on replies; atMost is how many there
// are at most.
func (j *Judge) Requests(t metrics.Item) (requests []llm.Request, atMost int, err error) {
	if j.Rule {
		return nil, 0, nil
	}
	for _, q := range j.questions(t) {
		r, err := j.request(t, q)
		if err != nil {
			return nil, 0, err
		}
		for range j.Votes {
			requests = append(requests, r)
		}
		if q.nugget > 0 && t.Ordered {
			atMost += strings.Count(t.Prediction, "\n") + 1
		}
	}
	return requests, atMost, nil
}

func (j *Judge) request(t metrics.Item, q question) (llm.Request, error) {
	if gold := golds[j.Gold]; gold != nil && j.theirs {
		t.Gold = gold(t)
	}
	about := ""
	if q.nugget > 0 {
		about = t.Rubric[q.nugget-1]
	}
	render, limit := j.prompts.Render, MaxTokens
	theirs := j.theirs && slices.Contains(j.Authors.Prompts, q.prompt)
	if theirs {
		render, limit = j.prompts.Exact, j.Tokens
	}
	messages, err := render(q.prompt, shown(t, about))
	if err != nil {
		return llm.Request{}, err
	}
	r := llm.Request{
		Role:     Role,
		Messages: messages,
		Params:   llm.Params{Temperature: new(0.0), MaxTokens: limit},
	}
	if theirs && !j.Structured {
		return r, nil
	}
	r.Format = &llm.Format{Name: "judgement", Schema: schema}
	if q.prompt == strict || q.prompt == nugget {
		r.Format.Schema = graded
	}
	return r, nil
}

var (
	schema = json.RawMessage(`{"type": "object", "properties": {"why": {"type": "string"}, "correct": {"type": "boolean"}}, "required": ["why", "correct"], "additionalProperties": false}`)
	graded = json.RawMessage(`{"type": "object", "properties": {"why": {"type": "string"}, "verdict": {"type": "string", "enum": ["correct", "partial", "wrong"]}}, "required": ["why", "verdict"], "additionalProperties": false}`)
)

// said is a reply to our prompts, of one schema or the other.
type said struct {
	Why     string `json:"why"`
	Correct bool   `json:"correct"`
	Verdict string `json:"verdict"`
}

func (s said) score() float64 {
	if s.Verdict == "partial" {
		return 0.5
	}
	return number(s.Correct || s.Verdict == "correct")
}

// facts are those that an answer has to state, each in accepted wordings, and what it must
// not say.
func facts(t metrics.Item) (must [][]string, not []string) {
	if t.Expect == nil {
		return nil, nil
	}
	return t.Expect.Answer.Must, t.Expect.Answer.Not
}

// shown is what templates are rendered with: the texts of a task, each as a JSON string,
// empty where there is none, and under Plain as they are. Each fact has its wordings in one
// line, and Facts says whether there is one. A nugget is empty for none.
func shown(t metrics.Item, nugget string) map[string]any {
	must, not := facts(t)
	plain := map[string]string{"Question": t.Question, "Gold": t.Gold, "Explanation": t.Explanation, "Nugget": nugget, "Answer": t.Prediction}
	to := map[string]any{
		"Plain": plain, "Category": t.Category, "Facts": len(must)+len(not) > 0,
		"Must": lists.Map(must, func(wordings []string) string { return strings.Join(lists.Map(wordings, quoted), " or ") }),
		"Not":  lists.Map(not, quoted),
	}
	for name, text := range plain {
		if to[name] = ""; text != "" || name == "Question" || name == "Answer" {
			to[name] = quoted(text)
		}
	}
	return to
}

// quoted writes a text as a JSON string in one line.
func quoted(text string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // for people, and models, to read
	if err := enc.Encode(text); err != nil {
		return `""` // not reached: every string encodes
	}
	return strings.TrimSuffix(b.String(), "\n")
}
