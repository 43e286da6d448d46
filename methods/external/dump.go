package external

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"

	"recallbench/internal/door/fault"
	"recallbench/internal/files/durable"
	"recallbench/internal/outside/wire"
)

// maxItems bounds what is written of a memory.
const maxItems = 1_000_000

// dump writes what a memory holds, one item a line, beside the logs of its adapter. A
// refusal is logged and does not fail the memory.
func (m *memory) dump(ctx context.Context, i *instance) error {
	path := m.path(m.name + ".jsonl")
	if path == "" {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	err := durable.WriteFile(path, func(w io.Writer) error {
		lines := json.NewEncoder(w)
		params := wire.DumpParams{Memory: m.name, Limit: wire.MaxBlocks}
		for n := 0; ; {
			var page wire.DumpResult
			if err := m.call(ctx, i, m.o.Timeouts.Finish, true, wire.Dump, params, &page); err != nil {
				return err
			}
			for _, item := range page.Items {
				if err := lines.Encode(item); err != nil {
					return err
				}
			}
			n += len(page.Items)
			if page.Next == "" {
				return nil
			}
			if len(page.Items) == 0 || n > maxItems {
				return fault.New(fault.AdapterProtocol, "%s: after %d items comes %q, want a page with items, and at most %d items", wire.Dump, n, page.Next, maxItems)
			}
			params.After = page.Next
		}
	})
	if err == nil || ctx.Err() != nil || i.conn.Ended() != nil {
		return err
	}
	m.warn("the adapter does not tell what the memory holds", err)
	return nil
}
