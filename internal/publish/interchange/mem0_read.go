package interchange

import (
	"encoding/json"
	"strconv"
	"strings"

	"recallbench/internal/files/jsontree"
)

// readMem0 reads the results of mem0's evaluation and of those that share its
// form: an object with a list of answers for each conversation, by its place. The
// scored file of evals.py, which has no memories, is read as well, and a list of
// answers without conversations.
//
// An answer needs question and response; the memories, the context, the times and
// the tokens are taken as mem0, its baselines, Nemori and xMemory name them.
func readMem0(r *reading) error {
	bracket, err := r.begin("", "an object with a list of answers for each conversation, as mem0's evaluation writes it", '{', '[')
	if err != nil {
		return err
	}
	if bracket == '[' {
		return r.items("", func(at string, c *jsontree.Cursor, line int) { r.mem0Item("", at, c, line) })
	}
	return r.fields("", func(conversation string) error {
		path := strconv.Quote(conversation)
		if _, err := r.begin(path, "a list of answers", json.Delim('[')); err != nil {
			return err
		}
		return r.items(path, func(at string, c *jsontree.Cursor, line int) { r.mem0Item(conversation, at, c, line) })
	})
}

func (r *reading) mem0Item(conversation, at string, c *jsontree.Cursor, line int) {
	if !c.Is(jsontree.Object) {
		return
	}
	question, asked := c.Text("question")
	a := Answer{
		Where: at, Conversation: conversation, Question: question,
		Sample: scalar(c, "sample_id"), Request: scalar(c, "request_id"),
		Gold: scalar(c, "answer"), Category: scalar(c, "category"), Evidence: ids(c, "evidence"),
	}
	answered := r.response(c, &a, "response")
	if !asked || !answered {
		return
	}
	if e := c.Optional("error"); e != nil && e.Value.Kind == jsontree.Object {
		a.failAs(scalar(c, "status"), scalar(e, "kind"), scalar(e, "message"))
	}
	for _, field := range []string{"speaker_1_memories", "speaker_2_memories", "memories", "context", "response1", "response2"} {
		a.Blocks = append(a.Blocks, memories(c, field)...)
	}
	a.addStage("search", seconds(c, "search_time", "search_memory_time",
		"speaker_1_memory_time", "speaker_2_memory_time", "speaker1_memory_time", "speaker2_memory_time"))
	a.addStage("answer", seconds(c, "response_time"))
	tokens := c
	if u := c.Optional("usage"); u != nil && u.Value.Kind == jsontree.Object {
		tokens = u
	}
	if tokens.Optional("prompt_tokens") != nil && tokens.Optional("completion_tokens") != nil {
		a.addUsage(amount(tokens, "prompt_tokens"), 0, amount(tokens, "completion_tokens"), 0)
	}
	a.Line = line
	it := Item{Answer: a, Key: r.occurrence(conversation + " " + collapsed(question)), Cluster: conversation}
	for _, name := range []string{"f1_score", "bleu_score", "llm_score"} {
		if v := c.Value.Get(name); v != nil {
			it.score(name, valueOf(v), true)
		}
	}
	r.emit(c, it)
}

// response reads the text of an answer, and reports whether the field is there. A
// null is what was written where a model gave nothing.
func (r *reading) response(c *jsontree.Cursor, a *Answer, name string) bool {
	v := c.Value.Get(name)
	switch {
	case v == nil:
		c.Faultf("%q is missing, want the answer that was given", name)
		return false
	case v.Kind == jsontree.Null:
		a.fail("empty", "the file has null in place of an answer")
		return true
	case v.Kind == jsontree.String, v.Kind == jsontree.Number:
		a.Text = v.Text
		return true
	}
	c.Faultf("%q is %s, want a string", name, v.Kind)
	return false
}

// memories reads what an answer was made from: a text, or a list of texts or of
// memories with their time and score.
func memories(c *jsontree.Cursor, field string) []Block {
	f := c.Optional(field)
	if f == nil {
		return nil
	}
	if f.Value.Kind == jsontree.String {
		if strings.TrimSpace(f.Value.Text) == "" {
			return nil
		}
		return []Block{{Text: f.Value.Text}}
	}
	var blocks []Block
	for _, m := range f.Items() { // none where it is no list
		text := m.Value.Text
		if m.Value.Kind == jsontree.Object {
			text = scalar(m, "memory", "content", "text")
			if at := scalar(m, "timestamp"); at != "" {
				text = at + ": " + text
			}
		}
		if text != "" {
			blocks = append(blocks, Block{Text: text, Score: amount(m, "score")})
		}
	}
	return blocks
}
