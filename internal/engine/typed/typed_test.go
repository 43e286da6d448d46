package typed_test

import (
	"slices"
	"testing"

	"recallbench/internal/engine/typed"
)

func TestFind(t *testing.T) {
	for _, c := range []struct {
		kind typed.Kind
		text string
		want []string
	}{
		{typed.Place, "She left PORTLAND for Bergen; bergen's weather is no Portland", []string{"Portland", "Bergen"}},
		{typed.Place, "Bergenfield and Portlandia", nil},
		{typed.Company, "from Kestrel Optics to Kestrel, then Kestrel-Press.", []string{"Kestrel Optics", "Kestrel Press"}},
		{typed.Street, "at 14 Alder Lane (not Alder Road)", []string{"Alder Lane", "Alder Road"}},
		{typed.Title, `reading "the silver lantern"`, []string{"The Silver Lantern"}},
		{typed.Dish, "shepherd's pie", []string{"shepherd's pie"}},
		{typed.Date, "on 14 March, the 3rd of Feb 2024, 2023-11-02 and May 21st, not 2023-13-40", []string{"14 March", "3 February", "2 November", "21 May"}},
		{typed.Date, "maybe in March 2024", nil},
		{typed.Number, "three times: on 14 March 2023 and in May", []string{"3"}},
		{typed.Number, "twenty-four or two hundred and twelve, 4,821, or 0342", []string{"24", "212", "4821", "342"}},
		{typed.Number, "one two three hundred", []string{"1", "2", "300"}},
		{typed.Number, "twice", []string{"2"}},
		{typed.Person, "", nil},
	} {
		if got := typed.Find(c.kind, c.text); !slices.Equal(got, c.want) {
			t.Errorf("Find(%s, %q) = %q, want %q", c.kind, c.text, got, c.want)
		}
	}
}

// TestValues holds the lists to what scoring rests on: each value is found as itself and
// alone, and there are enough of them that none is guessed.
func TestValues(t *testing.T) {
	for _, kind := range typed.Kinds() {
		values := typed.Values(kind)
		if kind == typed.Date || kind == typed.Number {
			continue
		}
		if len(values) < 100 {
			t.Errorf("%s has %d values, want at least 100", kind, len(values))
		}
		for _, v := range values {
			if err := (&typed.Expected{Kind: kind, Required: []string{v}}).Check(); err != nil {
				t.Error(err)
			}
		}
	}
}

func TestCheck(t *testing.T) {
	for _, e := range []typed.Expected{
		{Kind: "colour"},
		{Kind: typed.Place, Required: []string{"Atlantis"}},
		{Kind: typed.Place, Stale: []string{"bergen"}},
		{Kind: typed.Number, Allowed: []string{"three"}},
	} {
		if e.Check() == nil {
			t.Errorf("Check(%+v) finds nothing wrong", e)
		}
	}
}

func FuzzFind(f *testing.F) {
	f.Add("date", "31st of Feb. 2024-99-99 twenty hundred and")
	f.Fuzz(func(t *testing.T, kind, text string) {
		for _, v := range typed.Find(typed.Kind(kind), text) {
			if again := typed.Find(typed.Kind(kind), v); !slices.Equal(again, []string{v}) {
				t.Errorf("%q is found as %q", v, again)
			}
		}
	})
}

func TestHold(t *testing.T) {
	planted := []typed.Planted{
		{Kind: typed.Place, Value: "Bergen"},
		{Kind: typed.Place, Value: "Oslo", Forgotten: true},
		{Kind: typed.Dish, Value: "ramen"},
		{Kind: typed.Number, Value: "342", Forgotten: true},
	}
	got := typed.Hold(planted, []string{"Ann lives in Bergen", "in Oslo before", "talk", "talk", "Turin"})
	want := typed.Holdings{Planted: 2, Held: 1, Items: 5, Noise: 3, Doubles: 1, Forgotten: 2, Leaked: 1}
	if got != want {
		t.Errorf("Hold gives %+v, want %+v", got, want)
	}
}
