package provider

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recallbench/internal/backend/calls"
	"recallbench/internal/door/compress"
	"recallbench/internal/door/fault"
	"recallbench/internal/testkit/modelserver"
)

// withClassifier returns an entry with a classifier of tokens.
func withClassifier(s *modelserver.Server) Options {
	o := options(s)
	o.Prune.Use, o.Prune.BaseURL, o.Prune.Provider, o.Prune.Model, o.Prune.Batch = "http", s.Root, "test", "some-classifier", 2
	return o
}

func TestPrune(t *testing.T) {
	s := modelserver.New(t, modelserver.Options{
		MaxBatch: 2, Key: "sk-of-the-test", Rate: 1, Times: 1, Faults: []modelserver.Fault{modelserver.Internal},
	})
	o, dir := withClassifier(s), t.TempDir()
	o.Prune.Key.Env = "KEY"
	texts := []string{"melons at the market", "", "a red lamp", "melons at the market", "Zoë"}
	use := func(mode calls.Mode) [][]compress.Token {
		env := surroundings(t, dir, mode)
		env.Getenv = func(string) string { return "sk-of-the-test" }
		d := doors(t, env, o)
		if d.Settings["prune"] != "some-classifier" {
			t.Errorf("settings %v", d.Settings)
		}
		tokens, err := d.Prune.Classify(t.Context(), texts)
		if err != nil {
			t.Fatal(err)
		}
		return tokens
	}
	first := use(calls.Reuse)
	if len(first) != len(texts) || first[0][0] != (compress.Token{End: 6, Keep: modelserver.Keep("melons")}) || first[4][0].End != len("Zoë") {
		t.Errorf("tokens %v", first)
	}
	// In batches of two, each of which fails once; of the second the one text
	// that is known by then is left out.
	if n := s.Stats().Answered; n != 3 {
		t.Errorf("%d requests were answered, want 3", n)
	}
	s.Close()
	if diff := cmp.Diff(first, use(calls.Replay)); diff != "" {
		t.Errorf("(-recorded +replayed):\n%s", diff)
	}
	changed := o
	changed.Prune.Model = "another"
	if _, err := doors(t, surroundings(t, dir, calls.Replay), changed).Prune.Classify(t.Context(), texts); fault.KindOf(err) != fault.Miss {
		t.Errorf("another classifier: %v", err)
	}
}

func TestPruneOptions(t *testing.T) {
	s := modelserver.New(t, modelserver.Options{})
	if d := doors(t, surroundings(t, "", calls.Off), options(s)); d.Prune != nil {
		t.Error("an entry without a classifier has the door")
	}
	o := withClassifier(s)
	o.Prune.BaseURL, o.Prune.Key.Env = "", "UNSET"
	if _, err := spec.Open(t.Context(), surroundings(t, "", calls.Off), o); err == nil || !strings.Contains(err.Error(), "prune.base_url is empty") {
		t.Errorf("without an address: %v", err)
	}
	o.Prune.BaseURL = s.Root
	if _, err := spec.Open(t.Context(), surroundings(t, "", calls.Off), o); err == nil || !strings.Contains(err.Error(), "prune: key.env: the environment variable UNSET is not set") {
		t.Errorf("without a key: %v", err)
	}
	base := identity(options(s))
	with := withClassifier(s)
	if cmp.Equal(base, identity(with), exported) {
		t.Error("a classifier is no part of the identity")
	}
	same := with
	same.Prune.Batch, same.Prune.Key.Env, same.Prune.Limits.Max = 5, "K", 1
	if diff := cmp.Diff(identity(with), identity(same), exported); diff != "" {
		t.Errorf("transport is in the identity:\n%s", diff)
	}
	if !cmp.Equal(identityFor(options(s), []string{"episode"}), identityFor(with, []string{"episode"}), exported) {
		t.Error("a classifier builds another memory")
	}
}

// For an estimate a classifier is not called, and as much is left as asked for.
func TestPruneEstimate(t *testing.T) {
	s := modelserver.New(t, modelserver.Options{})
	env := surroundings(t, t.TempDir(), calls.Replay)
	env.Estimate = true
	p := compress.New(doors(t, env, withClassifier(s)).Prune, compress.Options{Rate: 0.6}, func(string) int { return 1 })
	got, err := p.Compress(t.Context(), []string{"one two three four five six seven eight nine ten"})
	if err != nil || got[0].Kept != 6 || s.Stats().Arrived != 0 {
		t.Errorf("%+v, %v after %d calls, want 6 words after none", got, err, s.Stats().Arrived)
	}
}

func TestCheckPrune(t *testing.T) {
	s := modelserver.New(t, modelserver.Options{})
	find := func(o Options) (found []string) {
		for _, f := range spec.Check(t.Context(), surroundings(t, "", calls.Off), o) {
			if strings.HasPrefix(f.What, "prune") {
				found = append(found, string(f.Status)+" "+f.What+": "+f.Detail)
			}
		}
		return found
	}
	if got := find(withClassifier(s)); len(got) != 1 || !strings.Contains(got[0], " prune: 0.") {
		t.Errorf("found %q", got)
	}
	o := withClassifier(s)
	o.Prune.BaseURL += "/elsewhere"
	if got := find(o); len(got) != 1 || !strings.HasPrefix(got[0], "fail prune: ") || !strings.Contains(got[0], "HTTP 404") {
		t.Errorf("at a wrong address: %q", got)
	}
}
