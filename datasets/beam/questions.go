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
	for _, f := range root.Fields() {
		if !slices.Contains(ids, f.Name()) {
			root.Faultf("%s", suggest.Unknown("ability", f.Name(), ids))
		}
	}
	for _, b := range abilities {
		list := root.Field(b.id)
		if list == nil {
			root.Faultf("%q is missing, want an array", b.id)
			continue
		}
		var probes []probe
		if !list.Decode(&probes) {
			continue
		}
		if len(probes) == 0 {
			list.Faultf("has no question")
		}
		keep := len(o.Abilities) == 0 || slices.Contains(o.Abilities, b.id)
		for k, p := range probes {
			name := fmt.Sprintf("%s/%d/%s/%d", c.size, c.number, b.id, k)
			r, g, flaws := chat.question(p, b, name)
			if keep {
				a.requests, a.golds, a.flaws = append(a.requests, r), append(a.golds, g), append(a.flaws, flaws...)
			}
		}
	}
	return a, nil
}

// A probe is a question as the file has it; each ability has a field of its own for the
// reference answer.
type probe struct {
	At         *jsontree.Cursor `json:"."`
	Question   string           `json:"question" want:"filled"`
	Rubric     []string         `json:"rubric" want:"required"`
	Difficulty string           `json:"difficulty"`
	Evidence   *jsontree.Cursor `json:"source_chat_ids"`
}

// question reads a question. Its id is a hash, as the release's name has the ability
// in it.
func (r *chat) question(p probe, b ability, release string) (datasets.Request, datasets.Gold, []flaw) {
	sum := sha256.Sum256([]byte(name + ":" + release))
	request := datasets.Request{ID: hex.EncodeToString(sum[:])[:8], Text: p.Question}
	g := datasets.Gold{
		Name: release, Category: b.id, Rubric: p.Rubric, Abstain: b.id == "abstention", Ordered: b.id == "event_ordering", Labels: make(map[string]string),
	}
	var answer jsontree.Text
	if f := p.At.Field(b.answer); f == nil {
		p.At.Faultf("%q is missing, want a string", b.answer)
	} else if f.Decode(&answer) && strings.TrimSpace(string(answer)) == "" {
		f.Faultf("is empty")
	}
	if g.Abstain {
		g.Explanation = string(answer)
	} else {
		g.Answer = string(answer)
	}
	if len(g.Rubric) == 0 || slices.ContainsFunc(g.Rubric, func(nugget string) bool { return strings.TrimSpace(nugget) == "" }) {
		p.At.Faultf("rubric is empty or has an empty nugget, want one or more")
	}
	if p.Difficulty != "" {
		g.Labels["difficulty"] = p.Difficulty
	}
	var flaws []flaw
	note := func(what, id string) { flaws = append(flaws, flaw{what, release + " " + id}) }
	if p.Evidence != nil {
		r.evidence(p.Evidence.Value, &g, note)
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
