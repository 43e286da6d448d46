package token

// line is a turn as prompts show it.
const line = "[1:56 pm on 8 May, 2023] Ana: I went to the market and bought three melons!\n"
