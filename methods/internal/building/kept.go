package building

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"recallbench/internal/door/llm"
	"recallbench/internal/engine/checkpoint"
)

// A part is a kept reply.
type part struct {
	Prompt string          `json:"prompt_sha256"` // by which it is found again
	OK     bool            `json:"ok,omitempty"`  // Value is the reply
	Value  json.RawMessage `json:"value,omitempty"`
	Text   string          `json:"text,omitempty"`

	use func()
}

// replies are those of a building. Its steps are repeated from the start when it is
// resumed: calls with a kept reply are not made.
type replies struct {
	keeper checkpoint.Keeper
	kept   map[string][]part // that are left of an earlier building, by prompt
}

// Resume returns the model for a building, which repeats the replies that an earlier
// building kept, and keeps its own.
func (m Model) Resume(ctx context.Context) (Model, error) {
	m.kept = &replies{checkpoint.From(ctx), make(map[string][]part)}
	for i, kept := range m.kept.keeper.Parts() {
		p := part{use: kept.Use}
		if err := json.Unmarshal(kept.Data, &p); err != nil {
			return m, fmt.Errorf("part %d of the kept memory: %w", i+1, err)
		}
		m.kept.kept[p.Prompt] = append(m.kept.kept[p.Prompt], p)
	}
	return m, nil
}

// of returns the kept reply to a request, or makes and keeps one.
func (k *replies) of(r llm.Request, ask func() (part, error)) (part, error) {
	p, fresh := k.take(r)
	if !fresh {
		return p, nil
	}
	p, err := ask()
	if err != nil {
		return p, err
	}
	return p, k.add(r, p)
}

// take returns the next kept reply to a request; it is fresh if there is none.
func (k *replies) take(r llm.Request) (p part, fresh bool) {
	if k == nil {
		return p, true
	}
	of := hash(r)
	if len(k.kept[of]) == 0 {
		return p, true
	}
	p, k.kept[of] = k.kept[of][0], k.kept[of][1:]
	p.use()
	return p, false
}

func (k *replies) add(r llm.Request, p part) error {
	if k == nil {
		return nil
	}
	p.Prompt = hash(r)
	return k.keeper.Add(p)
}

// hash returns the SHA-256 of a request's role and messages, in hex.
func hash(r llm.Request) string {
	sum := sha256.New()
	fmt.Fprintf(sum, "%s\x00", r.Role)
	for _, m := range r.Messages {
		fmt.Fprintf(sum, "%s\x00%s\x00", m.Role, m.Content)
	}
	return hex.EncodeToString(sum.Sum(nil))
}
