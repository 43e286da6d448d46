package modelserver

import (
	"cmp"
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

// predictions returns the labels of a pair, the likeliest first, with the logarithms of
// their probabilities, which serve as raw scores.
func predictions(premise, hypothesis string) []prediction {
	p := Entail(premise, hypothesis)
	list := []prediction{{math.Log(p), "entailment"}, {math.Log((1 - p) * 0.4), "neutral"}, {math.Log((1 - p) * 0.6), "contradiction"}}
	slices.SortStableFunc(list, func(a, b prediction) int { return cmp.Compare(b.Score, a.Score) })
	return list
}

// predict plays the sequence classification of text-embeddings-inference: its inputs
// are a list of pairs, and it gives a list of predictions for each.
func (s *Server) predict(r request) ([]byte, *problem) {
	var req struct {
		Inputs    [][]string `json:"inputs"`
		RawScores bool       `json:"raw_scores"`
	}
	bad := func(message string) ([]byte, *problem) {
		return nil, &problem{status: http.StatusUnprocessableEntity, kind: "Validation", message: message}
	}
	switch err := json.Unmarshal(r.body, &req); {
	case err != nil:
		return bad(err.Error())
	case !req.RawScores:
		return bad("want raw_scores")
	}
	lists := make([][]prediction, len(req.Inputs))
	for i, pair := range req.Inputs {
		if len(pair) != 2 {
			return bad("inputs: entry " + strconv.Itoa(i) + " has " + strconv.Itoa(len(pair)) + " strings, want two")
		}
		lists[i] = predictions(pair[0], pair[1])
	}
	return encode(lists), nil
}
