package lists

import (
	"strconv"
	"strings"
	"testing"

	"recallbench/internal/testkit/try"
)

func TestLists(t *testing.T) {
	check := func(name string, got, want any) {
		t.Helper()
		try.Equal(t, name, want, got)
	}
	list := []int{3, -1, 3, 2, -1}
	positive := func(x int) bool { return x > 0 }
	check("Map", Map(list, strconv.Itoa), []string{"3", "-1", "3", "2", "-1"})
	check("Map of nothing", Map([]int{}, strconv.Itoa), []string(nil))
	texts, err := Try([]string{"3", "x", "-1", "y"}, strconv.Atoi)
	check("Try", texts, []int(nil))
	check("faults of Try", strings.Count(err.Error(), "invalid syntax"), 2)
	numbers, err := Try([]string{"3", "-1"}, strconv.Atoi)
	check("Try", numbers, []int{3, -1})
	check("faults of Try", err, nil)
	check("Filter", Filter(list, positive), []int{3, 3, 2})
	check("Filter of none", Filter([]int{-1}, positive), []int(nil))
	check("Distinct", Distinct(list, func(x int) bool { return x > 0 }), []bool{true, false})
	check("AddNew", AddNew([]int{1}, list...), []int{1, 3, -1, 2})
	check("the list", list, []int{3, -1, 3, 2, -1})
}
