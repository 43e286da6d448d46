package runners

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
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

// keptVersion is the version of the files of kept parts. Files of another one
// are not read.
const keptVersion = 1

// keptHeader is the first line of a file of kept parts.
type keptHeader struct {
	Version int    `json:"version"`
	Memory  string `json:"memory"`
	Sample  string `json:"sample"`
}

// keptPart is a line behind it.
type keptPart struct {
	Sum  string          `json:"crc32c"` // of Took and Data
	Took keptTook        `json:"took"`
	Data json.RawMessage `json:"data"`
}

// keptTook is what a part took to make. Embeddings are not in it where who goes on
// with a part embeds its texts again.
type keptTook struct {
	Usage    map[string]llm.Usage `json:"usage,omitempty"`
	Cost     *float64             `json:"cost"`
	Calls    []string             `json:"calls,omitempty"`
	Degraded map[string]int       `json:"degraded,omitempty"`
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func (p keptPart) sum() string {
	took, err := json.Marshal(p.Took)
	if err != nil {
		panic("runners: what a part took does not encode: " + err.Error())
	}
	sum := crc32.Update(crc32.Checksum(took, castagnoli), castagnoli, p.Data)
	return strconv.FormatUint(uint64(sum), 16)
}

// A memoryCache holds the kept parts of a run's memories, or of several runs', one
// file for each memory:
//
//	DIR/<hash of what it depends on>/<sample>-<hash of its content>.jsonl
//
// A file is a header and a line for each part, with its checksum and with what
// it took. Whatever does not check out is cut off together with all behind it,
// and made again. What is too large for a line is in the file NAME.parts beside
// NAME.jsonl.
type memoryCache struct {
	dir string
	log *slog.Logger
	keptLocks
}

func newMemoryCache(dir string, log *slog.Logger) *memoryCache {
	return &memoryCache{dir: dir, log: log}
}

// keptLocks let one Build of this process at a time use the kept parts of a memory.
type keptLocks struct {
	mu    sync.Mutex
	inUse map[KeptMemory]*sync.Mutex
}

// keptMemories are kept parts, in a folder of this process or of another one.
type keptMemories interface {
	// take opens the file of a memory for one Build, after all others that use it.
	take(ctx context.Context, memory string, sample datasets.Sample, m *meter.Meter, delay time.Duration) (*keeper, error)
}

// take implements [keptMemories].
func (s *memoryCache) take(_ context.Context, memory string, sample datasets.Sample, m *meter.Meter, delay time.Duration) (*keeper, error) {
	k := KeptMemory{memory, sample.ID, contentHash(sample)}
	mine := s.lock(k)
	mine.Lock()
	return s.open(k, mine, m, delay)
}

// A KeptMemory names the kept parts of a memory.
type KeptMemory struct {
	Memory  string `json:"memory"` // hash of what it depends on
	Sample  string `json:"sample"`
	Content string `json:"content"` // hash of the sample's content
}

func (s *memoryCache) path(k KeptMemory) string {
	return filepath.Join(s.dir, k.Memory, record.FileName(k.Sample)+"-"+k.Content+".jsonl")
}

// lock returns what keeps others from a file.
func (s *keptLocks) lock(k KeptMemory) *sync.Mutex {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.inUse == nil {
		s.inUse = make(map[KeptMemory]*sync.Mutex)
	}
	if s.inUse[k] == nil {
		s.inUse[k] = new(sync.Mutex)
	}
	return s.inUse[k]
}

// open opens a file whose lock is held.
func (s *memoryCache) open(kept KeptMemory, mine *sync.Mutex, m *meter.Meter, delay time.Duration) (*keeper, error) {
	k := &keeper{meter: m, release: mine.Unlock, path: s.path(kept)}
	if err := k.open(k.path, keptHeader{keptVersion, kept.Memory, kept.Sample}, delay, s.log); err != nil {
		return nil, errors.Join(fmt.Errorf("kept memory: %w", err), k.close())
	}
	return k, nil
}

// A keeper holds the parts of one memory for one Build.
type keeper struct {
	meter   *meter.Meter
	release func()
	path    string       // empty where the file is another process's
	lock    *flock.Flock // against other processes
	log     lineLog
	parts   []keptPart

	embeddings bool // are among what parts took

	used []bool
	last keptTook // of the meter, at the last Add
}

func (k *keeper) open(path string, header keptHeader, delay time.Duration, log *slog.Logger) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	k.lock = flock.New(path + ".lock")
	if err := k.lock.Lock(); err != nil {
		return err
	}
	data, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	parts, good, err := readKept(data, header)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if good < len(data) {
		log.Warn("parts of a kept memory do not check out; they are made again", "file", path, "bytes", len(data)-good)
		if err := record.SetAside(path+".damaged", data[good:]); err != nil {
			return err
		}
		if err := os.Truncate(path, int64(good)); err != nil {
			return err
		}
	}
	k.parts, k.used = parts, make([]bool, len(parts))
	file, _, err := record.OpenLog(path, delay)
	if err != nil {
		return err
	}
	k.log = file
	if good == 0 {
		return k.log.Append(header)
	}
	return nil
}

// readKept reads the parts of a file up to the first that does not check out,
// and returns how many bytes they and the header take. A file of another
// version, or of another memory, is an error.
func readKept(data []byte, want keptHeader) (parts []keptPart, good int, err error) {
	for good < len(data) {
		end := bytes.IndexByte(data[good:], '\n')
		if end < 0 {
			return parts, good, nil
		}
		line := data[good : good+end]
		if good == 0 {
			h, whole := unmarshal[keptHeader](line)
			if !whole {
				return nil, 0, nil
			}
			if h != want {
				return nil, 0, fmt.Errorf("it holds version %d of memory %s of %s, want version %d of %s of %s; remove it, and it is made again",
					h.Version, h.Memory, h.Sample, want.Version, want.Memory, want.Sample)
			}
		} else {
			p, whole := unmarshal[keptPart](line)
			if !whole || p.Sum != p.sum() {
				return parts, good, nil
			}
			parts = append(parts, p)
		}
		good += end + 1
	}
	return parts, good, nil
}

// unmarshal reads a line, and reports whether it is whole.
func unmarshal[T any](line []byte) (value T, whole bool) {
	err := json.Unmarshal(line, &value)
	return value, err == nil
}

// Parts implements [checkpoint.Keeper].
func (k *keeper) Parts() []checkpoint.Part {
	parts := make([]checkpoint.Part, len(k.parts))
	for i, p := range k.parts {
		parts[i] = checkpoint.Part{Data: p.Data, Use: func() { k.used[i] = true }}
	}
	return parts
}

// Add implements [checkpoint.Keeper].
func (k *keeper) Add(part any) error {
	var data bytes.Buffer
	if err := jsonout.Lines(&data, part); err != nil {
		return fmt.Errorf("kept memory: %w", err)
	}
	now := tookBy(k.meter)
	if !k.embeddings {
		now.Cost = k.meter.Seen().LanguageCost
		delete(now.Usage, meter.EmbedRole)
	}
	p := keptPart{Took: now.minus(k.last), Data: bytes.TrimSpace(data.Bytes())}
	p.Sum = p.sum()
	k.last = now
	return k.log.Append(p)
}

// Beside implements [checkpoint.Keeper].
func (k *keeper) Beside() string {
	if k.path == "" {
		return ""
	}
	return strings.TrimSuffix(k.path, ".jsonl") + ".parts"
}

// took returns what the memory took: what this Build used, and what the parts
// took that it used. Kept is how many those are.
func (k *keeper) took() (t keptTook, kept int) {
	t = tookBy(k.meter)
	for i, p := range k.parts {
		if k.used[i] {
			t = t.plus(p.Took)
			kept++
		}
	}
	return t, kept
}

func (k *keeper) close() error {
	defer k.release()
	var err error
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

// plus returns what two parts took.
func (t keptTook) plus(u keptTook) keptTook {
	sum := t.combined(u, 1)
	sum.Calls = slices.Concat(t.Calls, u.Calls)
	slices.Sort(sum.Calls)
	if t.Cost != nil && u.Cost != nil {
		sum.Cost = new(*t.Cost + *u.Cost)
	}
	return sum
}

// minus returns what came to u to make it t.
func (t keptTook) minus(u keptTook) keptTook {
	left := t.combined(u, -1)
	left.Calls = lists.Filter(t.Calls, func(call string) bool {
		_, before := slices.BinarySearch(u.Calls, call)
		return !before
	})
	if t.Cost != nil {
		left.Cost = new(*t.Cost)
		if u.Cost != nil {
			*left.Cost -= *u.Cost
		}
	}
	return left
}

// combined adds the tokens and the counts of u as often as times says.
func (t keptTook) combined(u keptTook, times int) keptTook {
	out := keptTook{Usage: make(map[string]llm.Usage), Degraded: make(map[string]int)}
	maps.Copy(out.Usage, t.Usage)
	maps.Copy(out.Degraded, t.Degraded)
	for role, x := range u.Usage {
		sum := out.Usage[role]
		sum.Calls += times * x.Calls
		sum.Input += times * x.Input
		sum.Cached += times * x.Cached
		sum.Output += times * x.Output
		sum.Reasoning += times * x.Reasoning
		sum.Counted = sum.Counted || times > 0 && x.Counted
		out.Usage[role] = sum
	}
	for stage, n := range u.Degraded {
		out.Degraded[stage] += times * n
	}
	maps.DeleteFunc(out.Usage, func(_ string, u llm.Usage) bool { return u.Calls+u.Input+u.Output == 0 })
	maps.DeleteFunc(out.Degraded, func(_ string, n int) bool { return n == 0 })
	return out
}

// contentDigits is the length of a content hash.
const contentDigits = 8

// contentHash is a hash of what a memory of the sample is built from.
func contentHash(s datasets.Sample) string {
	s.Requests = nil
	h := sha256.New()
	enc := json.NewEncoder(h)
	for _, part := range []any{s.ID, s.Speakers, s.Sessions} {
		if err := enc.Encode(part); err != nil {
			panic("runners: a sample does not encode: " + err.Error()) // strings and times do
		}
	}
	return hex.EncodeToString(h.Sum(nil))[:contentDigits]
}
