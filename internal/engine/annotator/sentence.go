package annotator

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"recallbench/internal/door/annotate"
	"recallbench/internal/text/english"
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
