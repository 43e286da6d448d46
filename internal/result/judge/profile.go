package judge

import (
	"bytes"
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v4"

	"recallbench/internal/calc/lists"
	"recallbench/internal/text/suggest"
)

// A Profile is a way to judge: what a model is asked, how it is to reply, and what its
// replies mean.
type Profile struct {
	Name string
	Doc  string // one line
	// Source says whose judge it imitates, and in what; empty for our own.
	Source string
	// Prompts name our own prompts, and Authors those that a folder of scripts/prompts.py
	// has in their words, which replace them.
	Prompts []string
	Authors *Authors
	Bound   bool // there are no words of ours for what Authors has
	// Choose names the entry of choices that picks the prompt for a task.
	Choose string
	Rule   bool // the words decide, and no model is asked
	// Reply names the entry of parsers that reads replies to the authors' prompts, and
	// Ordered that for nuggets whose order counts; empty for the same.
	Reply, Ordered string
	// Tokens is how long a reply to the authors' prompts may be; 0 where they set no
	// limit. All profiles ask at temperature 0.
	Tokens int
	// Repeats is how often a question is put, and Wrong says that a reply that is no
	// verdict counts as a refusal, as it does in the source.
	Repeats int `yaml:"votes"`
	Wrong   bool
	// Structured says that a schema asks for the verdict, and not the authors' words.
	Structured bool
	// Unasked says that the authors' words do not show the question.
	Unasked bool
	// Gold names the entry of golds with what the source makes of the gold answer of a
	// task; empty for the answer itself.
	Gold string
}

// Authors are the prompts of a profile's authors.
type Authors struct {
	Repository, Commit string
	Prompts            []string // their names, sorted
	SHA256             string   // of their names and texts, in hex
}

// Votes is how often each question is put to the model.
func (p *Profile) Votes() int { return max(p.Repeats, 1) }

// Origin returns the repository and the commit of the authors' prompts; empty where
// the profile has none.
func (p *Profile) Origin() (repository, commit string) {
	if p.Authors == nil {
		return "", ""
	}
	return p.Authors.Repository, p.Authors.Commit
}

// Protocol says in one line how replies to the authors' prompts are bounded and read;
// empty where there are no such prompts.
func (p *Profile) Protocol() string {
	switch {
	case p.Authors == nil:
		return ""
	case p.Structured:
		return "schema"
	}
	reads := p.Reply
	if p.Ordered != "" {
		reads += ", of events " + p.Ordered
	}
	if p.Tokens > 0 {
		reads += fmt.Sprintf(", %d tokens", p.Tokens)
	}
	return reads
}

func (p *Profile) choose(t Task) string { return choices[p.Choose](t) }

// The prompts.
const (
	answer     = "judge"
	typed      = "typed"
	strict     = "strict"
	abstention = "abstention"
	nugget     = "nugget"
	same       = "same"
)

// Default is the profile of bench judge without a name: the project's own prompt.
// Abstentions are not judged.
var Default = &Profile{
	Name: "default", Doc: "the project's prompt; abstentions are not judged", Prompts: []string{answer}, Choose: "answers",
}

//go:embed profiles.yaml
var profiles []byte

// Profiles lists the profiles in the order of messages.
var Profiles = sync.OnceValue(func() (all []*Profile) {
	d := yaml.NewDecoder(bytes.NewReader(profiles))
	d.KnownFields(true)
	if err := d.Decode(&all); err != nil {
		panic(err) // the file is part of the program
	}
	return all
})

// FindProfile returns the profile of a name.
func FindProfile(name string) (*Profile, error) {
	all := Profiles()
	if i := slices.IndexFunc(all, func(p *Profile) bool { return p.Name == name }); i >= 0 {
		return all[i], nil
	}
	return nil, errors.New(suggest.Unknown("profile of a judge", name, ProfileNames()))
}

// ProfileNames returns the names of [Profiles].
func ProfileNames() []string { return lists.Map(Profiles(), func(p *Profile) string { return p.Name }) }

// choices return the prompt for a task; empty where the profile has none.
var choices = map[string]func(Task) string{
	"answers":     onlyAnswers,
	"judge":       chooser(answer),
	"strict":      chooser(strict),
	"declined":    onlyDeclined,
	"type":        chooseType,
	"explained":   chooseExplained,
	"rubric":      chooseRubric,
	"memorybench": memoryBenchKind,
	"locomo-plus": locomoPlusKind,
}

// golds return what a source makes of the gold answer of a task.
var golds = map[string]func(Task) string{"first-alternative": firstAlternative, "explained": explained}

// onlyAnswers leaves abstentions out.
func onlyAnswers(t Task) string {
	if t.Abstain || t.Gold == "" && len(t.Must)+len(t.Not) == 0 {
		return ""
	}
	return answer
}

// Refusals reports whether the profile counts false refusals and judges nothing else.
func (p *Profile) Refusals() bool { return p.Choose == "declined" }

// onlyDeclined puts the answers to questions that have a gold answer to the prompt of
// abstentions.
func onlyDeclined(t Task) string {
	if onlyAnswers(t) == "" {
		return ""
	}
	return abstention
}

// chooser returns a rule that puts answers to one prompt and abstentions to ours.
func chooser(prompt string) func(Task) string {
	return func(t Task) string {
		switch {
		case t.Abstain:
			return abstention
		case onlyAnswers(t) == "":
			return ""
		case prompt == strict && t.Gold == "":
			return ""
		}
		return prompt
	}
}

// types are the categories of LongMemEval, which its judge has rules for.
var types = []string{
	"single-session-user", "single-session-assistant", "single-session-preference", "multi-session", "temporal-reasoning", "knowledge-update",
}

func chooseType(t Task) string {
	switch {
	case !slices.Contains(types, t.Category):
		return ""
	case t.Abstain:
		return abstention
	case t.Gold == "":
		return ""
	}
	return typed
}

// firstAlternative cuts the gold answers of LoCoMo's open-domain questions at the first
// semicolon.
func firstAlternative(t Task) string {
	if t.Category != "3" {
		return t.Gold
	}
	first, _, _ := strings.Cut(t.Gold, ";")
	return strings.TrimSpace(first)
}

// explained takes the explanation of an abstention for its answer.
func explained(t Task) string { return cmp.Or(t.Gold, t.Explanation, "undefined") }

// chooseExplained has one prompt for LongMemEval's questions and abstentions.
func chooseExplained(t Task) string {
	if chooseType(t) == "" {
		return ""
	}
	return answer
}

// memoryBenchKind goes by words in the type of a question, as its source does, which
// names LoCoMo's categories 3 and 5 temporal and adversarial.
func memoryBenchKind(t Task) string {
	kind := strings.ToLower(t.Category)
	has := func(words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(kind, w) })
	}
	switch {
	case !t.Abstain && t.Gold == "":
		return ""
	case has("abstention", "adversarial") || kind == "5":
		return "adversarial"
	case has("temporal") || kind == "3":
		return "temporal"
	case has("update", "changing"):
		return "update"
	case has("preference"):
		return "preference"
	}
	return answer
}

// locomoPlusKind names the categories of LoCoMo as its source does.
func locomoPlusKind(t Task) string {
	switch {
	case t.Abstain:
		return "adversarial"
	case t.Gold == "":
		return ""
	}
	return cmp.Or(map[string]string{"1": "multi-hop", "2": "temporal", "3": "common-sense", "4": "single-hop"}[t.Category], answer)
}

func chooseRubric(t Task) string {
	if len(t.Rubric) == 0 {
		return ""
	}
	return nugget
}

// Needs says what a task must have for the profile to judge it, for messages.
func (p *Profile) Needs() string {
	if p.choose(Task{Rubric: []string{"x"}}) == nugget {
		return "a rubric of nuggets"
	}
	if p.choose(Task{Gold: "x", Category: types[0]}) == typed {
		return "one of the categories " + strings.Join(types, ", ")
	}
	return "a gold answer"
}
