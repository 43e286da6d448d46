package typed_test

import (
	"testing"

	"recallbench/internal/engine/typed"
)

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
