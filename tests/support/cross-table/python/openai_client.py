"""The official OpenAI client for Python, with both of its APIs."""

import openai
from conversation import DATA_URL, WORDS, has_tool, serve, turn

PARAMETERS = WORDS["toolSchema"]


# One for all, because each would load the certificates of the machine again.
HTTP = openai.DefaultHttpxClient()


def client_for(ask):
    return openai.OpenAI(base_url=ask["origin"] + "/v1", api_key=ask["apiKey"], max_retries=0, http_client=HTTP)


def chat_request(ask, messages):
    request = {"model": ask["model"], "messages": messages}
    if has_tool(ask):
        function = {"name": WORDS["toolName"], "description": WORDS["toolText"], "parameters": PARAMETERS}
        request["tools"] = [{"type": "function", "function": function}]
    if ask["theme"] == "thinking":
        request["reasoning_effort"] = "high"
    return request


def chat(ask):
    content = [{"type": "text", "text": ask["prompt"]}]
    if ask["theme"] == "images":
        content.append({"type": "image_url", "image_url": {"url": DATA_URL}})
    messages = [{"role": "system", "content": WORDS["systemText"]}, {"role": "user", "content": content}]
    turns = []
    while True:
        request = chat_request(ask, messages)
        pieces = 1
        reasoning = ""
        if ask["isStream"]:
            pieces = 0
            with client_for(ask).chat.completions.stream(
                **request, stream_options={"include_usage": True}
            ) as stream:
                for event in stream:
                    if event.type == "content.delta":
                        pieces += 1
                    if event.type == "chunk" and event.chunk.choices:
                        reasoning += getattr(event.chunk.choices[0].delta, "reasoning_content", None) or ""
                completion = stream.get_final_completion()
        else:
            completion = client_for(ask).chat.completions.create(**request)
            reasoning = getattr(completion.choices[0].message, "reasoning_content", None) or ""
        choice = completion.choices[0]
        calls = choice.message.tool_calls or []
        usage = completion.usage
        turns.append(
            turn(
                choice.message.content or "",
                [(call.function.name, call.function.arguments) for call in calls],
                choice.finish_reason,
                {
                    "input": usage.prompt_tokens,
                    "output": usage.completion_tokens,
                    "cached": usage.prompt_tokens_details.cached_tokens or 0,
                    "reasoning": usage.completion_tokens_details.reasoning_tokens or 0,
                },
                reasoning,
                pieces,
            )
        )
        if not calls:
            return turns
        messages.append(choice.message.model_dump(exclude_none=True, exclude={"parsed"}))
        for call in calls:
            messages.append({"role": "tool", "tool_call_id": call.id, "content": WORDS["toolResult"]})


def responses_request(ask, items):
    request = {"model": ask["model"], "input": items, "instructions": WORDS["systemText"], "store": False}
    if has_tool(ask):
        tool = {"type": "function", "name": WORDS["toolName"], "description": WORDS["toolText"], "strict": False}
        request["tools"] = [{**tool, "parameters": PARAMETERS}]
    if ask["theme"] == "thinking":
        request["reasoning"] = {"effort": "high", "summary": "auto"}
        request["include"] = ["reasoning.encrypted_content"]
    return request


def responses(ask):
    content = [{"type": "input_text", "text": ask["prompt"]}]
    if ask["theme"] == "images":
        content.append({"type": "input_image", "image_url": DATA_URL, "detail": "auto"})
    items = [{"role": "user", "content": content}]
    turns = []
    while True:
        request = responses_request(ask, items)
        pieces = 1
        if ask["isStream"]:
            pieces = 0
            with client_for(ask).responses.stream(**request) as stream:
                for event in stream:
                    pieces += event.type == "response.output_text.delta"
                response = stream.get_final_response()
        else:
            response = client_for(ask).responses.create(**request)
        calls = [item for item in response.output if item.type == "function_call"]
        thoughts = [part.text for item in response.output if item.type == "reasoning" for part in item.summary]
        usage = response.usage
        turns.append(
            turn(
                response.output_text,
                [(call.name, call.arguments) for call in calls],
                response.status,
                {
                    "input": usage.input_tokens,
                    "output": usage.output_tokens,
                    "cached": usage.input_tokens_details.cached_tokens,
                    "reasoning": usage.output_tokens_details.reasoning_tokens,
                },
                "".join(thoughts),
                pieces,
            )
        )
        if not calls:
            return turns
        for item in response.output:
            items.append(item.model_dump(exclude_none=True, exclude={"parsed_arguments"}))
        for call in calls:
            items.append({"type": "function_call_output", "call_id": call.call_id, "output": WORDS["toolResult"]})


serve({"chat": chat, "responses": responses})
