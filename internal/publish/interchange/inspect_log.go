package interchange

// What a log of Inspect holds, as far as a run has it.
type (
	inspectSpec struct {
		EvalID           string           `json:"eval_id"`
		RunID            string           `json:"run_id"`
		Created          string           `json:"created"`
		Task             string           `json:"task"`
		TaskID           string           `json:"task_id"`
		TaskVersion      string           `json:"task_version"`
		TaskAttribs      map[string]any   `json:"task_attribs"`
		TaskArgs         map[string]any   `json:"task_args"`
		TaskArgsPassed   map[string]any   `json:"task_args_passed"`
		Solver           string           `json:"solver"`
		SolverArgs       map[string]any   `json:"solver_args"`
		SolverArgsPassed map[string]any   `json:"solver_args_passed"`
		Tags             []string         `json:"tags"`
		Dataset          inspectDataset   `json:"dataset"`
		Model            string           `json:"model"`
		ModelConfig      struct{}         `json:"model_generate_config"`
		ModelArgs        map[string]any   `json:"model_args"`
		Config           inspectConfig    `json:"config"`
		Packages         map[string]any   `json:"packages"`
		Metadata         map[string]any   `json:"metadata"`
		Scorers          []inspectScorers `json:"scorers"`
	}
	inspectDataset struct {
		Name      string   `json:"name"`
		Samples   int      `json:"samples"`
		SampleIDs []string `json:"sample_ids"`
		Shuffled  bool     `json:"shuffled"`
	}
	inspectConfig struct {
		Epochs int `json:"epochs"`
	}
	inspectScorers struct {
		Name string `json:"name"`
	}
	inspectPlan struct {
		Name   string        `json:"name"`
		Steps  []inspectStep `json:"steps"`
		Config struct{}      `json:"config"`
	}
	inspectStep struct {
		Solver       string         `json:"solver"`
		Params       map[string]any `json:"params"`
		ParamsPassed map[string]any `json:"params_passed"`
	}
	inspectResults struct {
		Total     int                  `json:"total_samples"`
		Completed int                  `json:"completed_samples"`
		Scores    []inspectScoreResult `json:"scores"`
	}
	inspectScoreResult struct {
		Name     string                   `json:"name"`
		Scorer   string                   `json:"scorer"`
		Scored   int                      `json:"scored_samples"`
		Unscored int                      `json:"unscored_samples"`
		Params   map[string]any           `json:"params"`
		Metrics  map[string]inspectMetric `json:"metrics"`
	}
	inspectMetric struct {
		Name   string         `json:"name"`
		Value  float64        `json:"value"`
		Params map[string]any `json:"params"`
	}
	inspectStats struct {
		Started   string                  `json:"started_at"`
		Completed string                  `json:"completed_at"`
		Usage     map[string]inspectUsage `json:"model_usage"`
	}
	inspectUsage struct {
		Input     int `json:"input_tokens"`
		Output    int `json:"output_tokens"`
		Total     int `json:"total_tokens"`
		CacheRead int `json:"input_tokens_cache_read"`
		Reasoning int `json:"reasoning_tokens"`
	}
	inspectSample struct {
		ID          string                  `json:"id"`
		Epoch       int                     `json:"epoch"`
		Input       string                  `json:"input"`
		Target      any                     `json:"target"` // a text, or several that are as right
		Messages    []inspectMessage        `json:"messages"`
		Output      inspectOutput           `json:"output"`
		Scores      map[string]inspectScore `json:"scores"`
		Metadata    map[string]any          `json:"metadata"`
		Store       map[string]any          `json:"store"`
		Events      []any                   `json:"events"`
		Usage       map[string]inspectUsage `json:"model_usage"`
		RoleUsage   map[string]inspectUsage `json:"role_usage"`
		Started     string                  `json:"started_at,omitempty"`
		Completed   string                  `json:"completed_at,omitempty"`
		Time        *float64                `json:"total_time,omitempty"` // seconds
		UUID        string                  `json:"uuid"`
		Error       *inspectError           `json:"error,omitempty"`
		Attachments map[string]string       `json:"attachments"`
	}
	inspectMessage struct {
		Content string `json:"content"`
		Source  string `json:"source"`
		Role    string `json:"role"`
		Model   string `json:"model,omitempty"`
	}
	inspectOutput struct {
		Model      string          `json:"model"`
		Choices    []inspectChoice `json:"choices"`
		Completion string          `json:"completion"`
		Time       *float64        `json:"time,omitempty"`
	}
	inspectChoice struct {
		Message    inspectMessage `json:"message"`
		StopReason string         `json:"stop_reason"`
	}
	inspectScore struct {
		Value       float64 `json:"value"`
		Answer      string  `json:"answer"`
		Explanation string  `json:"explanation,omitempty"`
	}
	inspectError struct {
		Message   string `json:"message"`
		Traceback string `json:"traceback"`
		ANSI      string `json:"traceback_ansi"`
	}
)
