package building

import (
	"encoding/json"
	"fmt"

	"recallbench/internal/door/embed"
	"recallbench/internal/engine/checkpoint"
	"recallbench/methods"
	"recallbench/methods/internal/reader"
)

// A Method is what the methods have in common: the doors that they need, and the
// reader of their memories.
type Method struct {
	Model
	Embed  embed.Model
	Reader reader.Reader
}

// New returns the common part of the method of a name.
func New(name string, env methods.Env, o reader.Options) (Method, error) {
	if env.LLM == nil || env.Embed == nil {
		return Method{}, fmt.Errorf("the model entry brings no language model or no embedder, and %s needs both", name)
	}
	r, err := reader.New(env, o)
	return Method{Model{env.LLM, env.Prompts}, env.Embed, r}, err
}

// Kept calls take with each part that an earlier building kept, in order; use says
// that the part is used.
func Kept[T any](keeper checkpoint.Keeper, take func(part T, use func()) error) error {
	for i, kept := range keeper.Parts() {
		var part T
		if err := json.Unmarshal(kept.Data, &part); err != nil {
			return fmt.Errorf("part %d of the kept memory: %w", i+1, err)
		}
		if err := take(part, kept.Use); err != nil {
			return err
		}
	}
	return nil
}
