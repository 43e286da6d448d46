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
	"says-yes":        yes(strings.Contains), // anywhere, in any case
	"begins-with-yes": yes(strings.HasPrefix),
	"label":           labelled(nil),
	// In place of an object the first of these words decides, as in Locomo-Plus.
	"three-labels": labelled([]string{"correct", "wrong", "partial"}),
	"score":        func(text string) (float64, error) { return beamScore(text, false) },
	"whole-score":  func(text string) (float64, error) { return beamScore(text, true) },
	"threshold":    threshold,
	"scored":       scored,
}

func yes(in func(text, word string) bool) func(string) (float64, error) {
	return func(text string) (float64, error) {
		if text = strings.ToLower(strings.TrimSpace(text)); text == "" {
			return 0, errors.New("the reply is empty, want yes or no")
		}
		return number(in(text, "yes")), nil
	}
}

// labelled reads a JSON object, fenced or among prose, whose label is correct or wrong, or
// partial where words may stand in its place: the first of them counts where there is no
// object.
func labelled(words []string) func(string) (float64, error) {
	points := map[string]float64{"correct": 1, "partial": 0.5, "wrong": 0}
	want := "correct, partial or wrong"
	if words == nil {
		delete(points, "partial")
		want = "CORRECT or WRONG"
	}
	return func(text string) (float64, error) {
		var said struct{ Label string }
		if err := object(text, &said); err != nil {
			for _, word := range words {
				if strings.Contains(strings.ToLower(text), word) {
					return points[word], nil
				}
			}
			return 0, err
		}
		x, known := points[strings.ToLower(strings.TrimSpace(said.Label))]
		if !known {
			return 0, fmt.Errorf("the label is %.40q, want %s", said.Label, want)
		}
		return x, nil
	}
}

// beamScore reads the score of a JSON object, a number from 0 to 1, which may be in quotes.
// BEAM reads a whole one in nine of its ten abilities: what is less than 1 counts 0, and
// only a whole number may be in quotes.
func beamScore(text string, whole bool) (float64, error) {
	said, err := scoreOf(text)
	if err != nil {
		return 0, err
	}
	x, number := said.(float64)
	if quoted, ok := said.(string); ok {
		quoted = strings.TrimSpace(quoted)
		x, err = strconv.ParseFloat(quoted, 64)
		number = err == nil && (!whole || strings.Trim(quoted, "0123456789") == "")
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
	var said struct{ Score any }
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
	var said struct{ Score *float64 }
	err := object(text, &said)
	switch {
	case err != nil:
		return 0, err
	case said.Score == nil:
		return 0, errors.New(`the reply has no "score"`)
	}
	return number(*said.Score >= 0.25)/2 + number(*said.Score >= 0.75)/2, nil
}

// scored reads a JSON object that accepts with the score 1. Where there is none, the
// label in quotes decides, as in memorybench.
func scored(text string) (float64, error) {
	var said struct{ Score any }
	err := object(text, &said)
	if text = strings.ToLower(text); err != nil && strings.Contains(text, `"correct"`) && !strings.Contains(text, `"incorrect"`) {
		return 1, nil
	}
	return number(said.Score == 1.0), err
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
func contains(t metrics.Item) bool { return metrics.ContainsWords(t.Prediction, t.Gold) }
