package semanticanchoring

import (
	"slices"
	"strings"
	"unicode/utf8"

	"recallbench/methods/internal/linguistic"
	"recallbench/methods/internal/transcript"
)

// text writes an entry in the manner of appendix A.7: what is said of it, and
// the utterance.
//
//	[ENTITY: Asha Rao | CorefID=E5 | NER=PERSON]
//	[DISCOURSE: Comparison.Contrast]
//	[UTTERANCE @ 14 March 2024 09:10] Ben: "She would rather come on Friday."
//	[DEPS: (come-nsubj-she), (come-obl-friday)]
//
// Entities of one entry share a line, so that the number of lines is what the
// options say.
func (s Serialise) text(e linguistic.Entry) string {
	var lines []string
	add := func(line string) {
		if line != "" && len(lines) < s.Lines {
			lines = append(lines, line)
		}
	}
	add(s.entities(e))
	if len(e.Senses) > 0 {
		add("[DISCOURSE: " + strings.Join(e.Senses, ", ") + "]")
	}
	about := len(lines)
	add(s.triples(e))
	lines = append(lines[:about:about], append([]string{utterance(e)}, lines[about:]...)...)
	return strings.Join(lines, "\n")
}

func utterance(e linguistic.Entry) string {
	var b strings.Builder
	b.WriteString("[UTTERANCE")
	if !e.Line.Time.IsZero() {
		b.WriteString(" @ " + transcript.Time(e.Line.Time))
	}
	b.WriteString("] ")
	if e.Line.Speaker != "" {
		b.WriteString(e.Line.Speaker + ": ")
	}
	b.WriteString(`"` + e.Line.Text + `"`)
	return b.String()
}

// entities writes the entities that are shown.
func (s Serialise) entities(e linguistic.Entry) string {
	var parts []string
	for _, entity := range s.named(e) {
		part := "ENTITY: " + bracketless.Replace(entity.Name)
		if entity.ID != "" {
			part += " | CorefID=" + entity.ID
		}
		if entity.Type != "" {
			part += " | NER=" + entity.Type
		}
		parts = append(parts, "["+part+"]")
	}
	return strings.Join(parts, " ")
}

// shown names the entities that the text of an entry shows, for a reader that is
// given tasks and no text.
func (s Serialise) shown(e linguistic.Entry) []string {
	if s.Lines < 1 {
		return nil
	}
	var names []string
	for _, entity := range s.named(e) {
		names = append(names, entity.Name)
	}
	return names
}

// named returns the first entities that have a name, those first that the
// utterance does not call by it, because there the name is news. The speaker
// stands before the utterance anyway.
func (s Serialise) named(e linguistic.Entry) []linguistic.Entity {
	var news, named []linguistic.Entity
	for _, entity := range e.Entities {
		switch {
		case entity.Name == "" || entity.Name == e.Line.Speaker || utf8.RuneCountInString(entity.Name) > maxName:
		case len(entity.Names) == 0:
			news = append(news, entity)
		default:
			named = append(named, entity)
		}
	}
	all := slices.Concat(news, named)
	return all[:min(len(all), s.Entities)]
}

// maxName is the number of characters from which a name is none: what an
// annotator took for one is not repeated to the reader.
const maxName = 80

func (s Serialise) triples(e linguistic.Entry) string {
	var parts []string
	for _, t := range e.Triples[:min(len(e.Triples), s.Triples)] {
		if utf8.RuneCountInString(t.Key()) <= maxName {
			parts = append(parts, "("+bracketless.Replace(t.Head+"-"+t.Label+"-"+t.Child)+")")
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "[DEPS: " + strings.Join(parts, ", ") + "]"
}

// bracketless keeps what a text says from closing the brackets around it.
var bracketless = strings.NewReplacer("[", "(", "]", ")", "|", "/", "\n", " ")
