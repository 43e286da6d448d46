package provider

import (
	"strings"
	"testing"

	"recallbench/internal/backend/calls"
	"recallbench/internal/testkit/modelserver"
)

func TestPrune(t *testing.T) {
	s := modelserver.New(t, modelserver.Options{})
	env := surroundings(t, "", calls.Off)
	o := options(s)
	if d := doors(t, env, o); d.Prune != nil {
		t.Error("an entry without a classifier has the door")
	}
	with := o
	with.Prune.Dir = "nowhere"
	if _, err := spec.Open(t.Context(), env, with); err == nil || !strings.Contains(err.Error(), "prune: ") || !strings.Contains(err.Error(), "want a folder of a token classifier") {
		t.Errorf("without its folder: %v", err)
	}
	// For an estimate it does not run, and every word is as likely kept.
	env.Estimate = true
	words, err := doors(t, env, with).Prune.Classify(t.Context(), []string{"one two"})
	if err != nil || len(words[0]) != 2 || words[0][0].Keep != words[0][1].Keep {
		t.Errorf("%v, %v", words, err)
	}
}
