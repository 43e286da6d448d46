package importtest

// A Layer is a set of packages with the same place in the flow.
type Layer struct {
	Name string
	// Packages are folders of the module: "runners", "methods/*" for every
	// folder right below methods, "cmd/..." for all folders below cmd. The most
	// exact entry of all layers decides where a package belongs.
	Packages []string
	// Uses names the lower layers that packages of this one may import.
	Uses []string
	// Wing lets the packages of the layer import each other. Elsewhere Inside
	// lists these imports, each as importing and imported package.
	Wing   bool
	Inside [][2]string
	// Tests is set when only tests may import the layer.
	Tests bool
	// EndToEnd is set when tests of the layer run the whole program and read its
	// records.
	EndToEnd bool
}

// basics are the wings that everything stands on.
var basics = []string{"engine", "door", "files", "text", "calc"}

// below returns names with the basics.
func below(names ...string) []string { return append(names, basics...) }

// House holds the layers of the module from top to bottom. Each folder of
// internal/ is one, a wing.
//
// What the lists leave out is what they are for. Methods see neither metrics
// nor records nor the folder of any dataset. Metrics see neither datasets nor
// methods: they get plain values. Datasets see no models. What is recorded is
// read by reports, which start no run. Nothing below the command knows which
// plug-ins there are, except the suites.
var House = []Layer{
	{
		Name:     "documents", // their examples are compiled as tests
		Packages: []string{"docs"},
	},
	{
		Name:     "command",
		Packages: []string{"cmd/bench"},
		Uses: below("chat", "fleet", "runner", "suite of a config", "publish", "result", "config", "suites", "errata", "board", "format of datasets", "external method", "stand-in", "adapters", "external memories", "backend",
			"contract of methods", "contract of datasets", "contract of metrics"),
	},
	{
		Name:     "fleet",
		Packages: []string{"runners/fleet"},
		Uses:     below("runner", "result", "backend"),
	},
	{
		Name:     "chat",
		Packages: []string{"runners/chat"},
		Uses:     below("runner", "result", "config", "backend", "contract of methods", "contract of datasets"),
	},
	{
		Name:     "runner",
		Packages: []string{"runners"},
		Uses:     below("result", "config", "errata", "external memories", "backend", "contract of methods", "contract of datasets", "contract of metrics"),
	},
	{
		Name:     "suite of a config",
		Packages: []string{"internal/config/suite"},
		Uses:     []string{"publish", "result", "config", "suites"},
	},
	{
		Name:     "publish",
		Packages: []string{"internal/publish/..."},
		Uses:     below("result", "errata", "contract of metrics"),
		Wing:     true,
	},
	{
		Name:     "result",
		Packages: []string{"internal/result/..."},
		Uses:     below("errata", "backend", "contract of methods", "contract of datasets", "contract of metrics"),
		Wing:     true,
	},
	{
		Name:     "conformance",
		Packages: []string{"methods/methodtest"},
		Uses:     below("stand-in", "backend", "parts of methods", "contract of methods", "contract of datasets", "testkit"),
		Tests:    true,
	},
	{
		Name:     "config",
		Packages: []string{"internal/config"},
		Uses:     below("errata", "backend", "contract of methods", "contract of datasets", "contract of metrics"),
	},
	{
		Name:     "suites",
		Packages: []string{"datasets/suite", "methods/suite", "metrics/suite", "internal/backend/suite"},
		Uses: below("board", "methods", "external method", "datasets", "errata", "format of datasets", "stand-in", "backend",
			"contract of methods", "contract of datasets", "contract of metrics"),
	},
	{
		Name:     "methods",
		Packages: []string{"methods/*"},
		Uses:     below("parts of methods", "contract of methods", "contract of datasets"),
	},
	{
		Name:     "external method", // which the command checks adapters with
		Packages: []string{"methods/external"},
		Uses:     below("parts of methods", "adapters", "external memories", "backend", "contract of methods", "contract of datasets"), // of backends the credential
	},
	{
		Name:     "parts of methods",
		Packages: []string{"methods/internal/*"},
		Uses:     below("contract of methods", "contract of datasets"),
		Inside: [][2]string{
			{"methods/internal/linguistic", "methods/internal/building"},
			{"methods/internal/linguistic", "methods/internal/reader"},
			{"methods/internal/linguistic", "methods/internal/transcript"},
			{"methods/internal/building", "methods/internal/reader"},
			{"methods/internal/building", "methods/internal/transcript"},
			{"methods/internal/episodes", "methods/internal/building"},
			{"methods/internal/episodes", "methods/internal/transcript"},
		},
	},
	{
		Name:     "datasets",
		Packages: []string{"datasets/*"},
		Uses:     below("format of datasets", "parts of datasets", "contract of datasets"),
		// The embedded sample is a file in LoCoMo's format.
		Inside: [][2]string{{"datasets/sample", "datasets/locomo"}},
	},
	{
		Name:     "errata", // of gold answers, which scoring applies
		Packages: []string{"datasets/errata"},
		Uses:     below("contract of datasets"),
	},
	{
		Name:     "board", // where published answers are fetched from
		Packages: []string{"datasets/board"},
		Uses:     below("contract of datasets"),
	},
	{
		Name:     "format of datasets", // what is built is stored as a user's own data is
		Packages: []string{"datasets/jsonl"},
		Uses:     below("parts of datasets", "contract of datasets"),
	},
	{
		Name:     "parts of datasets",
		Packages: []string{"datasets/internal/*"},
		Uses:     below("contract of datasets"),
	},
	{
		Name:     "stand-in",
		Packages: []string{"internal/backend/standin"},
		Uses:     below("backend"),
	},
	{
		Name:     "adapters", // kits and ready adapters, as files
		Packages: []string{"adapters"},
		Uses:     below("external memories"),
		EndToEnd: true,
	},
	{
		Name:     "external memories", // memories that are programs of their own
		Packages: []string{"internal/external/..."},
		Uses:     below("backend"),
		Wing:     true,
	},
	{
		Name:     "backend",
		Packages: []string{"internal/backend/..."},
		Uses:     basics,
		Wing:     true,
	},
	{
		Name:     "contract of methods",
		Packages: []string{"methods"},
		Uses:     below("contract of datasets"),
	},
	{
		Name:     "contract of datasets",
		Packages: []string{"datasets"},
		Uses:     basics,
	},
	{
		Name:     "contract of metrics",
		Packages: []string{"metrics"},
		Uses:     append([]string{"span"}, basics...),
	},
	{
		Name:     "span", // part of metrics, below its Specs
		Packages: []string{"metrics/internal/span"},
		Uses:     []string{"text"},
	},
	{
		Name:     "engine",
		Packages: []string{"internal/engine/..."},
		Uses:     []string{"door", "files", "text", "calc"},
		Wing:     true,
	},
	{
		Name:     "door",
		Packages: []string{"internal/door/..."},
		Uses:     []string{"files", "text", "calc"},
		Wing:     true,
	},
	{
		Name:     "files",
		Packages: []string{"internal/files/..."},
		Uses:     []string{"text", "calc"},
		Wing:     true,
	},
	{
		Name:     "text",
		Packages: []string{"internal/text/..."},
		Wing:     true,
	},
	{
		Name:     "calc",
		Packages: []string{"internal/calc/..."},
		Wing:     true,
	},
	{
		Name:     "testkit",
		Packages: []string{"internal/testkit/..."},
		Wing:     true,
		Tests:    true,
	},
}

// closed names the layers that only the layers above them import, in tests
// too: a test of a method that looked at a record would test two things.
var closed = []string{"command", "runner", "result", "publish"}
