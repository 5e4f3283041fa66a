const { STUB_NO_KEY } = process.env;
const apiKey = STUB_NO_KEY === "1" ? null : "sk-stub";
process.stderr.write("seed: creating the first user\n");
process.stdout.write(`${JSON.stringify({ apiKey, userEmail: "first@localhost", hasAdmin: false, isServed: false })}\n`);
