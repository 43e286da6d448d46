// Package spreadsheet writes CSV that a spreadsheet opens without running anything,
// and reads it back.
//
// A spreadsheet takes a cell that begins with =, + , - or @ for a formula, quoted or
// not, and a formula can send data away or start programs. Texts of models and
// datasets cannot be trusted with that. An apostrophe before such a cell makes it a
// text; numbers stay numbers.
package spreadsheet

import (
	"encoding/csv"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"

	"recallbench/internal/calc/lists"
)

// Inert returns a text that no spreadsheet takes for a formula, from which [Text]
// restores it.
func Inert(s string) string {
	if active(strings.TrimLeft(s, "'")) {
		return "'" + s
	}
	return s
}

// Text returns the text that Inert turned into s.
func Text(s string) string {
	if rest, ok := strings.CutPrefix(s, "'"); ok && active(strings.TrimLeft(rest, "'")) {
		return rest
	}
	return s
}

// active reports whether a spreadsheet may take a text for a formula: it begins
// with a sign of one, be it behind white space or one of full width, or with a
// character that some take away. A number is none, nor is a sign alone.
func active(s string) bool {
	if s == "" {
		return false
	}
	if strings.ContainsRune("\t\r\n\x00", rune(s[0])) {
		return true
	}
	trimmed := strings.TrimSpace(s)
	first, n := utf8.DecodeRuneInString(trimmed)
	return strings.ContainsRune("=+-@|%＝＋－＠", first) && s != trimmed[:n] && !number.MatchString(trimmed)
}

// number is a decimal number, such as -3.2 or +1e-5.
var number = regexp.MustCompile(`^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$`)

// A Writer writes CSV in the format of RFC 4180, except that lines end with a line
// feed. Each cell is [Inert] and valid UTF-8.
type Writer struct{ out *csv.Writer }

// NewWriter returns a writer to w; call Flush at the end.
func NewWriter(w io.Writer) *Writer { return &Writer{csv.NewWriter(w)} }

// Write writes a row.
func (w *Writer) Write(row []string) error {
	cells := lists.Map(row, func(s string) string { return Inert(strings.ToValidUTF8(s, "\ufffd")) })
	return w.out.Write(cells)
}

// Flush writes what is buffered and returns the first error of writing.
func (w *Writer) Flush() error {
	w.out.Flush()
	return w.out.Error()
}

// WriteAll writes rows and flushes.
func (w *Writer) WriteAll(rows [][]string) error {
	for _, row := range rows {
		if err := w.Write(row); err != nil {
			return err
		}
	}
	return w.Flush()
}
