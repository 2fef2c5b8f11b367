"""The fact filter of HippoRAG 2 to the letter: its messages, and how it reads a reply.

The texts are the reference's (MIT licence: see NOTICE). DSPy would write another frame around them.
"""

import ast
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

import dspy
from dspy.adapters import ChatAdapter
from pydantic import BaseModel, Field, ValidationError

_FRAME: Final = (
    "Your input fields are:\n"
    "1. `question` (str): Query for retrieval\n"
    "2. `fact_before_filter` (str): Candidate facts to be filtered\n"
    "\n"
    "Your output fields are:\n"
    "1. `fact_after_filter` (Fact): Filtered facts in JSON format\n"
    "\n"
    "All interactions will be structured in the following way, with the appropriate "
    "values filled in.\n"
    "\n"
    "[[ ## question ## ]]\n"
    "{question}\n"
    "\n"
    "[[ ## fact_before_filter ## ]]\n"
    "{fact_before_filter}\n"
    "\n"
    "[[ ## fact_after_filter ## ]]\n"
    "{fact_after_filter}        # note: the value you produce must be pareseable "
    'according to the following JSON schema: {"type": "object", "properties": {"fact": '
    '{"type": "array", "description": "A list of facts, each fact is a list of 3 '
    'strings: [subject, predicate, object]", "items": {"type": "array", "items": '
    '{"type": "string"}}, "title": "Fact"}}, "required": ["fact"], "title": "Fact"}\n'
    "\n"
    "[[ ## completed ## ]]\n"
    "\n"
    "In adhering to this structure, your objective is:\n"
)
"""The system message, but for the task."""
_ASKED: Final = (
    "[[ ## question ## ]]\n{question}\n\n[[ ## fact_before_filter ## ]]\n{fact_before_filter}\n\n"
    "Respond with the corresponding output fields, starting with the field "
    "`[[ ## fact_after_filter ## ]]` (must be formatted as a valid Python Fact), and then ending "
    "with the marker for `[[ ## completed ## ]]`."
)
_ANSWERED: Final = "[[ ## fact_after_filter ## ]]\n{fact_after_filter}\n\n[[ ## completed ## ]]"
_HEADER: Final = re.compile(r"\[\[ ## (\w+) ## \]\]")


class Fact(BaseModel):  # without a docstring, which would stand in the prompt
    fact: list[list[str]] = Field(
        description="A list of facts, each fact is a list of 3 strings: "
        "[subject, predicate, object]"
    )


class ReferenceFilterFacts(dspy.Signature):
    __doc__ = (
        "You are a critical component of a high-stakes question-answering system used by "
        "top researchers and decision-makers worldwide. Your task is to filter facts "
        "based on their relevance to a given query, ensuring that the most crucial "
        "information is presented to these stakeholders. The query requires careful "
        "analysis and possibly multi-hop reasoning to connect different pieces of "
        "information. You must select up to 4 relevant facts from the provided candidate "
        "list that have a strong connection to the query, aiding in reasoning and "
        "providing an accurate answer. The output should be in JSON format, e.g., "
        '{"fact": [["s1", "p1", "o1"], ["s2", "p2", "o2"]]}, and if no facts are '
        'relevant, return an empty list, {"fact": []}. The accuracy of your response is '
        "paramount, as it will directly impact the decisions made by these high-level "
        "stakeholders. You must only use facts from the candidate list and not generate "
        "new facts. The future of critical decision-making relies on your ability to "
        "accurately filter and present relevant information."
    )

    question: str = dspy.InputField(desc="Query for retrieval")
    fact_before_filter: str = dspy.InputField(desc="Candidate facts to be filtered")
    fact_after_filter: Fact = dspy.OutputField(desc="Filtered facts in JSON format")


class ReferenceAdapter(ChatAdapter):
    """Writes the messages of the reference, and reads a reply as it does.

    What it cannot read is read as DSPy does, which asks again, in JSON, for what it cannot read
    either.
    """

    def format(
        self,
        signature: type[dspy.Signature],
        demos: Sequence[Mapping[str, Any]],
        inputs: Mapping[str, Any],
    ) -> list[dict[str, Any]]:
        """Return the messages: task, examples with their answers, and what is asked."""
        messages = [_message("system", _FRAME + signature.instructions)]
        for demo in demos:
            if all(name in demo for name in signature.fields):
                facts = demo["fact_after_filter"]
                value = facts.model_dump() if isinstance(facts, BaseModel) else facts
                answer = json.dumps(value, ensure_ascii=False)
                messages += [
                    _message("user", _filled(_ASKED, demo)),
                    _message("assistant", _filled(_ANSWERED, {"fact_after_filter": answer})),
                ]
        return [*messages, _message("user", _filled(_ASKED, inputs))]

    def parse(self, signature: type[dspy.Signature], completion: str) -> dict[str, Any]:
        """Return the facts of the last section of that name, as JSON, else as a Python literal."""
        found: list[str] | None = None
        lines: list[str] = []
        for line in completion.splitlines():
            if header := _HEADER.match(line.strip()):
                lines = []
                found = lines if header[1] == "fact_after_filter" else found
            else:
                lines.append(line)
        try:
            return {
                "fact_after_filter": Fact.model_validate(_value("\n".join(found or ()).strip()))
            }
        except (ValidationError, ValueError, SyntaxError, RecursionError, MemoryError):
            return super().parse(signature, completion)


def _message(role: str, content: str) -> dict[str, Any]:
    return {"role": role, "content": content}


def _filled(template: str, values: Mapping[str, Any]) -> str:
    """Fill a template in one pass: values may hold what looks like a field."""
    return re.sub(r"\{(\w+)\}", lambda field: str(values[field[1]]), template)


def _value(text: str) -> Any:  # noqa: ANN401
    try:
        return json.loads(text)
    except ValueError:
        return ast.literal_eval(text)
