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
	"recallbench/metrics"
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
	Authors Authors
	Bound   bool // there are no words of ours for what Authors has
	Choose  Choice
	Rule    bool // the words decide, and no model is asked
	// Refusals says that the profile counts false refusals and judges nothing else.
	Refusals bool
	// Reply names the entry of parsers that reads replies to the authors' prompts, and
	// Ordered that for nuggets whose order counts; empty for the same.
	Reply, Ordered string
	// Tokens is how long a reply to the authors' prompts may be; 0 where they set no
	// limit. All profiles ask at temperature 0.
	Tokens int
	// Votes is how often each question is put to the model, and Wrong says that a reply
	// that is no verdict counts as a refusal, as it does in the source.
	Votes int
	Wrong bool
	// Structured says that a schema asks for the verdict, and not the authors' words.
	Structured bool
	// Unasked says that the authors' words do not show the question.
	Unasked bool
	// Gold names the entry of golds with what the source makes of the gold answer of a
	// task; empty for the answer itself.
	Gold string
}

// Authors are the prompts of a profile's authors; the zero value where it has none.
type Authors struct {
	Repository, Commit string
	Prompts            []string // their names, sorted
	SHA256             string   // of their names and texts, in hex
}

// Protocol says in one line how replies to the authors' prompts are bounded and read;
// empty where there are no such prompts.
func (p *Profile) Protocol() string {
	switch {
	case p.Authors.Repository == "":
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
	Name: "default", Doc: "the project's prompt; abstentions are not judged", Votes: 1, Prompts: []string{answer}, Choose: Choice{Answer: answer, Facts: true},
}

//go:embed profiles.yaml
var profiles []byte

// Profiles lists the profiles in the order of messages.
var Profiles = sync.OnceValue(func() []*Profile {
	all := list[*Profile](profiles)
	for _, p := range all {
		p.Votes = max(p.Votes, 1)
	}
	return all
})

// list decodes a file that is part of the program.
func list[T any](data []byte) (all []T) {
	d := yaml.NewDecoder(bytes.NewReader(data))
	d.KnownFields(true)
	if err := d.Decode(&all); err != nil {
		panic(err)
	}
	return all
}

// FindProfile returns the profile with the given name.
func FindProfile(name string) (*Profile, error) {
	all := Profiles()
	if i := slices.IndexFunc(all, func(p *Profile) bool { return p.Name == name }); i >= 0 {
		return all[i], nil
	}
	return nil, errors.New(suggest.Unknown("profile of a judge", name, ProfileNames()))
}

// ProfileNames returns the names of [Profiles].
func ProfileNames() []string { return lists.Map(Profiles(), func(p *Profile) string { return p.Name }) }

// A Choice picks the prompt for an answer.
type Choice struct {
	// Abstain is the prompt for abstentions: empty where they are not judged, and asOthers
	// where they are put like other questions.
	Abstain string
	// Answer is the prompt for answers that have a gold answer, or where Facts is set, facts
	// to tell.
	Answer string
	Facts  bool
	// Only are the categories that are judged; empty for all.
	Only []string
	// Kinds replace the prompt in some categories; the first that fits counts.
	Kinds []Kind
	// Rubric says that nuggets are judged, and nothing else.
	Rubric bool
}

const asOthers = "as others"

// A Kind is a prompt for some categories.
type Kind struct {
	Is     []string // their names
	Has    []string // parts of their names
	Prompt string
}

// choose returns the prompt for a task; empty where the profile has none.
func (p *Profile) choose(t metrics.Item) string {
	c := p.Choose
	must, not := facts(t)
	switch {
	case c.Rubric && len(t.Rubric) > 0:
		return nugget
	case c.Rubric, len(c.Only) > 0 && !slices.Contains(c.Only, t.Category):
		return ""
	case t.Abstain && c.Abstain != asOthers:
		return c.Abstain
	case !t.Abstain && t.Gold == "" && (!c.Facts || len(must)+len(not) == 0):
		return ""
	}
	category := strings.ToLower(t.Category)
	for _, k := range c.Kinds {
		if slices.Contains(k.Is, category) || slices.ContainsFunc(k.Has, func(part string) bool { return strings.Contains(category, part) }) {
			return k.Prompt
		}
	}
	return c.Answer
}

// golds return what a source makes of the gold answer of a task.
var golds = map[string]func(metrics.Item) string{"first-alternative": firstAlternative, "explained": explained}

// firstAlternative cuts the gold answers of LoCoMo's open-domain questions at the first
// semicolon.
func firstAlternative(t metrics.Item) string {
	if t.Category != "3" {
		return t.Gold
	}
	first, _, _ := strings.Cut(t.Gold, ";")
	return strings.TrimSpace(first)
}

// explained takes the explanation of an abstention for its answer.
func explained(t metrics.Item) string { return cmp.Or(t.Gold, t.Explanation, "undefined") }

// Needs says what a task must have for the profile to judge it, for messages.
func (p *Profile) Needs() string {
	switch {
	case p.Choose.Rubric:
		return "a rubric of nuggets"
	case len(p.Choose.Only) > 0:
		return "one of the categories " + strings.Join(p.Choose.Only, ", ")
	}
	return "a gold answer"
}
