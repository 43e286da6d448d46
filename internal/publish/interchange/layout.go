package interchange

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"recallbench/internal/files/strictyaml"
	"recallbench/internal/result/record"
)

// A Layout says how the results of a program are read: what tells them from others,
// where the list of items is, and where of an item its parts are. docs/interchange.md
// describes paths.
type Layout struct {
	Name   string `yaml:"name"`
	Doc    string `yaml:"doc"`    // one line
	Source string `yaml:"source"` // the program and version that was read
	// Marks are alternatives; of one of them all fields are in the file. "a.b" is a
	// field of the value of field a at the top, "[].b" of the first item of a list.
	Marks [][]string `yaml:"marks"`
	// Versions are values that fields of the top must have, where they are there.
	Versions map[string][]string `yaml:"versions"`
	// Finished are values that fields of the top have in a file that is complete.
	Finished map[string][]string `yaml:"finished"`
	// Beside is a file that says which columns are better higher: that of
	// PREFIXTASK_TIME.jsonl is RESULTSTIME.json, with the columns by task in the field Higher.
	Beside *besideFile `yaml:"beside"`
	// About are values at the top, or else of the first item that has them, by what
	// they say: task, dataset, model, judge, memory, k.
	About map[string]path `yaml:"about"`
	Items path            `yaml:"items"`
	// Sides is an object of an item whose every field is a side of the results, such
	// as a cutoff: paths that begin with "side" lead into it. Side is one by its name.
	Sides path `yaml:"sides"`
	Side  path `yaml:"side"`
	// Variant tells sides of one name apart: the first goes without it.
	Variant path `yaml:"variant"`

	// ID pairs items of two files; of an object it is a hash. Items with one id at another
	// Place are others; at the same they are epochs, where Repeats is "epochs".
	ID      path   `yaml:"id"`
	Place   path   `yaml:"place"`
	Repeats string `yaml:"repeats"`
	Epoch   path   `yaml:"epoch"`
	Invalid path   `yaml:"invalid"` // set where the file takes the item out
	Prompt  path   `yaml:"prompt"`  // a hash of what was asked
	Address path   `yaml:"address"` // SAMPLE/REQUEST of the data set
	Sample  path   `yaml:"sample"`
	Request path   `yaml:"request"`
	// Cluster is what was drawn, the conversation by its id or its place from 0; else it is
	// the sample. Conversation is where the question is looked for, else that of the cluster.
	Cluster      path `yaml:"cluster"`
	Conversation path `yaml:"conversation"`
	Question     path `yaml:"question"`
	Gold         path `yaml:"gold"`
	Answer       path `yaml:"answer"`
	Category     path `yaml:"category"`
	// GoldEvidence are ids of turns; Evidence are texts that the answer was made from.
	GoldEvidence path              `yaml:"gold_evidence"`
	Evidence     []path            `yaml:"evidence"`
	Failed       []failureAt       `yaml:"failed"`
	Seconds      map[string][]path `yaml:"seconds"` // of stages: search, answer
	Milliseconds map[string][]path `yaml:"milliseconds"`
	// Tokens are sums; those of the cache are among the input.
	Tokens struct{ Input, Cached, Output, Reasoning []path } `yaml:"tokens"`
	Cost   path                                              `yaml:"cost"` // in US dollars
	// Scores are by column; at "*" each field of an object is one, or each field of the item
	// that a list names. Higher is better, but where Directions is "unknown". Words are
	// values of texts.
	Scores     map[string]path    `yaml:"scores"`
	Directions string             `yaml:"directions"`
	Words      map[string]float64 `yaml:"words"`
	Verdicts   []verdictAt        `yaml:"verdicts"`
}

// A failureAt marks an answer as failed where its path has one of some values, or any
// text where none is named.
type failureAt struct {
	Path    path          `yaml:"path"`
	Is      []string      `yaml:"is"`
	Kind    path          `yaml:"kind"`
	Message path          `yaml:"message"` // else the text at the path
	Status  path          `yaml:"status"`
	As      record.Status `yaml:"as"` // the status where no path says it
	// Unanswered marks only items without an answer.
	Unanswered bool `yaml:"unanswered"`
}

// A besideFile is named by a prefix; see [Layout.Beside].
type besideFile struct{ Prefix, Results, Higher string }

// A verdictAt is where the votes of a judge are, from 0 to 1 or true and false.
type verdictAt struct {
	Judge  string             `yaml:"judge"` // its name; "judge" for the unnamed one
	Path   path               `yaml:"path"`
	Why    path               `yaml:"why"`
	Column string             `yaml:"column"` // its name in comparisons; else judge:NAME
	Values map[string]float64 `yaml:"values"` // of words; an item with any other has no verdict
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
	fault := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	if l.Name == "" {
		fault("name is missing")
	}
	if l.Items.alternatives == nil {
		fault(`items is missing; "[*]" is a list, or lines`)
	}
	if l.Answer.alternatives == nil && len(l.Scores)+len(l.Verdicts) == 0 {
		fault("there is neither answer nor scores nor verdicts")
	}
	if l.Question.alternatives == nil && l.ID.alternatives == nil && l.Request.alternatives == nil && l.Address.alternatives == nil {
		fault("want one of question, id, request and address, which tell items apart")
	}
	if l.Directions != "" && l.Directions != "unknown" {
		fault("directions is %q, want unknown, or nothing where higher is better", l.Directions)
	}
	for i, v := range l.Verdicts {
		if v.Judge == "" || v.Path.alternatives == nil {
			fault("verdicts[%d] wants judge and path", i)
		}
	}
	if l.Repeats != "" && l.Repeats != "epochs" {
		fault("repeats is %q, want epochs or nothing", l.Repeats)
	}
	for i, f := range l.Failed {
		if f.Path.alternatives == nil {
			fault("failed[%d] wants a path", i)
		}
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
var shippedLayouts = sync.OnceValue(func() map[string]*Layout {
	all := make(map[string]*Layout)
	entries, err := layoutFiles.ReadDir("layouts")
	if err != nil {
		panic(err)
	}
	for _, e := range entries {
		data, err := layoutFiles.ReadFile("layouts/" + e.Name())
		if err != nil {
			panic(err)
		}
		l, err := ParseLayout(e.Name(), data)
		if err != nil {
			panic(err)
		}
		all[l.Name] = l
	}
	return all
})

// layoutFormats are the layouts as formats.
func layoutFormats() []*Format {
	var all []*Format
	for _, name := range slices.Sorted(maps.Keys(shippedLayouts())) {
		all = append(all, shippedLayouts()[name].format())
	}
	return all
}

func (l *Layout) format() *Format {
	return &Format{Name: l.Name, Doc: l.Doc, read: func(r *reading) error { return r.layout(l) }, imports: l.Answer.alternatives != nil}
}

// openLayout reads a layout of a person's, which is named by its file.
func openLayout(file string) (*Format, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	l, err := ParseLayout(file, data)
	if err != nil {
		return nil, err
	}
	return l.format(), nil
}

// isLayoutFile reports whether the name of a format is the file of a layout.
func isLayoutFile(name string) bool {
	return slices.Contains([]string{".yaml", ".yml"}, strings.ToLower(filepath.Ext(name)))
}
