package report

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"html"
	"io"
	"strings"
)

// tableStyle are the rules for what [Table.HTML] writes. Colours come from
// variables, so that a page can have others.
const tableStyle = `.results { margin: 0 0 2.5rem; }
.results .scroll { overflow-x: auto; }
.results table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
.results caption, .results .title { text-align: left; font-weight: 600; margin: 0; padding: 0 0 .5rem; overflow-wrap: anywhere; }
.results th, .results td { padding: .25rem .6rem; text-align: left; vertical-align: baseline; font-weight: normal; unicode-bidi: isolate; }
.results thead th { border-bottom: 1px solid var(--rule, #888); font-weight: 600; vertical-align: bottom; }
.results tbody tr + tr { border-top: 1px solid var(--faint, #8883); }
.results .number { text-align: right; white-space: nowrap; }
.results thead .number { white-space: normal; }
.results thead .group { text-align: center; }
.results sup { line-height: 0; margin-left: .15em; }
.results .legend, .results .notes { font-size: .85em; margin: .5rem 0 0; max-width: 60rem; overflow-wrap: anywhere; }
.results .notes li:target { background: var(--target, #fd06); }
`

// pageStyle are the rules of a page that has nothing but tables.
const pageStyle = `:root { color-scheme: light dark; --text: #1b1b1b; --page: #fff; --link: #0b57a4; }
@media (prefers-color-scheme: dark) { :root { --text: #e6e6e6; --page: #16181b; --link: #8ab4f8; } }
body { margin: 2rem; font: 16px/1.45 system-ui, sans-serif; color: var(--text); background: var(--page); }
a { color: var(--link); }
`

// TableStyle returns the style sheet for what [Table.HTML] writes. It takes the
// custom properties --rule, --faint and --target for colours, and has its own
// where they are not set.
func TableStyle() string { return tableStyle }

// HTML writes the document as a page of its own: no script, nothing loaded, and
// a content security policy that allows nothing but its style sheet.
func (d *Document) HTML(w io.Writer) error {
	style := pageStyle + tableStyle
	sum := sha256.Sum256([]byte(style))
	title := "Tables"
	if len(d.Tables) > 0 {
		title = printable(d.Tables[0].Title, longestCell)
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8"/>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-%s'; base-uri 'none'; form-action 'none'"/>
<meta name="viewport" content="width=device-width, initial-scale=1"/>
<title>%s</title>
<style>%s</style>
</head>
<body>
<main>
`, base64.StdEncoding.EncodeToString(sum[:]), html.EscapeString(title), style)
	for _, t := range d.Tables {
		if err := t.HTML(&b); err != nil {
			return fmt.Errorf("table %s: %w", t.Name, err)
		}
	}
	b.WriteString("</main>\n</body>\n</html>\n")
	_, err := io.WriteString(w, b.String())
	return err
}
