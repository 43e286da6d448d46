package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"recallbench/internal/backend"
	"recallbench/internal/backend/budget"
	"recallbench/internal/backend/calls"
	"recallbench/internal/backend/limit"
	"recallbench/internal/backend/price"
	"recallbench/internal/backend/standin"
	"recallbench/internal/config"
	"recallbench/internal/config/suite"
	"recallbench/internal/door/fault"
	"recallbench/internal/door/prompt"
	"recallbench/internal/engine/relevance"
	"recallbench/internal/engine/semxpath"
	"recallbench/internal/engine/tree"
	"recallbench/internal/text/suggest"
)

// The scorers of xpath.
const (
	scorerStandIn    = standin.Name
	scorerSimilarity = "similarity"
	scorerRecorded   = "recorded"
	scorerSem        = "sem"
	scorerEntail     = "entail"
	scorerLLM        = "llm"
)

// scoresAtOnce is how many texts a language model is asked about in one call.
const scoresAtOnce = 20

func scorerNames() []string {
	return []string{scorerStandIn, scorerSimilarity, scorerRecorded + "=FILE", scorerSem, scorerEntail, scorerLLM}
}

// An xpathScorer is a scorer with its name, and the text of nodes it is given.
type xpathScorer struct {
	semxpath.Scorer
	name  string // for people; results without a model behind them say stand-in
	form  string
	text  semxpath.TextOf
	close func()
}

func (f xpathFlags) validateScorer() error {
	name, file, _ := strings.Cut(f.scorer, "=")
	switch name {
	case scorerRecorded:
		if file == "" {
			return errors.New("--scorer recorded names no file, want recorded=FILE")
		}
	case scorerSem, scorerEntail, scorerLLM:
		if f.model == "" {
			return fmt.Errorf("--scorer %s needs --model FILE, the models entry to ask, such as configs/models/openai.yaml", name)
		}
	case scorerStandIn, scorerSimilarity:
	default:
		return fmt.Errorf("--scorer: %s", suggest.Unknown("scorer", f.scorer, scorerNames()))
	}
	switch {
	case name != scorerRecorded && name != f.scorer:
		return fmt.Errorf("--scorer is %q, but only recorded takes a file", f.scorer)
	case f.model != "" && !slices.Contains([]string{scorerSem, scorerEntail, scorerLLM}, name):
		return fmt.Errorf("--model is for the scorers sem, entail and llm; --scorer is %s", name)
	}
	return nil
}

func (a *app) openScorer(ctx context.Context, f xpathFlags, t *tree.Tree) (*xpathScorer, error) {
	s := &xpathScorer{form: f.text, close: func() {}}
	name, file, _ := strings.Cut(f.scorer, "=")
	if name == scorerRecorded {
		recorded, err := relevance.Recorded(file)
		if err != nil {
			return nil, usageError(err)
		}
		s.Scorer, s.name = recorded, "recorded in "+file
		if s.form == "" && recorded.Named() {
			s.form = nameText
		}
		return s, s.openText(t)
	}
	if err := s.openText(t); err != nil {
		return nil, err
	}
	doors, model, err := a.scorerDoors(ctx, f, s)
	if err != nil {
		return nil, err
	}
	if err := s.open(ctx, name, f, doors, t); err != nil {
		s.close()
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, scoringError(err)
	}
	s.name = model + s.name
	return s, nil
}

// openText finds the text of nodes that the form names.
func (s *xpathScorer) openText(t *tree.Tree) (err error) {
	switch s.form {
	case nameText:
		s.text = relevance.NameText
	case "":
		s.form = string(semxpath.Fields)
		fallthrough
	default:
		s.text, err = semxpath.TextForm(s.form).TextOf(t.Schema())
	}
	return usageError(err)
}

// open makes the scorer over doors.
func (s *xpathScorer) open(ctx context.Context, name string, f xpathFlags, doors backend.Doors, t *tree.Tree) (err error) {
	lacks := func(what string) error {
		return usageError(fmt.Errorf("--model %s brings no %s, which --scorer %s needs", f.model, what, name))
	}
	switch name {
	case scorerSimilarity, scorerSem:
		if doors.Embed == nil {
			return lacks("embedder")
		}
		var texts []string
		for node := range t.All() {
			texts = append(texts, s.text(t.Path(node.ID)))
		}
		s.name = "similarity, mapping " + f.mapping
		s.Scorer, err = relevance.NewSimilarity(ctx, doors.Embed, texts, relevance.Mapping(f.mapping))
		return err
	case scorerLLM:
		if doors.LLM == nil {
			return lacks("language model")
		}
		prompts, err := prompt.Load("xpath", relevance.Prompts(), nil)
		if err != nil {
			return err
		}
		s.name = "scores by a language model"
		s.Scorer, err = relevance.Model(doors.LLM, prompts, scoresAtOnce)
		return err
	default:
		if doors.NLI == nil {
			return lacks("entailment")
		}
		s.name = "entailment of " + strconv.Quote(f.template)
		s.Scorer = relevance.Entailment(doors.NLI, f.template)
		return nil
	}
}

// openEntry opens the first models entry of a config.
func (a *app) openEntry(ctx context.Context, c *config.Config, recorder *calls.Recorder) (backend.Doors, error) {
	entry := c.Models[0]
	i := slices.IndexFunc(suite.Plugins().Models, func(b *backend.Spec) bool { return b.Name == entry.Use })
	doors, err := suite.Plugins().Models[i].Open(ctx, backend.Env{
		Seed: c.Seed, Base: c.Base, Log: a.log(), Getenv: a.env, Calls: recorder,
		Limits: limit.NewRegistry(), Budget: budget.New(0, 0), Prices: price.Builtin(),
	}, entry.Options)
	if err != nil {
		return doors, fmt.Errorf("model %s: %w", entry.Label, err)
	}
	return doors, nil
}

// scorerDoors opens the models of the entry, or those of the stand-in.
// The name says which they are.
func (a *app) scorerDoors(ctx context.Context, f xpathFlags, s *xpathScorer) (doors backend.Doors, name string, err error) {
	if f.model == "" {
		doors, err = standin.Spec.Open(ctx, backend.Env{Seed: 1}, standin.Spec.Options)
		return doors, standin.Name + ": ", err
	}
	config, err := scorerConfig(f)
	if err != nil {
		return doors, "", usageError(err)
	}
	mode, dir, err := a.recordings(config, runFlags{calls: f.calls, store: f.store})
	if err != nil {
		return doors, "", usageError(err)
	}
	recorder, closeStore, err := a.recorder(mode, dir)
	if err != nil {
		return doors, "", usageError(err)
	}
	s.close = closeStore
	entry := config.Models[0]
	if doors, err = a.openEntry(ctx, config, recorder); err != nil {
		closeStore()
		return doors, "", scoringError(err)
	}
	if doors.Close != nil {
		s.close = func() {
			if err := doors.Close(); err != nil {
				a.log().Warn("closing the models failed", "error", err)
			}
			closeStore()
		}
	}
	name = entry.Label + ": "
	if doors.Offline {
		name = standin.Name + ": "
	}
	return doors, name, nil
}

// scorerConfig reads the models entry as a run's config would.
func scorerConfig(f xpathFlags) (*config.Config, error) {
	if _, err := os.Stat(f.model); err != nil {
		return nil, fmt.Errorf("--model: %w", err)
	}
	models, err := modelList(f.model)
	if err != nil {
		return nil, err
	}
	return modelConfig(models, 1)
}

// scoringError gives an error of scoring the exit code of its kind.
func scoringError(err error) error {
	if _, ok := errors.AsType[*exitError](err); ok {
		return err
	}
	if kind := fault.KindOf(err); kind.Stops() {
		return withExit(stopCode(kind), err)
	}
	return usageError(err)
}
