package beam

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"recallbench/datasets"
	"recallbench/internal/files/datafile"
	"recallbench/internal/files/jsontree"
	"recallbench/internal/text/suggest"
)

// questions reads the questions of a conversation, and returns those of the abilities
// that the options name.
func (l *loader) questions(root *jsontree.Cursor, c *conversation, chat *chat, labels map[string]string) (requests []datasets.Request) {
	for _, f := range root.Fields() {
		if !slices.Contains(abilityIDs(), f.Name()) {
			root.Faultf("%s", suggest.Unknown("ability", f.Name(), abilityIDs()))
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
		for k, p := range probes {
			g := p.gold(b)
			g.Name = fmt.Sprintf("%s/%d/%s/%d", c.size, c.number, b.id, k)
			maps.Copy(g.Labels, labels)
			if len(l.options.Abilities) > 0 && !slices.Contains(l.options.Abilities, b.id) {
				continue
			}
			if p.Evidence != nil {
				l.evidence(p.Evidence.Value, chat, &g)
			}
			// The id is a hash, because the name reveals the ability.
			r := datasets.Request{ID: datafile.Sum([]byte(name + ":" + g.Name))[:8], Text: p.Question}
			requests = append(requests, r)
			l.set.SetGold(c.id(), r.ID, g)
		}
	}
	return requests
}

// A probe is a question as the file has it; each ability has a field of its own for the
// reference answer.
type probe struct {
	At         *jsontree.Cursor `json:"-"`
	Question   string           `json:"question" want:"filled"`
	Rubric     []string         `json:"rubric" want:"required"`
	Difficulty string           `json:"difficulty"`
	Evidence   *jsontree.Cursor `json:"source_chat_ids"`
}

// gold returns the gold answer of a question of an ability.
func (p probe) gold(b ability) datasets.Gold {
	g := datasets.Gold{
		Category: b.id, Rubric: p.Rubric, Abstain: b.id == "abstention", Ordered: b.id == "event_ordering", Labels: make(map[string]string),
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
	return g
}

// evidence collects the ids of messages from nested lists and objects.
func (l *loader) evidence(v *jsontree.Value, chat *chat, g *datasets.Gold) {
	for i := range v.Items {
		l.evidence(&v.Items[i], chat, g)
	}
	for i := range v.Fields {
		l.evidence(&v.Fields[i].Value, chat, g)
	}
	if v.Kind == jsontree.Array || v.Kind == jsontree.Object || v.Kind == jsontree.Null {
		return
	}
	n, err := strconv.Atoi(v.Text)
	turn, ok := chat.turns[n]
	where := g.Name + " " + v.Text
	switch {
	case err != nil || v.Kind != jsontree.Number:
		l.set.Warn("evidence is not the id of a message; left out", where)
	case !ok:
		l.set.Warn("evidence names no message of the conversation; left out", where)
	case slices.Contains(g.Evidence, turn):
		l.set.Warn("evidence names a message twice; counted once", where)
	default:
		if chat.repeated[n] > 0 {
			l.set.Warn("evidence is the id of several messages; the first is used", where)
		}
		g.Evidence = append(g.Evidence, turn)
	}
}
