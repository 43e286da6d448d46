package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"recallbench/internal/calc/lists"
	"recallbench/internal/files/strictyaml"
	"recallbench/internal/publish/figure"
	"recallbench/internal/publish/report"
	"recallbench/internal/result/record"
)

// A manuscript is what bench paper reads.
type manuscript struct {
	// Out is the folder to write, beside the file by default.
	Out     string  `yaml:"out"`
	Tables  []float `yaml:"tables"`
	Figures []float `yaml:"figures"`
	// Names are what methods and metrics are shown as.
	Names report.Names `yaml:"names"`
}

// A float is a table or figure of a manuscript.
type float struct {
	Label   string   `yaml:"label"`
	Caption string   `yaml:"caption"`
	Bench   []string `yaml:"bench"` // the verb that makes it, with its arguments
	Take    string   `yaml:"take"`  // the name of one of several tables
}

// Verbs of floats: they read and spend nothing.
var (
	tableVerbs  = []string{"table", "compare", "plan", "variance", "latency", "published"}
	figureVerbs = []string{"plot"}
)

// paperFile is the file that inputs all others.
const paperFile = "floats.tex"

func newPaperCommand(a *app) *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "paper FILE.yaml",
		Short: "Write all tables and figures of a manuscript",
		Long: `Paper writes the tables and figures that a file lists as LaTeX, each in a file of its
own with the label and the caption of the list:

  tables:
    - {label: main, caption: Quality on LoCoMo, bench: [table, RUN, --columns, f1@mem0], take: locomo}
  figures:
    - {label: front, caption: Quality against tokens, bench: [plot, RUN, --figure, pareto]}
  names: {f1@mem0: F1}

bench is a verb that reads runs (` + strings.Join(append(slices.Clone(tableVerbs), figureVerbs...), ", ") + `) with its arguments; its paths start
at the working directory. take names one of several tables. \ref{tab:main} and
\ref{fig:front} stay what they are when runs change. ` + paperFile + ` inputs all files and
can be compiled alone.`,
		Example: "  bench paper paper.yaml --out manuscript/generated",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			m, err := readManuscript(args[0])
			if err != nil {
				return usageError(err)
			}
			if out == "" {
				out = m.Out
				if !filepath.IsAbs(out) {
					out = filepath.Join(filepath.Dir(args[0]), out)
				}
			}
			if err := freeForFolder(out); err != nil {
				return usageError(err)
			}
			return a.writePaper(cmd.Context(), m, out)
		},
	}
	cmd.Flags().StringVar(&out, "out", "", "`folder` to write (default: out of the file, else paper beside it)")
	return cmd
}

// texLabel is what a label may be: a name of a file, and of a reference.
var texLabel = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,47}$`)

// readManuscript reads a file and reports all its faults.
func readManuscript(path string) (manuscript, error) {
	m := manuscript{Out: "paper"}
	if err := checkInput(path, "a list of tables and figures, such as paper.yaml"); err != nil {
		return m, err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return m, err
	}
	doc, err := strictyaml.Parse(path, data)
	if err != nil {
		return m, err
	}
	root := doc.Root()
	root.Decode(&m)
	if len(m.Tables)+len(m.Figures) == 0 && !root.Faulty() {
		root.Faultf("no tables and no figures")
	}
	for key, l := range map[string]struct {
		floats []float
		verbs  []string
	}{"tables": {m.Tables, tableVerbs}, "figures": {m.Figures, figureVerbs}} {
		for i, f := range l.floats {
			at := root.At(key, i)
			if at.Faulty() {
				continue
			}
			if !texLabel.MatchString(f.Label) {
				at.Faultf("its label is %q, want lower-case letters, digits and hyphens, 48 at most", f.Label)
			}
			if slices.ContainsFunc(l.floats[:i], func(other float) bool { return other.Label == f.Label }) {
				at.Faultf("%q is the label of another one already", f.Label)
			}
			if len(f.Bench) == 0 || !slices.Contains(l.verbs, f.Bench[0]) {
				at.Faultf("its key bench is %q, want a list that begins with one of %s", strings.Join(f.Bench, " "), strings.Join(l.verbs, ", "))
			}
			if slices.ContainsFunc(f.Bench, func(arg string) bool {
				return strings.HasPrefix(arg, "--out") || strings.HasPrefix(arg, "--format")
			}) {
				at.Faultf("the file and the format are the manuscript's: leave --out and --format away")
			}
		}
	}
	return m, doc.Err()
}

// writePaper writes all floats, or none where one fails.
func (a *app) writePaper(ctx context.Context, m manuscript, dir string) error {
	files := make(map[string][]byte)
	var names []string
	var faults []error
	add := func(kind string, f float, write func(context.Context, float, report.Names) ([]byte, error)) {
		name := kind + "-" + f.Label + ".tex"
		data, err := write(ctx, f, m.Names)
		if err != nil {
			faults = append(faults, fmt.Errorf("%s %s: %w", kind, f.Label, err))
		}
		files[name], names = data, append(names, name)
	}
	for _, f := range m.Tables {
		add("tab", f, a.texTable)
	}
	for _, f := range m.Figures {
		add("fig", f, a.texFigure)
	}
	if err := errors.Join(faults...); err != nil {
		return usageError(err)
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return usageError(fmt.Errorf("--out: %w", err))
	}
	var all strings.Builder
	all.WriteString("% Written by bench paper: compile it to see all tables and figures, or \\input the files one by one.\n" +
		"\\documentclass{article}\n\\usepackage{booktabs,graphicx,pgf}\n\\begin{document}\n")
	for _, name := range names {
		fmt.Fprintf(&all, "\\input{%s}\n\\clearpage\n", strings.TrimSuffix(name, ".tex"))
	}
	all.WriteString("\\end{document}\n")
	files[paperFile] = []byte(all.String())
	for _, name := range append(names, paperFile) {
		path := filepath.Join(dir, name)
		if err := record.WriteBytes(path, files[name]); err != nil {
			return usageError(err)
		}
		if _, err := fmt.Fprintln(a.stdout, path); err != nil {
			return err
		}
	}
	return nil
}

// verb runs a verb of a float, whose tables go to lay.
func (a *app) verb(ctx context.Context, args []string, stdout io.Writer, lay func(*report.Document)) error {
	inner := &app{stdin: a.stdin, stdout: stdout, stderr: a.stderr, env: a.env, argv: a.argv, lay: lay}
	root := newRootCommand(inner) //nolint:contextcheck // cobra hands each verb the context of ExecuteContext
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(a.stderr)
	return root.ExecuteContext(ctx)
}

func (a *app) texTable(ctx context.Context, f float, names report.Names) ([]byte, error) {
	var d report.Document
	if err := a.verb(ctx, f.Bench, io.Discard, func(laid *report.Document) { d = *laid }); err != nil {
		return nil, err
	}
	have := lists.Map(d.Tables, func(t *report.Table) string { return t.Name })
	at := slices.Index(have, f.Take)
	switch {
	case len(have) == 0:
		return nil, errors.New("the verb printed no table")
	case f.Take == "" && len(have) == 1:
		at = 0
	case at < 0:
		return nil, fmt.Errorf("take is %q, want one of the tables %s", f.Take, strings.Join(have, ", "))
	}
	names.Document(&d)
	t := d.Tables[at]
	t.Name = f.Label
	if f.Caption != "" {
		t.Title = f.Caption
	}
	var b bytes.Buffer
	err := (&report.Document{Tables: []*report.Table{t}}).LaTeX(&b)
	return b.Bytes(), err
}

func (a *app) texFigure(ctx context.Context, f float, names report.Names) ([]byte, error) {
	var picture, b bytes.Buffer
	args := append(slices.Clone(f.Bench), "--format", "tex")
	for _, name := range slices.Sorted(maps.Keys(names)) {
		args = append(args, "--name", name+"="+names[name])
	}
	if err := a.verb(ctx, args, &picture, nil); err != nil {
		return nil, err
	}
	err := figure.Float(&b, f.Label, f.Caption, picture.Bytes())
	return b.Bytes(), err
}
