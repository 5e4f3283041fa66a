"""LangChain for Python with the models of OpenAI, in both APIs, and of Anthropic."""

import openai
from conversation import DATA_URL, WORDS, has_tool, serve, turn
from langchain_anthropic import ChatAnthropic
from langchain_core.messages import HumanMessage, SystemMessage, ToolMessage
from langchain_openai import ChatOpenAI


# One for all, because each would load the certificates of the machine again.
HTTP = openai.DefaultHttpxClient()
ASYNC_HTTP = openai.DefaultAsyncHttpxClient()


def openai_model(ask, is_responses):
    effort = {"effort": "high", "summary": "auto"} if is_responses else None
    is_thinking = ask["theme"] == "thinking"
    return ChatOpenAI(
        base_url=ask["origin"] + "/v1",
        api_key=ask["apiKey"],
        model=ask["model"],
        max_retries=0,
        http_client=HTTP,
        http_async_client=ASYNC_HTTP,
        stream_usage=True,
        use_responses_api=is_responses,
        output_version="v0",
        **({"store": False} if is_responses else {}),
        **({"reasoning": effort, "include": ["reasoning.encrypted_content"]} if is_thinking and is_responses else {}),
        **({"reasoning_effort": "high"} if is_thinking and not is_responses else {}),
    )


def anthropic_model(ask):
    thinking = {"type": "enabled", "budget_tokens": WORDS["thinkingTokensMax"]}
    return ChatAnthropic(
        base_url=ask["origin"],
        api_key=ask["apiKey"],
        model=ask["model"],
        max_retries=0,
        max_tokens=WORDS["outputTokensMax"],
        **({"thinking": thinking} if ask["theme"] == "thinking" else {}),
    )


def converse(ask, model, finish_of, reasoning_of):
    content = [{"type": "text", "text": ask["prompt"]}]
    if ask["theme"] == "images":
        content.append({"type": "image_url", "image_url": {"url": DATA_URL}})
    messages = [SystemMessage(WORDS["systemText"]), HumanMessage(content)]
    if has_tool(ask):
        function = {"name": WORDS["toolName"], "description": WORDS["toolText"], "parameters": WORDS["toolSchema"]}
        model = model.bind_tools([{"type": "function", "function": function}])
    turns = []
    while True:
        pieces = 1
        if ask["isStream"]:
            pieces = 0
            message = None
            for chunk in model.stream(messages):
                pieces += chunk.text != ""
                message = chunk if message is None else message + chunk
        else:
            message = model.invoke(messages)
        usage = message.usage_metadata
        details = usage.get("output_token_details", {})
        seen = {
            "input": usage["input_tokens"],
            "output": usage["output_tokens"],
            "cached": usage.get("input_token_details", {}).get("cache_read", 0),
        }
        if "reasoning" in details:
            seen["reasoning"] = details["reasoning"]
        turns.append(
            turn(
                message.text,
                [(call["name"], call["args"]) for call in message.tool_calls],
                finish_of(message),
                seen,
                reasoning_of(message),
                pieces,
            )
        )
        if not message.tool_calls:
            return turns
        messages.append(message)
        for call in message.tool_calls:
            messages.append(ToolMessage(WORDS["toolResult"], tool_call_id=call["id"]))


def summary_of(message):
    summary = message.additional_kwargs.get("reasoning", {}).get("summary", [])
    return "".join(part["text"] for part in summary)


def thinking_of(message):
    blocks = message.content if isinstance(message.content, list) else []
    return "".join(block.get("thinking", "") for block in blocks if block["type"] == "thinking")


def metadata(name):
    return lambda message: message.response_metadata.get(name)


serve(
    {
        "chat": lambda ask: converse(ask, openai_model(ask, False), metadata("finish_reason"), lambda _: None),
        "responses": lambda ask: converse(ask, openai_model(ask, True), metadata("status"), summary_of),
        "messages": lambda ask: converse(ask, anthropic_model(ask), metadata("stop_reason"), thinking_of),
    }
)
