package metrics

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
var FactualRecallSpec = ofItem(Spec{
	Name:    "fr",
	Doc:     "the answer contains the gold span, version 1",
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
