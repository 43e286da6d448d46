package metrics

// tells reports whether a span is in the terms of an answer.
func (t terms) tells(span terms) bool {
	if len(span.list) == 1 && (span.list[0].text == "yes" || span.list[0].text == "no") {
		return len(t.list) > 0 && t.list[0].text == span.list[0].text && (len(t.list) == 1 || t.list[1].text != "information")
	}
	for range t.find(span) {
		return true
	}
	return false
}

// FactualRecallSpec is whether the answer has the gold answer or one of its
// variants in it: 1 or 0, higher is better; the mean is the
// share of facts that were recalled. It is 0 for a failed request, and undefined
// for an abstention and where no gold has a term.
//
// It follows section 4.3 of the Semantic Anchoring paper, "matching extracted
// answer spans against gold references". How spans are extracted and matched is
// not published; the rule is this project's.
//
// This is version 1 of the rule. A term is a word without case and accents, a
// number, a clock time or a code of letters and digits; the articles a, an and
// the are no terms. What is compared is the value:
//
//   - two and 2, twenty-one and 21, first and 1st, 1,000 and 1000, 4.50 and 4.5;
//   - 9 am, 9:00am, 09:00, nine o'clock, nine in the morning, and 21:00 for 9 pm,
//     half past nine in the evening as 21:30; noon is 12:00. A time without half
//     of the day is read by the clock of 24 hours;
//   - £5 and 5 pounds, $5 and 5 dollars, 5% and 5 percent, & and and;
//   - telephone numbers, which begin with 0, however they are spaced.
//
// A term is compared as a whole: 7 is neither in 17:00 nor in 07:15, 7.5 or A7.
// The word one after a determiner, as in "the other one", is no number. A span
// that is yes or no has to begin the answer, as these words stand in many others, and
// what begins with "no information" says neither.
//
// What the words around a span say of it is not looked at: "not at 9:00" has
// 9:00 in it. A span with more words than the fact needs, such as "2 people",
// is not in an answer that says 2; such golds need a variant.
var FactualRecallSpec = ofItem(Spec{
	Name:    "fr",
	Doc:     "the answer has the gold span in it, version 1",
	Source:  "Semantic Anchoring, section 4.3; the rule is this project's",
	Columns: []Column{{Name: "fr", Scale: 100, Digits: 1, Binary: true}},
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
