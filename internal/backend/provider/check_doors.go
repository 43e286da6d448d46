package provider

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"recallbench/internal/backend"
	"recallbench/internal/backend/annotators"
	"recallbench/internal/backend/limit"
	"recallbench/internal/door/annotate"
	"recallbench/internal/door/compress"
	"recallbench/internal/door/embed"
	"recallbench/internal/door/fault"
	"recallbench/internal/door/nli"
	"recallbench/internal/door/token"
)

// checkDoors opens the doors beside chat as a run does, and has each do a little
// whose outcome is known: who took the wrong model, or the wrong one of its labels,
// sees it in the numbers.
func (c *checkup) checkDoors(ctx context.Context, f Fallback) {
	b := &opening{Options: c.Options, fallback: f, env: c.env, tokens: c.tokens, settings: make(map[string]string)}
	b.env.Limits = limit.NewRegistry() // a try is no part of what a run measures
	for _, s := range []*Server{&b.Chat.Server, &b.Embed.Server, &b.NLI.Server, &b.Prune.Server} {
		s.Limits.Attempt = min(s.Limits.Attempt, replyTime)
		s.Limits.Retries = 0
	}
	defer func() { _ = b.close() }() // nothing was written
	if b.tokens == nil {             // its fault is reported
		var err error
		if b.tokens, err = token.Open(fallbackEncoding, ""); err != nil {
			c.missing("tokenizer", inLine(err.Error()), "")
			return
		}
	}
	if c.replied && b.openChat() == nil {
		_ = b.openRoles() // a role is tried by itself
	}
	for _, door := range []struct {
		name    string
		outside bool // something from outside stands behind it
		open    func() error
		try     func(context.Context, backend.Doors) (detail string, sound bool, err error)
		remedy  string // for what is not sound
	}{
		{"embed", c.Embed.Use == "openai" || c.Embed.Use == "onnx", b.openEmbed, tryEmbed, "look at options.embed.model, query_prefix and document_prefix"},
		{"nli", c.NLI.Use == "tei" || c.NLI.Use == "onnx" || c.NLI.Use == "chat" && c.replied, b.openNLI, tryNLI, "look whether options.nli.entailment and contradiction name the right labels, and whether the model is one of entailment"},
		{"prune", c.Prune.Use == "http", b.openPrune, tryPrune, "look whether the server gives the probability of the label that keeps a token"},
		{"annotate", c.Annotate.UsesLLM() && c.replied, b.openAnnotate, c.tryAnnotate, "take dependencies out of options.annotate.llm"},
	} {
		if !door.outside {
			continue
		}
		detail, sound, err := "", false, door.open()
		if err == nil {
			err = try(ctx, replyTime, func(ctx context.Context) (err error) {
				detail, sound, err = door.try(ctx, b.doors)
				return err
			})
		}
		switch {
		case err != nil:
			c.missing(door.name, inLine(err.Error()), remedyOf(door.name, fault.KindOf(err)))
		case !sound:
			c.warn(door.name, detail, door.remedy)
		default:
			c.good(door.name, detail)
		}
	}
	c.findings = append(c.findings, annotators.Check(ctx, c.Annotate)...)
}

// remedyOf says what to look at, where the fault does not say it.
func remedyOf(door string, kind fault.Kind) string {
	switch kind {
	case fault.Connection, fault.Timeout, fault.Server, fault.BadReply:
		return "look whether the server is well, and options." + door + ".base_url right"
	case fault.Rejected:
		return "correct options." + door
	default:
		return ""
	}
}

// tryEmbed embeds a question, the text that answers it, and one that does not.
func tryEmbed(ctx context.Context, d backend.Doors) (detail string, sound bool, err error) {
	texts := []string{"At night the cat sleeps on the mat.", "Shares of both companies fell on Monday."}
	embedder, err := d.Embed.Fit(ctx, texts)
	if err != nil {
		return "", false, err
	}
	documents, err := embed.Vectors(ctx, embedder, embed.Document, texts)
	if err != nil {
		return "", false, err
	}
	queries, err := embed.Vectors(ctx, embedder, embed.Query, []string{"Where does the cat sleep at night?"})
	if err != nil {
		return "", false, err
	}
	near, remote := embed.Cosine(queries[0], documents[0]), embed.Cosine(queries[0], documents[1])
	return fmt.Sprintf("%s; a question has a cosine of %.2f with its answer, %.2f with another text", plural(len(queries[0]), "dimension"), near, remote), near > remote, nil
}

// tryNLI scores a pair whose premise entails the hypothesis, and one whose does not.
func tryNLI(ctx context.Context, d backend.Doors) (detail string, sound bool, err error) {
	const premise = "Anna plays the guitar on the stage."
	scores, err := d.NLI.Entail(ctx, []nli.Pair{
		{Premise: premise, Hypothesis: "Anna plays the guitar."},
		{Premise: premise, Hypothesis: "Nobody makes any music here."},
	})
	if err != nil {
		return "", false, err
	}
	return fmt.Sprintf("%.2f for a text that entails another, %.2f for one that does not", scores[0], scores[1]), scores[0] > scores[1], nil
}

// tryPrune classifies a sentence whose names are to be kept rather than the words
// between them.
func tryPrune(ctx context.Context, d backend.Doors) (detail string, sound bool, err error) {
	const text = "So, you know, it was the case that Anna moved to Lisbon in 2019."
	all, err := d.Prune.Classify(ctx, []string{text})
	if err != nil {
		return "", false, err
	}
	if err := compress.Check(text, all[0]); err != nil {
		return "", false, err
	}
	var kept, other float64
	for _, t := range all[0] {
		switch strings.TrimSpace(text[t.Start:t.End]) {
		case "Anna", "Lisbon":
			kept = max(kept, t.Keep)
		case "the", "it":
			other = max(other, t.Keep)
		}
	}
	return fmt.Sprintf("%.2f for a name, %.2f for a word such as the", kept, other), kept > other, nil
}

// tryAnnotate has a chat model annotate a sentence.
func (c *checkup) tryAnnotate(ctx context.Context, d backend.Doors) (detail string, sound bool, err error) {
	r := annotate.Request{Layers: c.Annotate.Chat(annotate.Layers()), Utterances: []annotate.Utterance{{Speaker: "Ann", Text: "Anna took her sister to Leeds."}}}
	doc, err := d.Annotate.Annotate(ctx, r)
	if err != nil {
		return "", false, err
	}
	if slices.Contains(r.Layers, annotate.Dependencies) && doc.Sentences[0].Unparsed {
		return "a sentence has no dependencies", false, nil
	}
	return "a sentence was annotated", true, nil
}
