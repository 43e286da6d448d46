package annotate

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"recallbench/internal/calc/lists"
)

// Link gives clusters that a coreference system found within one session the ids of
// known entities, for systems that know nothing of other sessions. Existing cluster
// ids are dropped; mentions need not be in order.
//
// "I" is the speaker of its utterance, and "you" the other speaker if there are two,
// whatever the system says: it was given one text. A cluster is about a known entity
// if one of its names is the entity's name or alias, ignoring case and "the", and its
// type allows it. The most recently mentioned entity comes first. A cluster without
// names is about the known entity that was called by the same noun, unless it begins
// with "a". Clusters about one entity are joined. A cluster without a match gets a
// fresh id. The clusters are then in the order of their first mention.
func Link(d *Document, r Request) {
	l := linker{
		doc: d, request: r, fresh: Fresh(r.Known), ids: make(map[string]int), joined: make(map[int]bool),
		names: make(map[string][]int), known: make(map[string][]int), heads: make(map[string][]int),
	}
	for i, k := range slices.Backward(r.Known) {
		for _, name := range append([]string{k.Name}, k.Aliases...) {
			l.known[normal(name)] = append(l.known[normal(name)], i)
		}
		for _, h := range k.Heads {
			l.heads[h] = append(l.heads[h], i)
		}
	}
	for _, u := range r.Utterances {
		if u.Speaker != "" {
			l.speakers = lists.AddNew(l.speakers, u.Speaker)
		}
	}
	clusters := d.Clusters
	d.Clusters = nil
	for _, c := range clusters {
		l.part(c)
	}
	for i := range d.Clusters {
		c := &d.Clusters[i]
		slices.SortFunc(c.Mentions, Mention.compare)
		c.Mentions = slices.Compact(c.Mentions)
		if l.joined[i] && !c.Speaker {
			c.Name = l.name(c.Mentions)
		}
	}
	slices.SortFunc(d.Clusters, func(a, b Cluster) int { return a.Mentions[0].compare(b.Mentions[0]) })
}

type linker struct {
	doc      *Document
	request  Request
	speakers []string
	fresh    int
	ids      map[string]int   // of clusters, by id
	joined   map[int]bool     // clusters made of several
	names    map[string][]int // clusters by name
	known    map[string][]int // known entities by name, the last first
	heads    map[string][]int // and by noun
}

// part takes the mentions of speakers out of a cluster and adds what is left.
func (l *linker) part(c Cluster) {
	spoken := make(map[string][]Mention)
	var rest []Mention
	for _, m := range c.Mentions {
		if who := l.speakerOf(m); who != "" {
			spoken[who] = append(spoken[who], m)
		} else {
			rest = append(rest, m)
		}
	}
	for _, who := range l.speakers {
		if mentions := spoken[who]; mentions != nil {
			l.add(Cluster{Name: who, Type: "PERSON", Speaker: true, Mentions: mentions})
		}
	}
	// "I, Ann, ..." names the one who speaks; pronouns alone are nothing to go by.
	if c.Mentions = rest; len(rest) > 0 {
		if c.Speaker = c.Speaker && len(spoken) == 0; c.Name == "" || len(spoken) > 0 {
			c.Name = l.name(rest)
		}
		l.add(c)
	}
}

// speakerOf returns the speaker that a pronoun refers to; empty for none.
func (l *linker) speakerOf(m Mention) string {
	if m.Kind != Pronominal {
		return ""
	}
	who := l.request.Utterances[l.doc.Sentences[m.Sentence].Utterance].Speaker
	switch strings.ToLower(l.text(m)) {
	case "i", "me", "my", "mine", "myself":
		return who
	case "you", "your", "yours", "yourself":
		if len(l.speakers) == 2 && who != "" {
			return l.speakers[1-slices.Index(l.speakers, who)]
		}
	}
	return ""
}

func (l *linker) text(m Mention) string { return l.doc.Text(l.request.Utterances, m) }

// name returns the longest name among mentions, or the first nominal.
func (l *linker) name(mentions []Mention) string {
	name, nominal := "", ""
	for _, m := range mentions {
		text := l.text(m)
		switch {
		case m.Kind == Named && len(text) > len(name):
			name = text
		case m.Kind == Nominal && nominal == "":
			nominal = text
		}
	}
	if name != "" {
		return name
	}
	if nominal == "" {
		return l.text(mentions[0])
	}
	return nominal
}

// add adds a cluster under its id.
func (l *linker) add(c Cluster) {
	names, nominals := l.calls(c)
	i := first(l.names, names, func(i int) bool { return compatible(c.Type, l.doc.Clusters[i].Type) }, func(a, b int) bool { return a < b })
	if i < 0 {
		fits := func(i int) bool { return compatible(c.Type, l.request.Known[i].Type) }
		later := func(a, b int) bool { return a > b }
		k := first(l.known, names, fits, later)
		if k < 0 && len(names) == 0 {
			k = first(l.heads, nominals, fits, later)
		}
		if k >= 0 {
			c.ID, c.Speaker = l.request.Known[k].ID, c.Speaker || l.request.Known[k].Speaker
		} else {
			c.ID = "E" + strconv.Itoa(l.fresh)
			l.fresh++
		}
		var ok bool
		if i, ok = l.ids[c.ID]; !ok {
			i = -1
		}
	}
	if i >= 0 {
		l.joined[i] = true
		l.join(&l.doc.Clusters[i], c)
	} else {
		i = len(l.doc.Clusters)
		c.Speaker = c.Speaker || slices.Contains(l.speakers, c.Name)
		l.ids[c.ID] = i
		l.doc.Clusters = append(l.doc.Clusters, c)
	}
	for _, n := range names {
		l.names[n] = lists.AddNew(l.names[n], i)
	}
}

// first returns the first of the things that have one of the names and fit; -1 for
// none.
func first(by map[string][]int, names []string, fits func(int) bool, before func(a, b int) bool) int {
	found := -1
	for _, n := range names {
		for _, i := range by[n] {
			if n != "" && fits(i) && (found < 0 || before(i, found)) {
				found = i
			}
		}
	}
	return found
}

func (l *linker) join(have *Cluster, c Cluster) {
	have.Mentions = append(have.Mentions, c.Mentions...)
	have.Type = cmp.Or(have.Type, c.Type)
	have.Speaker = have.Speaker || c.Speaker
}

// calls returns the names of a cluster, and the nouns of definite mentions.
func (l *linker) calls(c Cluster) (names, nominals []string) {
	if c.Speaker {
		names = append(names, normal(c.Name))
	}
	for _, m := range c.Mentions {
		switch m.Kind {
		case Named:
			names = append(names, normal(l.text(m)))
		case Nominal:
			text := strings.ToLower(l.text(m))
			if !strings.HasPrefix(text, "a ") && !strings.HasPrefix(text, "an ") && !strings.HasPrefix(text, "another ") {
				nominals = append(nominals, strings.ToLower(l.doc.Sentences[m.Sentence].Tokens[m.End-1].Lemma))
			}
		case Pronominal:
		}
	}
	return names, nominals
}

// normal is a name as it is compared.
func normal(name string) string {
	name = strings.Join(strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
	return strings.TrimSuffix(strings.TrimSuffix(strings.TrimPrefix(name, "the "), "'s"), "’s")
}

func compatible(a, b string) bool { return a == b || a == "" || b == "" }
