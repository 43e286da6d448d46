# The server of a model entry's prune: LLMLingua-2's token classifier behind /keep.
# Needs fastapi, uvicorn, torch and transformers. From this folder:
#
#	uvicorn keep:app --port 8090
#
# No test of this project runs it.
import torch
from fastapi import FastAPI
from pydantic import BaseModel
from transformers import AutoModelForTokenClassification, AutoTokenizer

NAME = "microsoft/llmlingua-2-bert-base-multilingual-cased-meetingbank"
tokenizer = AutoTokenizer.from_pretrained(NAME)
model = AutoModelForTokenClassification.from_pretrained(NAME).eval()
app = FastAPI()


class Texts(BaseModel):
    texts: list[str]


def tokens(text):
    # A text that is longer than the model takes is classified in parts.
    parts = tokenizer(text, max_length=512, truncation=True, padding=True, return_tensors="pt",
                      return_overflowing_tokens=True, return_offsets_mapping=True)
    places = parts.pop("offset_mapping").tolist()
    parts.pop("overflow_to_sample_mapping", None)
    with torch.no_grad():
        keep = model(**parts).logits.softmax(-1)[:, :, 1].tolist()
    return [{"start": start, "end": end, "keep": p}
            for row, probabilities in zip(places, keep)
            for (start, end), p in zip(row, probabilities) if end > start]


@app.post("/keep")
def keep(body: Texts):
    return {"tokens": [tokens(t) for t in body.texts]}
