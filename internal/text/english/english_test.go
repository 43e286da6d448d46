package english

import (
	"strings"
	"testing"

	"recallbench/internal/testkit/try"
)

// TestSentences checks sentences and tokens; a sentence ends in " |".
func TestSentences(t *testing.T) {
	for text, want := range map[string]string{
		"I don't know. It's Ann's!":                "I do n't know . | It 's Ann 's ! |",
		"i’d like 2 rooms, please":                 "i ’d like 2 rooms , please |",
		"We CANNOT stay at 9 a.m. tomorrow":        "We CAN NOT stay at 9 a.m. tomorrow |",
		"Dr. Khan visited. She moved.\nYes":        "Dr. Khan visited . | She moved . | Yes |",
		"(It costs £14.50...)":                     "( It costs £ 14.50 ... ) |",
		"Really?yes!!! gonna 'twas 'a' o'clock":    "Really ? | yes !!! | gon na ' twas ' a ' o'clock |",
		"1,500 b&b x-ray a@b.com U.S. J. Doe etc.": "1,500 b&b x-ray a@b.com U.S. J. Doe etc. |",
		"Am I. No, I am. we'LL isn’t":              "Am I . | No , I am . | we 'LL is n’t |",
		"a, b: c 5: 6":                             "a , b : c 5 : 6 |",
		"":                                         "",
		" \x00\xff ":                               "",
	} {
		var got []string
		for _, s := range Sentences(text) {
			for _, tok := range s {
				got = append(got, tok.Text)
				if text[tok.Start:tok.End] != tok.Text {
					t.Errorf("%q: token %q is at %d, where %q is", text, tok.Text, tok.Start, text[tok.Start:tok.End])
				}
			}
			got = append(got, "|")
		}
		try.Equal(t, text, want, strings.Join(got, " "))
	}
}

// TestLimits checks that long words and sentences are cut.
func TestLimits(t *testing.T) {
	if got := Tokens(strings.Repeat("x", 2*maxToken), 0); len(got) != 2 || got[1].Start != maxToken {
		t.Errorf("a long word is cut into %v", got)
	}
	if got := Tokens(strings.Repeat(".", maxToken+1), 0); len(got) != 2 {
		t.Errorf("a long run of marks is cut into %v", got)
	}
	if got := Sentences(strings.Repeat("word ", maxSentence+1)); len(got) != 2 || len(got[0]) != maxSentence {
		t.Errorf("a long sentence is cut into %d", len(got))
	}
}

func TestLemma(t *testing.T) {
	for _, c := range []struct{ tag, forms string }{
		{"VBD", "booked book stopped stop arrived arrive tried try went go visited visit travelled travel missed miss called call reserved reserve decided decide opened open needed need created create treated treat stayed stay 'd have"},
		{"VBG", "making make running run lying lie hoping hope hopping hop seeing see using use visiting visit leaving leave planning plan helping help changing change cancelling cancel waiting wait"},
		{"VBZ", "goes go watches watch tries try leaves leave has have is be costs cost 's be"},
		{"NNS", "cities city boxes box buses bus children child houses house glasses glass days day wives wife analysis analysis"},
		{"JJR", "cheaper cheap earlier early bigger big nicer nice better good later late larger large"},
		{"JJS", "cheapest cheap earliest early biggest big nicest nice best good latest late per per"},
		{"NNP", "Hastings Hastings Charles Charles"},
		{"MD", "'d would wo will ca can 'll will"},
		{"PRP", "her she me i them they it it"},
		{"PRP$", "her her"},
		{"POS", "'s 's"},
		{"NN", "n't not thing thing"},
	} {
		f := strings.Fields(c.forms)
		for i := 0; i < len(f); i += 2 {
			if got := Lemma(f[i], strings.ToLower(f[i]), c.tag); got != f[i+1] {
				t.Errorf("lemma of %s/%s is %q, want %q", f[i], c.tag, got, f[i+1])
			}
		}
	}
}

func TestNumber(t *testing.T) {
	for low, want := range map[string]string{
		"zero": "0", "four": "4", "twenty": "20", "thirty": "30", "hundred": "100", "twenty-one": "21", "thirty-ten": "", "six-one": "", "ninety-": "",
		"12": "12", "1,500": "1500", "14.50": "14.50", "9am": "", "": "", "x1": "", ".5": "",
	} {
		if got, ok := Number(low); got != want || ok != (want != "") {
			t.Errorf("Number(%q) = %q, %v", low, got, ok)
		}
	}
	for low, want := range map[string]bool{"3rd": true, "21st": true, "2nd": true, "7th": true, "th": false, "3": false, "3rds": false, "x3rd": false, "third": false} {
		if Ordinal(low) != want {
			t.Errorf("Ordinal(%q) = %v", low, !want)
		}
	}
}

func TestLists(t *testing.T) {
	if s := Set("days", "months"); !s["friday"] || !s["may"] || s["[months]"] {
		t.Error("days and months are not read")
	}
	if got := Kinds("places")["hotel"]; got != "lodging" {
		t.Errorf("a hotel is of kind %q", got)
	}
	if got := Forms("short names")["liz"]; got != "elizabeth" {
		t.Errorf("liz is short for %q", got)
	}
	defer func() {
		if recover() == nil {
			t.Error("a list that is not there is no panic")
		}
	}()
	Set("no such list")
}

func TestMark(t *testing.T) {
	for s, want := range map[string]bool{".": true, "...": true, "'": true, "’": true, "'s": false, "’s": false, "a": false, "9": false, "": true} {
		if Mark(s) != want {
			t.Errorf("Mark(%q) = %v", s, !want)
		}
	}
}
