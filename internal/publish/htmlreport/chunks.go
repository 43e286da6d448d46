package htmlreport

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
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
	if _, err := packed.Write(data); err != nil {
		return err
	}
	if err := packed.Close(); err != nil {
		return err
	}
	if err := text.Close(); err != nil {
		return err
	}
	_, err = io.WriteString(w, "</script>\n")
	return err
}
