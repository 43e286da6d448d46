package interchange

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"recallbench/internal/result/record"
)

// The fields of an answer that are compared with its request.
const (
	idField           = "id"
	questionField     = "question"
	goldField         = "gold"
	categoryField     = "category"
	conversationField = "conversation"
	evidenceField     = "evidence"
)

// Fields lists the fields of an answer that are compared with its request.
func Fields() []string {
	return []string{idField, questionField, goldField, categoryField, conversationField, evidenceField}
}

// A Contradiction is an answer whose file says something else of its question than
// the dataset.
type Contradiction struct {
	Answer *Answer
	// Request is the one that the answer was matched to.
	Request record.Gold
	Texts   []string // what the file says and what the dataset, a field each
}

// Error says where the answer stands, and what is wrong.
func (c Contradiction) Error(file string) string {
	return fmt.Sprintf("%srequest %s of %s: %s", c.Answer.place(file), quoted(c.Request.Request), quoted(c.Request.Sample), strings.Join(c.Texts, "; "))
}

// check holds what the file says of questions against those that were found.
func (m *matcher) check() {
	for i, a := range m.Answers {
		if a == nil {
			continue
		}
		c := Contradiction{Answer: a, Request: m.questions[i]}
		for _, field := range Fields() {
			file, dataset, ok := m.compare(field, a, i)
			switch {
			case ok:
			case slices.Contains(m.Accept, field):
				m.Accepted[field]++
			default:
				m.Contradicting[field]++
				c.Texts = append(c.Texts, fmt.Sprintf("%s is %s, the dataset's %s", field, file, dataset))
			}
		}
		if len(c.Texts) > 0 {
			m.Contradictions = append(m.Contradictions, c)
		}
	}
	slices.SortStableFunc(m.Contradictions, func(a, b Contradiction) int { return cmp.Compare(a.Answer.Line, b.Answer.Line) })
}

// compare reports whether a field of an answer is as the dataset has it for a
// question, or not given, and shows both where it is not.
func (m *matcher) compare(field string, a *Answer, at int) (file, dataset string, ok bool) {
	q := m.questions[at]
	switch field {
	case idField:
		// Ids of another kind than the dataset's say nothing.
		_, has := m.byID[[2]string{a.Sample, a.Request}]
		given := a.Sample != "" && a.Request != "" && m.ownIDs && m.By != ByQuestion
		return quoted(a.Sample + "/" + a.Request), quoted(q.Sample + "/" + q.Request), !given || has
	case questionField:
		return quoted(a.Question), quoted(q.Question), a.Question == "" || m.asks(a, q)
	case goldField:
		return quoted(a.Gold), quoted(q.Answer), a.Gold == "" || q.Abstain || sameGold(a.Gold, q)
	case categoryField:
		id, known := m.categoryOf(a)
		file := a.Category
		if known && id != file {
			file += " (" + id + ")"
		}
		return file, q.Category, a.Category == "" || id == q.Category
	case conversationField:
		home := m.homes[a.label()]
		return quoted(a.label()), quoted(q.Sample), home == "" || home == q.Sample
	default:
		return strings.Join(a.Evidence, " "), strings.Join(q.Evidence, " "), sameEvidence(a.Evidence, q.Evidence)
	}
}

// sameGold reports whether a gold answer of a file is one of the dataset's: any of
// those that are right, or the part before a semicolon, which is all that LoCoMo's
// scorer looks at of some.
func sameGold(gold string, q record.Gold) bool {
	text := normal(gold)
	first, _, _ := strings.Cut(q.Answer, ";")
	return text == normal(q.Answer) || text == normal(first) || slices.ContainsFunc(q.Variants, func(v string) bool { return text == normal(v) })
}

// sameEvidence reports whether two lists of turns may say the same: whether they
// have one in common, as ids in the releases of datasets are written in several
// ways, and loaders put right what they can.
func sameEvidence(file, dataset []string) bool {
	if len(file) == 0 || len(dataset) == 0 {
		return true
	}
	has := make(map[string]bool)
	for _, id := range dataset {
		has[plainID(id)] = true
	}
	for _, id := range file {
		for part := range strings.FieldsFuncSeq(id, func(r rune) bool { return r == ';' || r == ',' || r == ' ' }) {
			if has[plainID(part)] {
				return true
			}
		}
	}
	return false
}

// zeros are those before a number.
var zeros = regexp.MustCompile(`(^|[^0-9])0+([0-9])`)

// plainID is the id of a turn without what releases of datasets write in several
// ways: D30:05 is D30:5.
func plainID(id string) string { return normal(zeros.ReplaceAllString(id, "$1$2")) }
