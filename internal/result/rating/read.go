package rating

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"recallbench/internal/files/spreadsheet"
	"recallbench/internal/text/termsafe"
)

// A File is a file that came back, with its name for messages.
type File struct {
	Name string
	Data []byte
}

// A row is a line of a sheet as it came back, with its place.
type row struct {
	place string            // file:line
	cells map[string]string // by column
}

// Read reads the sheets that came back, checks them and joins them with the key.
// Lines on which a rater wrote nothing are left out: those ratings are missing.
// Ratings come in the order of raters and of what was asked.
//
// It reports all faults of all files, with file and line: an item that was not asked
// about, one that a rater rated twice, a rating that is no whole number from 1 to 5,
// a flag that is neither yes nor no, a line without a rater. A text must be the one
// that was sent, since else something else was rated.
func (a Asked) Read(files []File) ([]Rating, error) {
	asked := make(map[string]AskedItem, len(a.Items))
	for _, it := range a.Items {
		asked[it.ID] = it
	}
	type vote struct{ item, rater string }
	places := make(map[vote]string)
	var ratings []Rating
	var faults []error
	for _, f := range files {
		rows, err := a.readSheet(f)
		if err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", f.Name, err))
		}
		for _, r := range rows {
			id := termsafe.Text(strings.TrimSpace(r.cells["item"]))
			rating, err := r.rating(asked[id])
			v := vote{rating.Item, rating.Rater}
			switch {
			case asked[id].ID == "":
				faults = append(faults, fmt.Errorf("%s: item %q was not asked about in this run", r.place, id))
			case err != nil:
				faults = append(faults, err)
			case rating.blank():
			case places[v] != "":
				faults = append(faults, fmt.Errorf("%s: %s rated item %s already, at %s", r.place, v.rater, v.item, places[v]))
			default:
				places[v] = r.place
				ratings = append(ratings, rating)
			}
		}
	}
	a.sort(ratings)
	return ratings, errors.Join(faults...)
}

// sort puts ratings into the order of raters and of what was asked.
func (a Asked) sort(ratings []Rating) {
	place := make(map[string]int, len(a.Items))
	for i, it := range a.Items {
		place[it.ID] = i
	}
	slices.SortFunc(ratings, func(x, y Rating) int {
		return cmp.Or(strings.Compare(x.Rater, y.Rater), place[x.Item]-place[y.Item])
	})
}

// readSheet reads a table with a heading that names the columns, in any order, divided by
// commas, or by the semicolons or tabs of some spreadsheets. It returns what it could
// read.
func (a Asked) readSheet(f File) (rows []row, err error) {
	data := bytes.TrimPrefix(f.Data, []byte(bom))
	if bytes.ContainsRune(data, 0) {
		return nil, errors.New("it holds NUL characters; save it as CSV in UTF-8")
	}
	wanted := a.columns()
	heading, _, _ := bytes.Cut(data, []byte("\n"))
	in := csv.NewReader(bytes.NewReader(data))
	for _, comma := range []rune{';', '\t'} {
		if bytes.Count(heading, []byte(string(comma))) >= len(wanted)-1 {
			in.Comma = comma
		}
	}
	head, err := in.Read()
	if errors.Is(err, io.EOF) {
		err = fmt.Errorf("it is empty, want the columns %s", strings.Join(wanted, ", "))
	}
	if err != nil {
		return nil, err
	}
	for i, name := range head {
		head[i] = strings.TrimSpace(name)
	}
	head = slices.Clone(head)
	if x, y := slices.Sorted(slices.Values(head)), slices.Sorted(slices.Values(wanted)); !slices.Equal(x, y) {
		return nil, fmt.Errorf("its columns are %s, want %s", strings.Join(head, ", "), strings.Join(wanted, ", "))
	}
	var faults []error
	for {
		cells, err := in.Read()
		switch {
		case errors.Is(err, io.EOF):
			return rows, errors.Join(faults...)
		case errors.Is(err, csv.ErrFieldCount): // of a line, which is named
			faults = append(faults, err)
			continue
		case err != nil:
			return rows, errors.Join(append(faults, err)...)
		}
		line, _ := in.FieldPos(0)
		r := row{fmt.Sprintf("%s:%d", f.Name, line), make(map[string]string)}
		for i, name := range head {
			r.cells[name] = spreadsheet.Text(cells[i])
		}
		if strings.Join(cells, "") != "" {
			rows = append(rows, r)
		}
	}
}

// rating returns what a line says of an item that was asked about.
func (r row) rating(it AskedItem) (Rating, error) {
	var faults []error
	faultf := func(format string, args ...any) {
		faults = append(faults, fmt.Errorf("%s: item %s: %s", r.place, it.ID, fmt.Sprintf(format, args...)))
	}
	cell := func(name string) string { return strings.ToLower(strings.TrimSpace(r.cells[name])) }
	// White space is what a spreadsheet may change of a text.
	squeeze := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	for i, want := range it.fields() {
		have := r.cells[seen[i]]
		if squeeze(have) != squeeze(want) && squeeze(spreadsheet.Inert(have)) != squeeze(want) {
			faultf("its %s is not the one that was sent", seen[i])
		}
	}
	rating := Rating{Item: it.ID, Key: it.Key, Notes: strings.TrimSpace(r.cells["notes"]), Rater: termsafe.Text(strings.TrimSpace(r.cells["rater"]))}
	if s := cell("ucs"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil || n < Lowest || n > Highest {
			faultf("ucs is %q, want a whole number from %d to %d, or nothing where it was not rated", termsafe.Text(s), Lowest, Highest)
		}
		rating.UCS = &n
	}
	for _, name := range Flags {
		s := cell(name)
		if s == "" {
			continue
		}
		yes := slices.Contains([]string{"1", "yes", "y", "true", "x"}, s)
		if !yes && !slices.Contains([]string{"0", "no", "n", "false"}, s) {
			faultf("%s is %q, want 1 or 0 (or yes or no, true or false), or nothing where it was not judged", name, termsafe.Text(s))
		}
		if rating.Flags == nil {
			rating.Flags = make(map[string]bool)
		}
		rating.Flags[name] = yes
	}
	if rating.Correct = cell("correct"); rating.Correct != "" && !slices.Contains(Verdicts, rating.Correct) {
		faultf("correct is %q, want %s, or nothing where it was not judged", termsafe.Text(rating.Correct), strings.Join(Verdicts, ", "))
	}
	if rating.Rater == "" && !rating.blank() {
		faultf("it is rated, but no rater is named")
	}
	return rating, errors.Join(faults...)
}

// Merge adds ratings to those that are stored. One that is stored and says
// something else is a fault, unless replace is set: then the new one counts.
func (a Asked) Merge(stored, added []Rating, replace bool) ([]Rating, error) {
	all := slices.Clone(stored)
	var faults []error
	for _, n := range added {
		i := slices.IndexFunc(all, func(o Rating) bool { return o.Item == n.Item && o.Rater == n.Rater })
		switch {
		case i < 0:
			all = append(all, n)
		case all[i].String() == n.String() && all[i].Notes == n.Notes:
		case replace:
			all[i] = n
		default:
			faults = append(faults, fmt.Errorf("%s rated item %s before, and otherwise: %s, now %s; --replace takes the new one", n.Rater, n.Item, all[i], n))
		}
	}
	a.sort(all)
	return all, errors.Join(faults...)
}

// String returns the values of a rating, such as "ucs 4, wrong_value yes".
func (r Rating) String() string {
	parts := []string{"ucs not given"}
	if r.UCS != nil {
		parts[0] = "ucs " + strconv.Itoa(*r.UCS)
	}
	for _, name := range Flags {
		if x, ok := r.Flags[name]; ok {
			parts = append(parts, name+map[bool]string{true: " yes", false: " no"}[x])
		}
	}
	return strings.Join(parts, ", ")
}
