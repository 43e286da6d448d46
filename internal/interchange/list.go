package interchange

import (
	"bytes"
	"encoding/json"
	"io"
)

// A list writes the members of a JSON object or array one by one.
type list struct {
	w           io.Writer
	open, close string
	n           int
	err         error
}

// add writes a member with what stands before its value.
func (l *list) add(before string, v any) {
	if l.err != nil {
		return
	}
	sep := ",\n"
	if l.n == 0 {
		sep = l.open + "\n"
	}
	l.n++
	if _, l.err = io.WriteString(l.w, sep+before); l.err != nil {
		return
	}
	var data []byte
	if data, l.err = encode(v); l.err == nil {
		_, l.err = l.w.Write(data)
	}
}

func (l *list) end() error {
	if l.err != nil {
		return l.err
	}
	end := l.close
	if l.n == 0 {
		end = l.open + end
	}
	_, err := io.WriteString(l.w, end)
	return err
}

// encode returns v as JSON on one line.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
