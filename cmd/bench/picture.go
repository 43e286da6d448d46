package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"recallbench/internal/figure"
	"recallbench/internal/lists"
	"recallbench/internal/near"
	"recallbench/internal/record"
	"recallbench/internal/report"
)

// picture is where and how a verb writes figures.
type picture struct {
	file    string
	formats []string
	noCSV   bool
	size    figure.Size
	folder  bool
}

func (p *picture) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&p.file, "out", "", "`file or folder` to write to")
	cmd.Flags().StringSliceVar(&p.formats, "format", nil, "`formats`, separated by commas: "+strings.Join(figure.Formats(), ", ")+" (default: by the name of --out, svg for a folder, csv for stdout)")
	cmd.Flags().BoolVar(&p.noCSV, "no-csv", false, "write no CSV beside a picture")
	cmd.Flags().Float64Var(&p.size.Width, "width", 0, fmt.Sprintf("width in `inches` (default %g)", figure.ColumnWidth))
	cmd.Flags().Float64Var(&p.size.Height, "height", 0, "height in `inches` (default: what it needs)")
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(figure.Formats(), cobra.ShellCompDirectiveNoFileComp)))
}

// check finds out the formats. It comes before any work is done.
func (p *picture) check() error {
	if err := p.size.Check(); err != nil {
		return usageError(err)
	}
	extension := strings.TrimPrefix(strings.ToLower(filepath.Ext(p.file)), ".")
	info, err := os.Stat(p.file)
	p.folder = p.file != "" && (err == nil && info.IsDir() || strings.HasSuffix(p.file, "/") || extension == "")
	if len(p.formats) == 0 {
		switch {
		case p.file == "":
			p.formats = []string{"csv"}
		case p.folder:
			p.formats = []string{"svg"}
		default:
			p.formats = []string{extension}
		}
	}
	if !p.folder {
		if err := freeForFile(p.file); err != nil {
			return usageError(err)
		}
		if named := figure.Formats(); extension != "" && !slices.Contains(named, extension) {
			return usageError(fmt.Errorf("--out: %s ends in %q, want one of .%s, or a folder", p.file, "."+extension, strings.Join(named, ", .")))
		}
		if extension != "" && len(p.formats) == 1 && p.formats[0] != extension && slices.Contains(figure.Formats(), p.formats[0]) {
			return usageError(fmt.Errorf("--out: %s is the name of a file of the format %s, and --format says %s", p.file, extension, p.formats[0]))
		}
	}
	for _, f := range p.formats {
		if !slices.Contains(figure.Formats(), f) {
			return usageError(errors.New(near.Unknown("format", f, figure.Formats())))
		}
	}
	if !p.folder && len(p.formats) > 1 {
		return usageError(fmt.Errorf("--format names %d formats, which need a folder for --out", len(p.formats)))
	}
	return nil
}

// list prints what can be drawn.
func (p *picture) list(a *app, drawn []report.NamedFigure, missing []report.Missing) error {
	for _, d := range drawn {
		if _, err := fmt.Fprintf(a.stdout, "%-9s %s\n", d.Name, d.Title); err != nil {
			return err
		}
	}
	for _, m := range missing {
		if _, err := fmt.Fprintf(a.stdout, "%-9s not of %s: %s\n", m.Name, m.Dataset, m.Why); err != nil {
			return err
		}
	}
	return nil
}

// write writes figures, and says where.
func (p *picture) write(a *app, figures []*figure.Figure) error {
	if len(figures) == 0 {
		return usageError(errors.New("none of the figures can be drawn; 'bench plot RUN' says why"))
	}
	if !p.folder && len(figures) > 1 {
		names := lists.Map(figures, func(f *figure.Figure) string { return f.Name })
		return usageError(fmt.Errorf("these are %d figures, %s: give --out a folder, or name one with --figure and --dataset", len(figures), strings.Join(names, ", ")))
	}
	if p.file == "" {
		return figures[0].Write(a.stdout, p.formats[0], p.size)
	}
	if p.folder {
		if err := os.MkdirAll(p.file, 0o777); err != nil {
			return usageError(fmt.Errorf("--out: %w", err))
		}
	}
	for i, f := range figures {
		base := strings.TrimSuffix(p.file, filepath.Ext(p.file))
		if p.folder {
			base = filepath.Join(p.file, fileName(f.Name, i, figures))
		}
		formats := slices.Clone(p.formats)
		if !p.noCSV && !slices.Contains(formats, "csv") {
			formats = append(formats, "csv")
		}
		for k, format := range formats {
			path := base + "." + format
			if !p.folder && k == 0 {
				path = p.file
			}
			if err := record.WriteFile(path, func(w io.Writer) error { return f.Write(w, format, p.size) }); err != nil {
				return usageError(fmt.Errorf("--out: %w", err))
			}
			fmt.Fprintln(a.stderr, path)
		}
	}
	return nil
}

// fileName returns a name for the files of a figure, with a number where another
// one has the same.
func fileName(name string, i int, figures []*figure.Figure) string {
	safe := func(name string) string {
		s := strings.Map(func(r rune) rune {
			if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_.@+", r) {
				return r
			}
			return '-'
		}, name)
		return strings.TrimLeft(s[:min(len(s), 100)], ".")
	}
	s := safe(name)
	if slices.ContainsFunc(figures[:i], func(f *figure.Figure) bool { return strings.EqualFold(safe(f.Name), s) }) {
		s += fmt.Sprintf("-%d", i+1)
	}
	return s
}
