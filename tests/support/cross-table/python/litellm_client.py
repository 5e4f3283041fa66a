"""LiteLLM as a client: its OpenAI, Anthropic and Gemini providers, pointed at Sluice."""

import litellm
from conversation import DATA_URL, WORDS, has_tool, serve, turn

litellm.suppress_debug_info = True


THINKING = {
    "openai/": {"reasoning_effort": "high", "allowed_openai_params": ["reasoning_effort"]},
    "anthropic/": {"thinking": {"type": "enabled", "budget_tokens": WORDS["thinkingTokensMax"]}},
    "gemini/": {"reasoning_effort": "high"},
}


def converse(ask, prefix, base_path):
    content = [{"type": "text", "text": ask["prompt"]}]
    if ask["theme"] == "images":
        content.append({"type": "image_url", "image_url": {"url": DATA_URL}})
    messages = [{"role": "system", "content": WORDS["systemText"]}, {"role": "user", "content": content}]
    request = {
        "model": prefix + ask["model"],
        "api_base": ask["origin"] + base_path,
        "api_key": ask["apiKey"],
        "max_tokens": WORDS["outputTokensMax"],
        "num_retries": 0,
        "max_retries": 0,
    }
    if has_tool(ask):
        function = {"name": WORDS["toolName"], "description": WORDS["toolText"], "parameters": WORDS["toolSchema"]}
        request["tools"] = [{"type": "function", "function": function}]
    if ask["theme"] == "thinking":
        request.update(THINKING[prefix])
    turns = []
    while True:
        pieces = 1
        if ask["isStream"]:
            chunks = list(
                litellm.completion(
                    **request, messages=messages, stream=True, stream_options={"include_usage": True}
                )
            )
            pieces = sum(1 for chunk in chunks if chunk.choices and chunk.choices[0].delta.content)
            response = litellm.stream_chunk_builder(chunks, messages=messages)
        else:
            response = litellm.completion(**request, messages=messages)
        choice = response.choices[0]
        calls = choice.message.tool_calls or []
        usage = response.usage
        details = usage.prompt_tokens_details
        turns.append(
            turn(
                choice.message.content or "",
                [(call.function.name, call.function.arguments) for call in calls],
                choice.finish_reason,
                {
                    "input": usage.prompt_tokens,
                    "output": usage.completion_tokens,
                    "cached": (details.cached_tokens if details else None) or 0,
                },
                getattr(choice.message, "reasoning_content", None) or "",
                pieces,
            )
        )
        if not calls:
            return turns
        messages.append(choice.message)
        for call in calls:
            messages.append({"role": "tool", "tool_call_id": call.id, "content": WORDS["toolResult"]})


serve(
    {
        "chat": lambda ask: converse(ask, "openai/", "/v1"),
        "messages": lambda ask: converse(ask, "anthropic/", ""),
        "gemini": lambda ask: converse(ask, "gemini/", "/v1beta"),
    }
)
