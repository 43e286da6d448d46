package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"recallbench/internal/calc/lists"
	"recallbench/internal/publish/interchange"
	"recallbench/internal/publish/report"
)

// resultFlags set how results of other tools are read and paired.
type resultFlags struct {
	from, combine string
	fields        interchange.ItemFields
	columns       []string
	force         bool
}

func (f *resultFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.from, "from", "", "for files: their `format`, or the file of a layout (default: detected): "+strings.Join(interchange.ResultFormats(), ", "))
	flags.StringVar(&f.fields.ID, "id", "", "for files: dotted path of the `field` that pairs items")
	flags.StringVar(&f.fields.Cluster, "cluster", "", "for files: dotted path of the `field` that items share, such as a conversation")
	flags.StringVar(&f.fields.Category, "category", "", "for files: dotted path of the `field` with the category")
	flags.StringArrayVar(&f.columns, "column", nil, "for files: a score to compare, as `NAME[=better:lower][,scale:100]` (default: all that both sides have)")
	choiceFlag(cmd, &f.combine, "combine", "mean", []string{"mean", interchange.Majority}, "for files: how several votes become one score: `mean` or majority")
	flags.BoolVar(&f.force, "force", false, "for files: pair items even if task or question differs; accept unfinished logs; test even if fewer than 90 % of the items pair, and compare means of conversations if no id is on both sides")
	completeFlag(cmd, "from", interchange.ResultFormats())
}

// read reads the sides of a comparison of files, and reports all that cannot be read.
func (f *resultFlags) read(ctx context.Context, args []string, columns []report.ResultColumn) ([]*interchange.Results, error) {
	var sides []*interchange.Results
	var faults []error
	for i, arg := range args {
		if slices.Contains(args[:i], arg) {
			faults = append(faults, fmt.Errorf("%s is given twice; want two files, or two sides of one as FILE#SIDE", arg))
		}
		r, err := interchange.ReadResults(ctx, arg, interchange.ResultOptions{
			Format: f.from, Fields: f.fields, Combine: f.combine, Partial: f.force,
			Columns: lists.Map(columns, func(c report.ResultColumn) string { return c.Name }),
		})
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		sides, faults = append(sides, r), append(faults, err)
	}
	return sides, errors.Join(faults...)
}

// contrasts compares files.
func (f *resultFlags) contrasts(ctx context.Context, args []string, o report.ContrastOptions) ([]report.Contrast, []string, error) {
	wanted, err := parseColumns(append(slices.Clone(o.Columns), f.columns...))
	if err := errors.Join(err, interchange.CheckFrom(f.from, interchange.ResultFormats())); err != nil {
		return nil, nil, err
	}
	sides, err := f.read(ctx, args, wanted)
	if err != nil {
		return nil, nil, err
	}
	return report.ResultContrasts(sides[0], sides[1:], report.ResultOptions{ContrastOptions: o, Wanted: wanted, Force: f.force})
}

// parseColumns reads NAME[=better:lower][,scale:100].
func parseColumns(texts []string) (columns []report.ResultColumn, err error) {
	for _, text := range texts {
		name, settings, _ := strings.Cut(text, "=")
		c := report.ResultColumn{Name: name}
		for setting := range strings.SplitSeq(settings, ",") {
			key, value, _ := strings.Cut(setting, ":")
			scale, fault := strconv.ParseFloat(value, 64)
			switch {
			case setting == "":
			case key == "better" && (value == "lower" || value == "higher"):
				c.Lower = new(value == "lower")
			case key == "scale" && fault == nil && scale > 0 && scale <= 1e6:
				c.Scale = scale
			default:
				err = errors.Join(err, fmt.Errorf("--column %s: %q, want better:higher, better:lower or scale: and a number above 0", text, setting))
			}
		}
		columns = append(columns, c)
	}
	return columns, err
}
