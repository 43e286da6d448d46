package annotators

import (
	"cmp"
	"slices"

	"recallbench/internal/door/annotate"
)

// An aligner carries annotations of other tokens over to those of a document.
//
// A span becomes the tokens that share bytes with it, which have to be in one
// sentence. A word becomes the first token that shares bytes with it: "don't" of
// one backend is "do" of another that splits it, and "n't" then has no head. What
// a backend says between two words that are one token is of no use, and of two
// heads of one token the first that leaves it counts.
type aligner struct {
	doc *annotate.Document
	// texts says which utterance of the document each of the request's is, and at
	// which byte it begins there: the same, or one that is a sentence.
	texts []origin
	// sentencesOf are the sentences of each utterance of the document that have
	// tokens, in order.
	sentencesOf [][]int
}

type origin struct{ utterance, start int }

func newAligner(doc *annotate.Document, utterances []annotate.Utterance) *aligner {
	a := &aligner{doc: doc, sentencesOf: make([][]int, len(utterances))}
	for i := range utterances {
		a.texts = append(a.texts, origin{i, 0})
	}
	for i, s := range doc.Sentences {
		if len(s.Tokens) > 0 {
			a.sentencesOf[s.Utterance] = append(a.sentencesOf[s.Utterance], i)
		}
	}
	return a
}

// sentences returns the request for a parser: each sentence of the document is an
// utterance, with nothing else known.
func (a *aligner) sentences(r annotate.Request) (annotate.Request, *aligner) {
	alone := annotate.Request{Layers: r.Layers}
	other := &aligner{doc: a.doc, sentencesOf: a.sentencesOf}
	for _, s := range a.doc.Sentences {
		if len(s.Tokens) == 0 {
			continue
		}
		from, to := s.Tokens[0].Start, s.Tokens[len(s.Tokens)-1].End
		alone.Utterances = append(alone.Utterances, annotate.Utterance{Text: r.Utterances[s.Utterance].Text[from:to]})
		other.texts = append(other.texts, origin{s.Utterance, from})
	}
	return alone, other
}

// span returns the tokens of the document that share bytes with a span.
func (a *aligner) span(s annotate.Sentence, span annotate.Span) (sentence int, tokens annotate.Span, ok bool) {
	from := a.texts[s.Utterance]
	start, end := from.start+s.Tokens[span.Start].Start, from.start+s.Tokens[span.End-1].End
	sentence = -1
	within := a.sentencesOf[from.utterance]
	next, _ := slices.BinarySearchFunc(within, start, func(i, start int) int {
		all := a.doc.Sentences[i].Tokens
		return cmp.Compare(all[len(all)-1].End, start+1)
	})
	for _, i := range within[next:] {
		all := a.doc.Sentences[i].Tokens
		if all[0].Start >= end {
			break
		}
		k, _ := slices.BinarySearchFunc(all, start, func(t annotate.Token, start int) int { return cmp.Compare(t.End, start+1) })
		if k == len(all) || all[k].Start >= end {
			continue
		}
		if sentence >= 0 {
			return 0, annotate.Span{}, false // it spreads over two sentences
		}
		n := k
		for n < len(all) && all[n].Start < end {
			n++
		}
		sentence, tokens = i, annotate.Span{Start: k, End: n}
	}
	return sentence, tokens, sentence >= 0
}

// carry carries layers over and says how much of them found its place.
func (a *aligner) carry(from annotate.Document, layers []annotate.Layer) (kept, dropped int) {
	count := func(ok bool) {
		if ok {
			kept++
		} else {
			dropped++
		}
	}
	for _, l := range layers {
		switch l {
		case annotate.Entities:
			a.entities(from, count)
		case annotate.Dependencies:
			a.dependencies(from, count)
		case annotate.Coreference:
			a.clusters(from, count)
		case annotate.Discourse:
			a.relations(from, count)
		case annotate.Tokens:
		}
	}
	return kept, dropped
}

func (a *aligner) entities(from annotate.Document, count func(bool)) {
	for _, s := range from.Sentences {
		for _, e := range s.Entities {
			i, span, ok := a.span(s, e.Span)
			if ok {
				own := &a.doc.Sentences[i]
				// Two of them may be one token here.
				if n := len(own.Entities); n == 0 || own.Entities[n-1].End <= span.Start {
					own.Entities = append(own.Entities, annotate.Entity{Span: span, Type: e.Type})
				} else {
					ok = false
				}
			}
			count(ok)
		}
	}
}

func (a *aligner) dependencies(from annotate.Document, count func(bool)) {
	heads := make(map[[2]int]bool)
	for _, s := range from.Sentences {
		for _, d := range s.Dependencies {
			i, dependent, ok := a.span(s, annotate.Span{Start: d.Dependent, End: d.Dependent + 1})
			head := -1
			if ok && d.Head >= 0 {
				k, span, found := a.span(s, annotate.Span{Start: d.Head, End: d.Head + 1})
				head, ok = span.Start, found && k == i
				if ok && head == dependent.Start {
					continue // within a token
				}
			}
			at := [2]int{i, dependent.Start}
			if ok = ok && !heads[at]; ok {
				heads[at] = true
				own := &a.doc.Sentences[i]
				own.Dependencies = append(own.Dependencies, annotate.Dependency{Head: head, Dependent: dependent.Start, Label: d.Label})
			}
			count(ok)
		}
	}
	for i := range a.doc.Sentences {
		s := &a.doc.Sentences[i]
		slices.SortFunc(s.Dependencies, func(a, b annotate.Dependency) int { return cmp.Compare(a.Dependent, b.Dependent) })
		s.Unparsed = len(s.Dependencies) == 0
	}
}

func (a *aligner) clusters(from annotate.Document, count func(bool)) {
	for _, c := range from.Clusters {
		mentions := c.Mentions
		c.Mentions = nil
		for _, m := range mentions {
			i, span, ok := a.span(from.Sentences[m.Sentence], m.Span)
			if ok {
				c.Mentions = append(c.Mentions, annotate.Mention{Sentence: i, Span: span, Kind: m.Kind})
			}
			count(ok)
		}
		if len(c.Mentions) > 0 {
			a.doc.Clusters = append(a.doc.Clusters, c)
		}
	}
}

func (a *aligner) relations(from annotate.Document, count func(bool)) {
	place := func(i int) (int, bool) {
		s := from.Sentences[i]
		if len(s.Tokens) == 0 {
			return 0, false
		}
		k, _, ok := a.span(s, annotate.Span{Start: 0, End: 1})
		return k, ok
	}
	for _, r := range from.Relations {
		ok := true
		if r.From >= 0 {
			r.From, ok = place(r.From)
		}
		if ok {
			r.To, ok = place(r.To)
		}
		if ok {
			a.doc.Relations = append(a.doc.Relations, r)
		}
		count(ok)
	}
}
