package tree

import (
	"slices"
	"strings"

	"recallbench/internal/engine/tree"
)

// seenValues returns the short values that fields have in nodes, by type and
// field: how a tree writes what it says.
func seenValues(nodes []*tree.Node) map[[2]string][]string {
	const limit = 100
	seen := map[[2]string][]string{}
	for _, n := range nodes {
		for _, f := range n.Fields {
			key := [2]string{n.Type, f.Name}
			v := f.Value()
			if len(f.Values) == 1 && len(v) <= 40 && len(seen[key]) < limit && !slices.Contains(seen[key], v) {
				seen[key] = append(seen[key], v)
			}
		}
	}
	return seen
}

// withSeen adds the values that nodes have to those that the schema lists.
func (o *order) withSeen(k *kind, f field) field {
	for _, v := range o.seen[[2]string{k.name, f.name}] {
		if !slices.Contains(f.values, v) {
			f.values = append(slices.Clip(f.values), v)
		}
	}
	return f
}

// fieldOfValue returns the field of a type that other nodes have a value in.
func (o *order) fieldOfValue(k *kind, value string) (string, bool) {
	for _, f := range k.fields {
		if f.kind == kindName {
			continue
		}
		if slices.ContainsFunc(o.withSeen(k, f).values, func(v string) bool { return strings.EqualFold(v, value) || alike(v, value) }) {
			return f.name, true
		}
	}
	return "", false
}

// alike reports whether two values differ in a number only: "Studio 5" and
// "Studio 7".
func alike(a, b string) bool {
	at, bt := firstDigits.FindStringIndex(a), firstDigits.FindStringIndex(b)
	return at != nil && bt != nil && at[0] > 1 && strings.EqualFold(a[:at[0]], b[:bt[0]]) && strings.EqualFold(a[at[1]:], b[bt[1]:])
}

var firstDigits = newPattern(`\d+`)

// holders returns the types that have a field.
func (v *vocab) holders(name string) []*kind {
	var out []*kind
	for _, k := range v.kinds {
		if k.hasField(name) {
			out = append(out, k)
		}
	}
	return out
}

// aimAtField makes an update of a field that only containers have one of the
// containers: "the theme of day 4" is the day's.
func (o *order) aimAtField() {
	r := o.what
	if o.field == "" || o.field == "name" || len(r.targets) == 0 {
		return
	}
	have := o.v.holders(o.field)
	if len(have) == 0 || slices.ContainsFunc(r.targets, func(k *kind) bool { return k.hasField(o.field) }) {
		return
	}
	r.targets, r.explicit, r.group = have, true, nil
}

var (
	person   = `(\p{Lu}[\p{L}'-]+(?: \p{Lu}[\p{L}'-]+){0,2}|(?i:him|her))`
	takeOver = newPattern(person + `(?: has| is going to|['’]ll| will| now| can| should)? (?i:takes? over|took over|taken over|steps? in|fills? in|stands? in|is covering|does|do|handles?|look(?:s)? after|take(?:s)? care of|sees? to|(?:is |be )?(?:now )?in charge of|(?:is |be )?(?:now )?responsible for)\b`)
	putDown  = newPattern(`(?i:put|make|name|list|enter|set) ` + person + ` (?i:down |in )?(?i:as )?(?i:the |its |their )?(?:\w+)\b`)
	goesTo   = newPattern(`(?i:goes?|passes|falls) (?i:over )?(?i:to) ` + person + `\b`)
	giveTo   = newPattern(`(?i:give|hand|pass|leave) ` + person + ` (?i:the|that|this|those|these|my|our)\b`)
	assignTo = newPattern(`(?i:assign|give|hand|pass|leave|allocate|entrust) (?:[^.;!?]{1,60} )?(?i:over )?(?i:to) ` + person + `\b`)
	notNames = set(`i we it the a an this that my our his her their please you he she they what who when can could would there so and but now`)
)

// readPerson reads who is to have something to do, and returns where that
// stands in the text.
func (o *order) readPerson(text string) (from, to int) {
	var who field
	for _, k := range o.v.kinds {
		if f, ok := k.byKind(kindPerson); ok && who.name == "" {
			who = f
		}
	}
	if who.name == "" || o.set(kindPerson) {
		return 0, 0
	}
	for i, p := range [...]*pattern{takeOver, giveTo, assignTo, putDown, goesTo} {
		m := p.FindStringSubmatchIndex(text)
		if m == nil {
			continue
		}
		if relativeLead.MatchString(text[:m[0]]) {
			continue // "what Anna does" is whose it is now
		}
		name := text[m[2]:m[3]]
		if low := strings.ToLower(name); low == "him" || low == "her" {
			before := text[:m[0]]
			name = ""
			for _, w := range scan(o.text) {
				if w.upper && !notNames[w.low] && strings.Contains(o.text[:max(0, strings.Index(o.text, strings.TrimSpace(text[m[0]:m[1]])))], w.low) || w.upper && !notNames[w.low] && (w.start == 0 || strings.Contains(before, name) && name != "") {
					name = o.text[w.start:w.end]
					break
				}
			}
			if name == "" {
				continue
			}
		} else if notNames[low] {
			continue
		}
		if i == 3 && !slices.ContainsFunc(scan(text[m[3]:m[1]]), func(w word) bool { return slices.Contains(who.words, w.stem) }) && !strings.Contains(text[m[0]:m[1]], "charge") {
			continue
		}
		o.settings = append(o.settings, setting{kind: kindPerson, field: who.name, value: name})
		if i == 1 || i == 2 {
			return m[2], m[3]
		}
		return m[0], m[3] + len(text[m[3]:m[1]])
	}
	return 0, 0
}

var (
	noteThat  = re(`\b(?:note(?: down)?|record|write down|jot down|mention|add (?:a|the) (?:note|remark|comment)|remember)(?: also| as well| there| in the notes?)?(?: that|:| saying(?: that)?)\s+([^.;!?]+)`)
	noteUnder = re(`\b(?:note|record|write|put|enter|add|save|store|keep)(?: down)? (?:that|this|it)(?: down)? (?:under|as|in|for) (?:its |the |their )?(\w+)`)
	codeForm  = re(`\b(?:the |its |our )?((?:booking |confirmation |reference |room )?(?:code|reference|number|locker|ticket))\s*(?:is|:|number)?\s+([A-Z0-9][A-Z0-9-]*\d[A-Z0-9-]*)\b`)
	takingOf  = re(`\b(?:take|taking|use|using|go(?:ing)? by|get|getting|need|needs|be|is)\s+(?:an? |the )?([^.;!?]+)`)
	toward    = re(`\s+(?:to|for|from) (?:the |our |my )?[^,.;!?]+`)
)

// readNote reads what is to be noted, in a field for notes or in the one that
// is named. It returns where the words of a note stand.
func (o *order) readNote(main string) bool {
	if m := noteUnder.FindStringSubmatch(main); m != nil {
		f := o.fieldNamed(m[1])
		before := strings.TrimSpace(o.text[:max(0, strings.Index(o.text, main))])
		if f == "" || before == "" {
			return false
		}
		o.field = f
		if c := codeForm.FindStringSubmatch(before); c != nil {
			o.value = sentenceCase(c[1]) + " " + c[2]
		} else if c := takingOf.FindStringSubmatch(before); c != nil {
			o.value = sentenceCase(strings.TrimSpace(toward.ReplaceAllString(c[1], "")))
		}
		return o.value != ""
	}
	m := noteThat.FindStringSubmatch(main)
	if m == nil {
		return false
	}
	for _, k := range o.v.leaves() {
		for _, f := range k.fields {
			if f.kind == kindText && slices.ContainsFunc(f.words, func(w string) bool { return noteFields[w] }) {
				o.field, o.value, o.append = f.name, strings.TrimSpace(m[1]), true
				return true
			}
		}
	}
	return false
}

// relativeLead leads a relative clause in.
var relativeLead = re(`\b(?:that|which|what|whatever|who|everything|anything|all|stuff|things|where|when)\s+$`)

var noteFields = stems(`note notes comment comments remark remarks`)
