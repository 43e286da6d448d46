package xmemory

import (
	"context"
	"fmt"
	"strings"

	"recallbench/internal/door/fault"
	"recallbench/internal/door/meter"
)

// degrade notes that a stage goes on without the model's reply, where the
// failure is the reply's own: it does not fit even when asked for again, or
// there is none. Any other failure, such as a server that is not there, is
// returned.
func degrade(ctx context.Context, stage string, err error) error {
	switch fault.KindOf(err) {
	case fault.Schema, fault.Refused, fault.Empty:
		meter.Degrade(ctx, stage)
		return nil
	default:
		return fmt.Errorf("%s: %w", stage, err)
	}
}

// What is kept of a model's texts, in bytes and pieces. What goes beyond is no
// answer to what was asked.
const (
	maxTitle      = 500
	maxContent    = 20_000
	maxStatement  = 1_000
	maxStatements = 200
)

// clean folds white space, drops what is no text and cuts what is too long.
func clean(s string, most int) string {
	if len(s) > 4*most {
		s = s[:4*most]
	}
	s = strings.Join(strings.Fields(strings.ReplaceAll(strings.ToValidUTF8(s, ""), sentinel, "")), " ")
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + " ..."
	}
	return s
}
