package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"recallbench/internal/publish/interchange"
	"recallbench/internal/result/record"
)

// questionsOf makes a dataset of the format jsonl of the questions and gold answers that
// files have themselves, beside the folder of the run, and returns its path. Answers
// without a conversation share one.
func questionsOf(ctx context.Context, paths []string, flags importFlags) (string, error) {
	type place struct{ sample, request, question string }
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	seen, samples := make(map[place]bool), make(map[string]int)
	var faults []error
	for _, path := range paths {
		file, err := interchange.Read(ctx, flags.from, path)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		lacking := 0
		for _, a := range file.Answers {
			if a.Question == "" || a.Gold == "" {
				lacking++
				continue
			}
			sample := cmp.Or(a.Sample, a.Conversation, "all")
			at := place{sample, a.Request, a.Question}
			if seen[at] {
				continue
			}
			seen[at] = true
			n := samples[sample]
			samples[sample]++
			lines := []any{map[string]any{
				"type": "question", "sample": sample, "id": cmp.Or(a.Request, fmt.Sprintf("q%d", n)), "question": a.Question, "answer": a.Gold, "category": cmp.Or(a.Category, "uncategorised"),
			}}
			if n == 0 { // a sample has a turn
				lines = append([]any{map[string]any{"type": "turn", "sample": sample, "session": "1", "speaker": "none", "text": "The files have no conversation."}}, lines...)
			}
			for _, line := range lines {
				if err := enc.Encode(line); err != nil {
					return "", err
				}
			}
		}
		if lacking > 0 {
			faults = append(faults, fmt.Errorf("%s: %d of %d answers have no question or no gold answer, so that they need --dataset", path, lacking, len(file.Answers)))
		}
	}
	if err := errors.Join(faults...); err != nil {
		return "", err
	}
	path, err := filepath.Abs(strings.TrimRight(flags.out, `/\`) + ".questions.jsonl")
	if err != nil {
		return "", err
	}
	return path, record.WriteBytes(path, b.Bytes())
}
