// Package linkgrammar finds dependencies with link-parser, a program of the Link
// Grammar project (Sleator & Temperley, 1991), as a pool of processes.
//
// A sentence is written to the program's standard input as a line, and behind it
// a command and a word to parse. The command's reply ends what belongs to the
// sentence, and the word makes the program flush it:
//
//	The hotel is cheap.
//	!short=16
//	yes
//
// The program writes a linkage as PostScript data, the words and then the links. Each
// link has the numbers of the words that it joins, a height that is of no use here,
// and its type:
//
//	[(LEFT-WALL)(the)(hotel.n)(is.v)(cheap.a)(.)]
//	[[0 5 0 (Xp)][0 3 0 (WV)][0 2 0 (Wd)][2 3 0 (Ss*s)][1 2 0 (Ds**c)][3 4 0 (Pa)]]
//	[0]
//
// Links have no direction. [Annotator] maps them to universal dependencies, see
// links.go, and words to bytes of the sentence.
package linkgrammar
