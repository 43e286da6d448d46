package gate

import (
	"encoding/json"
	"errors"
	"io"
	"path/filepath"
	"strings"

	"recallbench/internal/near"
)

// Formats are the names of the formats that [Result.Write] knows.
func Formats() []string { return []string{"text", "markdown", "json", "junit"} }

// FormatOf returns the format that the name of a file asks for, empty for none.
func FormatOf(file string) string {
	return map[string]string{".txt": "text", ".md": "markdown", ".json": "json", ".xml": "junit"}[strings.ToLower(filepath.Ext(file))]
}

// Write writes the result in a format by name. Text and Markdown list what is
// stable only if all is set; the others list everything.
func (r *Result) Write(w io.Writer, format string, all bool) error {
	switch format {
	case "text":
		return r.Document(all).Text(w)
	case "markdown":
		return r.Document(all).Markdown(w)
	case "json":
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		return enc.Encode(r)
	case "junit":
		return r.JUnit(w)
	}
	return errors.New(near.Unknown("format", format, Formats()))
}
