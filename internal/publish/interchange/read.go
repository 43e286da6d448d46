package interchange

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"slices"
	"strings"

	"recallbench/internal/calc/lists"
	"recallbench/internal/files/jsontree"
)

// MaxSize is the size in bytes above which a file is refused unread, 1 GiB. A file
// is read as a stream, but its answers and what they were made from are held.
const MaxSize = 1 << 30

// ItemFields are paths into an item that override those of its layout; empty for none.
type ItemFields struct{ ID, Cluster, Category, Epoch string }

// override returns a layout with the paths of a person.
func (f ItemFields) override(l *Layout) (*Layout, error) {
	to := *l
	for _, o := range []struct {
		flag, text string
		path       *path
	}{{"--id", f.ID, &to.ID}, {"--cluster", f.Cluster, &to.Cluster}, {"--category", f.Category, &to.Category}, {"--epoch", f.Epoch, &to.Epoch}} {
		if o.text == "" {
			continue
		}
		if err := o.path.UnmarshalText([]byte(o.text)); err != nil {
			return nil, fmt.Errorf("%s: %w", o.flag, err)
		}
		to.Except = append(slices.Clone(to.Except), o.text)
	}
	if f.ID != "" {
		to.Sample, to.Request, to.Address = path{}, path{}, path{}
	}
	return &to, nil
}

// A reading is a file, or several, while they are read.
type reading struct {
	stream
	ResultOptions
	layout  *Layout
	file    File
	about   map[string]string // what the file says of all answers, such as its model
	notes   []string
	columns map[string]ResultColumn // what the file says of columns
	scores  bool                    // answers are compared, and need a score and no text
	take    func(*Answer)

	with map[string][]*jsontree.Value // items of the other file, by their key
	// Of answers with names that others have, too.
	occurrences map[[2]string]int   // by side and name
	variants    map[string]string   // the first of each side
	places      map[string][]string // by side and key
	repeats     map[string]int      // by side, key and place

	// Of what is passed over.
	sides                            []string
	laterEpochs, otherSides, invalid int
}

func newReading(ctx context.Context, o ResultOptions) *reading {
	r := &reading{ResultOptions: o, about: make(map[string]string), columns: make(map[string]ResultColumn), occurrences: make(map[[2]string]int)}
	r.ctx = ctx
	return r
}

// Read reads the answers of a file or folder, or of one side as FILE#SIDE, in a format,
// which may be the file of a layout; empty to find out. All that is not as the format has it
// comes as one error, with the lines, the first [datafile.MaxFaults] in words.
func Read(ctx context.Context, format, path string) (File, error) {
	path, side := splitSide(path)
	r := newReading(ctx, ResultOptions{Format: format, Side: side})
	r.take = r.collect
	if err := r.files(path, ImportFormats()); err != nil {
		return File{}, err
	}
	return r.answers()
}

// splitSide takes FILE#SIDE apart.
func splitSide(name string) (path, side string) {
	if at := strings.LastIndexByte(name, '#'); at > 0 && !exists(name) {
		return name[:at], name[at+1:]
	}
	return name, ""
}

// Exists reports whether an argument names a file or folder, or FILE#SIDE.
func Exists(arg string) bool {
	path, _ := splitSide(arg)
	return exists(path)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// files reads the files at a path in the format of the options, which is one of some.
func (r *reading) files(path string, known []string) error {
	if r.Format != "" {
		if _, err := findLayout(r.Format, known); err != nil {
			return err
		}
	}
	paths, format, err := r.sources(path)
	if err != nil {
		return err
	}
	if r.layout, err = findLayout(format, known); err != nil {
		return err
	}
	if !r.scores && !r.layout.Imports() {
		return fmt.Errorf("%s: the layout %s has scores, but no answers; use 'bench compare'", format, r.layout.Name)
	}
	if r.layout, err = r.Fields.override(r.layout); err != nil {
		return err
	}
	hash, sum := sha256.New(), ""
	for _, p := range paths {
		if sum, err = r.source(p); err != nil {
			return err
		}
		fmt.Fprintln(hash, sum)
	}
	if len(paths) > 1 {
		sum = hex.EncodeToString(hash.Sum(nil))
	}
	r.file.Name, r.file.Format, r.file.SHA256 = path, r.layout.Name, sum
	return nil
}

// collect takes answers to import: those of the first epoch of the first side.
func (r *reading) collect(a *Answer) {
	r.sides = lists.AddNew(r.sides, a.Side)
	switch {
	case a.Epoch > 1:
		r.laterEpochs++
	case (len(r.file.Answers) > 0 || r.Side != "") && a.Side != r.Side:
		r.otherSides++
	case a.Invalid:
		r.invalid++
	case a.Gold.Question == "" && a.Gold.Request == "":
		r.faults.Addf(a.Line, "%swant a question or an id to find it by", prefix(a.Where))
	default:
		r.Side = a.Side
		r.file.Answers = append(r.file.Answers, *a)
	}
}

// answers returns what was collected.
func (r *reading) answers() (File, error) {
	for _, passed := range []struct {
		n    int
		what string
	}{{r.laterEpochs, "samples of later epochs"}, {r.otherSides, fmt.Sprintf("answers of other sides than %q", r.Side)}, {r.invalid, "answers that the file marks as invalid"}} {
		if passed.n > 0 {
			r.file.Ignored = append(r.file.Ignored, fmt.Sprintf("%d %s", passed.n, passed.what))
		}
	}
	switch {
	case len(r.file.Answers) > 0:
		return r.file, nil
	case r.otherSides > 0:
		return File{}, r.noSide(r.sides)
	}
	return File{}, fmt.Errorf("%s has no answers; is it %s?", r.file.Name, r.file.Format)
}

// noSide is the error of a side that is not there.
func (r *reading) noSide(has []string) error {
	return fmt.Errorf("%s: no side %s; it has %s", r.file.Name, quoted(r.Side), strings.Join(lists.Map(has, quoted), ", "))
}
