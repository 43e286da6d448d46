// Package board lists answers of real memory systems that their makers have published:
// where the files are, under which licence, and what their source says about them. The
// files are fetched; none is part of the program.
package board

import (
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"recallbench/datasets"
	"recallbench/internal/door/fault"
	"recallbench/internal/files/strictyaml"
)

// A Card describes a file of answers and what its source says about them.
type Card struct {
	System  string `yaml:"system"`
	Version string `yaml:"version"`
	Date    string `yaml:"date"` // of the answers
	Dataset string `yaml:"dataset"`
	Reader  string `yaml:"reader"` // the model that answered
	Judge   string `yaml:"judge"`  // the model behind the file's verdicts
	// Claimed is the score in percent that the source states, at the place Where.
	Claimed *float64 `yaml:"claimed"`
	Where   string   `yaml:"where"`
	Note    string   `yaml:"note"`
	Source  string   `yaml:"source"` // a page, or the address of a repository on GitHub
	Commit  string   `yaml:"commit"`
	Licence string   `yaml:"licence"`
	// Layout is a format of results, or the file of a layout; Read is the file or
	// folder of results in the folder of data, with #SIDE for one of several systems.
	Layout string `yaml:"layout"`
	Read   string `yaml:"read"`
	// Files are those to fetch; their names are paths in the folder of data.
	Files []File `yaml:"files"`
}

// A File is a file of the source.
type File struct {
	Name   string `yaml:"name"`
	Size   int64  `yaml:"size"`
	SHA256 string `yaml:"sha256"`
	Path   string `yaml:"path"` // in the source's repository, or an address
}

// Label names the system in tables; a version or a reader distinguishes two rows.
func (c Card) Label() string {
	label := c.System
	if c.Version != "" {
		label += " " + c.Version
	}
	if c.Reader != "" && c.Reader != unsaid {
		label += ", " + c.Reader
	}
	return label
}

// Origin says where the answers, verdicts and claims come from.
func (c Card) Origin() string {
	parts := []string{strings.TrimPrefix(c.Source, "https://")}
	if c.Commit != "" {
		parts[0] += " at " + c.Commit[:min(7, len(c.Commit))]
	}
	parts = append(parts, c.Licence)
	if c.Judge != "" {
		parts = append(parts, "its judge "+c.Judge)
	}
	if c.Claimed != nil {
		parts = append(parts, "claims by "+cmp.Or(c.Where, "its source"))
	}
	if c.Note != "" {
		parts = append(parts, c.Note)
	}
	return strings.Join(parts, "; ")
}

// unsaid stands for a model that the source does not name.
const unsaid = "not said"

// Validate reports what a card lacks.
func (c Card) Validate() error {
	var faults fault.List
	for _, needed := range [][2]string{{"system", c.System}, {"dataset", c.Dataset}, {"read", c.Read}, {"source", c.Source}, {"licence", c.Licence}} {
		faults.Want(needed[1] != "", "%s is missing", needed[0])
	}
	if c.Claimed != nil && (*c.Claimed < 0 || *c.Claimed > 100) {
		faults = append(faults, fmt.Errorf("claimed is %g, want 0 to 100", *c.Claimed))
	}
	for i, f := range c.Files {
		complete := len(f.SHA256) == 64 && f.Name != "" && f.Path != "" && (strings.Contains(f.Path, "://") || c.Commit != "")
		faults.Want(complete, "files[%d] needs name, path and sha256, and the card needs a commit", i)
	}
	return errors.Join(faults...)
}

//go:embed cards.yaml
var shipped []byte

// Shipped returns the cards that come with the program.
var Shipped = sync.OnceValue(func() []Card {
	cards, err := parse("cards.yaml", shipped)
	if err != nil {
		panic(err)
	}
	return cards
})

// ReadCards reads a file of cards. Paths of results and layouts are relative to the file
// if they exist there.
func ReadCards(file string) ([]Card, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	cards, err := parse(file, data)
	for i := range cards {
		for _, of := range []*string{&cards[i].Read, &cards[i].Layout} {
			name, side, cut := strings.Cut(*of, "#")
			beside, absErr := filepath.Abs(filepath.Join(filepath.Dir(file), name))
			if _, statErr := os.Stat(beside); statErr == nil && absErr == nil && name != "" && !filepath.IsAbs(name) {
				if *of = beside; cut {
					*of += "#" + side
				}
			}
		}
	}
	return cards, err
}

func parse(name string, data []byte) (cards []Card, err error) {
	doc, err := strictyaml.Parse(name, data)
	if err != nil {
		return nil, err
	}
	doc.Root().Decode(&cards)
	if err := doc.Err(); err != nil {
		return nil, err
	}
	for i, c := range cards {
		if slices.ContainsFunc(cards[:i], func(d Card) bool { return d.Label() == c.Label() && d.Dataset == c.Dataset }) {
			return nil, fmt.Errorf("%s: two cards are called %q; set version to distinguish them", name, c.Label())
		}
	}
	return cards, nil
}

// Spec lists the files of the shipped cards for fetching. It opens no dataset.
var Spec = spec(Shipped())

func spec(cards []Card) *datasets.Spec {
	s := &datasets.Spec{
		Name: "answers", Folder: ".", Doc: "answers of real memory systems, published by their makers",
		Source: "the repositories that docs/board.md lists", License: "that of each system, in docs/board.md; LoCoMo's texts are CC-BY-NC-4.0",
	}
	for _, c := range cards {
		for _, f := range c.Files {
			url := f.Path
			if !strings.Contains(url, "://") {
				url = strings.Replace(c.Source, "https://github.com/", "https://raw.githubusercontent.com/", 1) + "/" + c.Commit + "/" + f.Path
			}
			file := datasets.File{Name: f.Name, URL: url, Size: f.Size, SHA256: f.SHA256, License: path.Base(f.Name) == "LICENSE"}
			if !slices.Contains(s.Files, file) {
				s.Files = append(s.Files, file)
			}
		}
	}
	return s
}
