package annotator

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"recallbench/internal/calc/lists"
	"recallbench/internal/door/annotate"
	"recallbench/internal/text/english"
)

// An ent is an entity on its way through a session.
type ent struct {
	known   *annotate.Known // nil for a new one
	label   string          // canonical name so far
	names   [][]string      // names, as tokens in lowercase
	typ     string
	gender  annotate.Gender
	plural  bool
	speaker string   // the label of a participant
	heads   []string // lemmas of nominal mentions
	kinds   []string // kinds of place or thing
	owner   *ent     // whose it is: "my sister"
	keeps   bool     // a cluster even with a single mention
	value   string

	mentions []annotate.Mention
	last     int // number of the last mention in the session, 0 for none
}

func (e *ent) person() bool { return e.typ == "PERSON" || e.speaker != "" }

func (e *ent) placelike() bool {
	return e.typ == "FAC" || e.typ == "GPE" || e.typ == "LOC" || e.typ == "ORG" ||
		slices.ContainsFunc(e.heads, func(h string) bool { return words().places[h] != "" })
}

func (e *ent) addKind(k string) {
	if k != "" {
		e.kinds = lists.AddNew(e.kinds, k)
	}
}

func (e *ent) addHead(h string) {
	e.heads = lists.AddNew(e.heads, h)
	e.addKind(words().kindOf(h))
}

// A seen is a mention in the order of the session.
type seen struct {
	ent      *ent
	sentence int
	token    int     // its head
	role     float64 // how salient its part in the clause makes it
	weight   float64
}

// A resolver goes through a session from left to right and gives each mention to
// an entity: those known before, the speakers, and those that it meets.
type resolver struct {
	r        annotate.Request
	sents    []sentence
	ents     []*ent
	byName   map[string][]*ent // by whole names and by parts that may stand for them
	byValue  map[string]*ent
	speakers map[string]*ent
	groups   map[string]*ent // "we" of each speaker
	order    []seen
	topic    string // the kind of place spoken of last
	topicAt  int
}

const andOthers = " and others"

func resolve(r annotate.Request, sents []sentence) []annotate.Cluster {
	v := &resolver{
		r: r, sents: sents, byName: make(map[string][]*ent, 2*len(r.Known)), byValue: make(map[string]*ent),
		speakers: make(map[string]*ent), groups: make(map[string]*ent), topicAt: -1 << 20,
	}
	for i := range r.Known {
		v.know(&r.Known[i])
	}
	for _, u := range r.Utterances {
		v.participant(u.Speaker)
	}
	for i := range sents {
		v.sentence(i)
	}
	return v.clusters()
}

// know brings in an entity of earlier sessions.
func (v *resolver) know(k *annotate.Known) {
	e := &ent{known: k, label: k.Name, typ: k.Type, gender: k.Gender, plural: k.Plural, keeps: true}
	v.ents = append(v.ents, e)
	if k.Speaker && v.speakers[k.Name] == nil {
		e.speaker = k.Name
		v.speakers[k.Name] = e
	}
	for _, h := range k.Heads {
		e.addHead(h)
	}
	group, others := strings.CutSuffix(k.Name, andOthers)
	switch {
	case others && k.Plural:
		v.groups[group] = e
	case isValue(k.Type):
		e.value = k.Name
		if key := knownValue(k.Type, k.Name); key != "" {
			v.byValue[k.Type+":"+key] = e
		}
	case isQuality(k.Type):
		e.value = "=" + english.Lower(k.Name)
		v.byValue[e.value] = e
	case nominalName(k):
	default:
		v.addName(e, read(k.Name).clean)
		for _, a := range k.Aliases {
			v.addName(e, read(a).clean)
		}
	}
}

// nominalName reports whether the name of a known entity is a noun phrase or
// several names, and not a name: "my sister", "Paul and Julia".
func nominalName(k *annotate.Known) bool {
	if k.Speaker || len(k.Aliases) > 0 {
		return false
	}
	name := english.Lower(k.Name)
	first, _, _ := strings.Cut(name, " ")
	last := name[strings.LastIndexByte(name, ' ')+1:]
	return k.Plural && strings.Contains(name, " and ") || len(k.Heads) == 0 && k.Type == "" && words().closed[first] != "" ||
		(slices.Contains(k.Heads, last) || slices.Contains(k.Heads, english.Singular(last))) && (name == k.Name || words().closed[first] != "" || strings.Contains(name, "'s "))
}

// participant returns the entity of a speaker.
func (v *resolver) participant(label string) *ent {
	e := v.speakers[label]
	if e == nil {
		e = v.newEnt(label, "PERSON")
		e.speaker, e.plural = label, strings.Contains(label, ",")
		v.speakers[label] = e
		v.addName(e, read(label).clean)
	}
	return e
}

// addName notes a name of an entity and the keys that find it.
func (v *resolver) addName(e *ent, low []string) {
	if len(low) == 0 || slices.ContainsFunc(e.names, func(n []string) bool { return slices.Equal(n, low) }) {
		return
	}
	e.names = append(e.names, low)
	for _, key := range nameKeys(low, e.person() || e.typ == "") {
		list := v.byName[key]
		if len(list) >= maxAlike {
			list = slices.Delete(list, 0, maxAlike/2)
		}
		if !slices.Contains(list, e) {
			v.byName[key] = append(list, e)
		}
	}
	if e.person() {
		e.gender = cmp.Or(e.gender, nameGender(low))
		return
	}
	for _, w := range low {
		e.addKind(words().places[w])
	}
}

// mention gives a mention to an entity.
func (v *resolver) mention(e *ent, m annotate.Mention, head int, weight float64) *ent {
	e.mentions = append(e.mentions, m)
	o := seen{ent: e, sentence: m.Sentence, token: head, weight: weight}
	s := &v.sents[m.Sentence]
	switch label := s.Dependencies[head].Label; {
	case strings.HasPrefix(label, "nsubj"):
		o.role = 0.5
	case label == "obj", label == "iobj":
		o.role = 0.3
	}
	v.order = append(v.order, o)
	e.last = len(v.order)
	return e
}

// at returns the entity that was mentioned with a token as its head; nil for none.
func (v *resolver) at(i, token int) *ent {
	for n := len(v.order) - 1; n >= 0 && v.order[n].sentence == i; n-- {
		if v.order[n].token == token {
			return v.order[n].ent
		}
	}
	return nil
}

// newEnt makes an entity.
func (v *resolver) newEnt(label, typ string) *ent {
	e := &ent{label: label, typ: typ}
	v.ents = append(v.ents, e)
	return e
}

// clusters returns what the session mentions, in the order of first mention.
func (v *resolver) clusters() []annotate.Cluster {
	var kept []*ent
	for _, e := range v.ents {
		if len(e.mentions) > 1 || len(e.mentions) == 1 && (e.keeps || e.speaker != "") {
			slices.SortFunc(e.mentions, compareMentions)
			kept = append(kept, e)
		}
	}
	slices.SortStableFunc(kept, func(a, b *ent) int { return compareMentions(a.mentions[0], b.mentions[0]) })
	next := annotate.Fresh(v.r.Known)
	out := make([]annotate.Cluster, 0, len(kept))
	for _, e := range kept {
		c := annotate.Cluster{Name: e.label, Type: e.typ, Gender: e.gender, Plural: e.plural, Speaker: e.speaker != "", Mentions: e.mentions}
		if e.known != nil {
			c.ID = e.known.ID
		} else {
			c.ID = "E" + strconv.Itoa(next)
			next++
		}
		out = append(out, c)
	}
	return out
}

func compareMentions(a, b annotate.Mention) int {
	return cmp.Or(cmp.Compare(a.Sentence, b.Sentence), cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End))
}
