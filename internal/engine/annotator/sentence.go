package annotator

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/jdkato/prose/v3/tag"

	"recallbench/internal/door/annotate"
	"recallbench/internal/text/english"
	"recallbench/internal/text/pytext"
)

// A sentence is a sentence on its way through the layers.
type sentence struct {
	annotate.Sentence
	low      []string // tokens in lowercase, with straight apostrophes
	chunks   []chunk  // noun phrases, in order
	question bool
}

// sentences cuts an utterance into sentences of tokens.
func sentences(utterance int, text string) []sentence {
	parts := english.Sentences(text)
	out := make([]sentence, len(parts))
	for i, tokens := range parts {
		s := sentence{Sentence: annotate.Sentence{Utterance: utterance, Tokens: make([]annotate.Token, len(tokens))}, low: make([]string, len(tokens))}
		for k, t := range tokens {
			s.Tokens[k] = annotate.Token{Text: t.Text, Start: t.Start, End: t.End}
			s.low[k] = t.Low
			s.question = s.question || t.Text[0] == '?'
		}
		out[i] = s
	}
	return out
}

// token returns a token, an empty one where there is none.
func (s *sentence) token(i int) annotate.Token {
	if i < 0 || i >= len(s.Tokens) {
		return annotate.Token{}
	}
	return s.Tokens[i]
}

// pos returns a token's part of speech, or "".
func (s *sentence) pos(i int) string { return s.token(i).POS }

// word returns a token in lowercase, or "".
func (s *sentence) word(i int) string {
	if i < 0 || i >= len(s.low) {
		return ""
	}
	return s.low[i]
}

// lemma returns the lemma of a token, or "".
func (s *sentence) lemma(i int) string { return s.token(i).Lemma }

// is reports whether a token is one of some words.
func (s *sentence) is(i int, list ...string) bool { return slices.Contains(list, s.word(i)) }

// span returns the text of a range of tokens in lowercase, with single spaces.
func (s *sentence) span(from, to int) string { return strings.Join(s.low[from:to], " ") }

// written returns the text of a span as the utterance has it.
func (s *sentence) written(utterances []annotate.Utterance, p annotate.Span) string {
	return utterances[s.Utterance].Text[s.Tokens[p.Start].Start:s.Tokens[p.End-1].End]
}

// upper reports whether a token begins with a capital.
func (s *sentence) upper(i int) bool {
	r, _ := utf8.DecodeRuneInString(s.token(i).Text)
	return unicode.IsUpper(r)
}

// initial reports whether nothing but cries, marks and "and" is before a token.
func (s *sentence) initial(i int) bool {
	for i--; i >= 0; i-- {
		if p := s.Tokens[i].POS; p != "UH" && p != "CC" && !english.Mark(s.Tokens[i].Text) && s.low[i] != "well" && s.low[i] != "no" {
			return false
		}
	}
	return true
}

// opens reports whether a clause may begin at a token.
func (s *sentence) opens(i int) bool {
	p := s.pos(i - 1)
	return p == "" || p == "," || p == ":" || p == "CC" || s.initial(i) || s.is(i-1, "then", "so", "just") && s.opens(i-1)
}

func noun(tag string) bool      { return strings.HasPrefix(tag, "NN") }
func verb(tag string) bool      { return strings.HasPrefix(tag, "VB") }
func verbal(tag string) bool    { return verb(tag) || tag == "MD" }
func adjective(tag string) bool { return strings.HasPrefix(tag, "JJ") }
func adverb(tag string) bool    { return strings.HasPrefix(tag, "RB") }

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
