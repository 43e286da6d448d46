package backend

// ModelsDir is the folder that has the folders of local models: what the
// environment variable BENCH_MODELS names, else models in the working directory.
func ModelsDir(getenv func(string) string) string {
	if getenv != nil {
		if dir := getenv("BENCH_MODELS"); dir != "" {
			return dir
		}
	}
	return "models"
}
