package tei

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"

	"recallbench/internal/fault"
	"recallbench/internal/httpfault"
)

// maxReply bounds what is read of a reply: a batch of predictions is far
// smaller.
const maxReply = 16 << 20

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

// call sends a request with a JSON body, or none, and decodes the reply.
func (s *Scorer) call(ctx context.Context, method, path string, body, reply any) error {
	var payload io.Reader = http.NoBody
	if body != nil {
		data, err := json.Marshal(body)
		if err != nil {
			return fault.New(fault.Rejected, "request: %v", err)
		}
		payload = bytes.NewReader(data)
	}
	req, err := http.NewRequestWithContext(ctx, method, s.base.JoinPath(path).String(), payload)
	if err != nil {
		return httpfault.FromTransport(ctx, err, s.redact)
	}
	req.Header.Set("Accept", "application/json")
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if s.config.Key != "" {
		req.Header.Set("Authorization", "Bearer "+s.config.Key)
	}
	resp, err := s.client.Do(req)
	if err != nil {
		return httpfault.FromTransport(ctx, err, s.redact)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxReply+1))
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		// What a failed reply says is worth having even where it is cut off.
		return httpfault.FromResponse(resp.StatusCode, resp.Header, data, s.redact)
	}
	switch {
	case err != nil:
		return httpfault.FromTransport(ctx, err, s.redact)
	case len(data) > maxReply:
		return fault.New(fault.BadReply, "a reply of more than %d bytes", maxReply)
	}
	if err := json.Unmarshal(data, reply); err != nil {
		return fault.New(fault.BadReply, "no such JSON as expected: %s", s.redact.Line(err.Error()))
	}
	return nil
}
