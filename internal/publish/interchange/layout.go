package interchange

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"recallbench/internal/calc/lists"
	"recallbench/internal/files/jsontree"
	"recallbench/internal/files/strictyaml"
	"recallbench/internal/result/record"
	"recallbench/internal/text/suggest"
)

// A Layout says how the results of a program are read: what tells them from others,
// where the list of items is, and where of an item its parts are. docs/interchange.md
// describes paths.
type Layout struct {
	Name   string `yaml:"name,omitempty"`
	Doc    string `yaml:"doc,omitempty"`    // one line
	Source string `yaml:"source,omitempty"` // the program and version that was read
	// Marks are alternatives; of one of them all paths lead to something in the file, of
	// whose lists the first item is looked at.
	Marks [][]path `yaml:"marks,omitempty"`
	// Versions are values that fields of the top must have, where they are there.
	Versions map[string][]string `yaml:"versions,omitempty"`
	// Finished are values that fields of the top have in a file that is complete.
	Finished map[string][]string `yaml:"finished,omitempty"`
	// Beside is a file that says which columns are better higher: that of
	// PREFIXTASK_TIME.jsonl is RESULTSTIME.json, with the columns by task in the field Higher.
	Beside besideFile `yaml:"beside,omitempty"`
	// With is another file whose items belong to those of this one: paths that begin with
	// "with" lead into them.
	With joinedFile `yaml:"with,omitempty"`
	// Flatten names lists of pairs of a key and a value, wherever an item has them: each
	// becomes a field beside its list.
	Flatten string `yaml:"flatten,omitempty"`
	// About are values at the top, or else of the first item that has them, by what
	// they say: task, dataset, model, judge, memory, k.
	About map[string]path `yaml:"about,omitempty"`
	Items path            `yaml:"items,omitempty"`
	// Sides is an object of an item whose every field is a side of the results, such
	// as a cutoff: paths that begin with "side" lead into it. Side is one by its name.
	Sides path `yaml:"sides,omitempty"`
	Side  path `yaml:"side,omitempty"`
	// Variant tells sides of one name apart: the first goes without it.
	Variant path `yaml:"variant,omitempty"`

	// ID pairs items of two files; of an object it is a hash. Items with one id at another
	// Place are others; at the same they are epochs, where Repeats is "epochs".
	ID      path   `yaml:"id,omitempty"`
	Place   path   `yaml:"place,omitempty"`
	Repeats string `yaml:"repeats,omitempty"`
	Epoch   path   `yaml:"epoch,omitempty"`
	Invalid path   `yaml:"invalid,omitempty"` // set where the file takes the item out
	Prompt  path   `yaml:"prompt,omitempty"`  // a hash of what was asked
	Address path   `yaml:"address,omitempty"` // SAMPLE/REQUEST of the data set
	Sample  path   `yaml:"sample,omitempty"`
	Request path   `yaml:"request,omitempty"`
	// Cluster is what was drawn, the conversation by its id or its place from 0; else it is
	// the sample. Conversation is where the question is looked for, else that of the cluster.
	Cluster      path `yaml:"cluster,omitempty"`
	Conversation path `yaml:"conversation,omitempty"`
	Question     path `yaml:"question,omitempty"`
	Gold         path `yaml:"gold,omitempty"`
	Answer       path `yaml:"answer,omitempty"`
	Category     path `yaml:"category,omitempty"`
	// GoldEvidence are ids of turns; Evidence are texts that the answer was made from.
	GoldEvidence path              `yaml:"gold_evidence,omitempty"`
	Evidence     []path            `yaml:"evidence,omitempty"`
	Failed       []failureAt       `yaml:"failed,omitempty"`
	Seconds      map[string][]path `yaml:"seconds,omitempty"` // of stages: search, answer
	Milliseconds map[string][]path `yaml:"milliseconds,omitempty"`
	// Tokens are sums; those of the cache are among the input.
	Tokens struct{ Input, Cached, Output, Reasoning []path } `yaml:"tokens,omitempty"`
	Cost   path                                              `yaml:"cost,omitempty"` // in US dollars
	// Scores are by column; at "*" each field of an object is one, or each field of the item
	// that a list names, or of the item itself each number but those of fields in Except, if
	// none is by its own name. Higher is better, but at "*" where Directions is "unknown". Words
	// are values of texts.
	Scores     map[string]path    `yaml:"scores,omitempty"`
	Except     []string           `yaml:"except,omitempty"`
	Pairs      pairsAt            `yaml:"pairs,omitempty"`
	Directions string             `yaml:"directions,omitempty"`
	Words      map[string]float64 `yaml:"words,omitempty"`
	Verdicts   []verdictAt        `yaml:"verdicts,omitempty"`
}

// A failureAt marks an answer as failed where its path has one of some values, or any
// text where none is named.
type failureAt struct {
	Path    path          `yaml:"path,omitempty"`
	Is      []string      `yaml:"is,omitempty"`
	Kind    path          `yaml:"kind,omitempty"`
	Message path          `yaml:"message,omitempty"` // else the text at the path
	Status  path          `yaml:"status,omitempty"`
	As      record.Status `yaml:"as,omitempty"` // the status where no path says it
	// Unanswered marks only items without an answer.
	Unanswered bool `yaml:"unanswered,omitempty"`
}

// A besideFile is named by a prefix; see [Layout.Beside].
type besideFile struct{ Prefix, Results, Higher string }

// A joinedFile is read with a file: those that patterns, which "|" parts, find from its
// folder. Its items belong to that whose text at On is theirs at Key.
type joinedFile struct {
	File           string
	Items, Key, On path
}

// A pairsAt is a list of scores, each with its name and its value.
type pairsAt struct{ List, Name, Value path }

// A verdictAt is where the votes of a judge are, from 0 to 1 or true and false.
type verdictAt struct {
	Judge  string             `yaml:"judge,omitempty"` // its name; "judge" for the unnamed one
	Path   path               `yaml:"path,omitempty"`
	Why    path               `yaml:"why,omitempty"`
	Column string             `yaml:"column,omitempty"` // its name in comparisons; else judge:NAME
	Values map[string]float64 `yaml:"values,omitempty"` // of words; an item with any other has no verdict
}

// column is the name of the judge's column.
func (v verdictAt) column() string {
	if v.Column != "" || v.Judge == unnamedJudge {
		return cmp.Or(v.Column, unnamedJudge)
	}
	return unnamedJudge + ":" + v.Judge
}

// Validate reports what makes a layout of no use.
func (l *Layout) Validate() error {
	var faults []error
	fault := func(is bool, format string, args ...any) {
		if is {
			faults = append(faults, fmt.Errorf(format, args...))
		}
	}
	fault(l.Name == "", "name is missing")
	fault(l.Items.text == "", `items is missing; "[*]" is a list, or lines`)
	fault(l.Answer.text == "" && len(l.Scores)+len(l.Verdicts) == 0 && l.Pairs.List.text == "", "want at least one of answer, scores, pairs and verdicts")
	fault(l.Question.text+l.ID.text+l.Request.text+l.Address.text == "", "want one of question, id, request and address, which tell items apart")
	fault(l.Directions != "" && l.Directions != "unknown", "directions is %q, want unknown, or nothing if higher is better", l.Directions)
	fault(l.Repeats != "" && l.Repeats != "epochs", "repeats is %q, want epochs or nothing", l.Repeats)
	for i, v := range l.Verdicts {
		fault(v.Judge == "" || v.Path.text == "", "verdicts[%d] wants judge and path", i)
	}
	fault(l.With.File != "" && (l.With.Items.text == "" || l.With.Key.text == "" || l.With.On.text == ""), "with wants file, items, key and on")
	fault(l.Pairs.List.text != "" && (l.Pairs.Name.text == "" || l.Pairs.Value.text == ""), "pairs wants list, name and value")
	for i, f := range l.Failed {
		fault(f.Path.text == "", "failed[%d] wants a path", i)
	}
	return errors.Join(faults...)
}

// ParseLayout reads a layout.
func ParseLayout(name string, data []byte) (*Layout, error) {
	doc, err := strictyaml.Parse(name, data)
	if err != nil {
		return nil, err
	}
	l := new(Layout)
	doc.Root().Decode(l)
	return l, doc.Err()
}

//go:embed layouts/*.yaml
var layoutFiles embed.FS

// shippedLayouts are those of this folder, by name.
var shippedLayouts = sync.OnceValue(func() (all []*Layout) {
	names, err := fs.Glob(layoutFiles, "layouts/*")
	for _, name := range names {
		data, readErr := layoutFiles.ReadFile(name)
		l, parseErr := ParseLayout(name, data)
		all, err = append(all, l), errors.Join(err, readErr, parseErr)
	}
	if err != nil {
		panic(err)
	}
	slices.SortFunc(all, func(a, b *Layout) int { return strings.Compare(a.Name, b.Name) })
	return all
})

// Layouts lists the layouts that ship, by name.
func Layouts() []*Layout { return slices.Clone(shippedLayouts()) }

// Imports reports whether a layout says where answers are, which can be imported.
func (l *Layout) Imports() bool { return l.Answer.text != "" }

// ImportFormats names the layouts whose answers can be imported.
func ImportFormats() []string { return namesOf(lists.Filter(Layouts(), (*Layout).Imports)) }

// ResultFormats names the layouts whose scores can be compared.
func ResultFormats() []string { return namesOf(Layouts()) }

func namesOf(all []*Layout) []string {
	return lists.Map(all, func(l *Layout) string { return l.Name })
}

// CheckFrom returns an error for a value of --from that is neither empty nor one of some
// layouts nor the file of a sound one.
func CheckFrom(name string, known []string) error {
	if name == "" {
		return nil
	}
	if _, err := findLayout(name, known); err != nil {
		return fmt.Errorf("--from: %w", err)
	}
	return nil
}

// findLayout returns one of some layouts by its name, or a person's own by its file.
func findLayout(name string, known []string) (*Layout, error) {
	if isLayoutFile(name) {
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		return ParseLayout(name, data)
	}
	if !slices.Contains(known, name) {
		return nil, errors.New(suggest.Unknown("format", name, known))
	}
	return shippedLayouts()[slices.Index(ResultFormats(), name)], nil
}

// isLayoutFile reports whether the name of a format is the file of a layout.
func isLayoutFile(name string) bool {
	return slices.Contains([]string{".yaml", ".yml"}, strings.ToLower(filepath.Ext(name)))
}

// marked returns the format whose marks an excerpt has, of several the one that asks for most;
// empty for none.
func marked(top *jsontree.Value) (format string) {
	most := 0
	for _, l := range Layouts() {
		for _, marks := range l.Marks {
			if len(marks) > most && !slices.ContainsFunc(marks, func(p path) bool { return !p.leads(origin{item: top}) }) {
				format, most = l.Name, len(marks)
			}
		}
	}
	return format
}
