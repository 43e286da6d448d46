#!/usr/bin/env python3
"""Make a folder of prompts from a clone of their authors' repository.

    python3 scripts/prompts.py METHOD CLONE FOLDER

writes FOLDER/METHOD/NAME.tmpl for each prompt of METHOD that the authors' code has,
so that a run file with `prompts: FOLDER` asks in their words. METHOD is a-mem,
lightmem, memoryos or nemori; CLONE is a work tree at the commit that SOURCES names.
Each file must have the SHA-256 that stands there, else nothing is written.

Where the authors ask for another form of reply than the method reads, a sentence of
this project behind their text says which form it is.
"""
import ast
import hashlib
import string
import sys
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Text:
    """A string of a Python file: the value that PLACE names, such as function.variable
    or Class.system, the content of its first message of role system."""
    file: str
    place: str
    fields: dict = field(default_factory=dict)  # placeholder: what stands there in the template
    format: bool = False  # braces are placeholders although it is no f-string
    then: str = ""  # what follows the text


@dataclass
class Source:
    repository: str
    commit: str
    files: dict  # path: SHA-256
    prompts: dict  # name: (system, user), each a Text, a template, or None


AMEM, QUERY = "memory_layer.py", "test_advanced.py"
IN_JSON = Text(AMEM, "OpenAIController.system")
LOCOMO, UPDATE = "experiments/locomo/prompts.py", "src/lightmem/memory/prompts.py"
PAGES = "memoryos-pypi/prompts.py"
NEMORI, ENGINE = "src/generation/prompts.py", "src/generation/prediction_correction_engine.py"

PAIR = {
    "prev_user": "{{.First.User}}", "prev_agent": "{{.First.Agent}}",
    "curr_user": "{{.Second.User}}", "curr_agent": "{{.Second.Agent}}",
    "last_meta": '{{or .Before "None"}}', "new_dialogue": "User: {{.Second.User}}\nAssistant: {{.Second.Agent}}",
}
PAGE = {
    "text": "User: {{.Page.User}}\nAssistant: {{.Page.Agent}}",
    "conversation": "{{range $i, $p := .Pages}}{{if $i}}\n{{end}}User: {{.User}} (Timestamp: {{.Time}})\n"
                    "Assistant: {{.Agent}} (Timestamp: {{.Time}}){{end}}",
    "existing_user_profile": '{{or .Known "None"}}',
}


def pages(name, fields, then=""):
    return Text(PAGES, name + "_SYSTEM_PROMPT"), Text(PAGES, name + "_USER_PROMPT", fields, True, then)


def nemori(name, fields, then=""):
    return None, Text(NEMORI, name, fields, True, then)


SOURCES = {
    "a-mem": Source("https://github.com/WujiangXu/A-mem", "d81fb22", {
        AMEM: "9e0672794f92b9ada36206fb070c977e5fbf745b3faa78811d3f40e2ff85f4aa",
        QUERY: "e6d2178ebe92ec69eb403dfb8e000e8e581eb91ec343265d484ee4d3c05753dd",
    }, {
        "note": (IN_JSON, Text(AMEM, "analyze_content.prompt", then="{{.Content}}")),
        "evolve": (IN_JSON, Text(AMEM, "evolution_system_prompt", {
            "context": "{{.Context}}", "content": "{{.Content}}", "keywords": "{{.Keywords.Python}}",
            "neighbor_number": "{{len .Neighbours}}",
            "nearest_neighbors_memories":
                "{{range .Neighbours}}memory index:{{.Index}}\t talk start time:{{.Time}}\t memory content: {{.Content}}"
                "\t memory context: {{.Context}}\t memory keywords: {{.Keywords.Python}}\t memory tags: {{.Tags.Python}}\n{{end}}",
        }, True)),
        "keywords": (IN_JSON, Text(QUERY, "generate_query_llm.prompt", {"question": "{{.Question}}"})),
    }),
    "lightmem": Source("https://github.com/zjunlp/LightMem", "8fc9a91", {
        LOCOMO: "b4f1dd70d05db9adc16bc5199e827f7668f56ad91ef4d0a7a683b5d01c8d9f06",
        UPDATE: "973a818117496981fecd8a6dde46484fce1568a2cf2777897e27c6dea7b70a0b",
    }, {
        "facts": (Text(LOCOMO, "METADATA_GENERATE_PROMPT_locomo"),
                  "{{range .Topics}}--- Topic {{.Number}} ---\n{{range .Lines}}"
                  '{{if .Stamp}}[{{.Stamp}}] {{end}}{{.Number}}.{{or .Speaker "user"}}: {{.Said}}\n{{end}}{{end}}'),
        "revise": (Text(UPDATE, "UPDATE_PROMPT"),
                   "Target memory:{{.Fact}}\nCandidate memories:\n{{range .Later}}- {{.}}\n{{end}}"),
    }),
    "memoryos": Source("https://github.com/BAI-LAB/MemoryOS", "1d71706", {
        PAGES: "432ae8481b21fe7ce54f79493c93a41707046f94001d0139e112bcf793eeed9f",
    }, {
        "continues": pages("CONTINUITY_CHECK", PAIR, "\n\nReply with one JSON object: \"why\", a few words; "
                           "\"new_episode\", false where your answer is true, else true; \"confidence\", from 0 to 1."),
        "overview": pages("META_INFO", PAIR),
        "themes": pages("MULTI_SUMMARY", PAGE, "\n\nReply with one JSON object whose field \"themes\" is this list."),
        "portrait": pages("PERSONALITY_ANALYSIS", PAGE, "\n\nReply with one JSON object: \"profile\", the profile as text; "
                          "\"facts\", a list of sentences, each with one fact that the user told about himself or herself."),
        "facts": pages("KNOWLEDGE_EXTRACTION", PAGE,
                       "\n\nReply with one JSON object whose field \"statements\" is the list of what you know of the assistant."),
    }),
    "nemori": Source("https://github.com/nemori-ai/nemori", "ec47152", {
        NEMORI: "f4c4121aa2ec6662dd585c418a9032f81a046ef86c415cb28968bde8c80aba13",
        ENGINE: "bb93f92e20cb7af7b340ac6e1c00ebfcb095e1c864911abe01d1347f0be52fcd",
    }, {
        "boundary": nemori("BOUNDARY_DETECTION_PROMPT", {"conversation_history": "{{.History}}", "new_messages": "{{.Next}}"},
                           "\nCall the fields \"new_episode\" for should_end, \"why\" for reason, and \"confidence\"; leave others out."),
        "episode": nemori("EPISODE_GENERATION_PROMPT", {"conversation": "{{.Messages}}", "boundary_reason": "{{.Why}}"},
                          "\nCall the field of the timestamp \"time\"."),
        "predict": nemori("PREDICTION_PROMPT", {
            "episode_title": "{{.Title}}",
            "knowledge_statements": "{{range $i, $k := .Known}}{{if $i}}\n{{end}}- {{$k}}{{end}}",
        }),
        "gaps": nemori("EXTRACT_KNOWLEDGE_FROM_COMPARISON_PROMPT", {
            "original_messages": "{{.Messages}}", "predicted_episode": "{{.Prediction}}",
        }),
        "facts": (None, Text(ENGINE, "_cold_start_extraction.prompt", {
            "episode.title": "{{.Title}}", "episode.content": "{{.Content}}",
            "episode.timestamp.strftime('%Y-%m-%d')": "{{.Time}}",
        })),
    }),
}


def find(tree, place):
    """The expression of a place in a syntax tree."""
    *scopes, name = place.split(".")
    for scope in scopes:
        kinds = ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef
        tree = first(tree, lambda n: isinstance(n, kinds) and n.name == scope, place)
    if name == "system":
        message = first(tree, lambda n: isinstance(n, ast.Dict) and "'system'" in map(ast.unparse, n.values), place)
        return message.values[[ast.unparse(k) for k in message.keys].index("'content'")]
    return first(tree, lambda n: isinstance(n, ast.Assign) and ast.unparse(n.targets[0]) in (name, "self." + name), place).value


def first(tree, fits, place):
    found = sorted((n for n in ast.walk(tree) if fits(n)), key=lambda n: n.lineno)
    if not found:
        raise ValueError(f"there is no {place}")
    return found[0]


def literal(text):
    return text.replace("{", '{{"{"}}')


def template(node, text):
    """A string expression as a template."""
    def placeholder(name):
        if name not in text.fields:
            raise ValueError(f"{text.place}: the table has no placeholder {{{name}}}")
        return text.fields[name]

    if isinstance(node, ast.BinOp):  # what the code adds is text.then
        node = node.left
    if isinstance(node, ast.JoinedStr):
        return "".join(placeholder(ast.unparse(v.value)) if isinstance(v, ast.FormattedValue) else literal(v.value)
                       for v in node.values)
    if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
        raise ValueError(f"{text.place} is no string")
    if not text.format:
        return literal(node.value)
    return "".join(literal(before) + ("" if name is None else placeholder(name))
                   for before, name, _, _ in string.Formatter().parse(node.value))


def templates(source, clone):
    """The templates of a source by name, from a clone whose files are checked."""
    trees = {}
    for name, want in source.files.items():
        file = Path(clone) / name
        data = file.read_bytes() if file.exists() else b""
        if hashlib.sha256(data).hexdigest() != want:
            raise ValueError(f"{file} is not what {source.repository} has at {source.commit}; check that out")
        trees[name] = ast.parse(data)

    def body(text):
        return text if isinstance(text, str) else template(find(trees[text.file], text.place), text) + text.then

    return {
        name: "".join('{{define "%s"}}%s{{end}}' % (role, body(text))
                      for role, text in zip(("system", "user"), texts) if text is not None)
        for name, texts in source.prompts.items()
    }


def main(args):
    if len(args) != 3 or args[0] not in SOURCES:
        sys.exit(__doc__.strip())
    method, clone, folder = args
    try:
        made = templates(SOURCES[method], clone)
    except ValueError as e:
        sys.exit(f"prompts.py: {method}: {e}")
    to = Path(folder) / method
    to.mkdir(parents=True, exist_ok=True)
    for name, text in made.items():
        (to / (name + ".tmpl")).write_text(text, encoding="utf-8")
    print(f"{len(made)} prompts in {to}")


if __name__ == "__main__":
    main(sys.argv[1:])
