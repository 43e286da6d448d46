package annotator

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/jdkato/prose/v3/tag"

	"recallbench/internal/text/english"
	"recallbench/internal/text/pytext"
)

// tag fills in the parts of speech and lemmas. The tagger was trained on edited
// news: it gets "I" for "i", straight apostrophes, and the first word of a
// sentence in lowercase where that is a common word.
func (s *sentence) tag(t *tag.Tagger, buf []tag.Token) []tag.Token {
	buf = buf[:0]
	for i, tok := range s.Tokens {
		w := tok.Text
		switch {
		case s.low[i] == "i":
			w = "I"
		case i == 0 && words().common(s.low[i]), strings.Contains(w, "’"):
			w = s.low[i]
		}
		buf = append(buf, tag.Token{Text: w})
	}
	t.TagTokens(buf)
	for i := range s.Tokens {
		s.Tokens[i].POS = s.correct(i, buf[i].Tag)
	}
	s.retag()
	for i := range s.Tokens {
		tok := &s.Tokens[i]
		tok.Lemma = english.Lemma(tok.Text, s.low[i], tok.POS)
	}
	return buf
}

// marks are the Penn tags of punctuation.
var marks = map[string]string{
	",": ",", ".": ".", "?": ".", "!": ".", "(": "-LRB-", "[": "-LRB-", "{": "-LRB-", ")": "-RRB-", "]": "-RRB-", "}": "-RRB-",
	`"`: "''", "“": "``", "”": "''", "'": "''", "‘": "``", "’": "''", "`": "``", "$": "$", "£": "$", "€": "$", "#": "#", "%": "NN", "&": "CC",
}

// correct returns the tag of one token in view of its spelling.
func (s *sentence) correct(i int, t string) string {
	w, low := s.Tokens[i].Text, s.low[i]
	r, _ := utf8.DecodeRuneInString(w)
	switch {
	case marks[w] != "":
		return marks[w]
	case english.Mark(w) && (w[0] == '!' || w[0] == '?'):
		return "."
	case english.Mark(w):
		return ":"
	case words().closed[low] != "" && w != "US":
		return words().closed[low]
	case interjection(low) && !pytext.IsCommon(low) && !strings.HasPrefix(t, "W"):
		return "UH"
	case unicode.IsDigit(r) && !letters(w):
		return "CD"
	case t == "-NONE-", t == "SYM", !unicode.IsLetter(rune(t[0])), t == "NNP" && i > 0 && !unicode.IsUpper(r):
		return "NN"
	}
	return t
}

func letters(s string) bool { return strings.IndexFunc(s, unicode.IsLetter) >= 0 }

// retag corrects tags in view of their neighbours.
func (s *sentence) retag() {
	l := words()
	for i := range s.Tokens {
		t := &s.Tokens[i]
		before, after := s.pos(i-1), s.pos(i+1)
		asked := before == "TO" || before == "MD" || before == "PRP" && s.pos(i-2) == "MD"
		switch low := s.low[i]; {
		case l.imperatives[low] && !verb(t.POS) && s.opens(i) && (after == "DT" || after == "PRP$" || after == "PRP" || after == "CD"):
			t.POS = "VB" // "book a table"
		case l.imperatives[low] && (t.POS == "NN" || t.POS == "VBP") && asked, t.POS == "VBP" && (before == "TO" || before == "MD"),
			low == "like" && t.POS == "IN" && (before == "MD" || before == "TO" || s.word(i-1) == "n't"):
			t.POS = "VB" // "shall I book it"
		case before == "TO" && t.POS == "VB" && noun(after) && !s.upper(i) && !l.common(low) && !english.Verb(low) && !l.imperatives[low]:
			t.POS = "NN" // "to wexham park"
		case low == "her" || low == "his":
			t.POS = "PRP"
			if noun(after) || after == "CD" || adjective(after) && noun(s.pos(i+2)) {
				t.POS = "PRP$"
			}
		case low == "'d" && (after == "VB" || adverb(after)):
			t.POS = "MD"
		case low == "'s" && (strings.HasPrefix(before, "PRP") || before == "EX" || before == "DT" || strings.HasPrefix(before, "W")):
			t.POS = "VBZ"
		case t.POS == "NN" && before == "PRP" && l.imperatives[low] && !noun(after) && s.is(i-1, "i", "you", "we", "they"):
			t.POS = "VBP" // "if you book early"
		case half(low) != "" && before == "CD":
			t.POS = "NN"
		case low == "there" && t.POS == "EX" && after != "MD" && !verb(after) && !adverb(after):
			t.POS = "RB"
		}
	}
}
