package gateway

import "maps"

// responseEvents returns the events of the response that a completion stands for.
func responseEvents(c *completion) []map[string]any {
	var all []map[string]any
	add := func(kind string, of ...map[string]any) {
		e := map[string]any{"type": "response." + kind, "sequence_number": len(all)}
		for _, members := range of {
			maps.Copy(e, members)
		}
		all = append(all, e)
	}
	with := func(of map[string]any, other map[string]any) map[string]any {
		of = maps.Clone(of)
		maps.Copy(of, other)
		return of
	}
	whole := asResponse(c)
	begun := map[string]any{"status": "in_progress", "output": []any{}, "usage": nil, "incomplete_details": nil}
	add("created", map[string]any{"response": with(whole, begun)})
	for i, item := range whole["output"].([]map[string]any) { //nolint:forcetypeassert // asResponse makes it
		at := map[string]any{"output_index": i, "item_id": item["id"]}
		open := map[string]any{"status": "in_progress"}
		if text, ok := item["arguments"].(string); ok {
			open["arguments"] = ""
			add("output_item.added", map[string]any{"output_index": i, "item": with(item, open)})
			for piece := range pieces(text) {
				add("function_call_arguments.delta", at, map[string]any{"delta": piece})
			}
			add("function_call_arguments.done", at, map[string]any{"arguments": text, "name": item["name"]})
		} else {
			open["content"] = []any{}
			add("output_item.added", map[string]any{"output_index": i, "item": with(item, open)})
			part := item["content"].([]any)[0].(map[string]any) //nolint:forcetypeassert // the same
			text := part["text"].(string)                       //nolint:forcetypeassert // the same
			at["content_index"] = 0
			add("content_part.added", at, map[string]any{"part": with(part, map[string]any{"text": ""})})
			for piece := range pieces(text) {
				add("output_text.delta", at, map[string]any{"delta": piece, "logprobs": []any{}})
			}
			add("output_text.done", at, map[string]any{"text": text, "logprobs": []any{}})
			add("content_part.done", at, map[string]any{"part": part})
		}
		add("output_item.done", map[string]any{"output_index": i, "item": item})
	}
	add(whole["status"].(string), map[string]any{"response": whole}) //nolint:forcetypeassert // the same
	return all
}
