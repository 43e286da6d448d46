#!/usr/bin/env python3
"""Make a folder of prompts from a clone of their authors' repository.

    python3 scripts/prompts.py NAME CLONE FOLDER

writes FOLDER/NAME/PROMPT.tmpl for each prompt of NAME that the authors' code has, so
that a run file with `prompts: FOLDER` asks in their words. NAME is a method (a-mem,
lightmem, memoryos or nemori) or a judge's profile that `bench list judges` lists with
a repository; CLONE is a work tree at the commit that SOURCES names. Each file with a
SHA-256 there must have it, else nothing is written; the templates of a judge have one,
which bench looks at. A YAML file needs PyYAML.

Where the authors ask for another form of reply than a method reads, a sentence of
this project behind their text says which form it is.
"""
import ast
import hashlib
import re
import string
import sys
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Text:
    """A string of a file: the value that PLACE names. In Python that is such as
    function.variable, variable.key of a dictionary, or Class.system, the content of its
    first message of role system; name@2 is the second assignment. In YAML it is a path of
    keys, and in TypeScript a constant."""
    file: str
    place: str
    fields: dict = field(default_factory=dict)  # placeholder: what stands there in the template
    format: bool = False  # braces are placeholders although it is no f-string
    then: str = ""  # what follows the text
    slots: tuple = ()  # what stands in the place of {}, in order
    marks: dict = field(default_factory=dict)  # other text of the template: what replaces it


@dataclass
class Source:
    repository: str
    commit: str
    files: dict  # path: SHA-256; empty for a judge
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

QUESTION, GOLD, ANSWER, NUGGET = "{{.Plain.Question}}", "{{.Plain.Gold}}", "{{.Plain.Answer}}", "{{.Plain.Nugget}}"
FIELDS = {
    "question": QUESTION, "gold_answer": GOLD, "golden_answer": GOLD, "generated_answer": ANSWER, "response": ANSWER,
    "rubric_item": NUGGET, "nugget": NUGGET, "answer": GOLD,
}


def judge(repository, commit, **prompts):
    """A judge's source, of prompts as (system, user) or the user's alone; _ stands for -."""
    return Source("https://github.com/" + repository, commit, {}, {
        name.replace("_", "-"): text if isinstance(text, tuple) else (None, text) for name, text in prompts.items()})


def says(file, place, fields=None):
    return Text(file, place, FIELDS if fields is None else fields, True)


def checked(nth, what=GOLD):
    return Text("src/evaluation/evaluate_qa.py", f"get_anscheck_prompt.template@{nth}", format=True, slots=(QUESTION, what, ANSWER))


def rubric(**marks):
    return Text("src/prompts.py", "unified_llm_judge_base_prompt", marks={f"<{k}>": v for k, v in marks.items()})


def constant(name, gold="Ground Truth Answer"):
    return Text("src/prompts/defaults.ts", name + "_JUDGE_PROMPT",
                then=f"\n\nQuestion: {QUESTION}\n{gold}: {GOLD}\nSystem's Hypothesis: {ANSWER}")


def plus(category):
    return says("evaluation_framework/task_eval/prompt.py", "PROMPT_TEMPLATES." + category, {"gold": GOLD, "pred": ANSWER, "evidence": ""})


MEM0, MEM0_AT = "qsupremacy/memory-benchmarks", "7ba1bd3"  # a copy
OMNI, OMNI_AT, OMNI_FILE = "MemTensor/OmniMemEval", "7df23bc", "scripts/utils/prompts.py"
OMNI_SYSTEM = Text(OMNI_FILE, "JUDGE_SYSTEM_PROMPT")
EVER, EVER_AT = "EverMind-AI/EverOS", "facd7b6"
CONFIG, BENCH = "methods/EverCore/evaluation/config/prompts.yaml", "benchmarks/EverMemBench/eval/config/prompts.yaml"
NEMORI_JUDGE, MEMOS = "evaluation/locomo/metrics/llm_judge.py", "evaluation/scripts/locomo/locomo_eval.py"

SOURCES |= {
    "longmemeval": judge(
        "xiaowu0162/LongMemEval", "9e0b455", abstention=checked(5, "{{.Plain.Explanation}}"),
        typed_single_session_user=checked(1), typed_single_session_assistant=checked(1), typed_multi_session=checked(1),
        typed_temporal_reasoning=checked(2), typed_knowledge_update=checked(3), typed_single_session_preference=checked(4)),
    "beam": judge("mohammadtavakoli78/BEAM", "b2a3ee8", nugget=rubric(rubric_item=NUGGET, llm_response=ANSWER, question=QUESTION)),
    "beam-official": judge("mohammadtavakoli78/BEAM", "b2a3ee8", nugget=rubric(rubric_item=NUGGET, llm_response=ANSWER)),
    "beam@omnimemeval": judge(OMNI, OMNI_AT, nugget=(Text("scripts/beam/beam_eval.py", "_judge_rubric_item.system"),
                                                     says(OMNI_FILE, "BEAM_RUBRIC_ITEM_JUDGE_PROMPT"))),
    "beam@mem0-2026": judge(MEM0, MEM0_AT, nugget=(Text("benchmarks/beam/prompts.py", "BEAM_JUDGE_SYSTEM_PROMPT"),
                                                   says("benchmarks/beam/prompts.py", "BEAM_NUGGET_JUDGE_PROMPT"))),
    "mem0-2026/locomo": judge(MEM0, MEM0_AT, judge=(
        Text("benchmarks/locomo/prompts.py", "JUDGE_SYSTEM_PROMPT"),
        Text("benchmarks/locomo/prompts.py", "_JUDGE_TEMPLATE", {"evidence_section": "", "evidence_rule": "", "evidence_wrong_clause": ""}, True,
             # Braces that are doubled in the text begin the marks.
             marks={'{{"{"}}question}': QUESTION, '{{"{"}}answer}': GOLD, '{{"{"}}response}': ANSWER}))),
    "mem0-2026/longmemeval": judge(MEM0, MEM0_AT, judge=says("benchmarks/longmemeval/prompts.py", "JUDGE_PROMPT")),
    "memorybench": judge(
        "supermemoryai/memorybench", "25729a7", judge=constant("DEFAULT"), adversarial=constant("ABSTENTION"),
        temporal=constant("TEMPORAL"), update=constant("KNOWLEDGE_UPDATE"), preference=constant("PREFERENCE", "Rubric")),
    "locomo-plus": judge(
        "xjtuleeyf/Locomo-Plus", "059f4e3", judge=plus("default"), multi_hop=plus("multi-hop"), single_hop=plus("single-hop"),
        temporal=plus("temporal"), common_sense=plus("common-sense"), adversarial=plus("adversarial")),
    "locomo-community": judge("nemori-ai/nemori", "d2a6dff", judge=(
        Text(NEMORI_JUDGE, "evaluate_llm_judge.system"), says(NEMORI_JUDGE, "ACCURACY_PROMPT"))),
    "locomo-community@lightmem": judge("zjunlp/LightMem", "8fc9a91", judge=says("experiments/locomo/llm_judge.py", "ACCURACY_PROMPT")),
    "locomo-community@evermemos": judge(EVER, EVER_AT, judge=(
        says(CONFIG, "llm_judge.system_prompt"), says(CONFIG, "llm_judge.user_prompt"))),
    "locomo-community@memos": judge("MemTensor/MemOS", "be68e2f", judge=(
        Text(MEMOS, "locomo_grader.system_prompt"), Text(MEMOS, "locomo_grader.accuracy_prompt", FIELDS))),
    "locomo-community@omnimemeval": judge(OMNI, OMNI_AT, judge=(OMNI_SYSTEM, says(OMNI_FILE, "JUDGE_PROMPT"))),
    "halumem@omnimemeval": judge(OMNI, OMNI_AT, judge=(OMNI_SYSTEM, says(OMNI_FILE, "HM_JUDGE_PROMPT"))),
    "evermembench": judge(EVER, EVER_AT, judge=(says(BENCH, "llm_judge.system_prompt"), says(BENCH, "llm_judge.user_prompt"))),
    "amb": judge("vectorize-io/agent-memory-benchmark", "de83fa7", judge=says(
        "src/memory_bench/judge.py", "_PROMPT", {"query": QUESTION, "gold_answers": "- " + GOLD, "answer": ANSWER})),
}


def find(tree, place):
    """The string of a place in a file that read has read, or its expression."""
    if isinstance(tree, str):  # TypeScript
        found = re.search(rf"\b{place} = `([^`\\]*)`", tree)
        if not found or "${" in found[1]:
            raise ValueError(f"there is no plain {place}")
        return found[1]
    *scopes, name = place.split(".")
    if isinstance(tree, dict):
        for key in scopes:
            tree = tree[key]
        return tree[name].strip()
    for scope in scopes:
        kinds = ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef
        tree = nth(tree, lambda n: isinstance(n, kinds) and n.name == scope or assigns(n, scope), place)
    if isinstance(tree, ast.Assign):
        return tree.value.values[[ast.unparse(k) for k in tree.value.keys].index(repr(name))]
    if name == "system":
        message = nth(tree, lambda n: isinstance(n, ast.Dict) and "'system'" in map(ast.unparse, n.values), place)
        return message.values[[ast.unparse(k) for k in message.keys].index("'content'")]
    name, _, number = name.partition("@")
    return nth(tree, lambda n: assigns(n, name), place, int(number or 1)).value


def assigns(node, name):
    return isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) in (name, "self." + name)


def nth(tree, fits, place, number=1):
    found = sorted((n for n in ast.walk(tree) if fits(n)), key=lambda n: n.lineno)
    if len(found) < number:
        raise ValueError(f"there is no {place}")
    return found[number - 1]


def literal(text):
    return text.replace("{", '{{"{"}}')


def template(node, text):
    """A string, or its expression, as a template."""
    slots = iter(text.slots)

    def placeholder(name):
        if name == "" and text.slots:
            return next(slots)
        if name not in text.fields:
            raise ValueError(f"{text.place}: the table has no placeholder {{{name}}}")
        return text.fields[name]

    if isinstance(node, ast.BinOp):  # what the code adds is text.then
        node = node.left
    if isinstance(node, ast.JoinedStr):
        return "".join(placeholder(ast.unparse(v.value)) if isinstance(v, ast.FormattedValue) else literal(v.value)
                       for v in node.values)
    value = node.value if isinstance(node, ast.Constant) else node
    if not isinstance(value, str):
        raise ValueError(f"{text.place} is no string")
    if not text.format:
        return literal(value)
    # Braces that were doubled are literal in what stands before a placeholder.
    plain, made = "", ""
    for before, name, _, _ in string.Formatter().parse(value):
        plain += before
        if name is not None:
            made, plain = made + literal(plain) + placeholder(name), ""
    return made + literal(plain)


def read(suffix, data):
    """A syntax tree of Python, the tables of a YAML file, or other text."""
    if suffix == ".py":
        return ast.parse(data)
    if suffix != ".yaml":
        return data.decode()
    import yaml
    return yaml.safe_load(data)


def templates(source, clone):
    """The templates of a source by name, from a clone whose files are checked."""
    trees = {}
    named = {t.file: "" for texts in source.prompts.values() for t in texts if isinstance(t, Text)}
    for name, want in (source.files or named).items():
        file = Path(clone) / name
        data = file.read_bytes() if file.exists() else b""
        if not data or want and hashlib.sha256(data).hexdigest() != want:
            raise ValueError(f"{file} is not what {source.repository} has at {source.commit}; check that out")
        trees[name] = read(file.suffix, data)

    def body(text):
        if isinstance(text, str):
            return text
        made = template(find(trees[text.file], text.place), text)
        for mark, shown in text.marks.items():
            if mark not in made:
                raise ValueError(f"{text.place} has no {mark}")
            made = made.replace(mark, shown)
        return made + text.then

    return {
        name: "".join('{{define "%s"}}%s{{end}}' % (role, body(text))
                      for role, text in zip(("system", "user"), texts) if text is not None)
        for name, texts in source.prompts.items()
    }


def main(args):
    if len(args) != 3 or args[0] not in SOURCES:
        sys.exit(__doc__.strip())
    name, clone, folder = args
    try:
        made = templates(SOURCES[name], clone)
    except (KeyError, ValueError) as e:
        sys.exit(f"prompts.py: {name}: {e}")
    to = Path(folder) / name
    to.mkdir(parents=True, exist_ok=True)
    for prompt, text in made.items():
        (to / (prompt + ".tmpl")).write_text(text, encoding="utf-8")
    print(f"{len(made)} prompts in {to}")


if __name__ == "__main__":
    main(sys.argv[1:])
