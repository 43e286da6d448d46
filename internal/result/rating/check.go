package rating

import (
	"cmp"
	"errors"
	"fmt"
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

// Read reads the sheets that came back, checks them and joins them with the key.
// Lines on which a rater wrote nothing are left out: those ratings are missing.
// Ratings come in the order of raters and of what was asked.
//
// It reports all faults of all files, with file and line: an item that was not asked
// about, one that a rater rated twice, a rating that is no whole number from 1 to 5,
// a flag that is neither yes nor no, a line without a rater. A text must be the one
// that was sent, since else something else was rated.
func (a Asked) Read(files []File) ([]Rating, error) {
	asked := make(items, len(a.Items))
	for _, it := range a.Items {
		asked[it.ID] = it
	}
	type vote struct{ item, rater string }
	seen := make(map[vote]row)
	var ratings []Rating
	var faults []error
	for _, f := range files {
		rows, err := a.readSheet(f.Name, f.Data)
		if err != nil {
			faults = append(faults, err)
		}
		for _, r := range rows {
			rating, err := asked.rating(r)
			if err != nil {
				faults = append(faults, err)
				continue
			}
			if rating.blank() {
				continue
			}
			v := vote{rating.Item, rating.Rater}
			if other, ok := seen[v]; ok {
				faults = append(faults, r.faultf("%s rated item %s already, at %s:%d", v.rater, v.item, other.file, other.line))
				continue
			}
			seen[v] = r
			ratings = append(ratings, rating)
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

// items are those asked about, by id.
type items map[string]AskedItem

func (asked items) rating(r row) (Rating, error) {
	id := termsafe.Text(strings.TrimSpace(r.cells["item"]))
	it, ok := asked[id]
	if !ok {
		return Rating{}, r.faultf("item %q was not asked about in this run", id)
	}
	var faults []error
	faultf := func(format string, args ...any) {
		faults = append(faults, r.faultf("item %s: %s", id, fmt.Sprintf(format, args...)))
	}
	for i, want := range it.fields() {
		have := r.cells[seen[i]]
		if squeeze(have) != squeeze(want) && squeeze(spreadsheet.Inert(have)) != squeeze(want) {
			faultf("its %s is not the one that was sent", seen[i])
		}
	}
	rating := Rating{Item: id, Key: it.Key, Notes: strings.TrimSpace(r.cells["notes"])}
	if s := strings.TrimSpace(r.cells["ucs"]); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil || n < Lowest || n > Highest {
			faultf("ucs is %q, want a whole number from %d to %d, or nothing where it was not rated", termsafe.Text(s), Lowest, Highest)
		}
		rating.UCS = &n
	}
	for _, name := range Flags {
		s := strings.ToLower(strings.TrimSpace(r.cells[name]))
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
	if s := strings.ToLower(strings.TrimSpace(r.cells["correct"])); s != "" {
		if rating.Correct = s; !slices.Contains(Verdicts, s) {
			faultf("correct is %q, want %s, or nothing where it was not judged", termsafe.Text(s), strings.Join(Verdicts, ", "))
		}
	}
	rating.Rater = termsafe.Text(strings.TrimSpace(r.cells["rater"]))
	if rating.Rater == "" && !rating.blank() {
		faultf("it is rated, but no rater is named")
	}
	return rating, errors.Join(faults...)
}

// squeeze leaves out what a spreadsheet may change of a text: white space.
func squeeze(s string) string { return strings.Join(strings.Fields(s), " ") }

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
		case all[i].same(n):
		case replace:
			all[i] = n
		default:
			faults = append(faults, fmt.Errorf("%s rated item %s before, and otherwise: %s, now %s; --replace takes the new one", n.Rater, n.Item, all[i], n))
		}
	}
	a.sort(all)
	return all, errors.Join(faults...)
}

func (r Rating) same(o Rating) bool { return r.String() == o.String() && r.Notes == o.Notes }

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
