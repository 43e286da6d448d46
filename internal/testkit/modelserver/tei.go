package modelserver

import (
	"encoding/json"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// Entail returns the probability with which the server's classifier holds that
// a premise entails a hypothesis: from 0.05 for no word of the hypothesis in
// the premise to 0.95 for all.
func Entail(premise, hypothesis string) float64 {
	in := strings.Fields(strings.ToLower(premise))
	words := strings.Fields(strings.ToLower(hypothesis))
	found := 0
	for _, w := range words {
		if slices.Contains(in, w) {
			found++
		}
	}
	return 0.05 + 0.9*float64(found)/float64(max(len(words), 1))
}

// A prediction is the score of one label.
type prediction struct {
	Score float64 `json:"score"`
	Label string  `json:"label"`
}

// predictions returns the labels of a pair, the likeliest first, as
// probabilities or as their logarithms, which serve as raw scores.
func predictions(pair []string, raw bool) []prediction {
	p := Entail(pair[0], pair[len(pair)-1])
	list := []prediction{{p, "entailment"}, {(1 - p) * 0.4, "neutral"}, {(1 - p) * 0.6, "contradiction"}}
	if raw {
		for i := range list {
			list[i].Score = math.Log(list[i].Score)
		}
	}
	slices.SortStableFunc(list, func(a, b prediction) int {
		switch {
		case a.Score > b.Score:
			return -1
		case a.Score < b.Score:
			return 1
		default:
			return 0
		}
	})
	return list
}

// predict plays the sequence classification of text-embeddings-inference: its inputs
// are a string, a pair, or a list of lists of one or two strings. One input gives a
// list of predictions, a list of inputs a list of such lists.
func (s *Server) predict(r request) ([]byte, *problem) {
	var req struct {
		Inputs    json.RawMessage `json:"inputs"`
		RawScores bool            `json:"raw_scores"`
	}
	bad := func(status int, message string) ([]byte, *problem) {
		return nil, &problem{status: status, kind: "Validation", message: message}
	}
	if err := json.Unmarshal(r.body, &req); err != nil {
		return bad(http.StatusUnprocessableEntity, err.Error())
	}
	var one string
	var pair []string
	var batch [][]string
	switch {
	case json.Unmarshal(req.Inputs, &one) == nil:
		return encode(predictions([]string{one}, req.RawScores)), nil
	case json.Unmarshal(req.Inputs, &pair) == nil && (len(pair) == 1 || len(pair) == 2):
		return encode(predictions(pair, req.RawScores)), nil
	case json.Unmarshal(req.Inputs, &batch) != nil:
		return bad(http.StatusUnprocessableEntity, "inputs: want a string, a pair of strings or a batch of pairs")
	case s.o.MaxBatch > 0 && len(batch) > s.o.MaxBatch:
		return bad(http.StatusRequestEntityTooLarge, "batch size "+strconv.Itoa(len(batch))+" > maximum allowed batch size "+strconv.Itoa(s.o.MaxBatch))
	}
	lists := make([][]prediction, len(batch))
	for i, b := range batch {
		if len(b) != 1 && len(b) != 2 {
			return bad(http.StatusUnprocessableEntity, "inputs: entry "+strconv.Itoa(i)+" has "+strconv.Itoa(len(b))+" strings, want one or two")
		}
		lists[i] = predictions(b, req.RawScores)
	}
	return encode(lists), nil
}
