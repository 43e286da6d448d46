package lightmem

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"recallbench/internal/engine/checkpoint"
	"recallbench/methods/internal/building"
)

// A keptPart is what is kept of a building: the facts of a batch, or what became
// of a fact. The key is the hash of what the model was asked about.
type keptPart struct {
	Key   string     `json:"key_sha256"`
	Facts []keptFact `json:"facts,omitempty"`
	// Unread says that the messages stand for themselves.
	Unread    bool         `json:"unread,omitempty"`
	Misplaced int          `json:"misplaced,omitempty"`
	Revision  keptRevision `json:"revision,omitzero"`

	use func()
}

// A keptFact is a fact with the index of its message in the batch.
type keptFact struct {
	Message int    `json:"message"`
	Text    string `json:"text"`
}

// A keptRevision is what became of a fact.
type keptRevision struct {
	Action string `json:"action"`
	Text   string `json:"text,omitempty"`
}

// keptParts returns what an earlier building kept, by key.
func keptParts(keeper checkpoint.Keeper) (map[string]keptPart, error) {
	parts := make(map[string]keptPart)
	return parts, building.Kept(keeper, func(p keptPart, use func()) error {
		p.use = use
		parts[p.Key] = p
		return nil
	})
}

// part returns the kept part of a key, or makes and keeps it.
func (b *builder) part(key string, ask func() (keptPart, error)) (keptPart, error) {
	if p, ok := b.kept[key]; ok {
		p.use()
		return p, nil
	}
	p, err := ask()
	if err != nil {
		return p, err
	}
	p.Key, p.use = key, func() {}
	b.kept[key] = p
	return p, b.keeper.Add(p)
}

// keyOf is the hash of some texts.
func keyOf(texts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(texts, "\x00")))
	return hex.EncodeToString(sum[:])
}
