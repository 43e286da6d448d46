package semanticanchoring

import (
	"slices"
	"strings"
	"unicode/utf8"

	"recallbench/methods/internal/linguistic"
	"recallbench/methods/internal/transcript"
)

// Limits on what is shown of an entry in addition to its text.
const (
	mostLines    = 2 // entities, then discourse, then dependencies
	mostEntities = 4
	mostTriples  = 4
)

// serialise writes an entry in the manner of appendix A.7: its annotations, and
// the utterance.
//
//	[ENTITY: Asha Rao | CorefID=E5 | NER=PERSON]
//	[DISCOURSE: Comparison.Contrast]
//	[UTTERANCE @ 14 March 2024 09:10] Ben: "She would rather come on Friday."
//
// Dependencies follow the utterance if there is a line left for them. Entities of
// one entry share a line.
func serialise(e linguistic.Entry) string {
	var before, after []string
	if line := entities(e); line != "" {
		before = append(before, line)
	}
	if len(e.Senses) > 0 {
		before = append(before, "[DISCOURSE: "+strings.Join(e.Senses, ", ")+"]")
	}
	if line := triples(e); line != "" && len(before) < mostLines {
		after = append(after, line)
	}
	return strings.Join(slices.Concat(before, []string{utterance(e)}, after), "\n")
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
func entities(e linguistic.Entry) string {
	var parts []string
	for _, entity := range named(e) {
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

// named returns the first entities that have a name. Those that the utterance
// calls otherwise come first, because there the name is new information. The
// speaker stands before the utterance anyway.
func named(e linguistic.Entry) []linguistic.Entity {
	var news, called []linguistic.Entity
	for _, entity := range e.Entities {
		switch {
		case entity.Name == "" || entity.Name == e.Line.Speaker || utf8.RuneCountInString(entity.Name) > maxName:
		case len(entity.Names) == 0:
			news = append(news, entity)
		default:
			called = append(called, entity)
		}
	}
	all := slices.Concat(news, called)
	return all[:min(len(all), mostEntities)]
}

// maxName is the length in characters from which a name is ignored: an
// annotator's mistake is not repeated to the reader.
const maxName = 80

func triples(e linguistic.Entry) string {
	var parts []string
	for _, t := range e.Triples[:min(len(e.Triples), mostTriples)] {
		if utf8.RuneCountInString(t.Key()) <= maxName {
			parts = append(parts, "("+bracketless.Replace(t.Head+"-"+t.Label+"-"+t.Child)+")")
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "[DEPS: " + strings.Join(parts, ", ") + "]"
}

// bracketless keeps a text from closing the brackets around it.
var bracketless = strings.NewReplacer("[", "(", "]", ")", "|", "/", "\n", " ")
