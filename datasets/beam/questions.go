package beam

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"recallbench/datasets"
	"recallbench/internal/calc/lists"
	"recallbench/internal/files/datafile"
	"recallbench/internal/files/jsontree"
	"recallbench/internal/text/suggest"
)

// asked is what is asked about a conversation.
type asked struct {
	requests []datasets.Request
	golds    []datasets.Gold // of the requests
	flaws    []flaw
}

// questions reads the questions of the abilities that the options name.
func (c *conversation) questions(ctx context.Context, o Options, chat *chat, faults *datafile.Faults) (*asked, error) {
	a := new(asked)
	root, err := c.small(ctx, "probing_questions/probing_questions.json", faults)
	if err != nil || root == nil || !root.Is(jsontree.Object) {
		return a, err
	}
	ids := lists.Map(abilities, func(a ability) string { return a.id })
	for i := range root.Value.Fields {
		if f := root.At(i); !slices.Contains(ids, f.Name()) {
			root.Faultf("%s", suggest.Unknown("ability", f.Name(), ids))
		}
	}
	for _, b := range abilities {
		list := root.Field(b.id, jsontree.Array)
		if list == nil {
			continue
		}
		if len(list.Value.Items) == 0 {
			list.Faultf("has no question")
		}
		keep := len(o.Abilities) == 0 || slices.Contains(o.Abilities, b.id)
		for k, q := range list.Items() {
			if !q.Is(jsontree.Object) {
				continue
			}
			name := fmt.Sprintf("%s/%d/%s/%d", c.size, c.number, b.id, k)
			r, g, flaws := chat.question(q, b, name)
			if keep {
				a.requests, a.golds, a.flaws = append(a.requests, r), append(a.golds, g), append(a.flaws, flaws...)
			}
		}
	}
	return a, nil
}

// question reads a question. Its id is a hash, as the release's name has the ability
// in it.
func (r *chat) question(c *jsontree.Cursor, b ability, release string) (datasets.Request, datasets.Gold, []flaw) {
	sum := sha256.Sum256([]byte(name + ":" + release))
	text, _ := c.Required("question")
	request := datasets.Request{ID: hex.EncodeToString(sum[:])[:8], Text: text}
	g := datasets.Gold{
		Name: release, Category: b.id, Abstain: b.id == "abstention", Ordered: b.id == "event_ordering", Labels: make(map[string]string),
	}
	answer, _ := c.Required(b.answer)
	if g.Abstain {
		g.Explanation = answer
	} else {
		g.Answer = answer
	}
	if rubric := c.Field("rubric", jsontree.Array); rubric != nil {
		for _, item := range rubric.Items() {
			if item.Is(jsontree.String) && strings.TrimSpace(item.Value.Text) == "" {
				item.Faultf("is empty")
			}
			g.Rubric = append(g.Rubric, item.Value.Text)
		}
		if len(g.Rubric) == 0 {
			rubric.Faultf("is empty, want one nugget or more")
		}
	}
	if d := c.OptionalText("difficulty"); d != "" {
		g.Labels["difficulty"] = d
	}
	var flaws []flaw
	note := func(what, id string) { flaws = append(flaws, flaw{what, release + " " + id}) }
	if ids := c.Value.Get("source_chat_ids"); ids != nil {
		r.evidence(ids, &g, note)
	}
	return request, g, flaws
}

// evidence takes the ids of messages, in whatever lists and objects they stand.
func (r *chat) evidence(v *jsontree.Value, g *datasets.Gold, note func(what, id string)) {
	for i := range v.Items {
		r.evidence(&v.Items[i], g, note)
	}
	for i := range v.Fields {
		r.evidence(&v.Fields[i].Value, g, note)
	}
	if v.Kind == jsontree.Array || v.Kind == jsontree.Object || v.Kind == jsontree.Null {
		return
	}
	n, err := strconv.Atoi(v.Text)
	turn, ok := r.turns[n]
	switch {
	case err != nil || v.Kind != jsontree.Number:
		note("evidence is no id of a message; left out", v.Text)
	case !ok:
		note("evidence names no message of the conversation; left out", v.Text)
	case slices.Contains(g.Evidence, turn):
		note("evidence names a message twice; counted once", v.Text)
	default:
		if r.repeated[n] > 0 {
			note("evidence is the id of several messages; the first is taken", v.Text)
		}
		g.Evidence = append(g.Evidence, turn)
	}
}
