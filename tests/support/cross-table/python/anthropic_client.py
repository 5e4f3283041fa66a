"""The official Anthropic client for Python, under /v1 and at the Messages route."""

import anthropic
from conversation import WORDS, has_tool, serve, turn


# One for all, because each would load the certificates of the machine again.
HTTP = anthropic.DefaultHttpxClient()


def request_of(ask, messages):
    request = {
        "model": ask["model"],
        "messages": messages,
        "max_tokens": WORDS["outputTokensMax"],
        "system": WORDS["systemText"],
    }
    if has_tool(ask):
        tool = {"name": WORDS["toolName"], "description": WORDS["toolText"], "input_schema": WORDS["toolSchema"]}
        request["tools"] = [tool]
    if ask["theme"] == "thinking":
        request["thinking"] = {"type": "enabled", "budget_tokens": WORDS["thinkingTokensMax"]}
    return request


def converse(ask, base_path):
    base_url = ask["origin"] + base_path
    client = anthropic.Anthropic(base_url=base_url, api_key=ask["apiKey"], max_retries=0, http_client=HTTP)
    content = [{"type": "text", "text": ask["prompt"]}]
    if ask["theme"] == "images":
        source = {"type": "base64", "media_type": "image/png", "data": WORDS["picture"]}
        content.append({"type": "image", "source": source})
    messages = [{"role": "user", "content": content}]
    turns = []
    while True:
        pieces = 1
        if ask["isStream"]:
            with client.messages.stream(**request_of(ask, messages)) as stream:
                pieces = sum(1 for _ in stream.text_stream)
                message = stream.get_final_message()
        else:
            message = client.messages.create(**request_of(ask, messages))
        calls = [block for block in message.content if block.type == "tool_use"]
        usage = message.usage
        read = usage.cache_read_input_tokens or 0
        turns.append(
            turn(
                "".join(block.text for block in message.content if block.type == "text"),
                [(call.name, call.input) for call in calls],
                message.stop_reason,
                {
                    "input": usage.input_tokens + read + (usage.cache_creation_input_tokens or 0),
                    "output": usage.output_tokens,
                    "cached": read,
                },
                "".join(block.thinking for block in message.content if block.type == "thinking"),
                pieces,
            )
        )
        if not calls:
            return turns
        messages.append({"role": "assistant", "content": message.content})
        results = [
            {"type": "tool_result", "tool_use_id": call.id, "content": WORDS["toolResult"]} for call in calls
        ]
        messages.append({"role": "user", "content": results})


serve({"messages": lambda ask: converse(ask, ""), "msgcompat": lambda ask: converse(ask, "/msgcompat")})
