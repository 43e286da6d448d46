// Package tei scores entailment with a server that speaks the protocol of
// Hugging Face's text-embeddings-inference: POST /predict for a sequence
// classifier such as bart-large-mnli.
//
// The server returns raw scores, so that the softmax over entailment and
// contradiction is ours and the same as that of a local model. The server
// truncates long inputs to the length its model accepts.
package tei

import (
	"context"
	"encoding/json"
	"fmt"

	"recallbench/internal/backend/httpfault"
	"recallbench/internal/door/fault"
	"recallbench/internal/door/nli"
)

// A Scorer calls a server. It is safe for concurrent use.
type Scorer struct {
	server *httpfault.Client
	over   nli.Over
}

// New returns a scorer of the server at an address such as http://localhost:8080, with a key
// as [httpfault.NewClient] takes both. It makes no call.
func New(address, key string, over nli.Over) (*Scorer, error) {
	server, err := httpfault.NewClient(address, key, nil)
	if err != nil {
		return nil, fmt.Errorf("text-embeddings-inference: %w", err)
	}
	return &Scorer{server, over}, nil
}

// What a reply may take in bytes, and the predictions of a pair in it, which have few labels.
const (
	replyBytes = 64 << 10
	pairBytes  = 4 << 10
)

// Entail implements [nli.Scorer], in one request. Errors are *fault.Error, except that of
// a canceled context.
func (s *Scorer) Entail(ctx context.Context, pairs []nli.Pair) ([]float64, error) {
	if len(pairs) == 0 {
		return nil, nil
	}
	request := predictRequest{Inputs: make([][2]string, len(pairs)), RawScores: true, Truncate: true}
	for i, p := range pairs {
		request.Inputs[i] = [2]string{p.Premise, p.Hypothesis}
	}
	body, err := json.Marshal(request)
	if err != nil {
		return nil, fault.New(fault.Rejected, "request: %v", err)
	}
	var reply [][]prediction
	if err := s.server.Call(ctx, httpfault.Request{Path: "predict", Body: body, Most: replyBytes + len(pairs)*pairBytes}, &reply); err != nil {
		return nil, err
	}
	if len(reply) != len(pairs) {
		return nil, fault.New(fault.BadReply, "predictions of %d pairs, want %d", len(reply), len(pairs))
	}
	scores := make([]float64, len(reply))
	for i, predictions := range reply {
		p, err := s.score(predictions)
		if err != nil {
			return nil, err
		}
		scores[i] = p
	}
	return scores, nil
}

// score turns the scores of one pair, which a server lists in an order of its
// own, into a probability.
func (s *Scorer) score(predictions []prediction) (float64, error) {
	names := make([]string, len(predictions))
	logits := make([]float64, len(predictions))
	for i, p := range predictions {
		if p.Label == nil || p.Score == nil {
			return 0, fault.New(fault.BadReply, "a prediction has no label or no score")
		}
		names[i], logits[i] = *p.Label, *p.Score
	}
	p, err := nli.Probability(names, logits, s.over)
	if err != nil {
		// Every pair would meet it.
		return 0, fault.New(fault.NoModel, "%s", s.server.Redactor().Line(err.Error()))
	}
	return p, nil
}

// A predictRequest is the body of POST /predict.
type predictRequest struct {
	Inputs    [][2]string `json:"inputs"`
	RawScores bool        `json:"raw_scores"`
	Truncate  bool        `json:"truncate"`
}

// A prediction is one label's score; what is missing is nil.
type prediction struct {
	Label *string  `json:"label"`
	Score *float64 `json:"score"`
}
