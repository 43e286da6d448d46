package methodtest

import (
	"encoding/json"
	"errors"

	"recallbench/internal/engine/checkpoint"
)

// A Shelf is a [checkpoint.Keeper] that keeps parts in memory.
type Shelf struct {
	Data   []json.RawMessage
	Used   int    // how many were
	FailAt int    // Add fails at the part of this number; 0 is never
	File   string // beside the parts
}

// ErrKilled is how a Shelf fails.
var ErrKilled = errors.New("killed")

// Parts implements [checkpoint.Keeper].
func (s *Shelf) Parts() (parts []checkpoint.Part) {
	for _, d := range s.Data {
		parts = append(parts, checkpoint.Part{Data: d, Use: func() { s.Used++ }})
	}
	return parts
}

// Add implements [checkpoint.Keeper].
func (s *Shelf) Add(part any) error {
	if s.FailAt > 0 && len(s.Data)+1 == s.FailAt {
		return ErrKilled
	}
	data, err := json.Marshal(part)
	s.Data = append(s.Data, data)
	return err
}

// Beside implements [checkpoint.Keeper].
func (s *Shelf) Beside() string { return s.File }
