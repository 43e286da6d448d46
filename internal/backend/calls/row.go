package calls

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"

	"recallbench/internal/door/llm"
)

// A Reply is the recorded part of a reply: of a chat model, the vector of a
// text, the entailment probability of a pair, or an annotation.
type Reply struct {
	Chat   llm.Reply
	Vector []float32
	Tokens int // of an embedded text; 0 if the provider reported none
	Score  float64
	// Annotation is an [annotate.Document] as JSON.
	Annotation []byte
	Latency    time.Duration // of the answered attempt if measured, else of the whole call; 0 if neither was
	Time       time.Time     // when it was recorded; zero if it was not
}

// An entry is a call with its reply, as it is recorded and sent to other processes.
type entry struct {
	Key      Key
	Kind     Kind
	Role     string
	Identity []byte   // in canonical form
	Texts    []string // that stand for the call, see [Call.stored]
	Reply    Reply
}

// replyColumns are what is stored of a reply, after its key and kind; the last is in
// the table of vectors.
const replyColumns = "c.key, c.kind, c.time, c.latency, c.reply, c.finish, c.served_by, c.fingerprint, " +
	"c.calls, c.input, c.cached, c.output, c.reasoning, c.counted, c.attempts, c.wire, c.logprobs, v.vector"

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Encoder and decoder of log-probabilities; opening them fails for wrong options only.
var (
	compressor, _   = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	decompressor, _ = zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxMemory(maxRecording))
	// The encoder makes its channels when it is first used, which must be in no test's bubble.
	_ = compressor.EncodeAll([]byte{0}, nil)
)

// row returns the values of replyColumns.
func (e *entry) row() ([]any, error) {
	r := &e.Reply
	u := r.Chat.Usage
	reply := given(r.Chat.Text)
	switch e.Kind {
	case Entail:
		reply = r.Score
	case Annotate:
		reply = given(string(r.Annotation))
	case Embed:
		u.Input = r.Tokens
	case Chat:
	}
	var logprobs, vector any
	if len(r.Chat.Logprobs) > 0 {
		data, err := marshal(r.Chat.Logprobs)
		if err != nil {
			return nil, err
		}
		logprobs = compressor.EncodeAll(data, nil)
	}
	if len(r.Vector) > 0 {
		vector, _ = binary.Append(nil, binary.LittleEndian, r.Vector) // numbers have a form
	}
	row := []any{e.Key[:], string(e.Kind), given(r.Time.UnixNano()), given(int64(r.Latency)), reply, given(r.Chat.Finish), given(r.Chat.Model), given(r.Chat.Fingerprint)}
	counted := 0
	if u.Counted {
		counted = 1
	}
	for _, n := range []int{u.Calls, u.Input, u.Cached, u.Output, u.Reasoning, counted, r.Chat.Attempts} {
		row = append(row, given(int64(n)))
	}
	return append(row, given(string(r.Chat.Wire)), logprobs, vector), nil
}

// given returns a value, or nil for an empty one, which takes no room.
func given[T comparable](v T) any {
	if v == *new(T) {
		return nil
	}
	return v
}

// sum is a checksum of a row.
func sum(row []any) int64 {
	var b []byte
	for _, v := range row {
		switch v := v.(type) {
		case int64:
			b = binary.LittleEndian.AppendUint64(append(b, 'i'), uint64(v))
		case float64:
			b = binary.LittleEndian.AppendUint64(append(b, 'f'), math.Float64bits(v))
		case string:
			b = append(binary.AppendUvarint(append(b, 't'), uint64(len(v))), v...)
		case []byte:
			b = append(binary.AppendUvarint(append(b, 'b'), uint64(len(v))), v...)
		default:
			b = append(b, 'n')
		}
	}
	return int64(crc32.Checksum(b, castagnoli))
}

// reply reads the values of replyColumns and their checksum.
func parseReply(k Key, row []any) (r Reply, err error) {
	last := len(row) - 1
	if got := sum(row[:last]); row[last] != got {
		return r, fmt.Errorf("%w: its checksum is %08x, want %08x", errDamaged, got, row[last])
	}
	if key, _ := row[0].([]byte); string(key) != string(k[:]) {
		return r, fmt.Errorf("%w: it is of another key", errDamaged)
	}
	text := func(i int) string { s, _ := row[i].(string); return s }
	number := func(i int) int { n, _ := row[i].(int64); return int(n) }
	r.Time, r.Latency = time.Unix(0, int64(number(2))).UTC(), time.Duration(number(3))
	switch Kind(text(1)) {
	case Entail:
		r.Score, _ = row[4].(float64)
	case Annotate:
		r.Annotation = []byte(text(4))
	case Embed:
		r.Tokens = number(9)
	default:
		r.Chat = llm.Reply{
			Text: text(4), Finish: text(5), Model: text(6), Fingerprint: text(7), Attempts: number(14),
			Usage: llm.Usage{
				Calls: number(8), Input: number(9), Cached: number(10), Output: number(11), Reasoning: number(12), Counted: number(13) != 0,
			},
		}
		if wire := text(15); wire != "" {
			r.Chat.Wire = []byte(wire)
		}
	}
	if data, _ := row[16].([]byte); len(data) > 0 {
		if data, err = decompressor.DecodeAll(data, nil); err == nil {
			err = json.Unmarshal(data, &r.Chat.Logprobs)
		}
		if err != nil {
			return r, fmt.Errorf("%w: log-probabilities: %w", errDamaged, err)
		}
	}
	if vector, _ := row[17].([]byte); len(vector) >= 4 {
		r.Vector = make([]float32, len(vector)/4)
		_, err = binary.Decode(vector, binary.LittleEndian, r.Vector)
	}
	return r, err
}

// number is the number of a recording: the first 8 bytes of its key.
func (k Key) number() int64 { return int64(binary.BigEndian.Uint64(k[:8])) }

// A table puts calls into a database. It remembers what has a row, as long as the
// transaction that made it was not undone.
type table struct {
	models map[string]int64
	lines  map[int64]int64 // by hash
}

// maxLines bounds the lines that a table remembers, at about 40 bytes each.
const maxLines = 1 << 19

func newTable() table { return table{make(map[string]int64), make(map[int64]int64)} }

// put adds a call, or replaces that of the same key.
func (t *table) put(c *conn, e *entry) error {
	row, err := e.row()
	if err != nil {
		return err
	}
	model, err := t.model(c, e)
	if err != nil {
		return err
	}
	lines := make([][]rows, len(e.Texts))
	for i, part := range e.Texts {
		if lines[i], err = t.text(c, part); err != nil {
			return err
		}
	}
	texts, err := marshal(lines)
	if err != nil {
		return err
	}
	vector := row[len(row)-1]
	check := sum(row)
	if e.Kind == Embed {
		if vector, err = t.vector(c, e.Key.number(), vector); err != nil {
			return err
		}
	}
	row[len(row)-1] = vector
	const insert = `INSERT OR REPLACE INTO calls (key, kind, time, latency, reply, finish, served_by, fingerprint,
		calls, input, cached, output, reasoning, counted, attempts, wire, logprobs, vector, id, model, role, texts, sum)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
	return c.run(insert, nil, append(row, e.Key.number(), model, given(e.Role), string(texts), check)...)
}

// vector stores the vector of a call, in the place of the one that it had.
func (t *table) vector(c *conn, id int64, vector any) (int64, error) {
	if err := c.run("DELETE FROM vectors WHERE id = (SELECT vector FROM calls WHERE id = ?)", nil, id); err != nil {
		return 0, err
	}
	err := c.run("INSERT INTO vectors (vector) VALUES (?)", nil, vector)
	return c.LastInsertRowID(), err
}

func (t *table) model(c *conn, e *entry) (int64, error) {
	name := string(e.Identity)
	known := string(e.Kind) + name
	id, ok := t.models[known]
	if ok {
		return id, nil
	}
	id, ok, err := c.number("SELECT id FROM models WHERE identity = ?", name)
	if err == nil && !ok {
		err = c.run("INSERT INTO models (identity) VALUES (?)", nil, name)
		id = c.LastInsertRowID()
	}
	if n := len(e.Reply.Vector); n > 0 && err == nil {
		err = c.run("UPDATE models SET dimension = ? WHERE id = ?", nil, int64(n), id)
	}
	t.models[known] = id
	return id, err
}

// maxLine is the length from which a line is stored in parts.
const maxLine = 16 << 10

// firstLine returns the length of the first line of a text, with the blank ones behind it.
func firstLine(text string) int {
	n := strings.IndexByte(text, '\n') + 1
	n = cmp.Or(n, len(text))
	for n < len(text) && text[n] == '\n' {
		n++
	}
	return min(n, maxLine)
}

// text stores the lines of a text, each once, and returns where they are.
func (t *table) text(c *conn, text string) ([]rows, error) {
	list := []rows{}
	for text != "" {
		n := firstLine(text)
		id, err := t.line(c, text[:n])
		if err != nil {
			return nil, err
		}
		if last := len(list) - 1; last >= 0 && list[last].last == id-1 {
			list[last].last = id
		} else {
			list = append(list, rows{id, id})
		}
		text = text[n:]
	}
	return list, nil
}

// line returns the row of a line.
func (t *table) line(c *conn, line string) (int64, error) {
	digest := sha256.Sum256(bytesOf(line))
	hash := int64(binary.BigEndian.Uint64(digest[:8]))
	id, ok := t.lines[hash]
	if ok {
		return id, nil
	}
	id, ok, err := c.number("SELECT id FROM texts WHERE hash = ?", hash)
	if err == nil && !ok {
		err = c.run("INSERT INTO texts (hash, text) VALUES (?, ?)", nil, hash, line)
		id = c.LastInsertRowID()
	}
	if len(t.lines) >= maxLines {
		clear(t.lines)
	}
	t.lines[hash] = id
	return id, err
}

// rows of texts that follow one another are stored as a number or as the first and last.
type rows struct{ first, last int64 }

// MarshalJSON implements [json.Marshaler].
func (r rows) MarshalJSON() ([]byte, error) {
	if r.first == r.last {
		return strconv.AppendInt(nil, r.first, 10), nil
	}
	return json.Marshal([2]int64{r.first, r.last})
}

// UnmarshalJSON implements [json.Unmarshaler].
func (r *rows) UnmarshalJSON(data []byte) error {
	if data[0] != '[' {
		err := json.Unmarshal(data, &r.first)
		r.last = r.first
		return err
	}
	pair := [2]*int64{&r.first, &r.last}
	return json.Unmarshal(data, &pair)
}

// maxRecording bounds the length of a recording in bytes.
const maxRecording = 256 << 20

// parseTexts reads the list of where the texts of a call are.
func parseTexts(column any) (parts [][]rows, err error) {
	list, _ := column.(string)
	if err := json.Unmarshal([]byte(list), &parts); err != nil {
		return nil, fmt.Errorf("%w: its list of texts: %w", errDamaged, err)
	}
	return parts, nil
}

// texts reads the texts that stand for a call, without its identity.
func (c *conn) texts(id int64) ([]string, error) {
	var parts [][]rows
	found := false
	err := c.run("SELECT texts FROM calls WHERE id = ?", func(row []any) (err error) {
		found = true
		parts, err = parseTexts(row[0])
		return err
	}, id)
	if err == nil && !found {
		err = errors.New("it is gone")
	}
	if err != nil {
		return nil, err
	}
	texts := make([]string, len(parts))
	size := 0
	for i, part := range parts {
		var b strings.Builder
		for _, r := range part {
			n := r.first
			err := c.run("SELECT id, text FROM texts WHERE id BETWEEN ? AND ? ORDER BY id", func(row []any) error {
				text, ok := row[1].(string)
				if size += len(text); !ok || row[0] != n || size > maxRecording {
					return fmt.Errorf("%w: row %v of its texts", errDamaged, row[0])
				}
				n++
				b.WriteString(text)
				return nil
			}, r.first, r.last)
			if err == nil && n <= r.last {
				err = fmt.Errorf("%w: it lacks row %d of its texts", errDamaged, n)
			}
			if err != nil {
				return nil, err
			}
		}
		texts[i] = b.String()
	}
	return texts, nil
}
