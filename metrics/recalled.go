package metrics

import (
	"slices"
)

// tells reports whether an answer's terms contain a span.
func (t terms) tells(span terms) bool {
	if len(span.list) == 1 && (span.list[0].text == "yes" || span.list[0].text == "no") {
		return len(t.list) > 0 && t.list[0].text == span.list[0].text && (len(t.list) == 1 || t.list[1].text != "information")
	}
	for range t.find(span) {
		return true
	}
	return false
}

// FactualRecallSpec is whether the answer contains the gold answer or one of its
// variants: 1 or 0, higher is better; the mean is the share of facts that were
// recalled. It is 0 for a question that failed, and undefined for an abstention
// and if no gold answer has a term.
//
// It follows section 4.3 of the Semantic Anchoring paper, "matching extracted
// answer spans against gold references". How spans are extracted and matched is
// not published; the rule is this project's.
//
// This is version 1 of the rule. A term is a word without case and accents, a
// number, a clock time or a code of letters and digits; the articles a, an and
// the are not terms. Terms compare by value:
//
//   - two and 2, twenty-one and 21, first and 1st, 1,000 and 1000, 4.50 and 4.5;
//   - 9 am, 9:00am, 09:00, nine o'clock, nine in the morning, and 21:00 for 9 pm,
//     half past nine in the evening as 21:30; noon is 12:00. A time without am or
//     pm is read on the 24-hour clock;
//   - £5 and 5 pounds, $5 and 5 dollars, 5% and 5 percent, & and and;
//   - telephone numbers, which begin with 0, however they are spaced.
//
// A term is compared as a whole: 7 is neither in 17:00 nor in 07:15, 7.5 or A7. The
// word one after a determiner, as in "the other one", is not a number. A span that is
// yes or no must begin the answer, as these words occur in many others; an answer
// that begins with "no information" is neither.
//
// The words around a span do not count: "not at 9:00" contains 9:00. A span
// with more words than the fact needs, such as "2 people", is not found in an
// answer that says 2; such gold answers need a variant.
var FactualRecallSpec = ofItem(Column{Name: "fr", Scale: 100, Digits: 1, Binary: true}, Spec{
	Doc:    "the answer contains the gold span, version 1",
	Source: "Semantic Anchoring, section 4.3; the rule is this project's",
}, factualRecall)

func factualRecall(i Item) Value {
	if i.Abstain {
		return Value{}
	}
	said, asked := newTerms(i.Prediction), false
	for _, gold := range append([]string{i.Gold}, i.Variants...) {
		span := newTerms(gold)
		if len(span.list) == 0 {
			continue
		}
		asked = true
		if !i.Failed && said.tells(span) {
			return Def(1)
		}
	}
	return Value{Defined: asked}
}

// failureColumns are those of [FailuresSpec] after wrong.
var failureColumns = []string{"failed", "unknown-evidence", "not-retrieved", "partly-retrieved", "not-used"}

// FailuresSpec counts wrong answers, those for which [FactualRecallSpec] is 0, and
// sorts them by how far the question got. Each wrong answer counts in the first
// column that fits, so the columns sum to wrong:
//
//   - failed: the question ended in an error;
//   - unknown-evidence: the dataset names no turns that support the answer,
//     or an imported file does not name the turns of its blocks;
//   - not-retrieved: none of these turns is a source of a block;
//   - partly-retrieved: some of them are;
//   - not-used: all of them are, and the answer is still wrong.
//
// All columns are counts, and lower is better. They are undefined where fr is. It
// follows section 5.6 of the Semantic Anchoring paper, which does not say how failures
// were categorized; the causes in its table 4 need a person to tell.
var FailuresSpec = &Spec{
	Name:    "failures",
	Doc:     "wrong answers by how far the question got",
	Source:  "Semantic Anchoring, section 5.6",
	Of:      Answer,
	Apart:   true,
	Columns: columns(Column{Scale: 1, Lower: true, Total: true}, append([]string{"wrong"}, failureColumns...)...),
	Score: func(i Item) []Value {
		values := make([]Value, 1+len(failureColumns))
		recalled := factualRecall(i)
		if !recalled.Defined {
			return values
		}
		for k := range values {
			values[k] = Def(0)
		}
		if recalled.X == 0 {
			values[0] = Def(1)
			values[1+slices.Index(failureColumns, i.reached())] = Def(1)
		}
		return values
	},
}

// reached says how far a question with a wrong answer got.
func (i Item) reached() string {
	recall, known := EvidenceRecall(i.GoldEvidence, i.Blocks)
	switch {
	case i.Failed:
		return "failed"
	case !known:
		return "unknown-evidence"
	case recall == 0:
		return "not-retrieved"
	case recall < 1:
		return "partly-retrieved"
	}
	return "not-used"
}
