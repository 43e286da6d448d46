package perltqa

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"recallbench/datasets"
	"recallbench/internal/files/datafile"
)

const (
	memoryFile    = "perltmem_en_v2.json"
	questionsFile = "perltqa_en_v2.json"
	// A sample of a file has its name with this end. Samples are read where
	// the files themselves are not there.
	sampleSuffix = ".sample.json"
	// source is where the files are, at the commit whose counts docs/data.md
	// gives.
	source = "https://raw.githubusercontent.com/Elvin-Yiming-Du/PerLTQA/67f8351aa6cedddcfc9985e475cfb5565ffd6fa8/Dataset/en_v2/"
)

// A File is a file that was read. Its name stands in messages.
type File struct {
	Name string
	Data []byte
}

// digest returns the SHA-256 of the file in hex.
func (f File) digest() string {
	sum := sha256.Sum256(f.Data)
	return hex.EncodeToString(sum[:])
}

// sampled tells whether the file calls itself a sample.
func (f File) sampled() bool { return strings.HasSuffix(f.Name, sampleSuffix) }

// read reads both files.
func (o Options) read(ctx context.Context, env datasets.Env) (memory, questions File, err error) {
	paths, err := o.paths(env)
	if err != nil {
		return File{}, File{}, err
	}
	var files [2]File
	var errs []error
	for i, path := range paths {
		data, err := datafile.Read(ctx, path, MaxSize)
		files[i] = File{Name: path, Data: data}
		if err != nil {
			errs = append(errs, err)
		}
	}
	err = errors.Join(errs...)
	if errors.Is(err, fs.ErrNotExist) && (o.MemoryPath == "" || o.QuestionsPath == "") {
		err = fmt.Errorf("%w\n%s", err, whence)
	}
	return files[0], files[1], err
}

// whence says how to get the files.
const whence = "bench data fetch cannot get PerLTQA, as no SHA-256 of its files is known: " +
	"put " + memoryFile + " and " + questionsFile + " into the folder perltqa of the data folder, " +
	"or name them by memory_path and questions_path; they are at " + source + " under CC BY-NC 4.0"

// paths returns the paths of the memories and of the questions.
func (o Options) paths(env datasets.Env) (paths [2]string, err error) {
	full := [2]string{memoryFile, questionsFile}
	given := [2]string{o.MemoryPath, o.QuestionsPath}
	dir := filepath.Join(env.Dir, "perltqa")
	for i, path := range given {
		switch {
		case path == "" && env.Dir == "":
			return paths, datasets.NoFolder("--data or BENCH_DATA names one\n" + whence)
		case path == "":
			paths[i] = filepath.Join(dir, full[i])
		default:
			paths[i] = env.Resolve(path)
		}
	}
	if given != [2]string{} || there(paths[0]) || there(paths[1]) {
		return paths, nil
	}
	var samples [2]string
	for i, path := range paths {
		samples[i] = strings.TrimSuffix(path, ".json") + sampleSuffix
	}
	if there(samples[0]) && there(samples[1]) {
		return samples, nil
	}
	return paths, nil
}

func there(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
