package judge

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"

	"recallbench/metrics"
)

// parsers read what a model said to the authors' prompt: a score from 0 to 1.
var parsers = map[string]func(text string) (float64, error){
	"says-yes": func(text string) (float64, error) { // anywhere, in any case
		return yes(text, strings.Contains)
	},
	"begins-with-yes": func(text string) (float64, error) { return yes(text, strings.HasPrefix) },
	"label":           label,
	"score":           score,
	"whole-score":     wholeScore,
	"threshold":       threshold,
	"scored":          scored,
	"three-labels":    threeLabels,
}

func yes(text string, in func(text, word string) bool) (float64, error) {
	if text = strings.ToLower(strings.TrimSpace(text)); text == "" {
		return 0, errors.New("the reply is empty, want yes or no")
	}
	return number(in(text, "yes")), nil
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

// score reads the score of a JSON object, a number from 0 to 1, which may be in quotes.
func score(text string) (float64, error) { return beamScore(text, false) }

// wholeScore reads it as BEAM does in nine of its ten abilities: what is less than 1
// counts 0, and only a whole number may be in quotes.
func wholeScore(text string) (float64, error) { return beamScore(text, true) }

func beamScore(text string, whole bool) (float64, error) {
	said, err := scoreOf(text)
	if err != nil {
		return 0, err
	}
	x, number := said.(float64)
	if quoted, ok := said.(string); ok {
		quoted = strings.TrimSpace(quoted)
		if x, err = strconv.ParseFloat(quoted, 64); whole && strings.Trim(quoted, "0123456789") != "" {
			err = strconv.ErrSyntax
		}
		number = err == nil
	}
	if whole {
		x = math.Trunc(x)
	}
	if !number || x < 0 || x > 1 {
		return 0, fmt.Errorf("the score is %.40q, want 1, 0.5 or 0", fmt.Sprint(said))
	}
	return x, nil
}

// scoreOf returns the score of a JSON object, also of one that is cut off behind it.
func scoreOf(text string) (any, error) {
	var said struct {
		Score any `json:"score"`
	}
	err := object(text, &said)
	if err == nil || !errors.Is(err, io.ErrUnexpectedEOF) {
		return said.Score, err
	}
	d := json.NewDecoder(strings.NewReader(text[strings.IndexByte(text, '{'):]))
	_, more := d.Token() // the brace
	for more == nil {
		var name json.Token
		var value any
		name, more = d.Token()
		if more = errors.Join(more, d.Decode(&value)); more == nil && name == "score" {
			return value, nil
		}
	}
	return nil, err
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
