package tree

import (
	"regexp"
	"slices"
	"strings"

	"recallbench/internal/engine/treetask"
)

// readGiven reads the values of what is created that stand beside the names of
// their fields: in quotation marks, as a list, or as one of several dates. It
// returns where they stand.
func (o *order) readGiven(text string) (cuts []int) {
	for _, k := range o.v.kinds {
		if k.name == o.v.root {
			continue
		}
		for _, f := range k.fields {
			if f.name == k.nameField() || f.kind == kindName || o.hasSetting(f.name) || len(f.words) == 0 {
				continue
			}
			word := fieldPattern(f)
			if word == "" {
				continue
			}
			if m := regexp.MustCompile(`(?i)\b(?:with )?(?:the |an? |its )?` + word + `(?: (?:is|of|to|saying|says|that says|reads|called|as))?\s*[:,]?\s*["“]([^"“”]{1,200})["”]`).FindStringSubmatchIndex(text); m != nil {
				o.settings = append(o.settings, setting{kind: kindText, field: f.name, value: text[m[2]:m[3]]})
				cuts = append(cuts, m[0], m[1])
				continue
			}
			if f.kind == kindList {
				if from, to, value := listOf(text, word); value != "" {
					o.settings = append(o.settings, setting{kind: kindText, field: f.name, value: value})
					cuts = append(cuts, from, to)
				}
			}
		}
	}
	return cuts
}

// fieldPattern matches the name of a field in a text, in the singular or
// plural.
func fieldPattern(f field) string {
	parts := split(f.name)
	for i, p := range parts {
		parts[i] = regexp.QuoteMeta(strings.TrimSuffix(p, "s")) + "s?"
	}
	return strings.Join(parts, `[ -]`)
}

// listOf reads "ingredients: a, b and c", "with a, b and c as its ingredients"
// and "made of a, b and c".
func listOf(text, word string) (from, to int, value string) {
	for _, p := range []string{
		`\b` + word + `\s*(?::|are|is|=)\s*([^.;!?]+)`,
		`\b(?:with|from|using|of)\s+([^.;!?:]+?)\s+(?:as|for)\s+(?:its |the |his |her |their )?` + word,
		`\b(?:with|and) (?:the )?` + word + `\s+([^.;!?]+)`,
		`\b(?:made|cooked|prepared|baked|mixed) (?:of|from|with|out of)\s+([^.;!?]+)`,
	} {
		m := regexp.MustCompile(`(?i)` + p).FindStringSubmatchIndex(text)
		if m == nil {
			continue
		}
		var items []string
		end := m[2]
		for _, part := range itemGap.Split(text[m[2]:m[3]], 30) {
			if part = strings.TrimSpace(part); part == "" {
				continue
			}
			if strings.ContainsAny(part, "0123456789$€£") || len(strings.Fields(part)) > 5 {
				break
			}
			items = append(items, strings.TrimSpace(article.ReplaceAllString(part, "")))
			end = m[2] + strings.Index(text[m[2]:m[3]], part) + len(part)
		}
		if len(items) > 0 {
			return m[0], max(end, min(m[1], end)), strings.Join(items, "; ")
		}
	}
	return 0, 0, ""
}

var itemGap = re(`\s*,\s*(?:and\s+)?|\s+(?:and|plus)\s+`)

// readDates gives each of several dates to the field whose word stands before
// it: "sown on 10 May, harvest on 1 October". It reports whether it did.
func (o *order) readDates(text string) bool {
	k := o.v.kind(o.create)
	if k == nil {
		return false
	}
	var dated []field
	for _, f := range k.fields {
		if f.kind == kindDate {
			dated = append(dated, f)
		}
	}
	if len(dated) < 2 {
		return false
	}
	found := false
	for _, p := range periods(text, o.today) {
		if p.week {
			continue
		}
		words := scan(text[:p.start])
	near:
		for i := len(words) - 1; i >= max(0, len(words)-5); i-- {
			for _, f := range dated {
				if slices.Contains(f.words, words[i].stem) || sameWord(words[i].low, f.name) {
					if !found {
						o.settings = slices.DeleteFunc(o.settings, func(s setting) bool { return s.kind == kindDate })
					}
					found = true
					o.settings = append(o.settings, setting{kind: kindDate, field: f.name, lo: float64(p.to.Unix()/86400) - 1, value: text[p.start:p.end]})
					break near
				}
			}
		}
	}
	return found
}

// sameWord reports whether two forms of a word begin alike: "sow" and "sown".
func sameWord(a, b string) bool {
	b = strings.ToLower(b)
	return len(a) > 2 && (strings.HasPrefix(a, b) || strings.HasPrefix(b, a))
}

var (
	nthForm   = newPattern(`(?i)\b(?:as|be|at|in|into) (?:(?:the|his|her|its|their|our|my|\p{L}+['’]s) )?(?:number |place |position |no\.? )?(second|third|fourth|fifth|sixth|2nd|3rd|4th|5th|6th|two|three|four|five)(?: (?:\p{L}+))?\b`)
	anyNoun   = newPattern(`(?i)\b(?:an?|some)\s+([^,.;:!?]+)`)
	colonName = newPattern(`:\s+([^,.;:!?]+)`)
)

// readNth reads a place by number: "as the second task".
func (o *order) readNth(text string) {
	if o.op != treetask.Create && o.op != treetask.Move {
		return
	}
	m := nthForm.FindStringSubmatch(text)
	if m == nil || o.place.first || o.place.last || o.place.after+o.place.before != "" {
		return
	}
	if n, ok := number(strings.ToLower(m[1])); ok && n > 1 {
		o.place.nth = n
	}
}

var (
	openWith  = re(`\b(?:start|begin|open|kick off) .{2,30}? with\b`)
	closeWith = re(`\b(?:finish|end|close|round off) .{2,30}? with\b`)
)
