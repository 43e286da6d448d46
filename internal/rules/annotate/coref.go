package annotate

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"recallbench/internal/door/annotate"
)

// An ent is an entity on its way through a session.
type ent struct {
	known   *annotate.Known // nil for a new one
	into    *ent            // the entity that it was found to be
	label   string          // canonical name so far
	names   [][]string      // names, as tokens in lower case
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

// is returns the entity that e was found to be.
func (e *ent) is() *ent {
	for e.into != nil {
		e = e.into
	}
	return e
}

func (e *ent) person() bool {
	return e.typ == "PERSON" || e.speaker != ""
}

// A seen is a mention in the order of the session.
type seen struct {
	ent      *ent
	sentence int
	token    int // its head
	subject  bool
	object   bool
	toldTo   bool // an object or oblique where the subject is "I" or "you"
	weight   float64
}

// A resolver goes through a session from left to right and gives each mention to
// an entity: those known before, the speakers, and those that it meets.
type resolver struct {
	r        annotate.Request
	sents    []sentence
	memo     *memo
	ents     []*ent
	byName   map[string][]*ent // by whole names and by parts that may stand for them
	byValue  map[string]*ent
	speakers map[string]*ent
	groups   map[string]*ent // "we" of each speaker
	order    []seen
	topic    string // the kind of place spoken of last
	topicAt  int
}

func resolve(r annotate.Request, sents []sentence, m *memo) []annotate.Cluster {
	v := &resolver{
		r: r, sents: sents, memo: m, byName: make(map[string][]*ent, 2*len(r.Known)), byValue: make(map[string]*ent),
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
	e := &ent{known: k, label: k.Name, typ: k.Type, gender: k.Gender, plural: k.Plural, heads: slices.Clone(k.Heads), keeps: true}
	v.ents = append(v.ents, e)
	if k.Speaker && v.speakers[k.Name] == nil {
		e.speaker = k.Name
		v.speakers[k.Name] = e
	}
	if group, ok := strings.CutSuffix(k.Name, andOthers); ok && k.Plural {
		v.groups[group] = e
		return
	}
	for _, h := range e.heads {
		e.addKind(kindOf(h))
	}
	switch {
	case isValue(k.Type):
		e.value = k.Name
		if key := v.memo.value(k.Type, k.Name); key != "" {
			v.byValue[k.Type+":"+key] = e
		}
	case isQuality(k.Type):
		e.value = "=" + lower(k.Name)
		v.byValue[e.value] = e
	case pairName(k):
	case isNominal(k):
		// "Anna's sister" goes by its owner and its head.
		if owner, head, ok := strings.Cut(k.Name, "'s "); ok {
			v.byName["'s "+lower(owner)+" "+lower(head)] = append(v.byName["'s "+lower(owner)+" "+lower(head)], e)
		}
	default:
		v.addRead(e, v.memo.name(k.Name))
		for _, a := range k.Aliases {
			v.addRead(e, v.memo.name(a))
		}
	}
}

// participant returns the entity of a speaker.
func (v *resolver) participant(label string) *ent {
	if e := v.speakers[label]; e != nil {
		return e.is()
	}
	e := &ent{label: label, typ: "PERSON", speaker: label, plural: strings.Contains(label, ",")}
	v.speakers[label] = e
	v.ents = append(v.ents, e)
	v.addRead(e, v.memo.name(label))
	return e
}

// addRead notes a name that was read before.
func (v *resolver) addRead(e *ent, n readName) {
	keys := n.keys
	if e.person() || e.typ == "" {
		keys = n.personKeys
	}
	v.addKeys(e, n.clean, keys)
}

// addName notes a name of an entity.
func (v *resolver) addName(e *ent, low []string) {
	if len(low) > 0 {
		v.addKeys(e, low, nameKeys(low, e.person() || e.typ == ""))
	}
}

// addKeys notes a name of an entity and the keys that find it.
func (v *resolver) addKeys(e *ent, low, keys []string) {
	if len(low) == 0 {
		return
	}
	for _, n := range e.names {
		if slices.Equal(n, low) {
			return
		}
	}
	e.names = append(e.names, low)
	for _, key := range keys {
		list := v.byName[key]
		if slices.Contains(list, e) {
			continue
		}
		if len(list) >= maxAlike {
			list = slices.Delete(list, 0, maxAlike/2)
		}
		v.byName[key] = append(list, e)
	}
	if e.person() {
		e.gender = cmp.Or(e.gender, nameGender(low))
	}
	if street(low) {
		e.addKind("street")
	}
	for _, w := range low {
		if k := words().places[w]; k != "" && e.typ != "PERSON" {
			e.addKind(k)
		}
	}
}

// street reports whether a name is of a street, which is seldom what one talks of.
func street(low []string) bool {
	switch low[len(low)-1] {
	case "street", "road", "avenue", "lane":
		return len(low) > 1
	}
	return false
}

func (e *ent) addKind(k string) {
	if k != "" && !slices.Contains(e.kinds, k) {
		e.kinds = append(e.kinds, k)
	}
}

// kindOf returns the kind of thing that a noun stands for.
func kindOf(head string) string {
	return cmp.Or(words().places[head], words().things[head])
}

// mention gives a mention to an entity.
func (v *resolver) mention(e *ent, m annotate.Mention, head int, weight float64) *ent {
	e = e.is()
	e.mentions = append(e.mentions, m)
	s := seen{ent: e, sentence: m.Sentence, token: head, weight: weight}
	if deps := v.sents[m.Sentence].Dependencies; head < len(deps) {
		label := deps[head].Label
		s.subject = strings.HasPrefix(label, "nsubj")
		s.object = label == "obj" || label == "iobj"
		s.toldTo = !s.subject && (s.object || label == "obl") && v.sents[m.Sentence].subjectTalks(deps[head].Head)
	}
	v.order = append(v.order, s)
	e.last = len(v.order)
	return e
}

// subjectTalks reports whether the subject of a predicate takes part in the talk.
func (s *sentence) subjectTalks(predicate int) bool {
	for _, d := range s.Dependencies {
		if d.Head == predicate && strings.HasPrefix(d.Label, "nsubj") {
			switch s.low[d.Dependent] {
			case "i", "you", "we":
				return true
			}
		}
	}
	return false
}

// newEnt makes an entity.
func (v *resolver) newEnt(label, typ string) *ent {
	e := &ent{label: label, typ: typ}
	v.ents = append(v.ents, e)
	return e
}

// merge makes one entity of two and reports whether they may be one: no two
// participants and no two that were known apart.
func (v *resolver) merge(a, b *ent) bool {
	a, b = a.is(), b.is()
	if a == b {
		return true
	}
	if a.speaker != "" && b.speaker != "" || a.known != nil && b.known != nil || a.gender != "" && b.gender != "" && a.gender != b.gender {
		return false
	}
	if b.known != nil || b.speaker != "" && a.known == nil {
		a, b = b, a
	}
	if b.speaker != "" {
		a.speaker, a.label = b.speaker, b.speaker
		v.speakers[b.speaker] = a
	}
	b.into = a
	a.mentions = append(a.mentions, b.mentions...)
	a.last = max(a.last, b.last)
	a.typ, a.gender, a.owner = cmp.Or(a.typ, b.typ), cmp.Or(a.gender, b.gender), cmp.Or(a.owner, b.owner)
	a.keeps, a.plural = a.keeps || b.keeps, a.plural || b.plural
	for _, h := range b.heads {
		a.addHead(h)
	}
	for _, n := range b.names {
		v.addName(a, n)
	}
	return true
}

func (e *ent) addHead(h string) {
	if h != "" && !slices.Contains(e.heads, h) {
		e.heads = append(e.heads, h)
		e.addKind(kindOf(h))
	}
}

// clusters returns what the session mentions, in the order of first mention.
func (v *resolver) clusters() []annotate.Cluster {
	var kept []*ent
	for _, e := range v.ents {
		if e.into != nil || len(e.mentions) == 0 || len(e.mentions) == 1 && !e.keeps && e.speaker == "" {
			continue
		}
		slices.SortFunc(e.mentions, compareMentions)
		kept = append(kept, e)
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
