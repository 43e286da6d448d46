// Package memory answers, by rules of English and without a language
// model, the tasks by which a memory of a conversation is built: where an
// episode ends, how it is retold, what it probably told, which lasting facts it
// holds, and what some facts have in common.
//
// The rules know closed-class words, word forms and the manners of chats. They
// know nothing of any dataset: what talks are about comes from the talks. Words
// and their tags come from an [Analyser], so that the backend that the rules
// belong to reads each line once.
//
// A statement or a retold sentence is what somebody said with the persons
// shifted: "I'm adopting a dog" of Ann is "Ann is adopting a dog". Nothing is
// inferred. docs/offline.md says what the rules do and how good they are.
package memory
