package annotate

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/jdkato/prose/v3/tag"

	"recallbench/internal/door/annotate"
	"recallbench/internal/text/pytext"
)

// tagSentence fills in the parts of speech. The tagger was trained on edited
// news: it gets "I" for "i", straight apostrophes, and the first word of a
// sentence in lower case where that is a common word.
func tagSentence(t *tag.Tagger, s *sentence, buf []tag.Token) []tag.Token {
	buf = buf[:0]
	for i, tok := range s.Tokens {
		w := tok.Text
		switch {
		case s.low[i] == "i":
			w = "I"
		case i == 0 && isCommon(s.low[i]), strings.Contains(w, "’"):
			w = s.low[i]
		}
		buf = append(buf, tag.Token{Text: w})
	}
	t.TagTokens(buf)
	for i := range s.Tokens {
		s.Tokens[i].POS = correct(s, i, buf[i].Tag)
	}
	s.retag()
	s.ask()
	for i := range s.Tokens {
		tok := &s.Tokens[i]
		tok.Lemma = lemma(tok.Text, s.low[i], tok.POS)
	}
	return buf
}

// marks are the Penn tags of punctuation.
var marks = map[string]string{
	",": ",", ".": ".", "?": ".", "!": ".", ":": ":", ";": ":", "-": ":", "…": ":", "—": ":", "–": ":", "/": ":",
	"(": "-LRB-", "[": "-LRB-", "{": "-LRB-", ")": "-RRB-", "]": "-RRB-", "}": "-RRB-",
	`"`: "''", "“": "``", "”": "''", "'": "''", "‘": "``", "’": "''", "`": "``", "$": "$", "£": "$", "€": "$", "#": "#", "%": "NN", "&": "CC",
}

// closed are tags of words of closed classes that the tagger misses in chat.
var closed = map[string]string{
	"i": "PRP", "me": "PRP", "he": "PRP", "she": "PRP", "it": "PRP", "we": "PRP", "they": "PRP", "him": "PRP", "them": "PRP", "us": "PRP", "you": "PRP",
	"myself": "PRP", "yourself": "PRP", "himself": "PRP", "herself": "PRP", "itself": "PRP", "ourselves": "PRP", "themselves": "PRP", "yourselves": "PRP",
	"my": "PRP$", "your": "PRP$", "their": "PRP$", "our": "PRP$", "its": "PRP$",
	"mine": "PRP", "yours": "PRP", "ours": "PRP", "theirs": "PRP", "hers": "PRP",
	"the": "DT", "a": "DT", "an": "DT", "and": "CC", "or": "CC", "but": "CC", "to": "TO",
	"hi": "UH", "hey": "UH", "hello": "UH", "yeah": "UH", "yep": "UH", "yes": "UH", "ok": "UH", "okay": "UH", "oh": "UH", "uh": "UH", "um": "UH", "hmm": "UH",
	"wow": "UH", "please": "UH", "bye": "UH", "goodbye": "UH", "ah": "UH", "aw": "UH", "aww": "UH", "ooh": "UH", "ugh": "UH", "huh": "UH", "oops": "UH",
	"n't": "RB", "not": "RB", "'m": "VBP", "'re": "VBP", "'ve": "VBP", "'ll": "MD",
	"could": "MD", "would": "MD", "should": "MD", "can": "MD", "must": "MD", "shall": "MD",
	"am": "VBP", "is": "VBZ", "are": "VBP", "was": "VBD", "were": "VBD", "been": "VBN", "did": "VBD", "does": "VBZ",
}

// correct returns the tag of one token in view of its spelling.
func correct(s *sentence, i int, t string) string {
	w, low := s.Tokens[i].Text, s.low[i]
	if c, ok := marks[w]; ok {
		return c
	}
	if mark(w) {
		if c, ok := marks[w[:1]]; ok && c == "." && w[0] != '.' { // "!!!"
			return c
		}
		return ":"
	}
	if interjection(low) && !pytext.IsCommon(low) && !strings.HasPrefix(t, "PRP") && !strings.HasPrefix(t, "W") {
		return "UH"
	}
	if a, b, ok := strings.Cut(low, "-"); ok && a == b && closed[a] != "" {
		return closed[a] // a stutter: "I-I"
	}
	if c, ok := closed[low]; ok && (low != "us" || w != "US") {
		return c
	}
	r, _ := utf8.DecodeRuneInString(w)
	switch {
	case unicode.IsDigit(r) && !letters(w):
		return "CD"
	case t == "-NONE-", t == "SYM", !unicode.IsLetter(rune(t[0])):
		return "NN"
	case t == "NNP" && i > 0 && !unicode.IsUpper(r):
		return "NN"
	}
	return t
}

func letters(s string) bool {
	return strings.IndexFunc(s, unicode.IsLetter) >= 0
}

// retag corrects tags in view of their neighbours.
func (s *sentence) retag() {
	l := words()
	for i := range s.Tokens {
		t := &s.Tokens[i]
		before, after := s.pos(i-1), s.pos(i+1)
		switch low := s.low[i]; {
		case s.opens(i) && !strings.HasPrefix(t.POS, "VB") && l.imperatives[low] && (after == "DT" || after == "PRP$" || after == "PRP" || after == "CD"):
			t.POS = "VB" // "book a table"
		case t.POS == "DT" && low == "that" && (strings.HasPrefix(before, "NN") && (strings.HasPrefix(after, "VB") || after == "MD")):
			t.POS = "WDT"
		case low == "like" && t.POS == "IN" && (before == "MD" || before == "TO" || s.word(i-1) == "n't" || s.word(i-1) == "not" && s.word(i-2) != "is"):
			t.POS = "VB"
		case before == "TO" && t.POS == "VB" && noun(after) && !s.upper(i) && !isCommon(low) && !l.bases[low] && !l.imperatives[low]:
			t.POS = "NN" // "to wexham park"
		case low == "her":
			if strings.HasPrefix(after, "NN") || strings.HasPrefix(after, "JJ") && strings.HasPrefix(s.pos(i+2), "NN") || after == "CD" {
				t.POS = "PRP$"
			} else {
				t.POS = "PRP"
			}
		case low == "his":
			if strings.HasPrefix(after, "NN") || strings.HasPrefix(after, "JJ") || after == "CD" {
				t.POS = "PRP$"
			}
		case low == "'d" && (after == "VB" || strings.HasPrefix(after, "RB")):
			t.POS = "MD"
		case low == "'s" && strings.HasPrefix(before, "PRP"), low == "'s" && (before == "EX" || strings.HasPrefix(before, "W") || before == "DT"):
			t.POS = "VBZ"
		case (t.POS == "NN" || t.POS == "VBP") && (before == "TO" || before == "MD") && l.imperatives[low],
			t.POS == "NN" && before == "PRP" && s.pos(i-2) == "MD" && l.imperatives[low]:
			t.POS = "VB" // "shall I book it"
		case t.POS == "NN" && before == "PRP" && l.imperatives[low] && !noun(after) && (s.word(i-1) == "i" || s.word(i-1) == "you" || s.word(i-1) == "we" || s.word(i-1) == "they"):
			t.POS = "VBP" // "if you book early"
		case half(low) != "" && before == "CD", low == "am" && before != "PRP" && before != "" && s.word(i-1) != "i":
			t.POS = "NN"
		case low == "there" && t.POS == "EX" && after != "MD" && !verb(after) && !strings.HasPrefix(after, "RB"):
			t.POS = "RB"
		case before == "MD" && t.POS == "VBP", before == "TO" && t.POS == "VBP":
			t.POS = "VB"
		}
	}
}

// ask gives a question that opens with an auxiliary the verb that it lacks:
// "Did your cousin stay long?".
func (s *sentence) ask() {
	aux := -1
	for i, t := range s.Tokens {
		switch {
		case aux < 0 && (s.question || s.opens(i)) && (t.POS == "MD" || t.Lemma == "do" || s.low[i] == "did" || s.low[i] == "does" || s.low[i] == "do"):
			aux = i
		case aux < 0:
			continue
		case verb(t.POS):
			return
		case s.low[i] == "like" && i > aux+1:
			s.Tokens[i].POS = "VB"
			return
		case t.POS == "NN" && i > aux+1 && noun(s.pos(i-1)) && !noun(s.pos(i+1)) && (words().imperatives[s.low[i]] || words().bases[s.low[i]]):
			s.Tokens[i].POS = "VB"
			return
		}
	}
}

// pos returns a token's part of speech, or "".
func (s *sentence) pos(i int) string {
	if i < 0 || i >= len(s.Tokens) {
		return ""
	}
	return s.Tokens[i].POS
}

// word returns a token in lower case, or "".
func (s *sentence) word(i int) string {
	if i < 0 || i >= len(s.low) {
		return ""
	}
	return s.low[i]
}

// initial reports whether nothing but cries, marks and "and" is before a token.
func (s *sentence) initial(i int) bool {
	for i--; i >= 0; i-- {
		if p := s.Tokens[i].POS; p != "UH" && p != "CC" && !mark(s.Tokens[i].Text) && s.low[i] != "well" && s.low[i] != "no" {
			return false
		}
	}
	return true
}

// opens reports whether a clause may begin at a token.
func (s *sentence) opens(i int) bool {
	for i--; i >= 0; i-- {
		switch p := s.Tokens[i].POS; {
		case p == "UH" || p == "CC" || mark(s.Tokens[i].Text) || s.low[i] == "then" || s.low[i] == "so" || s.low[i] == "just":
			if p == "," || p == ":" || p == "CC" {
				return true
			}
		default:
			return false
		}
	}
	return true
}

// isCommon reports whether a word in lower case is a common one, so that a
// capital at the start of a sentence says nothing.
func isCommon(low string) bool {
	l := words()
	if l.common[low] || closed[low] != "" {
		return true
	}
	if _, ok := l.people[low]; ok || interjection(low) {
		return true
	}
	if l.places[low] != "" || l.things[low] != "" {
		return true
	}
	if pytext.IsCommon(low) {
		_, name := l.given[low]
		return !name || l.ambiguous[low]
	}
	for _, ending := range [...]string{"ing", "ly", "ed", "ness", "ful", "n't"} {
		if len(low) > len(ending)+3 && strings.HasSuffix(low, ending) {
			_, name := l.given[low]
			return !name
		}
	}
	return false
}

// interjection reports whether a word is a cry of a few sounds, however long:
// "ohh", "hmmm", "woah", "ha-ha".
func interjection(low string) bool {
	if len(low) > 16 || low == "me" || low == "we" || low == "he" || low == "you" || low == "a" {
		return false
	}
	if strings.HasPrefix(low, "shh") || strings.HasPrefix(low, "psst") {
		return true
	}
	for i := range len(low) {
		if strings.IndexByte("ahoumwyeg-", low[i]) < 0 {
			return false
		}
	}
	_, name := words().given[low]
	return !name && (strings.IndexByte(low, 'h') >= 0 || strings.Contains(low, "mm") || strings.Contains(low, "um") || strings.Contains(low, "ww") || strings.Contains(low, "ay") || len(low) < 3)
}

// noun reports whether a tag is of a noun.
func noun(t string) bool { return strings.HasPrefix(t, "NN") }

// verb reports whether a tag is of a verb.
func verb(t string) bool { return strings.HasPrefix(t, "VB") }

// span returns the text of a range of tokens in lower case, with single spaces.
func (s *sentence) span(from, to int) string {
	if to-from == 1 {
		return s.low[from]
	}
	return strings.Join(s.low[from:to], " ")
}

// written returns the text of a span as the utterance has it.
func (s *sentence) written(utterances []annotate.Utterance, p annotate.Span) string {
	return utterances[s.Utterance].Text[s.Tokens[p.Start].Start:s.Tokens[p.End-1].End]
}
