"""Search passages with another program, by the Python that has it; ``against_peers.py`` runs this.

    PYTHON peer_programs.py bm25s PASSAGES QUESTIONS OUT --k 100 --work WORK

PASSAGES are lines of ``{"pid", "text"}``, QUESTIONS lines of ``{"uid", "claim"}``. OUT gets one
line about the program and one with the pids that each question found, best first. What a program
keeps between runs is in WORK. ``hipporag`` and ``lightrag`` ask a language model and an encoder at
addresses that speak OpenAI's API: ``--llm`` and ``--encoder`` name the models, the key is the
environment's ``OPENAI_API_KEY``.

Nothing but the standard library is imported before the program itself.
"""

import argparse
import asyncio
import json
import time
from collections.abc import Callable, Iterable
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

Search = Callable[[str], list[str]]
Row = dict[str, Any]


def bm25s(passages: dict[str, str], asked: argparse.Namespace) -> Search:
    """BM25 as bm25s has it by default: Lucene's formula, English stop words, no stemmer."""
    program = import_module("bm25s")
    pids = list(passages)
    quiet: Row = {"stopwords": "en", "show_progress": False}
    retriever = program.BM25()
    retriever.index(program.tokenize(list(passages.values()), **quiet), show_progress=False)
    k = min(asked.k, len(pids))

    def search(claim: str) -> list[str]:
        words = program.tokenize([claim], **quiet)
        places, _ = retriever.retrieve(words, k=k, show_progress=False)
        return [pids[place] for place in places[0]]

    return search


def hipporag(passages: dict[str, str], asked: argparse.Namespace) -> Search:
    """HippoRAG 2 by its own settings."""
    program = import_module("hipporag.HippoRAG").HippoRAG(
        save_dir=str(asked.work),
        llm_model_name=asked.llm,
        llm_base_url=asked.llm_url,
        embedding_model_name=asked.encoder,
        embedding_base_url=asked.encoder_url,
    )
    program.index(docs=list(passages.values()))
    pid_of = {text: pid for pid, text in passages.items()}

    def search(claim: str) -> list[str]:
        (found,) = program.retrieve(queries=[claim], num_to_retrieve=asked.k)
        return [pid_of[text] for text in found.docs]

    return search


def lightrag(passages: dict[str, str], asked: argparse.Namespace) -> Search:
    """LightRAG by its mode ``mix``: what it would show a language model, not its answer."""
    light, api = import_module("lightrag"), import_module("lightrag.llm.openai")
    encoding = import_module("lightrag.utils").EmbeddingFunc

    async def complete(prompt: str, **options: Any) -> str:  # noqa: ANN401
        return await api.openai_complete_if_cache(
            asked.llm, prompt, base_url=asked.llm_url, **options
        )

    async def embed(texts: list[str]) -> Any:  # noqa: ANN401
        return await api.openai_embed.func(texts, model=asked.encoder, base_url=asked.encoder_url)

    async def opened() -> Any:  # noqa: ANN401
        dimensions = (await embed(["one"])).shape[1]
        encoder = encoding(embedding_dim=dimensions, max_token_size=8192, func=embed)
        program = light.LightRAG(
            working_dir=str(asked.work), llm_model_func=complete, embedding_func=encoder
        )
        await program.initialize_storages()
        pids = list(passages)
        await program.ainsert(list(passages.values()), ids=pids, file_paths=pids)
        return program

    loop = asyncio.new_event_loop()
    program = loop.run_until_complete(opened())

    def search(claim: str) -> list[str]:
        wanted = light.QueryParam(mode="mix", chunk_top_k=asked.k, enable_rerank=False)
        found = loop.run_until_complete(program.aquery_data(claim, wanted))
        chunks: list[Row] = found.get("data", {}).get("chunks", [])
        return list(dict.fromkeys(Path(chunk["file_path"]).name for chunk in chunks))

    return search


Program = Callable[[dict[str, str], argparse.Namespace], Search]

PROGRAMS: dict[str, tuple[Program, str]] = {
    "bm25s": (bm25s, "bm25s"),
    "hipporag": (hipporag, "hipporag"),
    "lightrag": (lightrag, "lightrag-hku"),
}
"""By the name that ``--peer`` has: how each is asked, and the package that it is in."""


def lines(path: Path) -> Iterable[Row]:
    """Objects of a file of JSON lines."""
    return map(json.loads, path.read_text(encoding="utf-8").splitlines())


def main() -> None:
    """Index, search, write."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("name", choices=PROGRAMS)
    for file in ("passages", "questions", "out"):
        parser.add_argument(file, type=Path)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--k", type=int, default=100)
    parser.add_argument("--llm", default="gpt-4o-mini")
    parser.add_argument("--llm-url")
    parser.add_argument("--encoder", default="text-embedding-3-small")
    parser.add_argument("--encoder-url")
    asked = parser.parse_args()
    asked.work.mkdir(parents=True, exist_ok=True)
    passages = {row["pid"]: row["text"] for row in lines(asked.passages)}
    start = time.perf_counter()
    program, package = PROGRAMS[asked.name]
    search = program(passages, asked)
    about: Row = {
        "peer": asked.name,
        "version": version(package),
        "seconds": time.perf_counter() - start,
    }
    with asked.out.open("w", encoding="utf-8") as out:
        out.write(f"{json.dumps(about)}\n")
        for row in lines(asked.questions):
            start = time.perf_counter()
            found = search(row["claim"])[: asked.k]
            seconds = time.perf_counter() - start
            out.write(json.dumps({"uid": row["uid"], "seconds": seconds, "pids": found}) + "\n")


if __name__ == "__main__":
    main()
