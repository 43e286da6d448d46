package report

import "fmt"

// Regressions counts the rows that are significantly worse than the base. It is an error
// if that could not be detected: nothing was compared, or the better direction of a column
// is unknown. Columns that fall with length count only if they were named.
func Regressions(rows []Contrast, named bool) (worse int, err error) {
	compared := false
	why := "no row has values on both sides, except in columns that fall with the length of answers; name these with --columns"
	for _, r := range rows {
		if r.Column.FallsWithLength && !named {
			continue
		}
		compared = compared || r.Adjusted != nil || r.Same()
		if r.N > 0 && r.Reason() != "" {
			why = r.Reason()
		}
		if r.Shown && r.Worse() {
			worse++
		}
		if r.Column.Neutral && r.N > 0 && !r.Same() && r.Missing == "" {
			err = fmt.Errorf("%s differs, but a regression cannot be detected without knowing the better direction; give it as in --column %[1]s=better:higher", r.Column.Name)
		}
	}
	if err == nil && !compared {
		err = fmt.Errorf("nothing could be tested, so a regression cannot be detected: %s", why)
	}
	return worse, err
}
