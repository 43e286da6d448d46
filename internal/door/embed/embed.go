// Package embed is the one door to text embeddings.
package embed

import (
	"context"
	"fmt"
	"math"
)

// A Kind says what a text is for. Models trained with asymmetric prefixes
// embed queries and documents differently.
type Kind string

// The kinds of texts.
const (
	Document Kind = "document"
	Query    Kind = "query"
)

// A Request asks for the vectors of texts.
type Request struct {
	Kind  Kind
	Texts []string
}

// A Reply has one vector for each text of the request, in order, all of the
// same length.
type Reply struct {
	Vectors [][]float32
	// Tokens is the number of tokens of all texts as the provider counts them;
	// 0 if it reported none.
	Tokens int
	// Reused is the number of texts with recorded vectors, and ReusedTokens is their part
	// of Tokens: nothing was paid for them now.
	Reused       int
	ReusedTokens int
}

// An Embedder maps texts to vectors. It is safe for concurrent use.
type Embedder interface {
	Embed(ctx context.Context, r Request) (Reply, error)
	// Dim is the length of vectors; 0 while it is not known.
	Dim() int
}

// A Model provides the Embedder for one memory. A pretrained model returns the
// same Embedder for any texts; a fitted one learns its space from them.
type Model interface {
	// Fit returns an embedder for a memory with these texts.
	Fit(ctx context.Context, texts []string) (Embedder, error)
}

// Cosine returns the cosine of the angle between a and b, in [-1, 1]. It is 0
// if either vector is zero. The vectors have the same length.
func Cosine(a, b []float32) float64 {
	var dot, na, nb float64
	for i, x := range a {
		y := float64(b[i])
		dot += float64(x) * y
		na += float64(x) * float64(x)
		nb += y * y
	}
	if na == 0 || nb == 0 {
		return 0
	}
	return max(-1, min(1, dot/math.Sqrt(na*nb)))
}

// Normalise scales a vector to length 1, unless it is zero, or its length is as near to 1
// as the tolerance says.
func Normalise(v []float32, tolerance float64) {
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	norm := math.Sqrt(sum)
	if norm == 0 || math.Abs(norm-1) < tolerance {
		return
	}
	for i, x := range v {
		v[i] = float32(float64(x) / norm)
	}
}

// Vectors returns the vectors of texts. Any other number of vectors is an
// error.
func Vectors(ctx context.Context, e Embedder, kind Kind, texts []string) ([][]float32, error) {
	reply, err := e.Embed(ctx, Request{Kind: kind, Texts: texts})
	if err == nil && len(reply.Vectors) != len(texts) {
		err = fmt.Errorf("got %d vectors", len(reply.Vectors))
	}
	if err != nil {
		return nil, fmt.Errorf("embed %d texts: %w", len(texts), err)
	}
	return reply.Vectors, nil
}
