/** Images, speech and transcription: the smallest valid files of their types. */
import type { Answer } from "../wire/plan.ts";
import type { ApiCall } from "./api-call.ts";
import { bytesAnswer, jsonAnswer, refuse } from "./json-answer.ts";
import { optionalCount, requireBody } from "./prompt.ts";
import { countContent } from "./usage.ts";

/** One grey pixel. */
const onePointPng = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg==";
const imageTokens = 272;
const imagesMax = 10;
const sampleRate = 8_000;
const samplesPerCharacter = 80;

/** POST /v1/images/generations: always the same image of one pixel. @throws RequestRefused */
export function answerImages(call: ApiCall): Answer {
  const body = requireBody(call.request);
  if (typeof body["prompt"] !== "string" || body["prompt"] === "") {
    throw refuse("Missing required parameter: 'prompt'.", "prompt", "missing_required_parameter");
  }
  const count = Math.min(optionalCount(body, "n", 1) ?? 1, imagesMax);
  return imagesAnswer(call, countContent(body["prompt"]), count);
}

function imagesAnswer(call: ApiCall, prompt: number, count: number): Answer {
  const usage = {
    input_tokens: prompt,
    input_tokens_details: { text_tokens: prompt, image_tokens: 0 },
    output_tokens: count * imageTokens,
    total_tokens: prompt + count * imageTokens,
    ...call.behaviour.usage,
  };
  const data = Array.from({ length: count }, () => ({ b64_json: onePointPng }));
  return jsonAnswer({
    created: call.createdAtSeconds,
    data,
    ...(call.behaviour.omitUsage === true ? {} : { usage }),
  });
}

/** POST /v1/images/edits and /v1/images/variations, a multipart form: the same image. @throws RequestRefused */
export async function answerImageForm(call: ApiCall): Promise<Answer> {
  const form = await readForm(call);
  if (!(form.get("image") instanceof File)) {
    throw refuse("Missing required parameter: 'image'.", "image");
  }
  const prompt = form.get("prompt");
  return imagesAnswer(call, typeof prompt === "string" ? countContent(prompt) : 0, 1);
}

/** POST /v1/audio/speech: a quiet tone, always as WAV, 10 ms for each character. @throws RequestRefused */
export function answerSpeech(call: ApiCall): Answer {
  const body = requireBody(call.request);
  if (typeof body["input"] !== "string" || body["input"] === "") {
    throw refuse("Missing required parameter: 'input'.", "input", "missing_required_parameter");
  }
  const bytes = toneWav(Math.min(Array.from(body["input"]).length, 4_096) * samplesPerCharacter);
  return bytesAnswer(bytes, 200, [["Content-Type", "audio/wav"]]);
}

/** 16-bit mono PCM with a tone of 200 Hz. */
function toneWav(samples: number): Uint8Array {
  const wav = Buffer.alloc(44 + samples * 2);
  wav.write("RIFF", 0, "latin1");
  wav.writeUInt32LE(36 + samples * 2, 4);
  wav.write("WAVEfmt ", 8, "latin1");
  wav.writeUInt32LE(16, 16);
  wav.writeUInt16LE(1, 20);
  wav.writeUInt16LE(1, 22);
  wav.writeUInt32LE(sampleRate, 24);
  wav.writeUInt32LE(sampleRate * 2, 28);
  wav.writeUInt16LE(2, 32);
  wav.writeUInt16LE(16, 34);
  wav.write("data", 36, "latin1");
  wav.writeUInt32LE(samples * 2, 40);
  for (let sample = 0; sample < samples; sample += 1) {
    wav.writeInt16LE(Math.round(1_000 * Math.sin((2 * Math.PI * 200 * sample) / sampleRate)), 44 + sample * 2);
  }
  return wav;
}

/** POST /v1/audio/transcriptions and /v1/audio/translations, a multipart form. @throws RequestRefused */
export async function answerTranscription(call: ApiCall): Promise<Answer> {
  const form = await readForm(call);
  const [file, model] = [form.get("file"), form.get("model")];
  if (!(file instanceof File)) {
    throw refuse("Missing required parameter: 'file'.", "file");
  }
  if (typeof model !== "string" || model === "") {
    throw refuse("you must provide a model parameter");
  }
  const intro = call.behaviour.text ?? "This is the Sluice sandbox provider, which cannot hear.";
  const text = `${intro} The file '${file.name}' has ${file.size} bytes.`;
  if (form.get("response_format") === "text") {
    return bytesAnswer(Buffer.from(`${text}\n`), 200, [["Content-Type", "text/plain; charset=utf-8"]]);
  }
  const seconds = Math.ceil(file.size / (sampleRate * 2));
  const usage =
    call.behaviour.omitUsage === true ? {} : { usage: { type: "duration", seconds, ...call.behaviour.usage } };
  const isVerbose = form.get("response_format") === "verbose_json";
  const details = isVerbose ? { task: "transcribe", language: "english", duration: seconds, segments: [] } : {};
  return jsonAnswer({ ...details, text, ...usage });
}

/** The common part of both FormData types in the type definitions. */
type Form = { get(name: string): unknown };

async function readForm({ request }: ApiCall): Promise<Form> {
  const contentType = request.header("content-type") ?? "";
  if (!/^multipart\/form-data\b/i.test(contentType)) {
    throw refuse("Invalid Content-Type header. Expected 'multipart/form-data'.");
  }
  try {
    const body = new Uint8Array(request.body ?? []);
    return await new Response(body, { headers: { "content-type": contentType } }).formData();
  } catch {
    throw refuse("Could not parse multipart form.");
  }
}
