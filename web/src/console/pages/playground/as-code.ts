import { type ExampleValue, exampleTabs } from "../../../site/docs/api/example-call.ts";

/** A request as a program. The key stays out of it: it belongs in the environment. */
export type CodeTab = { readonly id: string; readonly label: string; readonly code: string };

/** The environment variable of the key in every program. */
export const keyVariable = "GATEWAY_API_KEY";

/** The same request with curl and with the official libraries of four languages. */
export function toCode(body: Readonly<Record<string, unknown>>, origin: string): readonly CodeTab[] {
  // A model that calls a tool writes no text: then the whole message is printed.
  const isWhole = "tools" in body;
  const tabs = exampleTabs("code", {
    client: "openai",
    method: "POST",
    path: "/v1/chat/completions",
    call: "chat.completions.create",
    body: body as Readonly<Record<string, ExampleValue>>,
    result: { field: isWhole ? "choices[0].message" : "choices[0].message.content" },
  });
  const json = JSON.stringify(body, null, 2);
  return [
    // Only the first place is one: a message may contain the same characters.
    ...tabs.map(({ label, text }) => ({ label, code: text.replace("{{origin}}", () => origin) })),
    { label: "Go", code: goOf(json, origin, isWhole) },
    { label: "Java", code: javaOf(json, origin, isWhole) },
  ].map((tab) => ({ id: tab.label.toLowerCase(), ...tab }));
}

/** The library reads the request from JSON. A raw text of Go can't contain its own quote. */
function goOf(json: string, origin: string, isWhole: boolean): string {
  return `package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
)

const body = \`${json.replaceAll("`", "\\u0060")}\`

func main() {
	client := openai.NewClient(
		option.WithBaseURL("${origin}/v1"),
		option.WithAPIKey(os.Getenv("${keyVariable}")),
	)
	var params openai.ChatCompletionNewParams
	if err := json.Unmarshal([]byte(body), &params); err != nil {
		panic(err)
	}
	completion, err := client.Chat.Completions.New(context.Background(), params)
	if err != nil {
		panic(err)
	}
	fmt.Println(completion.Choices[0].Message.${isWhole ? "RawJSON()" : "Content"})
}`;
}

/** The same; in a text block of Java a backslash is written twice. */
function javaOf(json: string, origin: string, isWhole: boolean): string {
  const block = json.replaceAll("\\", "\\\\").replaceAll("\n", "\n        ");
  return `import com.openai.client.OpenAIClient;
import com.openai.client.okhttp.OpenAIOkHttpClient;
import com.openai.core.ObjectMappers;
import com.openai.models.chat.completions.ChatCompletionCreateParams;

public class Main {
    static final String BODY = """
        ${block}
        """;

    public static void main(String[] args) throws Exception {
        OpenAIClient client = OpenAIOkHttpClient.builder()
            .baseUrl("${origin}/v1")
            .apiKey(System.getenv("${keyVariable}"))
            .build();
        var body = ObjectMappers.jsonMapper().readValue(BODY, ChatCompletionCreateParams.Body.class);
        var params = ChatCompletionCreateParams.builder().body(body).build();
        var completion = client.chat().completions().create(params);
        var message = completion.choices().get(0).message();
        System.out.println(${isWhole ? "message" : 'message.content().orElse("")'});
    }
}`;
}
