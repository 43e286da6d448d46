package runners

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"recallbench/datasets"
	"recallbench/internal/calc/lists"
	"recallbench/internal/door/llm"
	"recallbench/internal/door/meter"
	"recallbench/internal/engine/checkpoint"
	"recallbench/internal/files/jsonout"
	"recallbench/internal/result/record"
)

// keptVersion is the version of the files of kept parts; the names of those of another
// one are others.
const keptVersion = 2

// A memoryCache holds the kept parts of a run's memories, or of several runs', one
// file for each memory:
//
//	DIR/<hash of what it depends on>/<sample>-<hash of its content>.jsonl
//
// A file has a line for each part. A line that cannot be read is cut off together with
// all behind it, and made again. What is too large for a line is in the file NAME.parts
// beside NAME.jsonl.
type memoryCache struct {
	dir string
	log *slog.Logger
}

// A keptPart is a line of such a file.
type keptPart struct {
	Took keptTook        `json:"took"`
	Data json.RawMessage `json:"data"`
	used bool            // by the Build under way
}

// keptTook is what a part took to make. Embeddings are not in it where who continues
// with a part embeds its texts again.
type keptTook struct {
	Usage    map[string]llm.Usage `json:"usage,omitempty"`
	Cost     *float64             `json:"cost"`
	Calls    []string             `json:"calls,omitempty"`
	Degraded map[string]int       `json:"degraded,omitempty"`
}

// A keeper holds the parts of one memory for one Build.
type keeper struct {
	meter *meter.Meter
	path  string
	lock  *flock.Flock // against other Builds, also of other processes
	log   *record.Log
	parts []keptPart

	embeddings bool     // are among what parts took
	last       keptTook // of the meter, at the last Add
}

// lockPoll is how often a Build looks whether another one is done with a memory.
const lockPoll = 20 * time.Millisecond

// take opens the file of a memory for one Build, after all others that use it. The
// caller sets the meter of the Build.
func (c memoryCache) take(ctx context.Context, memory string, sample datasets.Sample) (*keeper, error) {
	k := &keeper{last: keptTook{Cost: new(0.0)}, path: filepath.Join(c.dir, memory, record.FileName(sample.ID)+"-"+contentHash(sample)+".jsonl")}
	if err := k.open(ctx, c.log); err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return nil, errors.Join(fmt.Errorf("saved memory: %w", err), k.close())
	}
	return k, nil
}

func (k *keeper) open(ctx context.Context, log *slog.Logger) error {
	if err := os.MkdirAll(filepath.Dir(k.path), 0o755); err != nil {
		return err
	}
	k.lock = flock.New(k.path + ".lock")
	if _, err := k.lock.TryLockContext(ctx, lockPoll); err != nil {
		return err
	}
	data, err := os.ReadFile(k.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	good := k.read(data)
	if good < len(data) {
		log.Warn("parts of a saved memory cannot be read and are rebuilt", "file", k.path, "bytes", len(data)-good)
		if err := os.Truncate(k.path, int64(good)); err != nil {
			return err
		}
	}
	k.log, _, err = record.OpenLog(k.path)
	return err
}

// read reads the parts up to the first that is not whole, and returns how many bytes
// they take.
func (k *keeper) read(data []byte) (good int) {
	for line := range bytes.Lines(data) {
		var p keptPart
		if err := json.Unmarshal(line, &p); err != nil || p.Data == nil || !bytes.HasSuffix(line, []byte("\n")) {
			break
		}
		k.parts = append(k.parts, p)
		good += len(line)
	}
	return good
}

// Parts implements [checkpoint.Keeper].
func (k *keeper) Parts() []checkpoint.Part {
	parts := make([]checkpoint.Part, len(k.parts))
	for i := range k.parts {
		p := &k.parts[i]
		parts[i] = checkpoint.Part{Data: p.Data, Use: func() { p.used = true }}
	}
	return parts
}

// Add implements [checkpoint.Keeper].
func (k *keeper) Add(part any) error {
	var data bytes.Buffer
	if err := jsonout.Lines(&data, part); err != nil {
		return fmt.Errorf("saved memory: %w", err)
	}
	now := tookBy(k.meter)
	if !k.embeddings {
		now.Cost = k.meter.Seen().LanguageCost
		delete(now.Usage, meter.EmbedRole)
	}
	took := now.combined(k.last, -1)
	took.Calls = lists.Filter(now.Calls, func(call string) bool { return !slices.Contains(k.last.Calls, call) })
	k.last = now
	return k.log.Append(keptPart{Took: took, Data: bytes.TrimSpace(data.Bytes())})
}

// Beside implements [checkpoint.Keeper].
func (k *keeper) Beside() string { return strings.TrimSuffix(k.path, ".jsonl") + ".parts" }

// took returns what the memory took: what this Build used, and what the parts
// took that it used. Kept is how many those are.
func (k *keeper) took() (t keptTook, kept int) {
	t = tookBy(k.meter)
	for _, p := range k.parts {
		if p.used {
			calls := slices.Sorted(slices.Values(slices.Concat(t.Calls, p.Took.Calls)))
			t = t.combined(p.Took, 1)
			t.Calls = calls
			kept++
		}
	}
	return t, kept
}

// close lets others use the memory.
func (k *keeper) close() (err error) {
	if k.log != nil {
		err = k.log.Close()
	}
	if k.lock != nil {
		err = errors.Join(err, k.lock.Unlock())
	}
	return err
}

func tookBy(m *meter.Meter) keptTook {
	seen := m.Seen()
	return keptTook{Usage: seen.Usage, Cost: seen.Cost, Calls: seen.IDs(), Degraded: seen.Degraded}
}

// combined adds all but the calls of u as often as times says. The cost is unknown where
// either is.
func (t keptTook) combined(u keptTook, times int) keptTook {
	out := keptTook{Usage: make(map[string]llm.Usage), Degraded: make(map[string]int)}
	maps.Copy(out.Usage, t.Usage)
	maps.Copy(out.Degraded, t.Degraded)
	if t.Cost != nil && u.Cost != nil {
		out.Cost = new(*t.Cost + float64(times)**u.Cost)
	}
	for role, x := range u.Usage {
		x.Calls, x.Input, x.Cached, x.Output, x.Reasoning = times*x.Calls, times*x.Input, times*x.Cached, times*x.Output, times*x.Reasoning
		x.Counted = x.Counted && times > 0
		out.Usage[role] = out.Usage[role].Add(x)
	}
	for stage, n := range u.Degraded {
		out.Degraded[stage] += times * n
	}
	maps.DeleteFunc(out.Usage, func(_ string, u llm.Usage) bool { return u.Calls+u.Input+u.Output == 0 })
	maps.DeleteFunc(out.Degraded, func(_ string, n int) bool { return n == 0 })
	return out
}

// contentHash is a hash of what a memory of the sample is built from.
func contentHash(s datasets.Sample) string {
	var text bytes.Buffer
	for _, part := range []any{s.ID, s.Speakers, s.Sessions} {
		if err := json.NewEncoder(&text).Encode(part); err != nil {
			panic("runners: a sample does not encode: " + err.Error()) // strings and times do
		}
	}
	return sha256Of(text.Bytes())[:8]
}
