package provider

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"recallbench/internal/backend/onnx"
	"recallbench/internal/backend/openai"
	"recallbench/internal/door/embed"
	"recallbench/internal/door/fault"
)

// What is embedded: a question, the text that answers it, and one that does
// not.
const (
	askedText  = "Where does the cat sleep at night?"
	nearText   = "At night the cat sleeps on the mat."
	remoteText = "Shares of both companies fell on Monday."
)

// checkEmbed tries the embedding model.
func (c *checkup) checkEmbed(ctx context.Context) {
	switch c.Embed.Use {
	case "openai":
		c.checkRemoteEmbed(ctx)
	case "onnx":
		c.checkLocalEmbed(ctx)
	case "offline":
		c.good("embed", "latent semantic analysis of the offline backend; needs nothing from outside")
	}
}

func (c *checkup) checkRemoteEmbed(ctx context.Context) {
	t := &trial{checkup: c, door: "embed", Server: c.Embed.Server, model: c.Embed.Model}
	hasKey := t.findKey()
	o := c.Embed
	client, err := t.embedder(o)
	if err != nil {
		c.missing("embed options", inLine(err.Error()), "")
		return
	}
	if !t.reach(ctx, client.Models, client.Listed) || !hasKey {
		return
	}
	v, err := t.vectors(ctx, o)
	if fault.KindOf(err) == fault.Rejected && o.Dimensions > 0 {
		refusal := err
		o.Dimensions = 0
		if v, err = t.vectors(ctx, o); err == nil && t.judge(nil) {
			t.missing("embed dimensions", fmt.Sprintf("%d are asked for, and the model gives %d: %s", c.Embed.Dimensions, v.dim, t.said(refusal)),
				"under options.embed write dimensions: "+strconv.Itoa(v.dim)+", or leave it out for the model's own")
			v.report(t)
			t.checkPrice(c.Embed.Price)
			return
		}
		err = refusal
	}
	if !t.judge(err) {
		return
	}
	v.report(t)
	t.checkPrice(c.Embed.Price)
}

// embedder returns a client that leaves vectors as they come.
func (t *trial) embedder(o Embed) (*openai.Embedder, error) {
	config := o.config(nil)
	config.Key, config.Normalise = t.key, "never"
	return openai.NewEmbedder(config)
}

// vectors asks for the vectors of the texts.
func (t *trial) vectors(ctx context.Context, o Embed) (v vectors, err error) {
	client, err := t.embedder(o)
	if err != nil {
		return v, err
	}
	err = try(ctx, min(replyTime, t.Limits.Attempt), func(ctx context.Context) (err error) {
		v, err = embedTexts(ctx, client)
		return err
	})
	return v, err
}

// vectors are what a check found out about an embedding model.
type vectors struct {
	dim           int
	unit          bool // all have length 1
	alike         bool // a text has one vector, as a query and as a document
	near, remote  float64
	tokensCounted bool // the server reports how many tokens it read
}

// near1 is how far from 1 the length of a vector may be that counts as 1.
const near1 = 1e-3

func embedTexts(ctx context.Context, e embed.Embedder) (vectors, error) {
	documents, err := e.Embed(ctx, embed.Request{Kind: embed.Document, Texts: []string{nearText, remoteText, askedText}})
	if err != nil {
		return vectors{}, err
	}
	queries, err := e.Embed(ctx, embed.Request{Kind: embed.Query, Texts: []string{askedText}})
	if err != nil {
		return vectors{}, err
	}
	query := queries.Vectors[0]
	v := vectors{
		dim: len(query), unit: true,
		alike:         embed.Cosine(query, documents.Vectors[2]) > 1-near1,
		near:          embed.Cosine(query, documents.Vectors[0]),
		remote:        embed.Cosine(query, documents.Vectors[1]),
		tokensCounted: documents.Tokens > 0,
	}
	for _, vector := range slices.Concat(documents.Vectors, queries.Vectors) {
		sum := 0.0
		for _, x := range vector {
			sum += float64(x) * float64(x)
		}
		v.unit = v.unit && math.Abs(math.Sqrt(sum)-1) < near1
	}
	return v, nil
}

// report says what was found out.
func (v vectors) report(t *trial) {
	const what = "embed vectors"
	detail := plural(v.dim, "dimension")
	switch {
	case v.unit:
		detail += ", length 1"
	case t.Embed.Normalise == "never":
		detail += ", of other lengths than 1"
	default:
		detail += ", brought to length 1"
	}
	if v.alike {
		detail += ", queries and documents alike"
	} else {
		detail += ", queries and documents told apart"
	}
	if v.near <= v.remote {
		t.warn(what, fmt.Sprintf("%s; but a question is no nearer to its answer (%.2f) than to another text (%.2f)", detail, v.near, v.remote),
			"look at "+t.option("model")+", query_prefix and document_prefix")
		return
	}
	t.good(what, detail)
	if t.Embed.Use == "openai" && !v.tokensCounted {
		t.warn("embed usage", "not reported; tokens are counted here", "")
	}
}

func (c *checkup) checkLocalEmbed(ctx context.Context) {
	e, err := onnx.OpenEmbedder(c.Embed.local(c.env)) //nolint:contextcheck // nothing to cancel: it reads files
	if err != nil {
		c.missingModel("embed", err)
		return
	}
	defer func() { _ = e.Close() }() // nothing was written
	c.good("embed model", localName(c.Embed.folder(c.env), e.SHA256()))
	v, err := embedTexts(ctx, e)
	if err != nil {
		c.missing("embed vectors", inLine(err.Error()), "")
		return
	}
	v.report(&trial{checkup: c, door: "embed"})
}

// missingModel reports a local model that cannot be opened.
func (c *checkup) missingModel(door string, err error) {
	remedy := "correct options." + door + ".dir"
	if errors.As(err, new(*onnx.RuntimeError)) {
		remedy = "" // the error has it
	}
	c.missing(door+" model", inLine(err.Error()), remedy)
}
