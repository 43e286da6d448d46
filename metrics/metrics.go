// Package metrics scores answers.
//
// The functions of this package are pure: text in, number out. A [Spec] makes
// one of them, or several that share their work, a metric of the harness: it
// names the dialect and says what its columns mean.
package metrics

// An Item is an answered request together with its gold, as a metric sees it.
type Item struct {
	Category   string // the dataset's id of the kind of question
	Prediction string
	Gold       string
	// Abstain is set when the right answer is that the conversation does not
	// say; Gold is then empty.
	Abstain bool
	// GoldEvidence are the ids of the turns that the answer rests on; empty
	// where the dataset names none.
	GoldEvidence []string
	// Blocks are what reached the reader, in rank order.
	Blocks []Block
	// Failed is set when the request ended in an error: metrics of the answer
	// are then 0, whatever Prediction holds.
	Failed bool
	Tokens Tokens
}

// A Block is a block of evidence.
type Block struct {
	Sources []string // ids of the turns it stands for
	Text    string
	Tokens  int
}

// Tokens is what a request used.
type Tokens struct {
	QueryInput, QueryOutput int
	JudgeInput, JudgeOutput int
	// Ingest is the share of the sample's ingest that falls to this request:
	// ingest tokens over the number of the sample's requests.
	Ingest float64
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
	Name string // in tables and files, such as "f1@mem0"
	// Scale is what tables multiply by: 100 for a ratio shown in percent, 1
	// for a count.
	Scale float64
	// Digits is the number of decimals that tables print.
	Digits int
	Lower  bool // lower is better
}

// A Spec describes a metric. Suites list Specs; nothing registers itself.
type Spec struct {
	Name    string // with the dialect, such as "f1@locomo"
	Doc     string // one line
	Source  string // the paper or implementation that it follows
	Columns []Column
	// Score returns one value for each column.
	Score func(Item) []Value
	// At returns the metric cut at rank k, for names such as
	// "evidence-recall@5"; nil for a metric without ranks.
	At func(k int) *Spec
}
