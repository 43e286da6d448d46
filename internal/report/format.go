package report

import (
	"errors"
	"io"

	"recallbench/internal/near"
)

// Formats are the names of the formats that [Document.Write] knows.
func Formats() []string { return []string{"text", "markdown", "csv", "json", "html", "latex"} }

// Write writes the document in a format by name.
func (d *Document) Write(w io.Writer, format string) error {
	switch format {
	case "text":
		return d.Text(w)
	case "markdown":
		return d.Markdown(w)
	case "csv":
		return d.CSV(w)
	case "json":
		return d.JSON(w)
	case "html":
		return d.HTML(w)
	case "latex":
		return d.LaTeX(w)
	default:
		return errors.New(near.Unknown("format", format, Formats()))
	}
}
