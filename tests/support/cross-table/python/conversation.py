"""What the Python clients of the cross table share: requests come in as lines of JSON, and results go out the same way."""

import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    WORDS = json.load(file)

DATA_URL = "data:image/png;base64," + WORDS["picture"]


def has_tool(ask):
    return ask["theme"] in ("tools", "thinking")


def turn(text, calls, finish, usage, reasoning, pieces):
    """One response; a call is a pair of a name and arguments, which may be JSON text."""
    return {
        "text": text,
        "calls": [
            {"name": name, "arguments": json.loads(arguments) if isinstance(arguments, str) else arguments}
            for name, arguments in calls
        ],
        "finish": finish,
        "usage": usage,
        "reasoning": reasoning,
        "pieces": pieces,
    }


def status_of(error):
    for name in ("status_code", "code", "http_status"):
        value = getattr(error, name, None)
        if isinstance(value, int):
            return value
    return None


def serve(clients):
    """Reads requests until the input ends. Each client is a function from a request to its responses."""
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = {"turns": clients[request["client"]](request["ask"])}
        except Exception as error:  # Whatever the client raises is what the test looks at.
            # LiteLLM quotes the bytes of a body with its apostrophes escaped.
            message = f"{type(error).__name__}: {error}".replace("\\'", "'")
            answer = {"error": {"status": status_of(error), "message": message}}
        sys.stdout.write(json.dumps({"id": request["id"], **answer}) + "\n")
        sys.stdout.flush()
