// Package metrics scores answers.
//
// The functions of this package are pure: text in, number out. A [Spec] turns
// one of them, or several that share their work, into a metric: it names the
// dialect and says what its columns mean.
//
// The F1 of one project and that of another score the same answers differently, so
// each dialect is a metric of its own. It equals its reference scorer to 1e-9 except
// for the departures that it documents:
//
//	f1@span             the best span of the answer; values compare by value
//	f1@mem0             sets of words: the scorer of A-Mem, mem0, Nemori, xMemory
//	f1@locomo           stems with multiplicity, rules by category: LoCoMo's own
//	f1@memoryos         sets of \w+
//	bleu1@nltk          NLTK's word_tokenize and sentence_bleu
//	rouge-l@rouge_score Google's rouge_score with stemmer
//	exact-match         SQuAD's normalisation
//	fr                  the answer contains the gold span; numbers and times compare by value
//	accuracy@mcq        the right option of a multiple choice
//	dc@b3               the answer's coreference agrees with gold entities
//	changes             the answer names the current values
//	pass                a task about a tree gave the expected answer and tree
//	judge               a language model accepted the answer
//	ucs                 people's ratings of how well the answer continues the conversation
//
// Metrics of answers are 0 for a question that failed. If the right answer is
// an abstention there is no text to compare with, so they are undefined, except
// for f1@locomo, which has a rule for it.
package metrics

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"recallbench/internal/calc/lists"
	"recallbench/internal/engine/expect"
	"recallbench/internal/engine/tree"
	"recallbench/internal/engine/typed"
	"recallbench/internal/files/category"
)

// An Item is an answered question with its gold answer, as a metric sees it.
type Item struct {
	Category   string // the dataset's id for the kind of question
	Question   string
	Prediction string
	Gold       string
	// Variants are other answers that are as right as Gold.
	Variants []string
	// Entities are those that the question and its answer are about, and History
	// the turns in which they are mentioned, in order.
	Entities []Entity
	History  []Turn
	// Abstain is set if the right answer is that the conversation does not say;
	// Gold is then empty.
	Abstain bool
	// GoldEvidence has the ids of the turns that support the answer; empty if the dataset
	// names none.
	GoldEvidence []string
	// Rubric has the nuggets, each judged by itself; empty if the gold is only
	// an answer. Ordered is set if their order is part of the gold.
	Rubric  []string
	Ordered bool
	// Explanation says what an abstention should say; empty if the dataset does
	// not.
	Explanation string
	// Options are those of a multiple choice, in the order shown; Correct is the
	// key of the right one.
	Options []Option
	Correct string
	// Values are those that an answer has to name and those that it must not; nil
	// if it is not scored by values.
	Values *typed.Expected
	// Blocks are what reached the reader, in rank order.
	Blocks []Block
	// Failed is set if the question ended in an error: metrics of the answer
	// are then 0, whatever Prediction says.
	Failed bool
	Tokens Tokens
	Memory Memory
	// Degraded counts the stages of the answer that continued with less because
	// a model's reply was unusable.
	Degraded map[string]int
	// Expect is the expected outcome of a task about a tree; nil if it is not
	// judged. Nodes are the ids that the method retrieved. The trees are the
	// conversation's own, the one before the task and the one after it.
	Expect               *expect.Expectation
	Nodes                []string
	First, Before, After *tree.Tree
	// Judged is whether a language model accepted the answer: nil if it was not
	// asked or its reply was unusable, false for a question that failed but
	// would have been judged.
	Judged *bool
	// Judgements are the verdicts of judges of other profiles, by their names.
	Judgements map[string]Judged
	// Rating is the mean of people's ratings of the answer, 1 to 5; nil if
	// nobody rated it.
	Rating *float64
}

// An Option is one of the answers that a multiple choice offers.
type Option struct{ Key, Text string }

// A Judged is a judge's verdict on an answer.
type Judged struct {
	Score   *float64  // from 0 to 1; nil if there is no verdict
	Nuggets []float64 // of each nugget: 1, 0.5 or 0; nil if the answer was judged as a whole
	// Order has for each line of the answer the number of the nugget that it mentions,
	// from 1, or 0 for none; nil if the order of nuggets does not count.
	Order []int
}

// Judgeable reports whether there is something to judge an answer by: a gold
// answer or, for a task about a tree, expected facts.
func (i Item) Judgeable() bool {
	if i.Expect != nil || i.First != nil {
		return i.Expect != nil && i.Expect.Answer.Asks()
	}
	return !i.Abstain && i.Gold != ""
}

// An Entity is what a question or its answer is about.
type Entity struct {
	ID       string
	Names    []string // ways to write it
	Mentions []Mention
}

// A Mention is a place in a turn, in bytes; if Turn is empty, in the question.
type Mention struct {
	Turn       string
	Start, End int
}

// A Turn is a turn of the conversation.
type Turn struct{ ID, Speaker, Text string }

// A Block is a block of evidence.
type Block struct {
	Sources []string // ids of the turns it was made from
	// Estimated is set if Sources were guessed by comparing texts.
	Estimated bool
	Text      string
	Tokens    int
}

// Tokens is the usage of language models for a question, without embeddings.
type Tokens struct {
	QueryInput, QueryOutput int
	JudgeInput, JudgeOutput int
	// Stages is what the question's calls read and wrote, by role.
	Stages map[string]int
	// Text counts the tokens of the question's prompts and replies as raw text;
	// a prefix that its calls share counts once: see [TokensXMemorySpec].
	Text int
	// Ingest is the question's share of the conversation's ingest: ingest
	// tokens over the number of the conversation's questions.
	Ingest float64
}

// A Memory is what is known of the memory that was asked a question.
type Memory struct {
	// Structure is what it reports about itself in numbers, such as the number
	// of themes.
	Structure map[string]float64
	// Degraded counts the stages of ingest that continued with less.
	Degraded map[string]int
}

// A Value is a score, or undefined if the metric does not apply to the item,
// such as recall without gold evidence. Means leave undefined values out and
// print how many there were.
type Value struct {
	X       float64
	Defined bool
}

// Def returns a defined value.
func Def(x float64) Value { return Value{X: x, Defined: true} }

// holds is 1 for what holds, else 0.
func holds(b bool) Value {
	if b {
		return Def(1)
	}
	return Def(0)
}

// A Column is one number that a metric gives for each item.
type Column struct {
	// Name is unique among all metrics: the metric's own name where it has one
	// column, such as "f1@mem0".
	Name string
	// Scale is the factor that tables multiply by: 100 for a ratio shown in percent, 1
	// for a count.
	Scale float64
	// Digits is the number of decimals that tables print.
	Digits int
	Lower  bool // lower is better
	// Neutral is set if neither higher nor lower is better.
	Neutral bool
	// FallsWithLength is set if a long answer scores below a short one that is no more
	// right: the column decides nothing unless somebody names it.
	FallsWithLength bool
	// Binary is set if each value is 0 or 1, so that the mean is a rate.
	Binary bool
	// Weight names the column of the same metric by which means are weighted;
	// empty if each item counts the same. A share of an item's blocks weighted
	// by their number gives the share of all blocks.
	Weight string
	// Sample is set if the value belongs to the question's conversation, the
	// same for all of its questions: means count each conversation once.
	Sample bool
	// Total is set if tables print the sum of the values instead of their mean.
	Total bool
}

// columns returns columns that differ only by their names.
func columns(like Column, names ...string) []Column {
	return lists.Map(names, func(name string) Column {
		like.Name = name
		return like
	})
}

// A Part is the part of an item that a metric looks at.
type Part string

// The parts of items.
const (
	Answer   Part = "answer" // with its gold answer and category
	Evidence Part = "evidence"
	Usage    Part = "usage"
	// Judgement is a language model's verdict on the answer after the run. A
	// run that was not judged has no values of such a metric.
	Judgement Part = "judgement"
	// Rated is how people rated the answer after the run. A run that nobody
	// rated has no values of such a metric.
	Rated Part = "rating"
)

// A Spec describes a metric. Suites list Specs; nothing registers itself.
type Spec struct {
	Name    string // with the dialect, such as "f1@locomo"
	Doc     string // one line
	Source  string // the paper or implementation that it follows
	Of      Part   // what it scores
	Columns []Column
	// Categories are the ids of the categories for which the metric has rules;
	// empty for a metric that scores all questions alike.
	Categories []string
	// Apart keeps all columns out of the main table, which otherwise has the
	// first; they then appear only in the metric's own table.
	Apart bool
	// Score returns one value for each column.
	Score func(Item) []Value
	// Why explains in lines for people what an item lacks; nil for a metric
	// whose values say it all.
	Why func(Item) []string
	// At returns the metric cut at rank k, for names such as
	// "evidence-recall@5"; nil for a metric without ranks.
	At func(k int) *Spec
}

// ofItem makes a metric with one column, whose name it has, and by default of answers.
func ofItem(c Column, s Spec, score func(Item) Value) *Spec {
	s.Name, s.Of, s.Columns = c.Name, cmp.Or(s.Of, Answer), []Column{c}
	s.Score = func(i Item) []Value { return []Value{score(i)} }
	return &s
}

// Leads reports whether the first column may decide which of two rows is better if
// nobody names a column.
func (s *Spec) Leads() bool {
	c := s.Columns[0]
	return s.Of != Usage && !c.Neutral && !c.FallsWithLength
}

// FindAll finds metrics by name. Its error names all that are unknown.
func FindAll(names []string, find func(name string) (*Spec, error)) (specs []*Spec, err error) {
	for _, name := range names {
		spec, fault := find(name)
		if err = errors.Join(err, fault); fault == nil {
			specs = append(specs, spec)
		}
	}
	return specs, err
}

// CheckCategories returns an error if a metric goes by the number of a category
// and the dataset uses category names that mean different numbers in different
// projects. A category with any other name is the dataset's own and follows the
// rule for categories without a number.
func CheckCategories(specs []*Spec, categories []string) error {
	i := slices.IndexFunc(specs, func(s *Spec) bool { return len(s.Categories) > 0 })
	if i < 0 {
		return nil
	}
	var names []string
	for _, name := range categories {
		if meanings, ambiguous := category.Meanings(name); ambiguous {
			names = append(names, fmt.Sprintf("%q (%s)", name, meanings))
		}
	}
	if len(names) == 0 {
		return nil
	}
	return fmt.Errorf("%s needs category numbers, but these are names: %s", specs[i].Name, strings.Join(names, ", "))
}

// Categorise returns the id of a category: a number stands for itself, and a name
// for the number in the vocabulary; without a vocabulary a name stands for itself.
//
// A category missing from the vocabulary is an error. So is one for which a
// metric that goes by category has no rule: it would score the question by a rule
// that nobody chose.
func Categorise(specs []*Spec, v *category.Vocabulary, name string) (string, error) {
	id, ok := v.ID(name)
	if !ok && v != nil {
		return "", fmt.Errorf("is not in %s, which has %s", v.Name, strings.Join(v.List(), ", "))
	}
	if !ok {
		id = name
	}
	for _, s := range specs {
		switch meanings, ambiguous := category.Meanings(name); {
		case len(s.Categories) == 0 || slices.Contains(s.Categories, id):
		case !ok && ambiguous:
			return "", fmt.Errorf("is a name, %s, but %s needs numbers", meanings, s.Name)
		default:
			return "", fmt.Errorf("has no rule in %s, which has rules for %s", s.Name, strings.Join(s.Categories, ", "))
		}
	}
	return id, nil
}
