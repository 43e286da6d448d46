package xmemory

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"recallbench/internal/engine/checkpoint"
)

// A part is what is kept of a building: an episode with its statements, or the
// summary of a theme. One of the two is set.
type part struct {
	Episode *keptEpisode `json:"episode,omitempty"`
	Summary *keptSummary `json:"summary,omitempty"`
}

// A keptEpisode is an episode with its statements.
type keptEpisode struct {
	First      int       `json:"first"`
	End        int       `json:"end"`
	Title      string    `json:"title"`
	Content    string    `json:"content"`
	Time       time.Time `json:"time,omitzero"`
	Statements []string  `json:"statements"`
}

// A keptSummary is the summary of some facts, which a hash stands for: themes of
// other options have other facts.
type keptSummary struct {
	Facts string `json:"facts_sha256"`
	Text  string `json:"text"`

	use func()
}

func keptOf(e episode, statements []string) *keptEpisode {
	return &keptEpisode{e.first, e.end, e.title, e.content, e.time, statements}
}

func factsHash(texts []string) string {
	sum := sha256.Sum256([]byte(strings.Join(texts, "\x00")))
	return hex.EncodeToString(sum[:])
}

// takeUp takes what an earlier building kept: the episodes, as far as they go
// on from one another, and all summaries.
func (b *builder) takeUp(ctx context.Context) error {
	end := 0
	for i, kept := range b.keeper.Parts() {
		var p part
		if err := json.Unmarshal(kept.Data, &p); err != nil {
			return fmt.Errorf("part %d of the kept memory: %w", i+1, err)
		}
		switch e := p.Episode; {
		case p.Summary != nil:
			p.Summary.use = kept.Use
			b.summaries[p.Summary.Facts] = *p.Summary
		case e != nil && e.First == end && e.End > end && e.End <= len(b.messages):
			if err := b.takeEpisode(ctx, e, kept); err != nil {
				return err
			}
			end = e.End
		}
	}
	return nil
}

func (b *builder) takeEpisode(ctx context.Context, k *keptEpisode, kept checkpoint.Part) error {
	e := episode{k.First, k.End, k.Title, k.Content, k.Time}
	vectors, err := b.vectors(ctx, []string{e.content, e.index()})
	if err != nil {
		return err
	}
	kept.Use()
	return b.add(ctx, e, vectors, k.Statements)
}
