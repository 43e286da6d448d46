package corenlp

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recallbench/internal/door/annotate"
	"recallbench/internal/door/fault"
	"recallbench/internal/testkit/try"
)

// serve starts a server that replies to texts, and reports what it was asked.
func serve(t *testing.T, replies map[string]string) (url string, asked *[]string) {
	t.Helper()
	asked = new([]string)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		var properties map[string]string
		if err2 := json.Unmarshal([]byte(r.URL.Query().Get("properties")), &properties); err != nil || err2 != nil || r.Method != http.MethodPost {
			http.Error(w, "no such request", http.StatusBadRequest)
			return
		}
		*asked = append(*asked, properties["annotators"]+": "+string(body))
		reply, ok := replies[string(body)]
		if !ok || properties["outputFormat"] != "json" || properties["ssplit.newlineIsSentenceBreak"] != "two" {
			http.Error(w, "CoreNLP request timed out. Your document may be too long.", http.StatusInternalServerError)
			return
		}
		_, _ = io.WriteString(w, reply)
	}))
	t.Cleanup(s.Close)
	return s.URL, asked
}

// session is a session of two, with a character outside the basic plane.
var session = []annotate.Utterance{
	{ID: "1", Speaker: "Ann", Text: "😀 I met Eve\x00Ray."},
	{ID: "2", Speaker: "Bob", Text: ""},
	{ID: "3", Speaker: "Bob", Text: "She\nsings."},
}

// text is what is sent of it, and answer the reply, in the server's format.
const (
	text   = "😀 I met Eve Ray.\n\nShe sings."
	answer = `{
 "docId": "1",
 "sentences": [
  {"index": 0,
   "basicDependencies": [
    {"dep": "ROOT", "governor": 0, "governorGloss": "ROOT", "dependent": 3, "dependentGloss": "met"},
    {"dep": "dep", "governor": 3, "governorGloss": "met", "dependent": 1, "dependentGloss": "😀"},
    {"dep": "nsubj", "governor": 3, "governorGloss": "met", "dependent": 2, "dependentGloss": "I"},
    {"dep": "compound", "governor": 5, "governorGloss": "Ray", "dependent": 4, "dependentGloss": "Eve"},
    {"dep": "obj", "governor": 3, "governorGloss": "met", "dependent": 5, "dependentGloss": "Ray"},
    {"dep": "punct", "governor": 3, "governorGloss": "met", "dependent": 6, "dependentGloss": "."}],
   "entitymentions": [{"docTokenBegin": 3, "docTokenEnd": 5, "tokenBegin": 3, "tokenEnd": 5, "text": "Eve Ray", "characterOffsetBegin": 9, "characterOffsetEnd": 16, "ner": "PERSON"}],
   "tokens": [
    {"index": 1, "word": "😀", "originalText": "😀", "lemma": "😀", "characterOffsetBegin": 0, "characterOffsetEnd": 2, "pos": "NN", "ner": "O", "before": "", "after": " "},
    {"index": 2, "word": "I", "originalText": "I", "lemma": "I", "characterOffsetBegin": 3, "characterOffsetEnd": 4, "pos": "PRP", "ner": "O"},
    {"index": 3, "word": "met", "originalText": "met", "lemma": "meet", "characterOffsetBegin": 5, "characterOffsetEnd": 8, "pos": "VBD", "ner": "O"},
    {"index": 4, "word": "Eve", "originalText": "Eve", "lemma": "Eve", "characterOffsetBegin": 9, "characterOffsetEnd": 12, "pos": "NNP", "ner": "PERSON"},
    {"index": 5, "word": "Ray", "originalText": "Ray", "lemma": "Ray", "characterOffsetBegin": 13, "characterOffsetEnd": 16, "pos": "NNP", "ner": "PERSON"},
    {"index": 6, "word": ".", "originalText": ".", "lemma": ".", "characterOffsetBegin": 16, "characterOffsetEnd": 17, "pos": ".", "ner": "O"}]},
  {"index": 1,
   "basicDependencies": [
    {"dep": "ROOT", "governor": 0, "governorGloss": "ROOT", "dependent": 2, "dependentGloss": "sings"},
    {"dep": "nsubj", "governor": 2, "governorGloss": "sings", "dependent": 1, "dependentGloss": "She"}],
   "entitymentions": [{"tokenBegin": 0, "tokenEnd": 1, "text": "She", "ner": "PERSON"}],
   "tokens": [
    {"index": 1, "word": "She", "lemma": "she", "characterOffsetBegin": 19, "characterOffsetEnd": 22, "pos": "PRP", "ner": "O"},
    {"index": 2, "word": "sings", "lemma": "sing", "characterOffsetBegin": 23, "characterOffsetEnd": 28, "pos": "VBZ", "ner": "O"},
    {"index": 3, "word": ".", "lemma": ".", "characterOffsetBegin": 28, "characterOffsetEnd": 29, "pos": ".", "ner": "O"}]}],
 "corefs": {"5": [
   {"id": 2, "text": "Eve Ray", "type": "PROPER", "number": "SINGULAR", "gender": "FEMALE", "animacy": "ANIMATE", "startIndex": 4, "endIndex": 6, "headIndex": 5, "sentNum": 1, "position": [1, 2], "isRepresentativeMention": true},
   {"id": 5, "text": "She", "type": "PRONOMINAL", "number": "SINGULAR", "gender": "FEMALE", "animacy": "ANIMATE", "startIndex": 1, "endIndex": 2, "headIndex": 1, "sentNum": 2, "position": [2, 1], "isRepresentativeMention": false}]}
}`
)

func TestAnnotate(t *testing.T) {
	url, asked := serve(t, map[string]string{text: answer})
	r := annotate.Request{Layers: Layers(), Utterances: session, Known: []annotate.Known{{ID: "E4", Name: "eve ray", Type: "PERSON"}}}
	doc := try.Get(try.Get(New(url))(t).Annotate(t.Context(), r))(t)
	try.Equal(t, "asked", []string{"tokenize,ssplit,pos,lemma,ner,depparse,coref: " + text}, *asked)
	try.Equal(t, "document", []string{
		"0: 😀/😀/NN@0 I/I/PRP@5 met/meet/VBD@7 Eve/Eve/NNP@11 Ray/Ray/NNP@15 ././.@18 PERSON=Eve Ray dep(2,0) nsubj(2,1) root(-1,2) compound(4,3) obj(2,4)",
		"2: She/she/PRP@0 sings/sing/VBZ@4 ././.@9 nsubj(1,0) root(-1,1)",
	}, brief(doc, true))
	try.Equal(t, "clusters", []annotate.Cluster{{
		ID: "E4", Name: "Eve\x00Ray", Type: "PERSON", Gender: annotate.Feminine,
		Mentions: []annotate.Mention{
			{Sentence: 0, Span: annotate.Span{Start: 3, End: 5}, Kind: annotate.Named},
			{Sentence: 1, Span: annotate.Span{Start: 0, End: 1}, Kind: annotate.Pronominal},
		},
	}}, doc.Clusters)
}

// brief writes sentences with their entities, and in full with lemmas, tags, places and
// dependencies.
func brief(doc annotate.Document, full bool) (lines []string) {
	for _, s := range doc.Sentences {
		var words, more []string
		for _, token := range s.Tokens {
			words = append(words, token.Text)
			if full {
				more = append(more, fmt.Sprintf("%s/%s/%s@%d", token.Text, token.Lemma, token.POS, token.Start))
			}
		}
		if !full {
			more = append(more, strings.Join(words, "|"))
		}
		for _, e := range s.Entities {
			more = append(more, e.Type+"="+strings.Join(words[e.Start:e.End], " "))
		}
		for _, d := range s.Dependencies {
			if full {
				more = append(more, fmt.Sprintf("%s(%d,%d)", d.Label, d.Head, d.Dependent))
			}
		}
		lines = append(lines, fmt.Sprintf("%d: %s", s.Utterance, strings.Join(more, " ")))
	}
	return lines
}

// Layers that nobody asked for cost nothing.
func TestLayersAskedFor(t *testing.T) {
	for _, tt := range []struct {
		layer annotate.Layer
		want  string
	}{
		{annotate.Tokens, "tokenize,ssplit,pos,lemma"},
		{annotate.Entities, "tokenize,ssplit,pos,lemma,ner"},
		{annotate.Dependencies, "tokenize,ssplit,pos,lemma,depparse"},
		{annotate.Coreference, "tokenize,ssplit,pos,lemma,ner,depparse,coref"},
	} {
		url, asked := serve(t, map[string]string{"Hi.": `{"sentences": []}`})
		_, err := try.Get(New(url))(t).Annotate(t.Context(), annotate.Request{Layers: []annotate.Layer{tt.layer}, Utterances: []annotate.Utterance{{Text: "Hi."}}})
		if got := []string{tt.want + ": Hi."}; err != nil || cmp.Diff(got, *asked) != "" {
			t.Errorf("%s: asked %q, error %v", tt.layer, *asked, err)
		}
	}
	url, asked := serve(t, nil)
	a := try.Get(New(url))(t)
	if _, err := a.Annotate(t.Context(), annotate.Request{Layers: []annotate.Layer{annotate.Discourse}}); fault.KindOf(err) != fault.Rejected {
		t.Errorf("discourse: error %v", err)
	}
	if doc, err := a.Annotate(t.Context(), annotate.Request{Layers: Layers(), Utterances: []annotate.Utterance{{}, {Text: " \n"}}}); err != nil || len(doc.Sentences) > 0 || len(*asked) > 0 {
		t.Errorf("nothing said: %+v, asked %q, error %v", doc, *asked, err)
	}
}

func TestBadReplies(t *testing.T) {
	token := `{"characterOffsetBegin": %d, "characterOffsetEnd": %d}`
	one := `{"sentences": [{"tokens": [` + fmt.Sprintf(token, 0, 2) + `]`
	for name, reply := range map[string]string{
		"no JSON":               "Could not handle incoming annotation",
		"token of two":          `{"sentences": [{"tokens": [` + fmt.Sprintf(token, 0, 5) + `]}]}`,
		"sentence of two":       `{"sentences": [{"tokens": [` + fmt.Sprintf(token, 0, 2) + "," + fmt.Sprintf(token, 4, 6) + `]}]}`,
		"token outside":         `{"sentences": [{"tokens": [` + fmt.Sprintf(token, 4, 60) + `]}]}`,
		"token before":          `{"sentences": [{"tokens": [` + fmt.Sprintf(token, -1, 1) + `]}]}`,
		"empty token":           `{"sentences": [{"tokens": [` + fmt.Sprintf(token, 1, 1) + `]}]}`,
		"empty sentence":        `{"sentences": [{}]}`,
		"sentences in disorder": `{"sentences": [{"tokens": [` + fmt.Sprintf(token, 4, 6) + `]}, {"tokens": [` + fmt.Sprintf(token, 0, 2) + `]}]}`,
		"dependency outside":    one + `, "basicDependencies": [{"dep": "obj", "governor": 1, "dependent": 9}]}]}`,
		"dependency on itself":  one + `, "basicDependencies": [{"dep": "obj", "governor": 1, "dependent": 1}]}]}`,
		"entity outside":        one + `, "entitymentions": [{"tokenBegin": 0, "tokenEnd": 2, "ner": "CITY"}]}]}`,
		"mention outside":       one + `}], "corefs": {"1": [{"sentNum": 2, "startIndex": 1, "endIndex": 2}]}}`,
		"empty mention":         one + `}], "corefs": {"1": [{"sentNum": 1, "startIndex": 1, "endIndex": 1}]}}`,
		"empty chain":           one + `}], "corefs": {"1": []}}`,
		"a flood":               `{"sentences": [` + strings.Repeat("{},", 8<<20),
	} {
		url, _ := serve(t, map[string]string{"Hi\n\nyo": reply})
		_, err := try.Get(New(url))(t).Annotate(t.Context(), annotate.Request{Layers: Layers(), Utterances: []annotate.Utterance{{Text: "Hi"}, {Text: "yo"}}})
		if !fault.KindOf(err).Garbled() {
			t.Errorf("%s: error %v, want one of a garbled reply", name, err)
		}
	}
	url, _ := serve(t, nil)
	_, err := try.Get(New(url))(t).Annotate(t.Context(), annotate.Request{Layers: Layers(), Utterances: session})
	if fault.KindOf(err) != fault.Server || !strings.Contains(err.Error(), "document may be too long") {
		t.Errorf("a server in trouble: error %v", err)
	}
	if _, err := New("localhost:9000"); err == nil || !strings.Contains(err.Error(), "base_url") {
		t.Errorf("a wrong address: error %v", err)
	}
}

// What a server of version 4.5.10 replied to characters of several units, to marks
// and to addresses is read in full: every token is a piece of its utterance.
func TestRealReply(t *testing.T) {
	data := try.Get(os.ReadFile("testdata/edges.json"))(t)
	var kept struct {
		Text  string          `json:"text"`
		Reply json.RawMessage `json:"reply"`
	}
	try.Do(t, json.Unmarshal(data, &kept))
	url, _ := serve(t, map[string]string{kept.Text: string(kept.Reply)})
	r := annotate.Request{Layers: Layers()}
	for line := range strings.SplitSeq(kept.Text, "\n\n") {
		r.Utterances = append(r.Utterances, annotate.Utterance{Speaker: "Ann", Text: line})
	}
	doc := try.Get(try.Get(New(url))(t).Annotate(t.Context(), r))(t)
	want := []string{
		"0: 😀|Ann|met|Eve|Ray|👩\u200d👩\u200d👧|in|Leeds|!!! PERSON=Ann PERSON=Eve Ray 👩\u200d👩\u200d👧 GPE=Leeds",
		"0: ;-)",
		"1: -|...|???",
		"2: She|sings|:|\"|do|n't|\"|(|she|ca|n't|)|&|costs|£|5|. MONEY=£ 5",
		"3: https://example.org/a?b=c#d|x@y.org EMAIL=x@y.org",
		"4: 🏳️\u200d🌈",
		"5: naïve|café|—|“|quoted|”|漢字です|。",
	}
	try.Equal(t, "sentences", want, brief(doc, false))
}

// What CoreNLP calls an error of its own, and will say again, is not asked again.
func TestErrorsOfTheServer(t *testing.T) {
	for _, tt := range []struct {
		said string
		kind fault.Kind
		want string
	}{
		{"java.lang.RuntimeException: java.lang.ClassNotFoundException: edu.stanford.nlp.hcoref.md.MentionDetectionClassifier", fault.Rejected, "models"},
		{"edu.stanford.nlp.io.RuntimeIOException: Error while loading a tagger model (probably missing model file)", fault.Rejected, "models"},
		{"CoreNLP request timed out. Your document may be too long.", fault.Server, "-timeout"},
		{"Could not handle incoming annotation", fault.Server, ""},
	} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, tt.said, http.StatusInternalServerError)
		}))
		t.Cleanup(s.Close)
		_, err := try.Get(New(s.URL))(t).Annotate(t.Context(), annotate.Request{Layers: Layers(), Utterances: session})
		if fault.KindOf(err) != tt.kind || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want one of the kind %s with %q", tt.said, err, tt.kind, tt.want)
		}
	}
}

func FuzzReply(f *testing.F) {
	f.Add("😀 I met Eve Ray.", "She sings.", answer)
	f.Fuzz(func(_ *testing.T, first, second, data string) {
		var r reply
		if json.Unmarshal([]byte(data), &r) != nil {
			return
		}
		req := annotate.Request{Layers: Layers(), Utterances: []annotate.Utterance{{Speaker: "A", Text: first}, {Speaker: "B", Text: second}}}
		var doc annotate.Document
		if spokenIn(req.Utterances).read(&doc, &r, req) == nil {
			annotate.Link(&doc, req) // which takes what was read
		}
	})
}
