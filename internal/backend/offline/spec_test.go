package offline

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recallbench/internal/backend"
	"recallbench/internal/backend/annotators"
	"recallbench/internal/door/annotate"
	"recallbench/internal/engine/annotator"
	"recallbench/internal/rules/reader"
)

func TestSpecOpens(t *testing.T) {
	doors, err := Spec.Open(t.Context(), backend.Env{Seed: 7}, Spec.Options)
	if err != nil {
		t.Fatal(err)
	}
	if doors.LLM == nil || doors.Embed == nil || doors.NLI == nil || doors.Annotate == nil || doors.Tokens == nil || !doors.Offline || doors.Reader != "offline" {
		t.Errorf("doors %+v", doors)
	}
	want := map[string]string{
		"embedder": "lsa64+hash1024", "embedder.dim": "1088", "embedder.weight": "0.5", "embedder.seed": "7", "entailment": reader.EntailmentName(), "tokens": "o200k_base",
	}
	for _, l := range annotate.Layers() {
		want["annotate."+string(l)] = annotator.Name + " " + annotator.Version
	}
	if diff := cmp.Diff(want, doors.Settings); diff != "" {
		t.Errorf("settings (-want +got):\n%s", diff)
	}
	if got := doors.Tokens.Count("one two three"); got != 3 {
		t.Errorf("three words are %d tokens", got)
	}
}

func TestSpecRefuses(t *testing.T) {
	o := Options{Embedder: EmbedderOptions{Latent: -1, Folded: maxDim + 1, Weight: 1.5}, Tokens: "abc", Annotate: annotators.Defaults()}
	o.Annotate.LLM = []annotators.ChatLayer{"discourse"}
	_, err := Spec.Open(t.Context(), backend.Env{}, o)
	if err == nil {
		t.Fatal("opened")
	}
	for _, want := range []string{"embedder.latent is -1", "embedder.folded is 16385", "embedder.weight is 1.5", `"abc"`, "annotate.llm names layers"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v\nlacks %s", err, want)
		}
	}
	if err := (Options{Tokens: "o200k_base"}).Validate(); err == nil {
		t.Error("no dimensions at all were accepted")
	}
	if _, err := Spec.Open(t.Context(), backend.Env{}, 3); err == nil {
		t.Error("options of another type were accepted")
	}
}
