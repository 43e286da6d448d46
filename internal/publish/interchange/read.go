package interchange

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"recallbench/internal/calc/lists"
)

// MaxSize is the size in bytes above which a file is refused unread, 1 GiB. A file
// is read as a stream, but its answers and what they were made from are held.
const MaxSize = 1 << 30

// An Item is an answer with the scores that its file gives it.
type Item struct {
	Answer
	// Key pairs the item with that of another file. Cluster is what was drawn, such
	// as a conversation; empty where the file does not tell.
	Key, Cluster string
	// Side is one of several that a file has, such as a provider or a cutoff.
	Side string
	// Epoch counts the repetitions of an item, from 1; 0 stands for 1.
	Epoch  int
	Prompt string // a hash of what was asked; empty where it is not known
	Scores []Score
	// Invalid is set if the file itself excludes the item.
	Invalid bool
}

// A Score is an item's score in one column of a file.
type Score struct {
	Column string
	Value  *float64 // nil where it is undefined
	// Votes are what Value is the mean of, where there are several.
	Votes []float64
	// Better says that higher is better, by the rules of the format.
	Better bool
}

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
		*o.path = path{}
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
	file    File
	about   map[string]string // what the file says of all items, such as its model
	notes   []string
	columns map[string]ResultColumn // what the file says of columns
	scores  bool                    // items are compared, and need a score and no text
	take    func(Item)

	// Of what is passed over.
	sides                            []string
	laterEpochs, otherSides, invalid int
	occurrences                      map[string]int
}

func newReading(ctx context.Context, o ResultOptions) *reading {
	r := &reading{ResultOptions: o, about: make(map[string]string), columns: make(map[string]ResultColumn), occurrences: make(map[string]int)}
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
	l, err := findLayout(format, known)
	if err != nil {
		return err
	}
	if !r.scores && !l.Imports() {
		return fmt.Errorf("%s: the layout %s has scores, but no answers; use 'bench compare'", format, l.Name)
	}
	if l, err = r.Fields.override(l); err != nil {
		return err
	}
	hash, sum := sha256.New(), ""
	r.file.Format = l.Name
	for _, p := range paths {
		if sum, err = r.source(p, l); err != nil {
			return err
		}
		fmt.Fprintln(hash, sum)
	}
	if len(paths) > 1 {
		sum = hex.EncodeToString(hash.Sum(nil))
	}
	r.file.Name, r.file.SHA256 = path, sum
	return nil
}

// read reads the file that is open.
func (r *reading) read(l *Layout) error {
	if err := r.byLayout(l); err != nil || r.scores {
		return err
	}
	if err := r.faults.Err(); err != nil {
		return err
	}
	// Of a format of lines everything has been read, and the decoder finds the end.
	_, err := r.dec.Token()
	if _, invalid := errors.AsType[*json.SyntaxError](err); err == nil || invalid {
		return fmt.Errorf("%s:%d: there is more text after the JSON value, want one value in the file", r.name, r.lines.at(r.dec.InputOffset()))
	}
	return nil
}

// collect takes items as answers to import: those of the first epoch of the first
// side.
func (r *reading) collect(it Item) {
	r.sides = lists.AddNew(r.sides, it.Side)
	switch {
	case it.Epoch > 1:
		r.laterEpochs++
	case (len(r.file.Answers) > 0 || r.Side != "") && it.Side != r.Side:
		r.otherSides++
	case it.Invalid:
		r.invalid++
	case it.Question == "" && it.Request == "":
		r.faults.Addf(it.Line, "%swant a question or an id to find it by", prefix(it.Where))
	default:
		r.Side = it.Side
		r.file.Answers = append(r.file.Answers, it.Answer)
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

// occurrence numbers equal keys of a file: the first stays, the next ends in #2.
func (r *reading) occurrence(key string) string {
	r.occurrences[key]++
	if n := r.occurrences[key]; n > 1 {
		return key + "#" + strconv.Itoa(n)
	}
	return key
}
