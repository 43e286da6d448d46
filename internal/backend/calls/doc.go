// Package calls records calls of models and serves them again, so that nothing
// is paid for twice and a run can be repeated without a network.
//
// A [Recorder] wraps the connections to models. A [Store] keeps the recordings
// in a folder that many processes may share.
//
// # Keys
//
// A recording is found by its key, the SHA-256 of the canonical request: one
// JSON object without white space, whose fields are in this order and are left
// out if they are empty, zero, false or null.
//
//	form          1
//	call          "chat", "embed", "entail" or "annotate"
//	identity      what calls of one model have in common
//	  class         class of the provider, such as "openai"
//	  provider      host and port of the server, or a name that stands for them
//	  model         the model asked for
//	  fixed         parameters that every call has: JSON, its keys sorted
//	role          what the call is for; chat only
//	texts         the texts sent, in order
//	  role          chat: "system", "user" or "assistant"
//	                embed: "document" or "query"
//	                entail: "premise", then "hypothesis"
//	                annotate: "layers", joined by commas in the order of
//	                annotate.Layers; "known" and "name", each as JSON; then of
//	                each utterance "speaker", where there is one, and "text"
//	  sha256        of the text, in hexadecimal digits
//	format        the JSON asked for; chat only
//	  name
//	  schema        without white space, its keys as they were
//	temperature   here and below, chat only
//	max_tokens
//	seed
//	logprobs
//	top_logprobs
//	plain
//	repeat        tells apart calls to be sampled anew
//	wire          what a program outside asked for besides; chat only
//	  rest          further members of the body, keys sorted
//	  raw           indices of the texts that are JSON of a message
//
// A temperature or seed of 0 is not null, and is included. Strings and numbers
// are written as encoding/json does with HTML escapes off. Texts are
// represented by hashes so that the key of a long prompt costs little more than
// its SHA-256.
//
// Transport is not part of it: no account key, timeout, retry or number of calls
// in flight. Neither is [llm.Request]'s Prefix, which changes no reply.
//
// # Files
//
// A store is a folder. Processes write to its calls.db, a SQLite database in WAL
// mode; other files that end in .db, such as exported ones, are only read. The
// tables are:
//
//	calls    a recording. Its id is the first 8 bytes of the key; texts lists, for
//	         the settings and each text sent, the rows of its lines: a number, or
//	         the first and last of several; logprobs is JSON that zstd compressed;
//	         sum is the CRC-32C of what belongs to the reply
//	texts    lines, each once, by the first 8 bytes of their SHA-256
//	vectors  float32 values, little endian
//	models   identities
//	claims   calls that a process makes just now, until when, in ns since 1970
//
// The views recordings and prompts show what people want to read. Of two
// recordings with the same key the later one counts.
//
// What a process wrote survives its end, however it ends. A crash of the machine
// may lose the transactions since the last checkpoint, never earlier ones.
package calls
