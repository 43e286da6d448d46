// Package openai talks to model servers that have OpenAI's HTTP interface:
// OpenAI itself, Gemini's compatible endpoint, vLLM, Ollama, llama.cpp,
// OpenRouter and others.
//
// [Chat] implements llm.Generator and [Embedder] embed.Embedder. Each call is
// one request: limits, retries and recordings wrap them. What servers and
// models do differently is said by [Quirks], so that no name of a model stands
// in the code.
//
// Bodies are written here and replies read here: compatible servers leave out,
// rename and add fields, a prompt of a hundred kilobytes should be escaped once,
// and a reply must be bounded before it is read.
//
// A failed call is a *fault.Error; a canceled one is the error of its context.
//
// The key and the values of further headers never appear in a reply or an
// error, also when the server echoes them, escaped or cut into tokens.
package openai
