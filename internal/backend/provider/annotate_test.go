package provider

import (
	"strings"
	"testing"

	"recallbench/internal/backend/annotators"
	"recallbench/internal/backend/calls"
	"recallbench/internal/door/annotate"
	"recallbench/internal/testkit/modelserver"
	"recallbench/internal/testkit/try"
)

// An entry whose rules annotate has the door too, closed or not.
func TestOpenAnnotators(t *testing.T) {
	s := modelserver.New(t, modelserver.Options{})
	o := Defaults()
	o.Chat.BaseURL, o.Chat.Model, o.Tokenizer = s.URL, "m", "o200k_base"
	env := surroundings(t, "", calls.Off)
	for _, tt := range []struct {
		change  func(*Options)
		setting string
		fault   string
	}{
		{func(*Options) {}, "rules", ""},
		{func(o *Options) { o.Annotate.LLM = []annotators.ChatLayer{"discourse"} }, "llm m", ""},
		{func(o *Options) { o.Annotate.Use = annotators.CoreNLP }, "", "annotate: corenlp.base_url is empty"},
	} {
		o := o
		tt.change(&o)
		doors, err := spec.Open(t.Context(), env, o)
		if tt.fault != "" {
			if err == nil || !strings.Contains(err.Error(), tt.fault) {
				t.Errorf("error %v, want %s", err, tt.fault)
			}
			continue
		}
		try.Do(t, err)
		if got := doors.Settings["annotate.discourse"]; !strings.HasPrefix(got, tt.setting) {
			t.Errorf("the setting is %q, want %s", got, tt.setting)
		}
		r := annotate.Request{Layers: []annotate.Layer{annotate.Entities}, Utterances: []annotate.Utterance{{Speaker: "Ann", Text: "I met Rachel in London."}}}
		if doc, err := doors.Annotate.Annotate(t.Context(), r); err != nil || len(doc.Sentences) != 1 {
			t.Errorf("%+v, error %v", doc, err)
		}
		if err := doors.Close(); err != nil {
			t.Error(err)
		}
	}
}
