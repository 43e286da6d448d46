package report

import (
	"errors"
	"slices"

	"recallbench/internal/calc/lists"
	"recallbench/internal/publish/published"
	"recallbench/internal/text/suggest"
)

// A PaperFigure is a figure of a paper, or numbers of its text that are drawn as
// one.
type PaperFigure struct {
	Name, Number, Title string
	Paper               *published.Paper
	// Table is the published table that has the figure's numbers; empty where none
	// were printed, for which Why gives the reason.
	Table string
	Why   string
	// What runs are drawn as that measure the same: a config of configs/papers and
	// a figure of 'bench plot'; empty for none.
	Config, Measured string

	metrics []string // of the table, in order; all where there are none
	byRow   bool     // places are rows, and series metrics; else the other way round
}

// paperFigures are all figures of the papers, in the order of lists.
func paperFigures() []PaperFigure {
	const (
		picture = "a picture of how the method works; there are no numbers in it"
		screen  = "a picture of the demonstration; there are no numbers in it"
	)
	figures := []PaperFigure{
		{Name: "xmemory-figure1", Title: "from top-k to structured retrieval", Why: picture},
		{Name: "xmemory-figure2", Title: "overview of xMemory", Why: picture},
		{
			Name: "xmemory-figure3", Title: "LoCoMo, ablation with tokens", Table: "xmemory-table4", Config: "xmemory-figure3.yaml", Measured: "ablation",
			metrics: []string{"bleu1", "f1", "tokens_per_query"}, byRow: true,
		},
		{Name: "xmemory-figure4", Title: "LoCoMo, hit density of multi-hop questions, as far as quoted", Table: "xmemory-figure4", Config: "xmemory-figure4.yaml", Measured: "hits"},
		{
			Name: "xmemory-figure5", Title: "LoCoMo, restructuring", Table: "xmemory-table6", Config: "xmemory-figure5.yaml", Measured: "ablation",
			metrics: []string{"bleu1", "f1", "reassignment_ratio_percent"}, byRow: true,
		},
		{Name: "semantic-xpath-figure1", Title: "three memories of a travel agent", Why: picture},
		{Name: "semantic-xpath-figure2", Title: "pipeline", Why: picture},
		{Name: "semantic-xpath-figure3", Title: "demonstration", Why: screen},
		{Name: "semantic-xpath-figure4", Title: "structured memories of three domains", Why: picture},
		{
			Name: "semantic-xpath-figure5", Title: "single-turn requests, average over the domains", Table: "semantic-xpath-table1",
			Config: "semantic-xpath-table1.yaml", Measured: "ablation", byRow: true,
		},
		{
			Name: "semantic-xpath-figure6", Title: "multi-turn requests, average over the domains", Table: "semantic-xpath-table2",
			Config: "semantic-xpath-table2.yaml", Measured: "ablation", byRow: true,
		},
		{
			Name: "semantic-xpath-figure7", Title: "tokens by turn", Config: "semantic-xpath-table2.yaml", Measured: "turns",
			Why: "drawn in the paper, but none of its numbers is printed",
		},
		{Name: "semantic-anchoring-figure1", Title: "architecture", Why: picture},
		{
			Name: "semantic-anchoring-figure2", Title: "recall by session distance", Config: "semantic-anchoring-figure2.yaml", Measured: "distance",
			Why: "drawn in the paper, but of its numbers only one bound is printed: more than 75 % of Semantic Anchoring at a distance of ten sessions",
		},
		{Name: "semantic-anchoring-latency", Number: "Section 4.4", Title: "latency by stage, which the paper prints and does not draw", Table: "semantic-anchoring-latency", byRow: true},
	}
	for i := range figures {
		f := &figures[i]
		for _, t := range published.List() {
			if key := t.Paper.Key + "-"; len(f.Name) > len(key) && f.Name[:len(key)] == key {
				f.Paper = t.Paper
				if f.Number == "" {
					f.Number = "Figure " + f.Name[len(key)+len("figure"):]
				}
				break
			}
		}
	}
	return figures
}

// PaperFigureNames returns the names of the figures of papers.
func PaperFigureNames() []string {
	return lists.Map(paperFigures(), func(f PaperFigure) string { return f.Name })
}

// GetPaperFigure returns the figure of a name. An unknown name is an error that
// names the nearest one.
func GetPaperFigure(name string) (PaperFigure, error) {
	all := paperFigures()
	i := slices.IndexFunc(all, func(f PaperFigure) bool { return f.Name == name })
	if i < 0 {
		return PaperFigure{}, errors.New(suggest.Unknown("published figure", name, PaperFigureNames()))
	}
	return all[i], nil
}

// ListPaperFigures lays out which figures the papers have, and which of them can
// be drawn from printed numbers.
func ListPaperFigures() *Document {
	t := &Table{
		Name: "published figures", Title: "What the papers draw, and what it can be drawn from again", Rows: [][]Cell{},
		Columns: []Column{{Name: "name"}, {Name: "number"}, {Name: "title"}, {Name: "drawn from"}, {Name: "measured by"}, {Name: "as"}},
	}
	for _, f := range paperFigures() {
		from := text(f.Table)
		if f.Table == "" {
			from = text("not drawn", t.Note(f.Why))
		}
		number := text(f.Number, t.Note(f.Paper.Citation()))
		t.Rows = append(t.Rows, []Cell{text(f.Name), number, text(f.Title), from, text(f.Config), text(f.Measured)})
	}
	return &Document{Tables: []*Table{t}}
}
