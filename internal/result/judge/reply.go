package judge

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"recallbench/metrics"
)

// A reply reads what a model said to the authors' prompt: a score from 0 to 1.
type reply func(text string) (float64, error)

// saysYes accepts a reply with yes anywhere in it, in any case.
func saysYes(text string) (float64, error) {
	if strings.TrimSpace(text) == "" {
		return 0, errors.New("the reply is empty, want yes or no")
	}
	return number(strings.Contains(strings.ToLower(text), "yes")), nil
}

// label reads a JSON object, fenced or among prose, whose label is CORRECT or WRONG.
func label(text string) (float64, error) {
	var said struct {
		Label *string `json:"label"`
	}
	if err := object(text, &said); err != nil {
		return 0, err
	}
	if said.Label == nil {
		return 0, errors.New(`the reply has no "label"`)
	}
	switch l := strings.ToUpper(strings.TrimSpace(*said.Label)); l {
	case "CORRECT", "WRONG":
		return number(l == "CORRECT"), nil
	default:
		return 0, fmt.Errorf("the label is %.40q, want CORRECT or WRONG", l)
	}
}

// score reads a JSON object whose score is 1, 0.5 or 0, as a number or in quotes.
func score(text string) (float64, error) {
	var said struct {
		Score any `json:"score"`
	}
	if err := object(text, &said); err != nil {
		return 0, err
	}
	switch fmt.Sprint(said.Score) {
	case "0", "0.0":
		return 0, nil
	case "0.5":
		return 0.5, nil
	case "1", "1.0":
		return 1, nil
	}
	return 0, fmt.Errorf("the score is %.40q, want 1, 0.5 or 0", fmt.Sprint(said.Score))
}

// threshold reads a JSON object whose score is a number: 1 from 0.75, 0.5 from 0.25.
func threshold(text string) (float64, error) {
	var said struct {
		Score *float64 `json:"score"`
	}
	if err := object(text, &said); err != nil {
		return 0, err
	}
	switch {
	case said.Score == nil:
		return 0, errors.New(`the reply has no "score"`)
	case *said.Score >= 0.75:
		return 1, nil
	case *said.Score >= 0.25:
		return 0.5, nil
	}
	return 0, nil
}

// scored reads a JSON object that accepts with the score 1. Where there is none, the
// label in quotes decides, as in memorybench.
func scored(text string) (float64, error) {
	var said struct {
		Score any `json:"score"`
	}
	if err := object(text, &said); err != nil {
		if text = strings.ToLower(text); strings.Contains(text, `"correct"`) && !strings.Contains(text, `"incorrect"`) {
			return 1, nil
		}
		return 0, err
	}
	return number(said.Score == 1.0), nil
}

// threeLabels reads a JSON object whose label is correct, partial or wrong. Where there
// is none, the first of these words decides in the order of Locomo-Plus: correct, wrong,
// partial.
func threeLabels(text string) (float64, error) {
	points := map[string]float64{"correct": 1, "partial": 0.5, "wrong": 0}
	var said struct {
		Label string `json:"label"`
	}
	if err := object(text, &said); err != nil {
		for _, word := range []string{"correct", "wrong", "partial"} {
			if strings.Contains(strings.ToLower(text), word) {
				return points[word], nil
			}
		}
		return 0, err
	}
	x, known := points[strings.ToLower(strings.TrimSpace(said.Label))]
	if !known {
		return 0, fmt.Errorf("the label is %.40q, want correct, partial or wrong", said.Label)
	}
	return x, nil
}

// fence is a block of code in a reply.
var fence = regexp.MustCompile("(?s)```(?:json)?\\s*(\\{.*?\\})\\s*```")

// object decodes the JSON object of a reply: the first in a fence, else the first
// that begins with a brace.
func object(text string, into any) error {
	if m := fence.FindStringSubmatch(text); m != nil {
		text = m[1]
	}
	at := strings.IndexByte(text, '{')
	if at < 0 {
		return errors.New("the reply has no JSON object")
	}
	if err := json.NewDecoder(strings.NewReader(text[at:])).Decode(into); err != nil {
		return fmt.Errorf("the reply's JSON object: %w", err)
	}
	return nil
}

func number(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// contains is the rule of the profile of that name.
func contains(t Task) bool { return metrics.ContainsWords(t.Answer, t.Gold) }
