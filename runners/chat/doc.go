// Package chat talks to memories: a person asks, the memory of a method answers and
// edits, and each turn is kept with its record. Turns form a tree with a head. Going
// back moves the head, and asking from there begins a branch; nothing is deleted.
//
// A chat is a folder:
//
//	tree.xml     the memory before the first turn, with ids; none of a conversation
//	chat.jsonl   a line that begins it, then turns, moves of the head, and marks
//
// An [Engine] holds the chats of a folder and [Handler] serves them. Export makes
// tasks of a chat: requests with what they should have come to.
package chat
