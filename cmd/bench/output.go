package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"recallbench/internal/near"
	"recallbench/internal/record"
	"recallbench/internal/report"
)

// output is where and how a verb prints tables.
type output struct {
	format string
	file   string
}

func (o *output) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.format, "format", "", "`format`: "+strings.Join(report.Formats(), ", ")+" (default: by the name of --out, else text)")
	cmd.Flags().StringVar(&o.file, "out", "", "`file` to write instead of stdout")
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(report.Formats(), cobra.ShellCompDirectiveNoFileComp)))
}

// check finds out the format. It comes before any work is done.
func (o *output) check() error {
	if o.format != "" && !slices.Contains(report.Formats(), o.format) {
		return usageError(fmt.Errorf("--format: %s", near.Unknown("format", o.format, report.Formats())))
	}
	var err error
	o.format, err = outFormat(o.file, o.format, "text", tableEndings)
	return usageError(err)
}

// print writes tables to the file or to stdout.
func (o *output) print(a *app, d *report.Document) error {
	if o.file == "" {
		return d.Write(a.stdout, o.format)
	}
	err := record.WriteFile(o.file, func(w io.Writer) error { return d.Write(w, o.format) })
	if err != nil {
		return usageError(fmt.Errorf("--out: %w", err))
	}
	return nil
}

// splitRows reads the values of --row: "published row=method label".
func splitRows(values []string) (map[string]string, error) {
	rows := make(map[string]string)
	var faults []error
	for _, v := range values {
		// A published label may hold an equals sign sooner than a method's.
		i := strings.LastIndex(v, "=")
		if i <= 0 || i == len(v)-1 {
			faults = append(faults, fmt.Errorf("--row is %q, want \"PUBLISHED ROW=METHOD LABEL\"", v))
			continue
		}
		if _, ok := rows[v[:i]]; ok {
			faults = append(faults, fmt.Errorf("--row names the published row %q twice", v[:i]))
		}
		rows[v[:i]] = v[i+1:]
	}
	return rows, errors.Join(faults...)
}
