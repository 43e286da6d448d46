package htmlreport

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/klauspost/compress/gzip"

	"recallbench/internal/engine/structure"
	"recallbench/internal/result/note"
	"recallbench/internal/result/scored"
	"recallbench/internal/result/treeview"
)

// chunkSize is about how many bytes of JSON are inflated at once: some
// milliseconds of a browser.
const chunkSize = 256 << 10

// chunks writes values that are numbered through as JSON arrays in data elements
// of about chunkSize.
type chunks struct {
	w      *bufio.Writer
	prefix string // of the elements' ids, which a number follows
	firsts []int  // number of the first value of each chunk
	n      int    // values so far
	values bytes.Buffer
	enc    *json.Encoder
}

func newChunks(w *bufio.Writer, prefix string) *chunks {
	c := &chunks{w: w, prefix: prefix, firsts: []int{}}
	c.enc = json.NewEncoder(&c.values)
	c.enc.SetEscapeHTML(false)
	return c
}

// add writes a value, which gets the next number.
func (c *chunks) add(v any) error {
	if c.values.Len() == 0 {
		c.firsts = append(c.firsts, c.n)
		c.values.WriteByte('[')
	} else {
		c.values.WriteByte(',')
	}
	c.n++
	if err := c.enc.Encode(v); err != nil {
		return err
	}
	if c.values.Len() < chunkSize {
		return nil
	}
	return c.flush()
}

func (c *chunks) flush() error {
	if c.values.Len() == 0 {
		return nil
	}
	c.values.WriteByte(']')
	err := writeData(c.w, c.prefix+strconv.Itoa(len(c.firsts)-1), c.values.Bytes())
	c.values.Reset()
	return err
}

// writeData writes an element that holds data: gzip in base64, in which nothing
// can end the element. Its id begins with an underscore, as all ids of the page's
// own do, because those of tables never have one.
func writeData(w io.Writer, id string, data []byte) error {
	if _, err := fmt.Fprintf(w, "<script type=\"application/octet-stream\" id=%q>", "_"+id); err != nil {
		return err
	}
	text := base64.NewEncoder(base64.StdEncoding, w)
	packed, err := gzip.NewWriterLevel(text, gzip.BestSpeed)
	if err != nil {
		return err
	}
	_, err = packed.Write(data)
	err = errors.Join(err, packed.Close(), text.Close())
	_, fault := io.WriteString(w, "</script>\n")
	return errors.Join(err, fault)
}

// A holding is the structure of a memory in a file. That of a conversation is there once
// for all requests about it, which differ in what they rest on.
type holding struct {
	*structure.Structure
	Like  *int     `json:"like,omitempty"` // the number of the structure
	About []string `json:"about,omitempty"`
}

// structures writes what the memories of requests hold.
type structures struct {
	*chunks
	seen map[[2]string]*int // by cell and sample: the number of the structure; nil for none
}

func (s *structures) add(run *scored.Run, q scored.Request) error {
	memory := [2]string{q.Cell.ID, q.Record.Sample}
	switch like, ok := s.seen[memory]; {
	case ok && like == nil:
		return s.chunks.add(nil)
	case ok:
		return s.chunks.add(holding{Like: like, About: treeview.Evidence(q)})
	}
	held, err := treeview.Of(run, q)
	if errors.Is(err, treeview.ErrNoTree) {
		s.seen[memory] = nil
		return s.chunks.add(nil)
	}
	if err != nil {
		return err
	}
	if held.Kind != structure.OfTree {
		s.seen[memory] = new(s.n)
	}
	return s.chunks.add(holding{Structure: &held})
}

// writeNotes writes the notes of the runs, which the script knows by their numbers.
func (p *Page) writeNotes(w io.Writer) error {
	all := make([][]note.Note, len(p.Runs))
	for i, r := range p.Runs {
		notes, err := note.Read(r.Folder)
		if err != nil {
			return err
		}
		all[i] = note.Standing(notes)
	}
	data, err := json.Marshal(all)
	if err != nil {
		return err
	}
	return writeData(w, "notes", data)
}
