package published

import "slices"

// A Protocol says how the numbers of a table came about, as far as the paper or
// its authors' releases say. A measured number is comparable with a published
// one only if the protocols agree; an empty field was not published.
type Protocol struct {
	Dataset string // this program's name of it
	// Data lists the SHA-256 digests of the files that are known to have been
	// used; empty if the paper does not identify them.
	Data  []string
	Split string // what part of the dataset, in words
	// Parts are the groups of questions by which cells are split.
	Parts []Part
	// Average is the group that averages the others.
	Average   string
	Averaging Averaging
	// Category5 is the treatment of adversarial questions, as this program
	// names the policy.
	Category5 string
	Readers   []Reader
	Judge     string // model and rule, in words; empty if no model judged
	Embedding string // model
	Decoding  string
	Metrics   []Metric
	Methods   []Method
	// Unpublished lists what a reproduction needs and the paper does not say.
	Unpublished []string
}

// A Part is a group of questions.
type Part struct {
	Name string // in the cells' Group
	N    int    // number of questions; 0 for not published
}

// An Averaging says what an average is a mean of.
type Averaging string

// The ways to average.
const (
	OverQuestions Averaging = "over questions" // each question counts the same
	OverGroups    Averaging = "over groups"    // each group counts the same
)

// A Reader is a model that answered.
type Reader struct {
	Row       string   // in the rows' Model
	Names     []string // other names of the same model
	Tokenizer string   // that tokens were counted with; empty for the provider's own count
}

// Is reports whether name names the reader.
func (r Reader) Is(name string) bool { return name == r.Row || slices.Contains(r.Names, name) }

// A Metric says what the numbers of a metric mean.
type Metric struct {
	Name string // in the cells' Metric
	// Column is the column of this program that measures the same, in the same
	// dialect; empty if there is none.
	Column string
	Unit   Unit
	Lower  bool // lower is better
	Binary bool // each question is passed or failed
	// Questions is the number of questions that the mean is over, where it is
	// not the protocol's.
	Questions int
	// Counting says what is counted and what is not, for tokens.
	Counting string
}

// A Unit says what a number counts: also "ratio" (in [0, 1], as printed), "mean" (of
// something), "count" (a whole number, printed in full), "rating" (of people) or "ms".
type Unit string

// The units that comparisons treat apart: a ratio times 100, and a mean number of tokens.
const (
	Percent Unit = "percent"
	Tokens  Unit = "tokens"
)

// A Method says what is known about a row's method.
type Method struct {
	Row string // the row's Label
	// Model limits what is said to the row of one reader; empty for all that
	// no other entry is about.
	Model string
	// Use is this program's name of the method, whether it has it or not.
	Use string
	K   int // blocks given to the reader; 0 for none or not published
	// NoEmbedding is set for a method that embeds nothing.
	NoEmbedding bool
	// Unpublished lists the options that the paper does not say.
	Unpublished []string
}

// Metric returns the metric with the given name.
func (p *Protocol) Metric(name string) (Metric, bool) {
	return find(p.Metrics, func(m Metric) bool { return m.Name == name })
}

// Method returns what is known of the method of a row.
func (p *Protocol) Method(r Row) (Method, bool) {
	if m, ok := find(p.Methods, func(m Method) bool { return m.Row == r.Label && m.Model == r.Model }); ok {
		return m, true
	}
	return find(p.Methods, func(m Method) bool { return m.Row == r.Label && m.Model == "" })
}

// Reader returns the reader of a row.
func (p *Protocol) Reader(model string) (Reader, bool) {
	return find(p.Readers, func(r Reader) bool { return r.Row == model })
}

// N returns the number of questions behind a cell, 0 for not published.
func (p *Protocol) N(group string, m Metric) int {
	sums := group == "" || group == p.Average
	if sums && m.Questions > 0 {
		return m.Questions
	}
	part, one := find(p.Parts, func(part Part) bool { return part.Name == group || sums && part.N == 0 })
	n := part.N
	for _, part := range p.Parts {
		if sums && !one {
			n += part.N
		}
	}
	return n
}
