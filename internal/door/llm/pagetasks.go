package llm

// A ThemesTask asks which themes lines are about, at most two. The reply is
// [Themes] as JSON.
type ThemesTask struct {
	Lines []Line // at least one
}

// Kind implements [Task].
func (ThemesTask) Kind() string { return "themes" }

// Themes is the reply to a [ThemesTask].
type Themes struct {
	Themes []Theme `json:"themes"`
}

// A Theme is one of [Themes].
type Theme struct {
	Theme    string   `json:"theme"` // its name
	Keywords []string `json:"keywords"`
	Content  string   `json:"content"` // a summary
}

// A PortraitTask asks what lines tell of one who speaks in them. The reply is a
// [Portrait] as JSON.
type PortraitTask struct {
	Name  string // of the speaker
	Known string // the profile so far; empty for none
	Lines []Line
}

// Kind implements [Task].
func (PortraitTask) Kind() string { return "portrait" }

// A Portrait is the reply to a [PortraitTask].
type Portrait struct {
	// Profile describes the speaker: character, preferences, manner, values. It
	// holds what was known too.
	Profile string   `json:"profile"`
	Facts   []string `json:"facts"` // that the lines tell of the speaker
}
