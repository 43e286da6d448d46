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
	// Inside lists the imports within the layer, each as importing and
	// imported package.
	Inside [][2]string
	// Tests is set when only tests may import the layer.
	Tests bool
}

// House holds the layers of the module from top to bottom.
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
		Uses: []string{
			"parts of methods", "runner", "suite of a config", "fetching", "interchange", "web", "gate", "report", "figures", "requests", "published", "judge", "record", "config", "suites", "backends", "services",
			"format of datasets", "contract of methods", "contract of backends", "contract of datasets", "contract of metrics",
			"doors", "leaves",
		},
	},
	{
		Name:     "runner",
		Packages: []string{"runners"},
		Uses: []string{
			"judge", "record", "config", "services",
			"contract of methods", "contract of backends", "contract of datasets", "contract of metrics",
			"doors", "leaves",
		},
	},
	{
		Name:     "suite of a config",
		Packages: []string{"configs/suite"},
		Uses:     []string{"published", "config", "suites"},
	},
	{
		Name:     "fetching", // what opens sockets is used by nothing but the command
		Packages: []string{"internal/fetch"},
		Uses:     []string{"contract of datasets", "leaves"},
	},
	{
		Name:     "interchange", // results in the formats of other tools
		Packages: []string{"internal/interchange"},
		Uses:     []string{"requests", "record", "contract of metrics", "doors", "leaves"},
	},
	{
		Name:     "web",
		Packages: []string{"internal/web"},
		Uses:     []string{"report", "figures", "requests", "record", "contract of metrics", "doors", "leaves"},
	},
	{
		Name:     "gate",
		Packages: []string{"internal/gate"},
		Uses:     []string{"report", "record", "contract of metrics", "leaves"},
	},
	{
		Name:     "report",
		Packages: []string{"internal/report"},
		Uses:     []string{"figures", "published", "record", "contract of metrics", "doors", "leaves"},
	},
	{
		Name:     "figures", // what is drawn, whatever the numbers come from
		Packages: []string{"internal/figure"},
		Uses:     []string{"leaves"},
	},
	{
		Name:     "requests",
		Packages: []string{"internal/asked"},
		Uses:     []string{"record", "contract of metrics", "leaves"},
	},
	{
		Name:     "published",
		Packages: []string{"internal/published"},
		Uses:     []string{"leaves"},
	},
	{
		Name:     "judge",
		Packages: []string{"internal/judge", "internal/rating"},
		Uses:     []string{"doors", "leaves"},
	},
	{
		Name:     "record",
		Packages: []string{"internal/predictions", "internal/record"},
		Uses:     []string{"services", "contract of methods", "contract of datasets", "contract of metrics", "doors", "leaves"},
	},
	{
		Name:     "conformance",
		Packages: []string{"datasets/datasettest", "methods/methodtest"},
		Uses: []string{
			"backends",
			"contract of methods", "contract of backends", "contract of datasets", "doors", "leaves", "test helpers",
		},
		Tests: true,
	},
	{
		Name:     "config",
		Packages: []string{"configs"},
		Uses: []string{
			"services", "contract of methods", "contract of backends", "contract of datasets", "contract of metrics", "leaves",
		},
	},
	{
		Name:     "suites",
		Packages: []string{"datasets/suite", "methods/suite", "metrics/suite", "internal/backend/suite"},
		Uses: []string{
			"methods", "datasets", "format of datasets", "backends",
			"contract of methods", "contract of backends", "contract of datasets", "contract of metrics", "leaves",
		},
	},
	{
		Name:     "methods",
		Packages: []string{"methods/*"},
		Uses:     []string{"parts of methods", "contract of methods", "contract of datasets", "doors", "leaves"},
	},
	{
		Name:     "parts of methods",
		Packages: []string{"internal/relevance", "methods/handler", "methods/linguistic", "methods/reader", "methods/transcript"},
		Uses:     []string{"contract of methods", "contract of datasets", "doors", "leaves"},
		Inside:   [][2]string{{"methods/linguistic", "methods/transcript"}},
	},
	{
		Name:     "datasets",
		Packages: []string{"datasets/*"},
		Uses:     []string{"format of datasets", "contract of datasets", "leaves"},
		// The embedded sample is a file in LoCoMo's format.
		Inside: [][2]string{
			{"datasets/dialogrel", "datasets/dialogre"},
			{"datasets/multiwozlong", "datasets/multiwoz"},
			{"datasets/sample", "datasets/locomo"},
		},
	},
	{
		Name:     "format of datasets", // what is built is stored as a user's own data is
		Packages: []string{"datasets/jsonl"},
		Uses:     []string{"contract of datasets", "leaves"},
	},
	{
		Name:     "backends",
		Packages: []string{"internal/annotators", "internal/live", "internal/memoryrules", "internal/offline", "internal/treerules"},
		Uses:     []string{"clients", "services", "contract of backends", "annotation rules", "doors", "leaves"},
		Inside: [][2]string{
			// Entries of both kinds may bring parsers.
			{"internal/live", "internal/annotators"},
			{"internal/offline", "internal/annotators"},
			// An estimate asks the offline backend what a live one would be asked.
			{"internal/live", "internal/offline"},
			// The rules for trees and for building memories are parts of that
			// backend.
			{"internal/offline", "internal/memoryrules"},
			{"internal/offline", "internal/treerules"},
		},
	},
	{
		Name:     "clients", // what talks to model servers or runs models
		Packages: []string{"internal/corenlp", "internal/httpfault", "internal/lingua", "internal/linkgrammar", "internal/onnx", "internal/openai", "internal/tei"},
		Uses:     []string{"doors", "leaves"},
		Inside: [][2]string{
			{"internal/corenlp", "internal/httpfault"},
			{"internal/lingua", "internal/httpfault"},
			{"internal/openai", "internal/httpfault"},
			{"internal/tei", "internal/httpfault"},
		},
	},
	{
		Name:     "contract of backends",
		Packages: []string{"internal/backend"},
		Uses:     []string{"services", "doors", "leaves"},
	},
	{
		Name:     "services", // what is true of calls of all models
		Packages: []string{"internal/budget", "internal/calls", "internal/limit", "internal/price"},
		Uses:     []string{"doors", "leaves"},
	},
	{
		Name:     "contract of methods",
		Packages: []string{"methods"},
		Uses:     []string{"contract of datasets", "doors", "leaves"},
	},
	{
		Name:     "contract of datasets",
		Packages: []string{"datasets"},
		Uses:     []string{"leaves"},
	},
	{
		Name:     "contract of metrics",
		Packages: []string{"metrics"},
		// Coherence is measured by the coreference of an answer.
		Uses: []string{"annotation rules", "doors", "leaves"},
	},
	{
		Name:     "annotation rules", // what is known of language without a model
		Packages: []string{"internal/annotaterules"},
		Uses:     []string{"doors", "leaves"},
	},
	{
		Name: "doors",
		Packages: []string{
			"internal/annotate", "internal/embed", "internal/keep", "internal/llm", "internal/nli",
			"internal/meter", "internal/prompt", "internal/prune", "internal/token",
		},
		Uses: []string{"leaves"},
		Inside: [][2]string{
			{"internal/annotate", "internal/llm"},
			{"internal/nli", "internal/llm"},
			{"internal/meter", "internal/embed"},
			{"internal/meter", "internal/llm"},
			{"internal/meter", "internal/nli"},
			{"internal/meter", "internal/token"},
			{"internal/prompt", "internal/llm"},
		},
	},
	{
		Name: "leaves",
		Packages: []string{
			"internal/category", "internal/datadir", "internal/datafile", "internal/durable", "internal/expect", "internal/fault", "internal/filelock", "internal/grace", "internal/index", "internal/infer", "internal/jsonout", "internal/jsontree", "internal/lists", "internal/near", "internal/plain", "internal/pyliteral", "internal/redact", "internal/semxpath", "internal/spreadsheet", "internal/stats", "internal/strictyaml", "internal/text", "internal/themes", "internal/timex", "internal/tree", "internal/vector",
		},
		Inside: [][2]string{
			{"internal/category", "internal/datafile"},
			{"internal/category", "internal/near"},
			{"internal/category", "internal/strictyaml"},
			{"internal/expect", "internal/tree"},
			{"internal/index", "internal/vector"},
			{"internal/infer", "internal/stats"},
			{"internal/semxpath", "internal/near"},
			{"internal/semxpath", "internal/tree"},
			{"internal/strictyaml", "internal/near"},
			{"internal/themes", "internal/near"},
			{"internal/themes", "internal/vector"},
			{"internal/tree", "internal/near"},
			{"internal/tree", "internal/strictyaml"},
		},
	},
	{
		Name:     "test helpers",
		Packages: []string{"internal/golden", "internal/importtest", "internal/longtest", "internal/modelserver", "internal/realdata"},
		Tests:    true,
	},
}

// closed names the layers that only the layers above them import, in tests
// too: a test of a method that looked at a record would test two things.
var closed = []string{"command", "runner", "report", "record"}
