package offline

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"recallbench/internal/door/llm"
	"recallbench/internal/rules/memory"
	"recallbench/internal/rules/tree"
)

// NoInformation is the answer when the passages do not tell. It contains the
// words by which the official scorer of LoCoMo knows an abstention.
const NoInformation = "No information available"

// A reader answers questions from passages by rules of language, and leaves
// the tasks of structured memories and of building memories to rules of their
// own.
type reader struct {
	analyser *analyser
	trees    *tree.Rules
	memories *memory.Rules
}

// newReader returns a reader with an empty cache. The rules for structured
// memories score conditions by entailment.
func newReader(e *entailer) *reader {
	a := newAnalyser()
	return &reader{analyser: a, trees: tree.New(relevance{e}), memories: memory.New(a)}
}

// Generate implements [llm.Generator]. It answers an [llm.AnswerTask], an
// [llm.ProbeTask], the tasks of structured memories and those of building
// memories; other tasks are errors.
func (r *reader) Generate(ctx context.Context, req llm.Request) (llm.Reply, error) {
	if err := ctx.Err(); err != nil {
		return llm.Reply{}, err
	}
	given, err := pointed(req.Task)
	if err != nil {
		return llm.Reply{}, fmt.Errorf("offline: the task of the %s request is nil, %w", req.Role, err)
	}
	var task llm.AnswerTask
	switch t := given.(type) {
	case llm.AnswerTask:
		task = t
	case llm.ProbeTask:
		return owned(r.probe(t))
	case nil:
		return llm.Reply{}, fmt.Errorf("offline: the %s request carries no task; the offline backend reads tasks, not messages", req.Role)
	default:
		text, notes, known, err := r.trees.Reply(ctx, t)
		if !known {
			text, notes, known, err = r.memories.Reply(ctx, t)
		}
		switch {
		case !known:
			return llm.Reply{}, fmt.Errorf("offline: no rules for tasks of kind %q; have %q", t.Kind(), kinds())
		case err != nil:
			return llm.Reply{}, fmt.Errorf("offline: %w", err)
		}
		return llm.Reply{Text: text, Finish: "stop", Model: "offline", Notes: notes}, nil
	}
	a, err := r.answer(task)
	if err != nil {
		return llm.Reply{}, fmt.Errorf("offline: %w", err)
	}
	return llm.Reply{Text: a.text, Finish: "stop", Model: "offline", Notes: a.notes}, nil
}

// pointed returns the task that a pointer points at, and any other task as it
// is. A nil pointer is an error that says of what.
func pointed(t llm.Task) (llm.Task, error) {
	v := reflect.ValueOf(t)
	if v.Kind() != reflect.Pointer {
		return t, nil
	}
	if v.IsNil() {
		return nil, fmt.Errorf("want an %s", v.Type().Elem())
	}
	task, _ := reflect.TypeAssert[llm.Task](v.Elem()) // its methods are the value's
	return task, nil
}

// owned says whose error it is.
func owned(reply llm.Reply, err error) (llm.Reply, error) {
	if err != nil {
		return llm.Reply{}, fmt.Errorf("offline: %w", err)
	}
	return reply, nil
}

// kinds lists the kinds of tasks that the reader answers.
func kinds() []string {
	return slices.Concat([]string{llm.AnswerTask{}.Kind(), llm.ProbeTask{}.Kind()}, tree.Kinds(), memory.Kinds())
}

// An answer is what the reader says, and how it came about.
type answer struct {
	text  string
	notes []string
}

func (r *reader) answer(task llm.AnswerTask) (answer, error) {
	lines, speakers, err := r.analyser.gather(task.Passages)
	if err != nil {
		return answer{}, err
	}
	q, err := r.analyser.parse(task.Question, speakers, latest(lines))
	if err != nil {
		return answer{}, err
	}
	kindNote := "question of kind " + strconv.Quote(string(q.kind))
	if len(lines) == 0 {
		return answer{text: NoInformation, notes: []string{kindNote, "no passages"}}, nil
	}
	m := q.score(lines)
	ranked := m.sorted()
	text, used, asked := q.typed(m, speakers)
	if text != "" {
		kindNote += ", value of type " + strconv.Quote(string(asked))
	} else {
		text, used = q.related(m, speakers, task.Passages)
	}
	if text == "" {
		text, used = q.extract(ranked)
	}
	if text == "" {
		return answer{text: NoInformation, notes: []string{kindNote, "no line fits"}}, nil
	}
	notes := []string{kindNote}
	for _, c := range used {
		notes = append(notes, "from "+strconv.Quote(excerpt(c))+" by "+c.line.speaker+" (score "+strconv.FormatFloat(c.score, 'f', 2, 64)+")")
	}
	return answer{text: text, notes: notes}, nil
}

// excerpt returns the text of a candidate's sentence, cut to a readable
// length.
func excerpt(c candidate) string {
	s := c.sentence()
	text := c.line.text[s.words[0].start:s.words[len(s.words)-1].end]
	if len(text) > 160 {
		text = strings.ToValidUTF8(text[:160], "") + "..."
	}
	return text
}
