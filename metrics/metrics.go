// Package metrics scores answers.
//
// The functions of this package are pure: text in, number out. A [Spec] makes
// one of them, or several that share their work, a metric of the harness: it
// names the dialect and says what its columns mean.
//
// The same answers score differently by the F1 of one project and of another, so each
// dialect is a metric of its own. It equals its reference scorer to 1e-9 but for the
// departures that it names:
//
//	f1@span             the best span of the answer, with values compared as values
//	f1@mem0             sets of words: the scorer of A-Mem, mem0, Nemori, xMemory
//	f1@locomo           stems with multiplicity, rules by category: LoCoMo's own
//	f1@memoryos         sets of \w+
//	bleu1@nltk          NLTK's word_tokenize and sentence_bleu
//	rouge-l@rouge_score Google's rouge_score with stemmer
//	exact-match         SQuAD's normalisation
//	fr                  the gold span is in the answer, numbers and times by value
//	accuracy@mcq        the right option of a multiple choice
//	dc@b3               the answer's coreference agrees with gold entities
//	changes             the values that the answer names are those that hold
//	pass                a request about a tree led to what was expected
//	judge               a language model held the answer right
//	ucs                 people's ratings of how well the answer goes on from the past
//
// Metrics of answers are 0 for a failed request. Where the right answer is an
// abstention there is no text to compare with: they are undefined there, but
// for f1@locomo, which has a rule for it.
package metrics

import (
	"recallbench/internal/engine/expect"
	"recallbench/internal/engine/tree"
	"recallbench/internal/engine/typed"
)

// An Item is an answered request together with its gold, as a metric sees it.
type Item struct {
	Category   string // the dataset's id of the kind of question
	Question   string
	Prediction string
	Gold       string
	// Variants are other answers that are as right as Gold.
	Variants []string
	// Entities are those that the question and its answer are about, and History
	// the turns in which they are mentioned, in order.
	Entities []Entity
	History  []Turn
	// Abstain is set when the right answer is that the conversation does not
	// say; Gold is then empty.
	Abstain bool
	// GoldEvidence are the ids of the turns that the answer rests on; empty
	// where the dataset names none.
	GoldEvidence []string
	// Rubric holds the nuggets, each judged by itself; none where the gold is an
	// answer alone. Ordered is set when their order is part of the gold.
	Rubric  []string
	Ordered bool
	// Explanation says what an abstention should say; empty where the dataset
	// does not.
	Explanation string
	// Options are those of a multiple choice, in the order shown, and Correct is
	// the key of the right one.
	Options []Option
	Correct string
	// Values are those that an answer has to name and those that it must not; nil
	// where it is not scored by values.
	Values *typed.Expected
	// Blocks are what reached the reader, in rank order.
	Blocks []Block
	// Failed is set when the request ended in an error: metrics of the answer
	// are then 0, whatever Prediction holds.
	Failed bool
	Tokens Tokens
	Memory Memory
	// Degraded counts the stages of the answer that had to do with less than
	// they asked for, because a model's reply could not be used.
	Degraded map[string]int
	// Expect is what a request about a tree should lead to; nil where it is not
	// judged. Nodes are the ids that the method retrieved, and the trees are as
	// the sample has it, as it was when the request was made, and as it was
	// afterwards.
	Expect               *expect.Expectation
	Nodes                []string
	First, Before, After *tree.Tree
	// Judged is whether a language model held the answer right: nil where it
	// was not asked or its reply could not be used, false for a failed request
	// that it would have been asked about.
	Judged *bool
	// Judgements are what judges of other profiles said, by their names.
	Judgements map[string]Judged
	// Rating is the mean of people's ratings of the answer, 1 to 5; nil where
	// nobody rated it.
	Rating *float64
}

// An Option is one of the answers that a multiple choice offers.
type Option struct{ Key, Text string }

// A Judged is what a judge said of an answer.
type Judged struct {
	Score   *float64  // from 0 to 1; nil where there is no verdict
	Nuggets []float64 // of each nugget: 1, 0.5 or 0; nil where the answer was judged as one
	// Order has for each line of the answer the nugget that it tells of, from 1, and 0
	// for none; nil where the order of nuggets does not count.
	Order []int
}

// Judgeable reports whether there is something to hold an answer against: a
// gold answer, or where a request is about a tree, facts that are expected.
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

// A Mention is a place in a turn, or where Turn is empty in the question, in
// bytes.
type Mention struct {
	Turn       string
	Start, End int
}

// A Turn is a turn of the history.
type Turn struct{ ID, Speaker, Text string }

// A Block is a block of evidence.
type Block struct {
	Sources []string // ids of the turns it stands for
	// Estimated is set when Sources were guessed by comparing texts.
	Estimated bool
	Text      string
	Tokens    int
}

// Tokens is what a request used of language models. Embeddings are not in it.
type Tokens struct {
	QueryInput, QueryOutput int
	JudgeInput, JudgeOutput int
	// Stages is what the query read and wrote by the role of its calls.
	Stages map[string]int
	// Text is the tokens of the query's prompts and replies as raw text, what
	// its calls share counted once: see [TokensXMemorySpec].
	Text int
	// Ingest is the share of the sample's ingest that falls to this request:
	// ingest tokens over the number of the sample's requests.
	Ingest float64
}

// A Memory is what is known of the memory that a request was asked of.
type Memory struct {
	// Structure is what it tells of itself in numbers, such as how many themes
	// it has.
	Structure map[string]float64
	// Degraded counts the stages of its building that had to do with less than
	// they asked for.
	Degraded map[string]int
}

// A Value is a score, or undefined where the metric says nothing about the
// item, such as recall without gold evidence. Means leave undefined values
// out and print how many there were.
type Value struct {
	X       float64
	Defined bool
}

// Def returns a defined value.
func Def(x float64) Value { return Value{X: x, Defined: true} }

// A Column is one number that a metric gives for each item.
type Column struct {
	// Name is unique among all metrics: the metric's own name where it has one
	// column, such as "f1@mem0".
	Name string
	// Scale is what tables multiply by: 100 for a ratio shown in percent, 1
	// for a count.
	Scale float64
	// Digits is the number of decimals that tables print.
	Digits int
	Lower  bool // lower is better
	// Neutral is set when neither higher nor lower is better.
	Neutral bool
	// FallsWithLength is set when a long answer scores below a short one that is no more
	// right: nothing is decided by the column unless somebody names it.
	FallsWithLength bool
	// Binary is set when each value is 0 or 1, so that the mean is a rate.
	Binary bool
	// Weight names the column of the same metric that means weight this one
	// by; empty where each item counts the same. A share of an item's blocks
	// weighted by their number gives the share of all blocks.
	Weight string
	// Sample is set when the value is that of the request's sample, the same
	// for all of its requests: means count each sample once.
	Sample bool
	// Total is set when tables print the sum of the values and not their mean.
	Total bool
}

// A Part is the part of an item that a metric looks at.
type Part string

// The parts of items.
const (
	Answer   Part = "answer" // with its gold and category
	Evidence Part = "evidence"
	Usage    Part = "usage"
	// Judgement is what a language model said of the answer after the run. A
	// run that was not judged has no values of such a metric.
	Judgement Part = "judgement"
	// Rated is what people said of the answer after the run. A run whose answers
	// nobody rated has no values of such a metric.
	Rated Part = "rating"
)

// A Spec describes a metric. Suites list Specs; nothing registers itself.
type Spec struct {
	Name    string // with the dialect, such as "f1@locomo"
	Doc     string // one line
	Source  string // the paper or implementation that it follows
	Of      Part   // what it looks at
	Columns []Column
	// Categories are the ids of the categories that the metric has rules for; none
	// for a metric that scores all questions alike.
	Categories []string
	// Apart keeps all columns out of the main table, which otherwise has the
	// first; they then stand in the metric's own table only.
	Apart bool
	// Score returns one value for each column.
	Score func(Item) []Value
	// Why says in lines what an item lacks, for people; nil for a metric that
	// has no more to say than its values.
	Why func(Item) []string
	// At returns the metric cut at rank k, for names such as
	// "evidence-recall@5"; nil for a metric without ranks.
	At func(k int) *Spec
}

// Leads reports whether the first column may decide which of two rows is better where
// nobody names a column.
func (s *Spec) Leads() bool {
	c := s.Columns[0]
	return s.Of != Usage && !c.Neutral && !c.FallsWithLength
}
