package record

// Calls returns the ids of the chat calls that the records of runs name, including those of
// their judges.
func Calls(dirs ...string) (map[string]bool, error) {
	ids := make(map[string]bool)
	for _, dir := range dirs {
		folder, header, err := Open(dir)
		if err != nil {
			return nil, err
		}
		for _, c := range header.Cells {
			for _, path := range []string{folder.Records(c.ID), folder.Ingests(c.ID), folder.Judgements(c.ID)} {
				for line, err := range Parts[struct{ Calls []string }](path) {
					if err != nil {
						return nil, err
					}
					for _, id := range line.Value.Calls {
						ids[id] = true
					}
				}
			}
		}
	}
	return ids, nil
}
