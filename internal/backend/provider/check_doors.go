package provider

import (
	"context"
	"fmt"
	"strconv"

	"recallbench/internal/backend"
	"recallbench/internal/door/annotate"
	"recallbench/internal/door/embed"
	"recallbench/internal/door/nli"
)

// checkDoors opens the doors beside chat, and has each do a little whose outcome is
// known: who took the wrong model, or the wrong one of its labels, sees it in the
// numbers.
func (c *checkup) checkDoors(ctx context.Context, replied bool) {
	for _, door := range []struct {
		name    string
		outside bool // something from outside stands behind it
		open    func() error
		try     func(context.Context, backend.Doors) (tried, error)
		remedy  string // for what is not sound
	}{
		{"embed", c.Embed.Use == "openai" || c.Embed.Use == "onnx", c.openEmbed, tryEmbed, "look at options.embed.model, query_prefix and document_prefix"},
		{"nli", c.NLI.Use == "tei" || c.NLI.Use == "onnx", c.openNLI, tryNLI, "look whether the model is one of entailment"},
		{"prune", c.Prune.Dir != "", c.openPrune, tryPrune, "look whether the second label of the model is the one that keeps a token"},
		{"annotate", c.Annotate.UsesLLM() && replied, c.openAnnotate, tryAnnotate, ""},
	} {
		if !door.outside {
			continue
		}
		var t tried
		err := door.open()
		if err == nil {
			t, err = door.try(ctx, c.doors)
		}
		c.report(door.name, t, err, door.remedy)
	}
}

// tryEmbed embeds a question, the text that answers it, and one that does not.
func tryEmbed(ctx context.Context, d backend.Doors) (tried, error) {
	texts := []string{"At night the cat sleeps on the mat.", "Shares of both companies fell on Monday."}
	embedder, err := d.Embed.Fit(ctx, texts)
	if err != nil {
		return tried{}, err
	}
	documents, err := embed.Vectors(ctx, embedder, embed.Document, texts)
	if err != nil {
		return tried{}, err
	}
	queries, err := embed.Vectors(ctx, embedder, embed.Query, []string{"Where does the cat sleep at night?"})
	if err != nil {
		return tried{}, err
	}
	near, remote := embed.Cosine(queries[0], documents[0]), embed.Cosine(queries[0], documents[1])
	return tried{fmt.Sprintf("%s; a question has a cosine of %.2f with its answer, %.2f with another text", strconv.Itoa(len(queries[0]))+" dimensions", near, remote), near > remote}, nil
}

// tryNLI scores a pair whose premise entails the hypothesis, and one whose does not.
func tryNLI(ctx context.Context, d backend.Doors) (tried, error) {
	const premise = "Anna plays the guitar on the stage."
	scores, err := d.NLI.Entail(ctx, []nli.Pair{
		{Premise: premise, Hypothesis: "Anna plays the guitar."},
		{Premise: premise, Hypothesis: "Nobody makes any music here."},
	})
	if err != nil {
		return tried{}, err
	}
	return tried{fmt.Sprintf("%.2f for a text that entails another, %.2f for one that does not", scores[0], scores[1]), scores[0] > scores[1]}, nil
}

// tryPrune classifies a sentence whose names are to be kept rather than the words
// between them.
func tryPrune(ctx context.Context, d backend.Doors) (tried, error) {
	const text = "So, you know, it was the case that Anna moved to Lisbon in 2019."
	all, err := d.Prune.Classify(ctx, []string{text})
	if err != nil {
		return tried{}, err
	}
	var kept, other float64
	for _, t := range all[0] {
		switch text[t.Start:t.End] {
		case "Anna", "Lisbon":
			kept = max(kept, t.Keep)
		case "the", "it":
			other = max(other, t.Keep)
		}
	}
	return tried{fmt.Sprintf("%.2f for a name, %.2f for a word such as the", kept, other), kept > other}, nil
}

// tryAnnotate has a chat model annotate a sentence.
func tryAnnotate(ctx context.Context, d backend.Doors) (tried, error) {
	r := annotate.Request{Layers: []annotate.Layer{annotate.Discourse}, Utterances: []annotate.Utterance{{Speaker: "Ann", Text: "Anna took her sister to Leeds."}}}
	_, err := d.Annotate.Annotate(ctx, r)
	return tried{"a sentence was annotated", true}, err
}
