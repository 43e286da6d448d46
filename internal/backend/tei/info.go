package tei

import (
	"context"
	"net/http"
	"slices"

	"recallbench/internal/backend/httpfault"
	"recallbench/internal/door/fault"
	"recallbench/internal/door/nli"
)

// Info is what a server says of itself.
type Info struct {
	Model     string   // name of the model
	Revision  string   // commit of the model; empty where unknown
	Version   string   // of the server
	Labels    []string // of the classifier, sorted; empty for another kind of model
	MaxBatch  int      // pairs that a request may hold; 0 where it does not say
	MaxTokens int      // of an input; 0 where it does not say
}

// infoBound bounds what a server says of itself.
var infoBound = httpfault.Bound{Bytes: 1 << 20, Why: "what a server may say of itself"}

// Info asks the server what it serves.
func (s *Scorer) Info(ctx context.Context) (Info, error) {
	var reply struct {
		Model     string `json:"model_id"`
		Revision  string `json:"model_sha"`
		Version   string `json:"version"`
		MaxBatch  int    `json:"max_client_batch_size"`
		MaxTokens int    `json:"max_input_length"`
		// An embedding model is an object with another key.
		Type struct {
			Classifier struct {
				Labels map[string]int `json:"label2id"`
			} `json:"classifier"`
		} `json:"model_type"`
	}
	if err := s.server.Call(ctx, http.MethodGet, "info", nil, &reply, infoBound); err != nil {
		return Info{}, err
	}
	info := Info{Model: reply.Model, Revision: reply.Revision, Version: reply.Version, MaxBatch: reply.MaxBatch, MaxTokens: reply.MaxTokens}
	for label := range reply.Type.Classifier.Labels {
		info.Labels = append(info.Labels, label)
	}
	slices.Sort(info.Labels)
	return info, nil
}

// Check asks the server what it serves and whether this scorer can use it: the
// model is a classifier with the labels wanted, and a batch is not larger than
// the server takes. What it learned comes with the error too.
func (s *Scorer) Check(ctx context.Context) (Info, error) {
	info, err := s.Info(ctx)
	if err != nil {
		return info, err
	}
	if len(info.Labels) == 0 {
		return info, fault.New(fault.NoModel, "%s is no classifier; serve one of entailment, such as facebook/bart-large-mnli", s.server.Line(info.Model))
	}
	if _, err := nli.FindLabels(info.Labels, s.config.EntailLabel, s.config.ContradictLabel); err != nil {
		return info, fault.New(fault.NoModel, "%s: %s", s.server.Line(info.Model), s.server.Line(err.Error()))
	}
	if info.MaxBatch > 0 && s.config.Batch > info.MaxBatch {
		return info, fault.New(fault.Rejected, "batch is %d, and the server takes %d pairs a request; lower batch, or start it with --max-client-batch-size %d",
			s.config.Batch, info.MaxBatch, s.config.Batch)
	}
	return info, nil
}
