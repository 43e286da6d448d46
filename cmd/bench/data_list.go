package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"recallbench/datasets"
	datasetsuite "recallbench/datasets/suite"
	"recallbench/internal/files/datadir"
)

func newDataListCommand(a *app) *cobra.Command {
	var (
		data  string
		lines bool
	)
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the datasets, their licences and whether they are present",
		Long: `List prints the datasets and says whether each is embedded in the program,
present in the data folder or missing. It goes by the sizes of files;
'bench data verify' reads them.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			dir, err := datadir.Find(data, a.env)
			if err != nil {
				return usageError(err)
			}
			if lines {
				return a.listDataJSON(dir)
			}
			var b strings.Builder
			b.WriteString("DATASET\tLICENSE\tSTATE\tWHAT\n")
			for _, s := range datasetsuite.All() {
				fmt.Fprintf(&b, "%s\t%s\t%s\t%s\n", s.Name, s.License, dataState(dir, s), s.Doc)
			}
			fmt.Fprintf(&b, "\ndata folder: %s\n", searched(dir))
			return a.columns(b.String())
		},
	}
	dataFlag(cmd, &data)
	cmd.Flags().BoolVar(&lines, "json", false, "write a JSON line for each dataset to stdout and nothing else")
	return cmd
}

func (a *app) listDataJSON(dir string) error {
	type file struct {
		Name   string    `json:"name"`
		URL    string    `json:"url"`
		Size   int64     `json:"bytes,omitzero"`
		SHA256 string    `json:"sha256,omitzero"`
		Blob   string    `json:"git_blob,omitzero"`
		State  fileState `json:"state"`
	}
	type line struct {
		Name    string `json:"name"`
		Doc     string `json:"doc"`
		Source  string `json:"source"`
		License string `json:"license"`
		State   string `json:"state"`
		Folder  string `json:"folder,omitzero"` // that was searched
		Files   []file `json:"files,omitzero"`
	}
	files := func(s *datasets.Spec) (files []file) {
		for _, f := range s.FilesOf() {
			files = append(files, file{f.Name, f.URL, f.Size, f.SHA256, f.GitBlob, stateOf(dir, s, f)})
		}
		return files
	}
	enc := json.NewEncoder(a.stdout)
	for _, s := range datasetsuite.All() {
		if err := enc.Encode(line{s.Name, s.Doc, s.Source, s.License, dataState(dir, s), dir, files(s)}); err != nil {
			return err
		}
	}
	return nil
}
