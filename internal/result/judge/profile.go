package judge

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"recallbench/internal/calc/lists"
	"recallbench/internal/door/prompt/clone"
	"recallbench/internal/text/suggest"
)

// A Profile is a way to judge: what a model is asked, how often, and what its replies
// mean.
type Profile struct {
	Name string
	Doc  string // one line
	// Source says whose judge it imitates, and in what; empty for our own.
	Source string
	// prompts name our own prompts, and authors says where a clone has the words of
	// theirs, which replace them.
	prompts []string
	authors *clone.Source
	bound   bool // there are no words of ours for what authors has
	// choose returns the prompt for a task; empty where the profile has none.
	choose func(Task) string
	// rule decides without a model; nil for none.
	rule func(Task) bool
	// reply reads replies to the authors' prompts.
	reply reply
	// votes is how often a question is put, and wrong says that a reply that is no
	// verdict counts as a refusal, as it does in the source.
	votes int
	wrong bool
	// structured says that a schema asks for the verdict, and not the authors' words.
	structured bool
	// unasked says that the authors' words do not show the question.
	unasked bool
	// gold is what the source makes of the gold answer of a task; nil for the answer itself.
	gold func(Task) string
}

// Rule reports whether the profile asks no model.
func (p *Profile) Rule() bool { return p.rule != nil }

// Votes is how often each question is put to the model.
func (p *Profile) Votes() int { return max(p.votes, 1) }

// Cloned returns the repository and the commit of the authors' prompts; empty where
// the profile has none.
func (p *Profile) Cloned() (repository, commit string) {
	if p.authors == nil {
		return "", ""
	}
	return p.authors.Repository, p.authors.Commit
}

// NeedsClone reports whether the profile has no prompts but its authors'.
func (p *Profile) NeedsClone() bool { return p.bound }

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
	Name: "default", Doc: "the project's prompt; abstentions are not judged", prompts: []string{answer}, choose: onlyAnswers,
}

// Profiles lists the profiles in the order of messages.
func Profiles() []*Profile {
	return []*Profile{
		{Name: "recallbench", Doc: "right or wrong by the gold answer", prompts: []string{answer, abstention}, choose: chooser(answer)},
		{Name: "strict", Doc: "1, 0.5 or 0: every fact of the gold answer counts", prompts: []string{strict, abstention}, choose: chooser(strict)},
		{Name: "declines", Doc: "answers that decline although there is a gold answer: false refusals", prompts: []string{abstention}, choose: onlyDeclined},
		{Name: "contains", Doc: "every word of the gold answer is in the answer; asks no model", choose: onlyAnswers, rule: contains},
		{
			Name: "longmemeval", Doc: "a rule for each type of question", Source: "LongMemEval, src/evaluation/evaluate_qa.py; yes anywhere in a reply accepts",
			prompts: []string{typed, abstention}, authors: longMemEval, choose: chooseType, reply: saysYes, wrong: true,
		},
		{
			Name: "beam", Doc: "1, 0.5 or 0 for each nugget, and the order of events", Source: "BEAM, src/prompts.py, with the question filled in and halves kept",
			prompts: []string{nugget, same}, authors: beam(true), choose: chooseRubric, reply: score,
		},
		{
			Name: "beam-official", Doc: "as beam, without the question", Source: "BEAM, src/prompts.py; its prompt keeps the mark <question>",
			prompts: []string{same}, authors: beam(false), bound: true, choose: chooseRubric, reply: score, unasked: true,
		},
		{
			Name: "beam@omnimemeval", Doc: "OmniMemEval's nuggets: 1 from 0.75, 0.5 from 0.25", Source: "OmniMemEval, scripts/beam/beam_eval.py; the order of events as in beam",
			prompts: []string{same}, authors: omniMemEvalNuggets, bound: true, choose: chooseRubric, reply: threshold, wrong: true,
		},
		{
			Name: "beam@mem0-2026", Doc: "mem0's nuggets: 1 from 0.75, 0.5 from 0.25", Source: "memory-benchmarks, benchmarks/beam; the order of events as in beam",
			prompts: []string{same}, authors: mem0Nuggets, bound: true, choose: chooseRubric, reply: threshold, wrong: true,
		},
		{
			Name: "mem0-2026/locomo", Doc: "one right item of a list suffices; dates within 7 days, durations within half", Source: "memory-benchmarks, benchmarks/locomo, without evidence",
			prompts: []string{abstention}, authors: mem0LoCoMo, bound: true, choose: chooser(answer), reply: label, wrong: true, gold: firstAlternative,
		},
		{
			Name: "mem0-2026/longmemeval", Doc: "one prompt for all types; generous about numbers", Source: "memory-benchmarks, benchmarks/longmemeval; yes anywhere in a reply accepts",
			authors: mem0LongMemEval, bound: true, choose: chooseExplained, reply: saysYes, wrong: true, gold: explained,
		},
		{
			Name: "memorybench", Doc: "LongMemEval's rules in JSON; in LoCoMo, leniency about days is for open-domain questions", Source: "memorybench, src/prompts/defaults.ts, without a provider's own prompt",
			authors: memoryBench, bound: true, choose: memoryBenchKind, reply: scored, wrong: true, gold: explained,
		},
		{
			Name: "locomo-plus", Doc: "1, 0.5 or 0 by a prompt for each category of LoCoMo, which does not show the question", Source: "Locomo-Plus, evaluation_framework/task_eval, without texts of evidence",
			authors: locomoPlus, bound: true, choose: locomoPlusKind, reply: threeLabels, wrong: true, unasked: true,
		},
		community("locomo-community", "mem0's judge, as Nemori and xMemory have it", 1, true, nemoriJudge),
		community("locomo-community@lightmem", "the same without a system text", 1, false, lightMemJudge),
		community("locomo-community@evermemos", "the same, three votes, a reply that is no verdict is wrong", 3, true, everMemOSJudge),
		community("locomo-community@memos", "the same in MemOS, in an f-string", 1, false, memOSJudge),
		community("locomo-community@omnimemeval", "the same in OmniMemEval", 1, false, omniMemEvalJudge("JUDGE_PROMPT", "6baa73873a66c6ea712e3a4f07f200870ca15d73330f719b5ad9df10954abea3")),
		community("halumem@omnimemeval", "OmniMemEval's judge of HaluMem: unfounded additions are wrong", 1, false, omniMemEvalJudge("HM_JUDGE_PROMPT", "c80c41190552014286c4cc20afd0709f973d0012222d934ed3804f9ac33d72cb")),
		community("evermembench", "the judge of EverMemBench: the same key information, a day more or less", 1, false, everMemBenchJudge),
		amb,
	}
}

// amb is strict about declining and hedging. Its schema calls the reason otherwise.
var amb = func() *Profile {
	p := community("amb", "the judge of the Agent Memory Benchmark: declining, hedging or a missing fact is wrong", 1, false, ambJudge)
	p.structured = true
	return p
}()

func community(name, doc string, votes int, wrong bool, source *clone.Source) *Profile {
	return &Profile{
		Name: name, Doc: doc, Source: source.Repository, prompts: []string{abstention}, authors: source, bound: true,
		choose: chooser(answer), reply: label, votes: votes, wrong: wrong && votes > 1,
	}
}

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

// onlyAnswers leaves abstentions out.
func onlyAnswers(t Task) string {
	if t.Abstain || t.Gold == "" && len(t.Must)+len(t.Not) == 0 {
		return ""
	}
	return answer
}

// Refusals reports whether the profile counts false refusals and judges nothing else.
func (p *Profile) Refusals() bool { return p.Name == "declines" }

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

// The prompts of memorybench and Locomo-Plus beside [answer].
const (
	temporal    = "temporal"
	update      = "update"
	preference  = "preference"
	adversarial = "adversarial"
	multiHop    = "multi-hop"
	singleHop   = "single-hop"
	commonSense = "common-sense"
)

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
		return adversarial
	case has("temporal") || kind == "3":
		return temporal
	case has("update", "changing"):
		return update
	case has("preference"):
		return preference
	}
	return answer
}

// locomoPlusKind names the categories of LoCoMo as its source does.
func locomoPlusKind(t Task) string {
	kind := map[string]string{"1": multiHop, "2": temporal, "3": commonSense, "4": singleHop}[t.Category]
	switch {
	case t.Abstain:
		return adversarial
	case t.Gold == "":
		return ""
	}
	return cmp.Or(kind, answer)
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
