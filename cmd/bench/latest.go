package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// latest names the newest run below results/runs wherever a run is asked for: the
// one that began last. A run folder of that name in the working directory comes
// first, as a path does before the name of a baseline.
const latest = "latest"

// runPlaceholders are what a command's Use calls an argument that is a run.
var runPlaceholders = []string{"RUN", "BASE", "NEW", "A", "B"}

// findLatest puts the folder of the newest run in place of [latest] among the
// arguments of cmd that its Use says are runs, and in its flag --run.
func findLatest(cmd *cobra.Command, args []string) error {
	var values []*string
	places := strings.Fields(cmd.Use)[1:]
	for i := range args {
		if len(places) == 0 {
			break
		}
		// The last placeholder stands for all arguments behind it.
		place := strings.TrimSuffix(strings.Trim(places[min(i, len(places)-1)], "[]"), "...")
		if slices.Contains(runPlaceholders, place) {
			values = append(values, &args[i])
		}
	}
	var flagged []string
	list, _ := valueOf(cmd.Flags().Lookup("run")).(pflag.SliceValue)
	if list != nil {
		flagged = list.GetSlice()
		for i := range flagged {
			values = append(values, &flagged[i])
		}
	}
	said := false
	for _, v := range values {
		name, method, labelled := strings.Cut(*v, ":")
		if name != latest || isRun(name) {
			continue
		}
		dir, err := newestRun(pastRuns)
		if err != nil {
			return usageError(err)
		}
		if !said {
			cmd.PrintErrf("bench: %s is %s\n", latest, dir)
			said = true
		}
		if *v = dir; labelled {
			*v += ":" + method
		}
	}
	if list == nil || len(flagged) == 0 {
		return nil
	}
	return list.Replace(flagged)
}

func valueOf(f *pflag.Flag) pflag.Value {
	if f == nil {
		return nil
	}
	return f.Value
}

// newestRun returns the folder of the run in dir that began last. The beginning of
// one whose header cannot be read is in its name, where run has named it: a
// damaged run is not passed over for an older one.
func newestRun(dir string) (string, error) {
	headers, err := filepath.Glob(filepath.Join(dir, "*", "run.json"))
	if err != nil {
		return "", err
	}
	newest, began := "", time.Time{}
	for _, path := range headers { // sorted by name: of runs that began at once the last is taken
		var header struct {
			Start time.Time `json:"start"`
		}
		folder := filepath.Dir(path)
		data, err := os.ReadFile(path)
		if err != nil || json.Unmarshal(data, &header) != nil || header.Start.IsZero() {
			stamp, _, _ := strings.Cut(filepath.Base(folder), "-")
			if header.Start, err = time.Parse("20060102T150405Z", stamp); err != nil {
				continue
			}
		}
		if newest == "" || !header.Start.Before(began) {
			newest, began = folder, header.Start
		}
	}
	if newest == "" {
		return "", fmt.Errorf("there is no latest run: %s has none; 'bench run' makes one there, and a run elsewhere goes by its folder", dir)
	}
	return newest, nil
}
